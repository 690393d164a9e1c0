"""Streams that end, are full or are terminals, and signals: a run ends with what is done, and tells how far it is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from commands import FAULTY, Run, outside, two_files


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return two_files(tmp_path)


@pytest.fixture
def process(here: Path) -> Run:
    return outside(here)


def test_a_reader_who_leaves_is_no_error(here: Path) -> None:
    for number in range(200):
        (here / f"file{number}.py").write_text(FAULTY)
    command = f"'{sys.executable}' -m gradlint --output-format full . | head -n 1; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", command], cwd=here, capture_output=True, text=True, check=False)
    assert (ran.returncode, "Error" in ran.stderr) == (1, False), ran.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_said_in_a_line(here: Path) -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "gradlint", "-q", "."]
        ran = subprocess.run(command, cwd=here, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (ran.returncode, ran.stderr.count("\n"), "No space left" in ran.stderr) == (2, 1, True), ran.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals differ elsewhere")
@pytest.mark.parametrize(("number", "code"), [("SIGINT", 130), ("SIGTERM", 143)])
def test_a_signal_ends_a_run_with_what_is_done(process: Run, here: Path, number: str, code: int) -> None:
    """The findings of the files that are done are printed, and no process is left."""
    (here / "slow.py").write_text("import torch\n\nslow = torch.ones(2, requires_grad=True)\n")
    ended = (
        "import multiprocessing, os, signal, sys, time\n"
        "sys.argv[1:] = ['.', '--jobs', '2']\n"
        "from gradlint import linter\n"
        "from gradlint.__main__ import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a shell's background jobs ignore it
        "analyse = linter.analyse\n"
        "def ending(text, *args, **options):\n"
        "    if 'slow' not in text:\n"
        "        return analyse(text, *args, **options)\n"
        "    time.sleep(3)\n"  # the other worker has long answered
        f"    os.kill(os.getppid(), signal.{number})\n"
        "    time.sleep(60)\n"
        "linter.analyse = ending\n"
        "code = main()\n"
        "assert not multiprocessing.active_children()\n"
        "sys.exit(code)\n"
    )
    ran = process(code=ended)
    assert ran.returncode == code, ran.stderr
    assert "faulty.py" in ran.stdout
    assert re.search("^error: interrupted: 2 of 3 files$", ran.stderr, re.MULTILINE), ran.stderr


def on_a_terminal(here: Path, *args: str, silent: float) -> str:
    """What a run says on stderr where that is a terminal and so many seconds must pass first."""
    pty = pytest.importorskip("pty", reason="there are no terminals here")
    watching, terminal = pty.openpty()
    code = (
        "import sys\n"
        f"sys.argv[1:] = {list(args)!r}\n"
        "from gradlint import terminal\n"
        "from gradlint.__main__ import main\n"
        f"terminal.Progress.SILENT = {silent}\n"
        "sys.exit(main())\n"
    )
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "TERM": "xterm"}
    try:
        subprocess.run(command, cwd=here, env=environment, stdout=subprocess.DEVNULL, stderr=terminal, check=False)
        return os.read(watching, 100_000).decode()
    finally:
        os.close(watching)
        os.close(terminal)


def test_progress_is_told_on_a_terminal_and_taken_away(here: Path) -> None:
    said = on_a_terminal(here, ".", silent=0)
    assert said.index("\r\x1b[K1 of 2 files") < said.index("\r\x1b[K2 of 2 files")
    assert said.endswith("\r\x1b[K1 finding in 1 file; 1 with `--fix --unsafe-fixes`\r\n")


@pytest.mark.parametrize(("args", "silent"), [(["."], 1000), (["-q", ".", "missing"], 0)])
def test_no_progress_is_told_of_short_runs_and_quiet_ones(here: Path, args: list[str], silent: float) -> None:
    assert " of 2 files" not in on_a_terminal(here, *args, silent=silent)


def test_no_progress_is_told_where_nobody_watches(process: Run) -> None:
    code = (
        "import sys\n"
        "sys.argv[1:] = ['.']\n"
        "from gradlint import terminal\n"
        "from gradlint.__main__ import main\n"
        "terminal.Progress.SILENT = 0\n"
        "sys.exit(main())\n"
    )
    assert process(code=code).stderr == "1 finding in 1 file; 1 with `--fix --unsafe-fixes`\n"
