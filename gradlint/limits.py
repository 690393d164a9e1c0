"""Limits on the linting of a file, and the number of cores for it."""

from __future__ import annotations

import os

from gradlint.frozen import frozen

GIGABYTE = 1_000_000_000
SECONDS_PARSING = 10.0
"""CPU time that a worker may take for parsing one text, by native code that nobody can ask to stop."""


@frozen()
class Limits:
    """The limits of a task: `seconds` of CPU time, and bytes of `memory` besides what its process had before the first.
    A process that has taken half of that does no further task."""

    seconds: float = 120.0
    memory: int = GIGABYTE

    def told(self) -> str:
        """The limits in words."""
        time, parsing = f"{self.seconds:g} s of CPU time", f"{min(self.seconds, SECONDS_PARSING):g}"
        return f"{time}, of which {parsing} s for parsing, and {self.memory / GIGABYTE:g} GB of memory"


LIMITS = Limits()


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
