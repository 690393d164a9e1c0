"""flake8 with the plugin tells what `gradlint FILE` tells, and is stopped or slowed down by no file."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gradlint import cli, flake8, run

pytest.importorskip("flake8")

ROOT = Path(__file__).parent.parent
FAULTY = "import torch\nw = torch.tensor([1, 2, 3], requires_grad=True)\n"
LOOP = """
def train(model, data, opt):
    for x in data:
        loss = model(x).mean()
        loss.backward()
        opt.step()
"""
TEXTS = {
    "plain.py": FAULTY,
    "wide.py": "import torch\ngröße = '日本'; \tw = torch.tensor([1], requires_grad=True); torch.no_grad()\n",
    "mark.py": "\ufeff" + FAULTY,
    "carriage.py": "import torch\r\nw = torch.tensor(\r\n    [1],\r\n    requires_grad=True)\r\ntorch.no_grad()\r\n",
    "latin.py": "# coding: latin-1\nimport torch\nmaß = torch.tensor([1], requires_grad=True)\n",
    "loop.py": "import torch\n" + LOOP,
    "feed.py": "import torch\n\x0c\nw = torch.tensor([1], requires_grad=True)\n",
    "silent.py": FAULTY.replace("True)", "True)  # noqa: GRD101") + FAULTY.replace("True)", "True)  # noqa"),
    "ours.py": FAULTY.replace("True)", "True)  # gradlint: ignore[GRD101]"),
    "open.py": FAULTY.rstrip("\n"),
    "quiet.py": "import os\n",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which gradlint is installed with the entry points that pyproject.toml has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    folder = tmp_path_factory.mktemp("installed")
    info = folder / f"torch_gradlint-{project['version']}.dist-info"
    info.mkdir()
    told = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(told, encoding="utf-8")
    points = project["entry-points"]["flake8.extension"]
    lines = ["[flake8.extension]", *(f"{name} = {value}" for name, value in points.items())]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


Flake8 = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run_flake8(installed: Path, tmp_path: Path) -> Flake8:
    """Runs flake8 as users do, for findings of ours."""

    def run_it(*args: str, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "flake8", "--isolated", "--select", "GRD,ABC", *args]
        environment = os.environ | {"PYTHONPATH": str(installed), "PYTHONIOENCODING": "utf-8"}
        ran = subprocess.run(command, cwd=tmp_path, env=environment, input=stdin, capture_output=True, check=False)
        done = subprocess.CompletedProcess(command, ran.returncode, ran.stdout.decode(), ran.stderr.decode())
        assert done.stderr == ""
        return done

    return run_it


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with files of all kinds; what the plugin remembers is of this test alone."""
    monkeypatch.chdir(tmp_path)
    for name, text in TEXTS.items():
        (tmp_path / name).write_bytes(text.encode("latin-1" if name == "latin.py" else "utf-8"))
    flake8._shared.cache_clear()
    yield tmp_path
    flake8._shared.cache_clear()


def gradlint(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    cli.run(["-q", "--output-format", "concise", *args])
    return capsys.readouterr().out.splitlines()


def plugin(name: str, text: str | None = None) -> list[tuple[int, int, str, type]]:
    """What the plugin gives flake8 of a file."""
    if text is None:
        text = Path(name).read_text(encoding="latin-1" if name == "latin.py" else "utf-8-sig")
    lines = text.splitlines(keepends=True)
    return list(flake8.Plugin(ast.Module([], []), lines, name).run())


def test_flake8_prints_what_gradlint_prints(here, run_flake8, capsys):
    ran = run_flake8(*TEXTS)
    ours = [line for name in TEXTS for line in gradlint(capsys, name)]
    assert sorted(ran.stdout.splitlines()) == sorted(ours)
    assert len(ours) == 10
    (here / "sub").mkdir()
    (here / "sub" / "gradlint.toml").write_text("select = ['GRD402']\n")
    (here / "sub" / "a.py").write_text(FAULTY + "torch.no_grad()\n")
    assert [line.split(" ")[1] for line in run_flake8("sub").stdout.splitlines()] == ["GRD402"]


def test_what_comes_over_stdin_is_linted_under_its_name(here, run_flake8):
    (here / "gradlint.toml").write_text("per-file-ignores = {'tests/*' = ['ALL']}\n")
    faulty = FAULTY.encode()
    assert run_flake8("-", stdin=faulty).stdout.startswith("stdin:2:5: GRD101 ")
    assert plugin("tests/a.py", FAULTY) == []
    changed = b"import torch\n\n\n" + faulty
    assert run_flake8("--stdin-display-name", "plain.py", "-", stdin=changed).stdout.startswith("plain.py:5:5: GRD101 ")


@pytest.mark.parametrize("name", TEXTS)
def test_a_file_gives_its_findings_as_flake8_counts_them(here, capsys, name):
    told = [f"{name}:{row}:{column + 1}: {message}" for row, column, message, _ in plugin(name)]
    assert told == gradlint(capsys, name)


@pytest.mark.parametrize(
    "name", ["stdin", "-", "nowhere.py", "no/such/folder/a.py", "", "\0.py", "plain.py", ".", "a" * 5000]
)
@pytest.mark.parametrize(
    "text", ["", "x = 1", "import torch\n\0", FAULTY, "# coding: klingon\n" + FAULTY, "import torch; \ud800"]
)
@pytest.mark.sampled(54)
def test_nothing_is_raised_whatever_is_handed_over(here, name, text):
    found = plugin(name, text)
    assert all(row > 0 and column >= 0 and "\n" not in message for row, column, message, _ in found)
    assert [message[:6] for _, _, message, _ in found] or text != FAULTY


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("selct = 1", "{file}: unknown key `selct`; did you mean `select`?"),
        ('"a\\nb" = 1', r"{file}: unknown key `a\nb`"),
        ("ignore = ['GRD999']", "unknown rule `GRD999` in {file}; "),
    ],
)
@pytest.mark.parametrize("where", [".", "sub"])
def test_a_configuration_that_cannot_be_used_is_a_finding(here, content, said, where):
    file = here / where / "gradlint.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(content)
    (file.parent / "a.py").write_text(FAULTY)
    ((row, column, message, _),) = plugin(f"{where}/a.py")
    assert (row, column) == (1, 0)
    assert message.startswith(f"GRD000 gradlint cannot be run: {said.format(file=file)}")


def test_an_error_of_ours_is_a_finding(here, monkeypatch):
    def broken(*args: object) -> None:
        raise KeyError("two\nlines")

    monkeypatch.setattr(run, "lint", broken)
    assert plugin("plain.py")[0][:3] == (1, 0, r"GRD002 internal error: KeyError: 'two\nlines'; please report it")


def test_files_in_which_and_whose_imports_name_no_torch_are_not_linted(here, monkeypatch):
    (here / "b.py").write_text("import a\ndef f(x):\n    x.grad.update()\n")
    (here / "a.py").write_text("import b\n")
    (here / "c.py").write_text("import a, d\n" + LOOP)
    (here / "d.py").write_text("import plain\n")
    linted: list[run.Request] = []
    monkeypatch.setattr(run, "lint", lambda request, load: linted.append(request) or run.Outcome((), ()))
    for name in ("a.py", "b.py", "quiet.py", "c.py", "b.py"):
        plugin(name)
    assert [request.paths for request in linted] == [("c.py",)]


def test_a_run_without_torch_loads_nothing_that_analyses(here, installed):
    """Once it is known what is installed."""
    code = (
        "import sys\nfrom gradlint.flake8 import Plugin\n"
        "print(list(Plugin(None, ['import os\\n'], 'quiet.py').run()), 'libcst' in sys.modules)"
    )
    for _ in range(2):
        ran = subprocess.run([sys.executable, "-c", code], cwd=here, capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.stderr) == ("[] False\n", "")


def test_processes_of_a_pool_lint_under_limits(here, run_flake8):
    (here / "gradlint.toml").write_text("limits = {seconds = 1}\n")
    text = "import torch\n" + "".join(f"x{n} = torch.ones(3).requires_grad_()\n" * 3 for n in range(4500))
    (here / "slow.py").write_text(text)
    found = run_flake8("-j2", "slow.py", "plain.py").stdout.splitlines()
    assert [line.split(" ")[1] for line in found] == ["GRD101", "GRD002"]
    assert "takes more than 1 s of CPU time" in found[1]
