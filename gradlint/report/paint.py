"""Colour for terminals. Whether there is any is decided by the command line, not here."""

from __future__ import annotations

_CODES = {"bold": "1", "red": "1;31", "blue": "1;34", "cyan": "36", "green": "32"}


def paint(text: str, colour: str, painted: bool) -> str:
    """The text in this colour, or as it is."""
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if painted and text else text
