"""What torch does with a program: what it has at each reveal, what it runs and what it refuses."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import CodeType, FrameType, TracebackType
from typing import Any
from unittest import mock

import torch

from gradlint.proving.surroundings import surroundings
from gradlint.testing.diary import Diary, kept
from gradlint.testing.programs import real
from tests.fuzz.acts import TorchBroke, is_told

FILE = "<program>"
CHANCE = "random.random()"
RUNS, MORE_RUNS = 3, 40
"""How often a program that asks for chance is run, and how often to see whether it never raises where it is said to."""
PASSING = (StopIteration, StopAsyncIteration, GeneratorExit)
"""Errors by which iterators tell that they are at their end."""

Files = tuple[tuple[str, str], ...]
"""The files that a program may import from, as pairs of relative path and text."""


@dataclass(slots=True)
class Seen:
    """What torch did in all runs: what it had at each reveal (row, position), the rows it started and how often, and
    those at which it raised, with the words of each error. `ended` is what stopped the program, if anything did."""

    had: dict[tuple[int, int], list[dict[str, Any]]] = field(default_factory=dict)
    started: Counter[int] = field(default_factory=Counter)
    raised: dict[int, list[str]] = field(default_factory=dict)
    spared: set[int] = field(default_factory=set)
    """Rows that some run came by without an error there: chance decides whether they raise."""
    ended: str = ""
    broken: bool = False
    """Whether a name was used that is not bound, or a library that is not installed, or torch broke: then the program
    says nothing."""


def watched(text: str, files: Files = (), runs: int = RUNS) -> Seen:
    """What torch does with a program, in several runs that differ in chance."""
    seen = Seen()
    with settled(files):
        for code, number in runs_of(text, runs):
            _watch(code, number, seen)
    return seen


def runs_of(text: str, runs: int = RUNS) -> Iterator[tuple[CodeType, int]]:
    """The runs that show what a program does: its code, and what chance starts from."""
    code = compile(text, FILE, "exec", dont_inherit=True)
    yield from ((code, number) for number in range(runs if CHANCE in text else 1))


def execute(code: CodeType, number: int, **given: Callable[..., None]) -> BaseException | None:
    """Run a program that may call what is `given`, by chance that starts from a number; what stopped it."""
    begin(number)
    names: dict[str, Any] = {"__name__": "__main__", "__file__": "main.py", **given}
    try:
        exec(code, names)  # programs of our own
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # what tests fail with is no Exception
        return error
    finally:
        sys.settrace(None)
        names.clear()
    return None


def begin(number: int) -> None:
    """Gradients are on, and chance starts from a number."""
    torch.set_grad_enabled(True)
    random.seed(number)
    torch.default_generator.manual_seed(number)


@contextmanager
def settled(files: Files = ()) -> Iterator[None]:
    """torch as it is when it starts, and as it was afterwards; these files can be imported, no arguments are given."""
    with surroundings(dict(files)), mock.patch.object(sys, "argv", ["main.py"]):
        yield


def _rows(trace: TracebackType | None) -> list[int]:
    """The rows of the program that an error came through."""
    rows = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == FILE:
            rows.append(trace.tb_lineno)
        trace = trace.tb_next
    return rows


def _watch(code: CodeType, number: int, seen: Seen) -> None:
    started, refused = set[int](), set[int]()

    def reveal(*values: Any) -> None:
        row = sys._getframe(1).f_lineno
        for position, value in enumerate(values):
            if is_told(value):
                seen.had.setdefault((row, position), []).append(real(value, diary))

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename != FILE:
            return None
        if event == "line":
            seen.started[frame.f_lineno] += 1
            started.add(frame.f_lineno)
        elif event == "exception":
            note(argument[1], argument[2])
        return trace

    def note(error: BaseException, trace: TracebackType | None) -> None:
        seen.broken |= isinstance(error, NameError | ImportError | TorchBroke)
        rows = _rows(trace)
        if not isinstance(error, PASSING) and len(rows) == 1:  # the frames around hear of it as well
            seen.raised.setdefault(rows[0], []).append(str(error))
            refused.add(rows[0])

    diary: Diary
    with kept() as diary:
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            error = execute(code, number, reveal=reveal)
        finally:
            sys.settrace(before)
            seen.spared |= started - refused
    if error is not None:
        seen.ended = f"{type(error).__name__}: {error}"
