"""The output of the process: findings to stdout, everything else to stderr, colour only where it is wanted."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Mapping
from typing import TextIO

from gradlint.report.entry import escaped
from gradlint.report.paint import paint


def prepare() -> None:
    """Let no character and no closed pipe be an error: what a terminal cannot show is written with backslashes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def wants_colour(choice: str, stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether to paint: as asked for, else as NO_COLOR and FORCE_COLOR say, else on a terminal that can."""
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return environment.get("TERM") != "dumb" and is_terminal(stream)


def is_terminal(stream: TextIO) -> bool:
    """Return whether somebody reads a stream as it is written."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


NARROWEST, WIDEST = 40, 160
"""Between these a report is fitted to a terminal."""


def columns(stream: TextIO, otherwise: int) -> int:
    """Return the width of the terminal that shows a stream, as COLUMNS says or it says itself; `otherwise` where there
    is none."""
    if not is_terminal(stream):
        return otherwise
    try:
        wide = int(os.environ.get("COLUMNS", "")) if os.environ.get("COLUMNS", "").isdecimal() else 0
        wide = wide or os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError, AttributeError):
        return otherwise
    return max(NARROWEST, min(wide, WIDEST)) if wide else otherwise


def can_show(text: str, stream: TextIO) -> bool:
    """Return whether a stream's encoding knows these characters."""
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def write(text: str) -> None:
    """Put text on stdout; a reader who has gone away is no error."""
    _put(sys.stdout, text)


def show(text: str, painted: bool) -> None:
    """Put text on stdout; on a terminal with fewer rows, page by page."""
    rows = os.get_terminal_size(sys.stdout.fileno()).lines if is_terminal(sys.stdout) else 0
    if 0 < rows <= text.count("\n"):
        import click

        click.echo_via_pager(text, color=painted)
    else:
        write(text)


def write_bytes(data: bytes) -> None:
    """Put bytes on stdout as they are."""
    stream = getattr(sys.stdout, "buffer", None)
    if stream is not None:
        try:
            stream.write(data)
            stream.flush()
        except BrokenPipeError:
            _close_quietly(sys.stdout)


def say(text: str) -> None:
    """Put a line on stderr."""
    say_text(f"{text}\n")


def say_text(text: str) -> None:
    """Put text on stderr."""
    _put(sys.stderr, text)


def warn(text: str) -> None:
    """Say in one line, whatever the text holds, what the user might not have meant."""
    say(f"warning: {escaped(text)}")


def complain(text: str) -> None:
    """Say in one line, whatever the text holds, that something is wrong."""
    painted = wants_colour("auto", sys.stderr, os.environ)
    say(f"{paint('error:', 'red', painted)} {escaped(text)}")


class Progress:
    """Tells on a terminal how far a run is, in a line that is rewritten and taken away at the end; not within the first
    second. `quiet` tells nothing, nor does a stderr that nobody watches."""

    SILENT = 1.0
    """Seconds that pass before anything is told."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._watched = not quiet and is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self._begun = time.monotonic()
        self._told = False

    def __call__(self, done: int, of: int) -> None:
        """Tell that so many files of all are done."""
        if self._watched and time.monotonic() - self._begun >= self.SILENT:
            self._told = True
            _put(sys.stderr, f"{_CLEAR}{done} of {of} files")

    def end(self) -> None:
        """Take away what was told."""
        if self._told:
            _put(sys.stderr, _CLEAR)
            self._told = False


_CLEAR = "\r\x1b[K"
"""Goes to the beginning of the row and empties it."""


def _put(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except BrokenPipeError:
        _close_quietly(stream)
    except (AttributeError, ValueError):
        return  # The process was started without this stream.


def _close_quietly(stream: TextIO) -> None:
    """Send what else is written nowhere, so that Python does not complain about it when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
