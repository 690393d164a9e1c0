"""Pieces of programs of several lines, each with how often it is taken; see `vocabulary` for the slots in them.

They are written one behind another, a number above each and an empty line between.
"""

from __future__ import annotations

from tests.fuzz.recipes import autograd, blocks, language, sequences, training, waiting

Table = tuple[tuple[int, str], ...]


def table(text: str) -> Table:
    """The pieces in a text, with their numbers."""
    found = (piece.partition("\n") for piece in text.strip().split("\n\n"))
    return tuple((int(weight), piece) for weight, _, piece in found)


BLOCKS = table(blocks.BLOCKS) + table(waiting.BLOCKS)
"""What may stand anywhere, with a body to be written."""
RECIPES = tuple(entry for part in (language, training, autograd, waiting, sequences) for entry in table(part.RECIPES))
"""What stands at the top of a program."""
