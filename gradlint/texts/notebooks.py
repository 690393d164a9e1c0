"""Notebooks: their code cells, in order, as one program.

A cell is called by its place among all cells, from 1. Cells that hold no Python are left out; what is none in the
others is taken out, row by row, so that a program tells which cell and row each of its rows is.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable
from typing import Any

from gradlint.frozen import frozen
from gradlint.texts import magics
from gradlint.texts.decoding import NEWLINE, Unreadable
from gradlint.texts.displaying import last_displayed
from gradlint.texts.mapping import Part, SourceMap, Stretch, Text
from gradlint.texts.python import TOO_DEEP, NotLinted

FORMAT = 4
"""The format of notebooks that is read: the major number; the minor ones differ in nothing that is looked at."""
PYTHON = ("python", "ipython", "python3", "ipython3")
CELL_TYPES = ("code", "markdown", "raw")
_KINDS: dict[type, str] = {
    bool: "a boolean", int: "a whole number", float: "a fraction", str: "a string", list: "a list", dict: "an object",
}  # fmt: skip


@frozen()
class Cell:
    """A cell that holds Python: its `number` and its `source`."""

    number: int
    source: str


class _Object(dict[str, Any]):
    """An object of JSON, and the key that stands in it `twice`."""

    twice = ""


def _object(members: list[tuple[str, Any]]) -> _Object:
    found = _Object(members)
    if len(found) < len(members):
        keys = [key for key, _ in members]
        found.twice = next(key for key in keys if keys.count(key) > 1)
    return found


def read(data: bytes) -> Text:
    """Return a notebook's linted text; nothing of one in another language. Raises `Unreadable` with what is wrong."""
    cells = cells_of(data)
    stretches, parts, first = [Stretch(1, 1)], list[Part](), 2
    for cell in cells:
        stretches.append(Stretch(first, 1, cell.number))
        parts.append(Part(first, last_displayed(magics.python_of(cell.source))))
        first += len(NEWLINE.findall(cell.source)) + 2
    program, shown = _joined(part.program for part in parts), _joined(cell.source for cell in cells)
    return Text(program, shown, SourceMap(tuple(stretches)), tuple(parts))


def _joined(sources: Iterable[str]) -> str:
    """Cells below each other, and below a row that is of none: what is said of a whole notebook stands there. Behind
    each there is a row that stands for its end. A carriage return at the end of a cell would be one newline with what
    joins them."""
    ended = (f"{source[:-1]}\n" if source.endswith("\r") else source for source in sources)
    return "".join(["\n", *(f"{source}\n\n" for source in ended)])


def cells_of(data: bytes) -> list[Cell]:
    """The cells of a notebook that hold Python, in order. Raises `Unreadable` with what is wrong."""
    notebook = _whole(data)
    if not _is_in_python(notebook):
        return []
    numbered = [(number, _cell(cell, f"cell {number}")) for number, cell in enumerate(notebook["cells"], 1)]
    return [
        Cell(number, source)
        for number, cell in numbered
        if cell["cell_type"] == "code"
        and _is_python(cell["metadata"].get("vscode"), "languageId")
        and magics.holds_python(source := source_of(cell))
    ]


def source_of(cell: dict[str, Any]) -> str:
    """The text of a cell, which may be in pieces."""
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


# ---- what a notebook must be


def _whole(data: bytes) -> _Object:
    """A notebook with all that it must have; `metadata` stands where they are missing."""
    notebook: _Object = _parsed(data)
    _check(notebook, dict, "a notebook")
    found = notebook.get("nbformat")
    if found is None and "cells" not in notebook:
        raise _refusal("it has neither `cells` nor `nbformat`")
    _check(found, int, "`nbformat`")
    if found != FORMAT:
        raise _refusal(f"its `nbformat` is {found}, and only {FORMAT} is read; save it in that format")
    _check_unique(notebook, "the notebook")
    _check(notebook.get("cells"), list, "`cells`")
    _check(notebook.setdefault("metadata", {}), dict, "`metadata`")
    return notebook


def _parsed(data: bytes) -> Any:
    """Return the content of JSON."""
    try:
        text = data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        byte = data[error.start : error.start + 1].hex()
        raise _refusal(f"byte 0x{byte} is not utf-8", data.count(b"\n", 0, error.start) + 1) from error
    if not text.strip():
        raise _refusal("it is empty")
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_beginning)
    except json.JSONDecodeError as error:
        raise _refusal(f"its JSON is damaged: {error.msg}", error.lineno, error.colno) from error
    except RecursionError:
        raise NotLinted(1, 1, TOO_DEEP) from None


def _beginning(digits: str) -> int:
    """A number, or what a long one begins with: Python refuses it, and no long one is looked at."""
    return int(digits[:20])


def _cell(found: Any, name: str) -> _Object:
    """A cell with all that it must have."""
    _check(found, dict, name)
    cell: _Object = found
    _check_unique(cell, name)
    _check(kind := cell.get("cell_type"), str, f"`cell_type` of {name}")
    if kind not in CELL_TYPES:
        raise _refusal(f"`cell_type` of {name} must be {', '.join(CELL_TYPES[:-1])} or {CELL_TYPES[-1]}")
    _check(cell.setdefault("metadata", {}), dict, f"`metadata` of {name}")
    source = cell.get("source")
    if not isinstance(source, str) and not (isinstance(source, list) and all(isinstance(each, str) for each in source)):
        raise _refusal(f"`source` of {name} must be a string or a list of strings{_instead(source)}")
    return cell


def _check(value: Any, kind: type, name: str) -> None:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise _refusal(f"{name} must be {_KINDS[kind]}{_instead(value)}")


def _check_unique(members: _Object, name: str) -> None:
    if members.twice:
        raise _refusal(f"`{members.twice}` stands twice in {name}")


def _instead(value: Any) -> str:
    if value is None:
        return ", and is missing"
    kind = next((said for known, said in _KINDS.items() if isinstance(value, known)), "")
    return f", not {kind}"


def _refusal(message: str, row: int = 1, column: int = 1) -> Unreadable:
    return Unreadable(row, column, f"no notebook that can be read: {message}")


# ---- languages


def _is_in_python(notebook: _Object) -> bool:
    """Return whether a notebook is in Python: where it says nothing, it is."""
    told = (("language_info", "name"), ("kernelspec", "language"))
    said = [_word(notebook["metadata"].get(table), key) for table, key in told]
    return next((word.lower() in PYTHON for word in said if word), True)


def _is_python(table: Any, key: str) -> bool:
    word = _word(table, key)
    return not word or word.lower() in PYTHON


def _word(table: Any, key: str) -> str:
    word = table.get(key) if isinstance(table, dict) else ""
    return word if isinstance(word, str) else ""
