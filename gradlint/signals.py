"""Signals that end a run: they are raised, so that what is done until then is still told."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_KILLED = 128
"""The number that a shell adds to that of the signal that ended a process."""


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM."""


@contextmanager
def sigterm_raised() -> Iterator[None]:
    """Let SIGTERM raise `Terminated` in the main thread inside this block, as SIGINT raises `KeyboardInterrupt`."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def exit_code(error: BaseException | None) -> int:
    """The code that a shell gives a process that was ended by what an error stands for, or what caused it."""
    asked = isinstance(error, Terminated) or (error is not None and isinstance(error.__cause__, Terminated))
    return _KILLED + (signal.SIGTERM if asked else signal.SIGINT)
