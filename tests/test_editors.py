"""Editors and services find in what gradlint prints the file, the place, the code and the message.

The patterns say what those of the editors say, in the words of `re`: which part of a line is what.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

FAULTY = "import torch\nw = torch.tensor([1, 2, 3], requires_grad=True)\ntorch.no_grad()\n"
PLACE = r"(?P<row>\d+):(?P<column>\d+)"
CODE = r"(?P<code>[A-Z]{1,4}[0-9]+)"
PATTERNS = {
    # ALE's handler for flake8: what is before the row is not looked at, a drive of Windows may be in it.
    "ale": rf"(?:[a-zA-Z]?:?[^:]+):{PLACE}: (?P<code>[A-Za-z0-9]+):? (?P<message>.*)",
    # flycheck's `error-patterns` for flake8: `file-name ":" line ":" column ": " id " " message`, each on a line.
    "flycheck": rf"^(?P<path>(?:[a-zA-Z]:)?[^:\n]+):{PLACE}: (?P<code>[A-Z][0-9A-Z]+) (?P<message>.+?)$",
    # efm-langserver's `%f:%l:%c: %m`, which is Vim's errorformat.
    "efm": rf"(?P<path>.+?):{PLACE}: (?P<message>.*)",
    # VS Code: a problem matcher of one pattern.
    "vscode": rf"^(?P<path>[^\s].*?):{PLACE}:\s+{CODE}\s+(?P<message>.*)$",
    # GitHub: a problem matcher that an action adds, one like VS Code's.
    "github": rf"^(?P<path>.+):{PLACE}: (?P<code>\w+\d+) (?P<message>.+)$",
}
COMMAND = re.compile(
    r"^::(?P<level>error|warning) title=[^,:]*,file=(?P<path>[^,]*),line=(?P<row>\d+),col=(?P<column>\d+),"
    r"endLine=\d+,endColumn=\d+::(?P<message>.*)$"
)
FOUND = [("2", "5", "GRD101"), ("3", "1", "GRD402")]


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What a process of gradlint prints in each format, of a file and of what an editor hands over."""
    here = tmp_path_factory.mktemp("here")
    (here / "my model").mkdir()
    (here / "my model" / "größe.py").write_text(FAULTY, encoding="utf-8")
    asked = {
        "file": ["my model/größe.py"],
        "stdin": ["-", "--stdin-filename", "my model/größe.py"],
        "absolute": [str(here / "my model" / "größe.py")],
        "github": ["--output-format", "github", "my model/größe.py"],
    }
    return {name: lines(here, args) for name, args in asked.items()}


def lines(here: Path, args: list[str]) -> list[str]:
    command = [sys.executable, "-X", "utf8", "-m", "gradlint", "--isolated", *args]
    ran = subprocess.run(command, cwd=here, input=FAULTY.encode(), capture_output=True, check=False)
    return ran.stdout.decode().splitlines()


@pytest.mark.parametrize("editor", PATTERNS)
@pytest.mark.parametrize("how", ["file", "stdin", "absolute"])
def test_an_editor_finds_every_part_of_a_line(printed: dict[str, list[str]], editor: str, how: str) -> None:
    found = [re.match(PATTERNS[editor], line) for line in printed[how]]
    assert all(found)
    parts = [one.groupdict() for one in found if one]
    assert [(one["row"], one["column"], one.get("code", one["message"][:6])) for one in parts] == FOUND
    assert all(one.get("path", "größe.py").endswith("größe.py") for one in parts)
    assert all(len(one["message"].split()) >= 5 for one in parts)


def test_github_finds_every_part_of_a_command(printed: dict[str, list[str]]) -> None:
    found = [COMMAND.match(line) for line in printed["github"]]
    assert all(found)
    assert [(one["row"], one["column"], one["message"].split(": ")[1][:6]) for one in found if one] == FOUND
