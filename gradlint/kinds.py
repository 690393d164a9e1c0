"""Kinds of files: by its name a file is a program or a notebook, and what follows sees a text of each."""

from __future__ import annotations

from collections.abc import Callable

from gradlint.reading import MEGABYTE, TooLarge, reason
from gradlint.texts import NotLinted, Text, decode, notebooks, of_python

NOTEBOOK = ".ipynb"
MOST_OUTPUT = 50 * MEGABYTE
"""How many bytes a notebook may hold. Most of them are what its cells have put out, so what may be linted of it is
counted when its cells are known."""

_READERS: dict[str, Callable[[bytes], Text]] = {NOTEBOOK: notebooks.read}


def read(data: bytes, name: str, most: int) -> Text:
    """What is linted of a file of this name. Raises `texts.Unreadable`, and `texts.NotLinted` for more than `most`
    bytes."""
    reader = next((reader for suffix, reader in _READERS.items() if name.endswith(suffix)), None)
    if reader is None:
        return of_python(decode(data))
    text = reader(data)
    if len(text.program.encode("utf-8", "replace")) > most:
        raise NotLinted(1, 1, f"{reason(TooLarge(most))} without what its cells have put out".removeprefix("it is "))
    return text


def is_mapped(name: str) -> bool:
    """Whether the rows that are linted of a file of this name are others than those it has."""
    return name.endswith((*_READERS,))


def words(data: bytes, name: str) -> str:
    """A text that has all words of a file, if it spells them out: nothing is taken apart for it. Raises
    `texts.Unreadable`."""
    return data.decode("utf-8", "replace") if is_mapped(name) else decode(data)


def most_bytes(name: str, most: int) -> int:
    """How many bytes a file may hold of which no more than `most` are linted."""
    return max(most, MOST_OUTPUT) if name.endswith(NOTEBOOK) else most
