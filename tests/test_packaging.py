"""What is shipped: every module of both folders, nothing else at the top, and a hook that pre-commit can run."""

from __future__ import annotations

import shutil
import subprocess
import sys
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


@pytest.fixture(scope="session")
def wheel(clean_copy: Path, tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in the wheel."""
    out = tmp_path_factory.mktemp("dist")
    _run([sys.executable, "-m", "build", "--wheel", "--outdir", out, clean_copy], out)
    (built,) = out.glob("*.whl")
    with zipfile.ZipFile(built) as archive:
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
    (scratch / "notes.md").write_text("import torch\n")
    for folder in (clean_copy, scratch):
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "--allow-empty", "-m", "all"]):
            _run(["git", *command], folder)
    command = [sys.executable, *HOOK, "try-repo", str(clean_copy), hook, "--all-files", "--verbose"]
    ran = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert ("a name.py:4:1: GRD208" in ran.stdout) == (hook == "gradlint")
    assert (scratch / "a name.py").read_text() == FAULTY.replace("= 0", "= None" if hook == "gradlint-fix" else "= 0")
    assert (scratch / "build/out.py").read_text() == FAULTY
    assert "notes.md" not in ran.stdout and "out.py" not in ran.stdout
