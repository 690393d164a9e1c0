"""A program that runs a command and writes what it cost: `clock.py RESULT SECONDS COMMAND [ARGUMENT ...]`.

A program of its own, for the peak memory of a process is never less than that of the process that forked it: this one
is small. It imports nothing of ours and is run by `python -I -S`.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from types import FrameType

RSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes in the unit of `ru_maxrss`."""


def clocked(command: Sequence[str], seconds: float) -> dict[str, float | int | None]:
    """Run a command and return wall and CPU seconds, bytes of peak memory and the exit code (None: killed).

    After `seconds` (0: never) the command and what it started are killed. CPU time is that of the process and of all
    descendants that were waited for; peak memory is that of the largest one among them.
    """
    killed = False

    def kill(number: int, frame: FrameType | None) -> None:
        nonlocal killed
        killed = True
        os.killpg(process.pid, signal.SIGKILL)

    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    signal.signal(signal.SIGALRM, kill)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        _, status, used = os.wait4(process.pid, 0)
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    wall = time.perf_counter() - began
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {
        "wall": wall,
        "cpu": used.ru_utime + used.ru_stime,
        "rss": used.ru_maxrss * RSS_UNIT,
        "code": None if killed else os.waitstatus_to_exitcode(status),
    }


if __name__ == "__main__":
    result = clocked(sys.argv[3:], float(sys.argv[2]))
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        json.dump(result, file)
