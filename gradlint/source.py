"""Source text: decoded, parsed, and where in it things stand.

The only room besides the interpreter that touches LibCST. Text that is no Python is refused with the
place and words of Python's own parser, because LibCST's places of syntax errors are not to be relied on.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Iterable
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from gradlint.finding import Place

LIBCST_ALONE = "Python parses this file, but LibCST does not"


class Unreadable(Exception):
    """A text that cannot be analysed: where (from 1) and why."""

    def __init__(self, row: int, column: int, message: str) -> None:
        super().__init__(f"{row}:{column}: {message}")
        self.row, self.column, self.message = row, column, message


def decode(data: bytes) -> str:
    """The text of a file, in the encoding that its first lines or its byte order mark name. Line ends stay as they are."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        raise Unreadable(1, 1, f"SyntaxError: {error.msg}") from None
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        before = data[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        row = before.count(b"\n") + 1
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        raise Unreadable(row, column, f"SyntaxError: this byte is not {encoding}; declare the file's encoding") from None


def parse(text: str) -> cst.Module:
    """The syntax tree of a text. Raises `Unreadable`."""
    try:
        return cst.parse_module(text)
    except (cst.ParserSyntaxError, RecursionError, ValueError, MemoryError, cst.CSTValidationError):
        raise _why(text) from None


def _why(text: str) -> Unreadable:
    """What Python says of a text that LibCST refuses."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError as error:
            row = error.lineno or 1
            return Unreadable(row, max(error.offset or 1, 1), f"{type(error).__name__}: {error.msg}")
        except (RecursionError, MemoryError):
            return Unreadable(1, 1, "SyntaxError: the program is nested too deeply")
        except ValueError as error:
            row = text.count("\n", 0, max(text.find("\0"), 0)) + 1
            return Unreadable(row, 1, f"SyntaxError: {error}")
    return Unreadable(1, 1, LIBCST_ALONE)


# ---- places


def places(module: cst.Module, text: str, nodes: Iterable[Any]) -> dict[Any, Place]:
    """Where these pieces of a tree stand in its text: rows and columns from 1, columns in code points, ends exclusive."""
    wanted = list(nodes)
    positions = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    lines = _Lines(text)
    found: dict[Any, Place] = {}
    for node in wanted:
        at = positions.get(node)
        if at is None:
            continue
        start, end = lines.place(at.start.line, at.start.column), lines.place(at.end.line, at.end.column)
        found[node] = Place(*start, *end)
    found[module] = Place(1, 1, 1, 1)
    return found


class _Lines:
    """Columns as editors and Python count them: LibCST drops a form feed at the beginning of a line."""

    def __init__(self, text: str) -> None:
        self.fed: dict[int, int] = {}
        if "\f" in text:
            for row, line in enumerate(io.StringIO(text, newline=None), 1):
                indent = line[: len(line) - len(line.lstrip(" \t\f"))]
                self.fed[row] = indent.count("\f")

    def place(self, row: int, column: int) -> tuple[int, int]:
        """Row and column from 1."""
        return row, column + 1 + self.fed.get(row, 0)
