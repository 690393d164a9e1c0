"""What is shipped: every module of both folders, nothing else at the top, and a hook that pre-commit can run."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOP = {"pyproject.toml", "gradlint", "rules", "tests", "README.md", ".pre-commit-hooks.yaml"}
ASIDE = {"LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", ".gitignore", ".ci"}
HOOK = ["-m", "pre_commit"]
IN_GIT = subprocess.run(["git", "rev-parse"], cwd=ROOT, capture_output=True, check=False).returncode == 0

pytestmark = pytest.mark.skipif(not IN_GIT, reason="git says which files belong to the project")


def _run(command: Sequence[str | Path], cwd: Path) -> str:
    ran = subprocess.run([*map(str, command)], cwd=cwd, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, f"{command}:\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


def _tracked() -> list[str]:
    """The project's files: those that git tracks, and new ones that it does not ignore."""
    listed = _run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT)
    return sorted(name for name in set(listed.split("\0")) if name and (ROOT / name).is_file())


@pytest.fixture(scope="session")
def clean_copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's files and no others: what an earlier build left behind would come back."""
    folder = tmp_path_factory.mktemp("copy")
    for name in _tracked():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    return folder


def _committed(folder: Path) -> Path:
    """The folder, all of which is committed to a repository of its own."""
    identity = ["-c", "user.name=tester", "-c", "user.email=tester@example.com", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "-A"], [*identity, "commit", "-q", "--allow-empty", "-m", "all"]):
        _run(["git", *command], folder)
    return folder


@pytest.fixture(scope="session")
def built(clean_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sdist, and the wheel that is built from it."""
    out = tmp_path_factory.mktemp("dist")
    _run([sys.executable, "-m", "build", "--outdir", out, _committed(clean_copy)], out)
    return {"wheel": next(out.glob("*.whl")), "sdist": next(out.glob("*.tar.gz"))}


@pytest.fixture(scope="session")
def wheel(built: dict[str, Path]) -> set[str]:
    """The names of the files in the wheel."""
    with zipfile.ZipFile(built["wheel"]) as archive:
        return set(archive.namelist())


def test_the_top_level_holds_what_was_agreed() -> None:
    found = {name.split("/")[0] for name in _tracked()}
    assert found >= TOP
    assert found <= TOP | ASIDE


def _shipped() -> list[str]:
    return [name for name in _tracked() if name.startswith(("gradlint/", "rules/"))]


def test_every_package_is_listed() -> None:
    """A family that pyproject.toml does not list would not be in the wheel; this says so without building one."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = set(settings["tool"]["setuptools"]["packages"])
    folders = {name.rpartition("/")[0] for name in _shipped() if name.endswith(".py")}
    assert listed == {folder.replace("rules", "gradlint_rules", 1).replace("/", ".") for folder in folders}


@pytest.mark.packaging
def test_the_wheel_holds_every_module(wheel: set[str]) -> None:
    wanted = {
        name if name.startswith("gradlint/") else name.replace("rules/", "gradlint_rules/", 1) for name in _shipped()
    }
    assert {"gradlint/py.typed", "gradlint_rules/py.typed"} <= wanted
    packed = {name for name in wheel if ".dist-info/" not in name}
    assert packed == wanted


@pytest.mark.packaging
def test_the_sdist_holds_the_project(built: dict[str, Path]) -> None:
    with tarfile.open(built["sdist"]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {name for name in _tracked() if not name.startswith(".")}


def _pythons() -> dict[str, str]:
    """This Python and the newest released one of this machine, by version."""
    candidates = {sys.executable, *map(str, Path.home().glob(".pyenv/versions/*/bin/python3"))}
    candidates |= {found for minor in range(11, 30) if (found := shutil.which(f"python3.{minor}"))}
    asks = "import sys; print(*sys.version_info[:2], sys.version_info.releaselevel == 'final')"
    found = dict[tuple[int, int], str]()
    for python in sorted(candidates):
        ran = subprocess.run([python, "-c", asks], capture_output=True, text=True, check=False)
        if ran.returncode == 0 and ran.stdout.endswith("True\n"):
            major, minor, _ = ran.stdout.split()
            found.setdefault((int(major), int(minor)), python)
    wanted = {sys.version_info[:2], max(found)}
    return {f"{major}.{minor}": found[major, minor] for major, minor in sorted(wanted)}


@pytest.mark.packaging
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
@pytest.mark.parametrize("python", _pythons().values(), ids=_pythons())
def test_what_is_built_works_where_nothing_else_is_installed(
    python: str, kind: str, built: dict[str, Path], tmp_path: Path
) -> None:
    _run([python, "-m", "venv", tmp_path / "env"], tmp_path)
    scripts = tmp_path / "env/bin"
    _run([scripts / "pip", "install", "-q", "--disable-pip-version-check", built[kind]], tmp_path)
    (tmp_path / "a name.py").write_text(FAULTY)
    for command in ("gradlint", "torch-gradlint"):
        ran = subprocess.run([scripts / command, "."], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert ran.returncode == 1, ran.stdout + ran.stderr
        assert ran.stderr == "1 finding in 1 file; 1 can be fixed with `--fix`\n"
        assert ran.stdout.startswith("a name.py:4:1: GRD208 ")


@pytest.mark.packaging
def test_the_manifest_is_valid() -> None:
    _run([sys.executable, *HOOK, "validate-manifest", ROOT / ".pre-commit-hooks.yaml"], ROOT)


FAULTY = "import torch\nw = torch.ones(3, requires_grad=True)\nw.sum().backward()\nw.grad = 0\n"


@pytest.mark.packaging
@pytest.mark.parametrize("hook", ["gradlint", "gradlint-fix"])
def test_pre_commit_runs_the_hooks(
    hook: str, clean_copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    for number, key in enumerate(("user.name", "user.email", "commit.gpgsign", "init.defaultBranch")):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", ("tester", "tester@example.com", "false", "main")[number])
    monkeypatch.setenv("GIT_CONFIG_COUNT", "4")
    scratch = tmp_path / "scratch"
    (scratch / "build").mkdir(parents=True)
    for name in ("a name.py", "build/out.py"):
        (scratch / name).write_text(FAULTY)
    cells = [{"cell_type": "code", "metadata": {}, "source": [FAULTY], "outputs": [], "execution_count": None}]
    notebook = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}, indent=1)
    (scratch / "a book.ipynb").write_text(notebook)
    (scratch / "notes.md").write_text("import torch\n")
    for folder in (clean_copy, scratch):
        _committed(folder)
    command = [sys.executable, *HOOK, "try-repo", str(clean_copy), hook, "--all-files", "--verbose"]
    ran = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert ("a name.py:4:1: GRD208" in ran.stdout) == (hook == "gradlint")
    assert (scratch / "a name.py").read_text() == FAULTY.replace("= 0", "= None" if hook == "gradlint-fix" else "= 0")
    assert ("a book.ipynb:cell 1:4:1: GRD208" in ran.stdout) == (hook == "gradlint")
    mended = notebook.replace("w.grad = 0", "w.grad = None") if hook == "gradlint-fix" else notebook
    assert (scratch / "a book.ipynb").read_text() == mended
    assert (scratch / "build/out.py").read_text() == FAULTY
    assert "notes.md" not in ran.stdout and "out.py" not in ran.stdout
