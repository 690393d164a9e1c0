"""Kinds of files: by its name a file is a program, a notebook or a page, and what follows sees a text of each."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

from gradlint.reading import MEGABYTE, TooLarge, reason
from gradlint.texts import NotLinted, Text, Unreadable, decode, notebooks, of_python, pages

NOTEBOOK, PAGE = ".ipynb", ".md"
MOST_OUTPUT = 50 * MEGABYTE
"""The most bytes that a notebook may hold. Most of them are what its cells have put out, so what may be linted of it is
counted when its cells are known."""
MISSING = f"Markdown needs {pages.PARSER}, which is not installed; install `torch-gradlint[markdown]`"

_READERS: dict[str, Callable[[bytes], Text]] = {NOTEBOOK: notebooks.read, PAGE: pages.read}


def read(data: bytes, name: str, most: int) -> Text:
    """Return the text to lint in a file of this name. Raises `texts.Unreadable`, and `texts.NotLinted` for more than
    `most` bytes."""
    reader = next((reader for suffix, reader in _READERS.items() if name.endswith(suffix)), None)
    if reader is None:
        return of_python(decode(data))
    if missing := lacking(name):
        raise Unreadable(1, 1, missing)
    text = reader(data)
    if len(text.program.encode("utf-8", "replace")) > most:
        raise NotLinted(1, 1, f"{reason(TooLarge(most))} without what its cells have put out".removeprefix("it is "))
    return text


def shown(data: bytes, name: str) -> dict[int | None, str]:
    """The text of a file of this name, or those of the cells of a notebook by their numbers. Raises
    `texts.Unreadable`."""
    if name.endswith(NOTEBOOK):
        return {cell.number: cell.source for cell in notebooks.cells_of(data)}
    return {None: decode(data)}


def is_mapped(name: str) -> bool:
    """Return whether the rows that are linted of a file of this name are others than those it has."""
    return name.endswith((*_READERS,))


def words(data: bytes, name: str) -> str:
    """A text that has all words of a file, if it spells them out: nothing is taken apart for it. Raises
    `texts.Unreadable`."""
    return data.decode("utf-8", "replace") if is_mapped(name) else decode(data)


def most_bytes(name: str, most: int) -> int:
    """Return the most bytes of a file of which no more than `most` are linted."""
    return max(most, MOST_OUTPUT) if name.endswith(NOTEBOOK) else most


def lacking(name: str) -> str:
    """Return the missing requirement of a file of this name, with the cure; nothing where all is there."""
    return MISSING if name.endswith(PAGE) and find_spec(pages.MODULE) is None else ""
