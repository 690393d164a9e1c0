"""Parsing of text to a tree."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable

import libcst

from gradlint.source.limits import depth_within_limits
from gradlint.texts import (
    BOM,
    NEWLINE,
    TOO_DEEP,
    NotLinted,
    Unreadable,
    fault,
    foreign,
    indented_by_blanks,
    with_line_feeds,
    without_magics,
)

LIBCST_REFUSES = "Python parses what LibCST refuses"
NEWER_SYNTAX = re.compile(r"""\b[rR]?[tT][rR]?["']|^[ \t]*+except\b[^(:,#\n]*+,""")
NEWER_SINCE = (1, 8, 4)
"""The form of a row that holds what LibCST reads since that version and not before: template strings, and several
exceptions without brackets. Measured with all releases from 1.5 to 1.9."""

_SUSPICIOUS_DEPTH = 100
"""Brackets nested deeper than this are first shown to Python, which refuses more than 200; LibCST's parser needs
seconds for 800 and its stack overflows at about 1,000."""
_LONG_TEXT = 10_000
"""Longer texts can nest, without brackets (`elif`, `and`), as deep as overflows the stack of the main thread."""
_DEEP_STACK = 128 * 1024 * 1024
"""The deepest texts within the limits need a tenth of it; what is reserved here is missing from what a process may
have."""
_one_stack_size_at_a_time = threading.Lock()


def parse(text: str) -> libcst.Module:
    """The tree of a text, with all its newlines as line feeds: LibCST refuses a last row that is continued by another.
    Where it cannot be parsed otherwise, rows for the shell or for a notebook do nothing, and tabs before a statement
    are taken for blanks.

    Raises `Unreadable` where Python or LibCST refuses the text, `NotLinted` where only the cost of it is too high.
    """
    program = with_line_feeds(text.removeprefix(BOM))
    try:
        return _parse(program)
    except NotLinted:
        raise
    except Unreadable as error:
        plain = indented_by_blanks(program) if error.message == LIBCST_REFUSES else without_magics(program)
        if plain == program:
            raise
    return _parse(plain)


def _parse(program: str) -> libcst.Module:
    if (other := foreign(program)) is not None:
        raise other
    if "\0" in program:  # LibCST takes them in strings
        raise _at_null_byte(program)
    try:
        suspicious = depth_within_limits(program) > _SUSPICIOUS_DEPTH
    except NotLinted as refusal:
        error = fault(program)
        raise (refusal if error is None or isinstance(error, NotLinted) else error) from None
    if suspicious and (error := fault(program)):
        raise error
    if len(program) <= _LONG_TEXT:
        return _parse_here(program)
    return _on_deep_stack(lambda: _parse_here(program))


def refused(text: str) -> Unreadable | None:
    """Return the reason that a text is not parsed; None where it is."""
    try:
        parse(text)
    except Unreadable as error:
        return error
    return None


def _parse_here(program: str) -> libcst.Module:
    try:
        return libcst.parse_module(program)
    except (KeyboardInterrupt, SystemExit):
        raise
    except (RecursionError, MemoryError):
        raise NotLinted(1, 1, TOO_DEEP) from None
    except BaseException:  # a panic of the native parser is a BaseException
        error = fault(program) or Unreadable(1, 1, LIBCST_REFUSES)
        raise outdated(error, program, libcst.LIBCST_VERSION) from None


def outdated(error: Unreadable, program: str, installed: str) -> Unreadable:
    """The error of a text, with the cure where the `installed` LibCST is too old for what stands in its row."""
    numbers = tuple(int(number) for number in installed.split(".")[:3] if number.isdecimal())
    row = program.split("\n")[error.row - 1]
    if numbers >= NEWER_SINCE or not NEWER_SYNTAX.search(row):
        return error
    least = ".".join(map(str, NEWER_SINCE))
    message = f"{error.message}; LibCST {least} and newer read this, {installed} is installed: upgrade libcst"
    return Unreadable(error.row, error.column, message)


def _at_null_byte(program: str) -> Unreadable:
    before = NEWLINE.split(program[: program.index("\0")])
    return Unreadable(len(before), len(before[-1]) + 1, "SyntaxError: source code cannot contain null bytes")


def _on_deep_stack(work: Callable[[], libcst.Module]) -> libcst.Module:
    """The result of `work`, done in a thread whose stack a deeply nested text does not overflow."""
    results: list[libcst.Module] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    with _one_stack_size_at_a_time:
        before = threading.stack_size(_DEEP_STACK)
        try:
            thread.start()
        except RuntimeError:  # no room for such a stack
            return work()
        finally:
            threading.stack_size(before)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
