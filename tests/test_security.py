"""Nothing that is linted is ever run: not by name, not by entry point, not from the folder one stands in."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

PLANTED = "import pathlib\npathlib.Path(__file__).with_name('was_run').write_text('yes')\n"
POSING_AS = ("click", "libcst", "gradlint_rules", "torch", "tomllib", "json", "ast", "site")
MODULE = [sys.executable, "-m", "gradlint"]
SCRIPT = [str(Path(sysconfig.get_path("scripts")) / "gradlint")]


@pytest.fixture
def evil(tmp_path: Path) -> Path:
    """A tree that poses as an installed rule pack and as everything gradlint imports."""
    info = tmp_path / "evil.egg-info"
    info.mkdir()
    (info / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[gradlint.rules]\nevil = evil\n")
    for name in ("evil", *POSING_AS):
        (tmp_path / f"{name}.py").write_text(PLANTED)
    return tmp_path


@pytest.mark.parametrize("path", [None, "", ".", f"{os.pathsep}nowhere"])
@pytest.mark.parametrize("command", [MODULE, SCRIPT], ids=["module", "script"])
@pytest.mark.parametrize("args", [["."], ["rules"], ["rule", "GRD301"], ["--version"]], ids=" ".join)
def test_the_current_folder_is_never_executed(
    evil: Path, command: list[str], args: list[str], path: str | None
) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if path is not None:
        environment["PYTHONPATH"] = path
    ran = subprocess.run([*command, *args], cwd=evil, env=environment, capture_output=True, text=True, check=False)
    assert not (evil / "was_run").exists()
    assert (ran.returncode, "Traceback" in ran.stderr) == (0, False), ran.stderr


def test_the_trap_is_sprung_by_whoever_searches_the_folder(evil: Path) -> None:
    """The tree above does harm where the folder is searched, so the test above can fail."""
    load = (
        "from importlib.metadata import entry_points as e; [p.load() for p in e(group='gradlint.rules', name='evil')]"
    )
    subprocess.run([sys.executable, "-c", load], cwd=evil, capture_output=True, check=False)
    assert (evil / "was_run").exists()


@pytest.mark.parametrize("args", [["--version"], ["--help"], ["check", "--help"]], ids=" ".join)
def test_asking_about_gradlint_loads_no_engine(args: list[str]) -> None:
    watch = (
        "import sys; sys.argv[1:] = {args!r}\n"
        "from gradlint.__main__ import main\n"
        "code = main()\n"
        "heavy = {{'libcst', 'gradlint_rules', 'torch', 'importlib.metadata'}}\n"
        "loaded = sorted(heavy & set(sys.modules))\n"
        "print(code, loaded, file=sys.stderr)\n"
    )
    ran = subprocess.run([sys.executable, "-c", watch.format(args=args)], capture_output=True, text=True, check=False)
    assert ran.stderr.splitlines()[-1] == "0 []", ran.stderr
