"""A program that parses a Python file, or all below a folder, with LibCST and does no more: the yardstick."""

from __future__ import annotations

import sys
from pathlib import Path

import libcst


def parse(path: Path) -> None:
    """Parse a file, or the Python files of a folder; what is no Python is passed over."""
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        try:
            libcst.parse_module(file.read_bytes())
        except libcst.ParserSyntaxError:
            continue


if __name__ == "__main__":
    parse(Path(sys.argv[1]))
