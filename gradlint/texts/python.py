"""What Python's own parser says of a text, which takes it a fraction of the time that LibCST's takes."""

from __future__ import annotations

import ast
import warnings

from gradlint.texts.decoding import BOM, Unreadable, with_line_feeds

TOO_DEEP = "nested too deeply to be parsed"


class NotLinted(Unreadable):
    """A text that gradlint gives up on although it may be Python, with the place and the reason."""


def is_python(text: str) -> bool:
    """Whether Python parses a text."""
    program = with_line_feeds(text.removeprefix(BOM))
    return "\0" not in program and fault(program) is None


def fault(program: str) -> Unreadable | None:
    """What Python says of a text it does not parse; None for one it parses."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(program)
    except SyntaxError as error:
        return Unreadable(max(error.lineno or 1, 1), max(error.offset or 1, 1), f"{type(error).__name__}: {error.msg}")
    except (RecursionError, MemoryError):
        return NotLinted(1, 1, TOO_DEEP)
    except ValueError as error:
        return Unreadable(1, 1, f"SyntaxError: {error}")
    return None
