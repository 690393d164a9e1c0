"""The command line in a folder with two files, inside the process of the tests or in one of its own."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gradlint import cli

FAULTY = "import torch\nw = torch.tensor([1, 2, 3], requires_grad=True)\n"
CLEAN = "import torch\nw = torch.tensor([1.0], requires_grad=True)\n"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def two_files(folder: Path) -> Path:
    """The folder, with one faulty and one clean file."""
    (folder / "faulty.py").write_text(FAULTY)
    (folder / "clean.py").write_text(CLEAN)
    return folder


class _Terminal(io.TextIOWrapper):
    """A stream that remembers what was written."""

    def __init__(self, encoding: str) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, newline="", write_through=True)

    def text(self) -> str:
        return bytes(self.buffer.getvalue()).decode()  # type: ignore[attr-defined]


def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs gradlint in a folder, inside this process: an exception that leaves it fails the test."""

    def run(
        *args: str, stdin: str | bytes = "", encoding: str = "utf-8", **variables: str
    ) -> subprocess.CompletedProcess[str]:
        given = stdin if isinstance(stdin, bytes) else stdin.encode()
        out, err = _Terminal(encoding), _Terminal(encoding)
        with monkeypatch.context() as patch:
            patch.chdir(folder)
            for name in ("NO_COLOR", "FORCE_COLOR"):
                patch.delenv(name, raising=False)
            for name, value in variables.items():
                patch.setenv(name, value)
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given)))
            patch.setattr("sys.stdout", out)
            patch.setattr("sys.stderr", err)
            code = cli.run(args)
        return subprocess.CompletedProcess(args, code, out.text(), err.text())

    return run


def outside(folder: Path) -> Run:
    """Runs gradlint in a folder as users do; nothing it prints may be a traceback, unless one is `wanted`."""

    def run(*args: str, code: str = "", wanted: bool = False, **variables: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", code] if code else [sys.executable, "-m", "gradlint", *args]
        environment = os.environ | variables
        ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        assert ("Traceback" in ran.stdout + ran.stderr) == wanted, ran.stderr
        return ran

    return run
