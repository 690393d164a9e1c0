"""Errors of Python's own parser in a text, which takes it a fraction of the time that LibCST's takes."""

from __future__ import annotations

import ast
import warnings

from gradlint.texts.decoding import Unreadable
from gradlint.texts.naming import foreign, named

TOO_DEEP = "nested too deeply to be parsed"


class NotLinted(Unreadable):
    """A text that gradlint gives up on although it may be Python, with the place and the reason."""


def fault(program: str) -> Unreadable | None:
    """Return the error in a text that Python does not parse, or that is of another kind; None for a program."""
    if (other := foreign(program)) is not None:
        return other
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(program)
    except SyntaxError as error:
        return named(program, error)
    except (RecursionError, MemoryError):
        return NotLinted(1, 1, TOO_DEEP)
    except ValueError as error:
        return Unreadable(1, 1, f"SyntaxError: {error}")
    return None
