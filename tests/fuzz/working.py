"""Work that is shared out to several processes, so that what takes too long or breaks its process is known by name.

What comes back is in the order of what was asked, whatever was done where.
"""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from gradlint.frozen import frozen

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")


@frozen()
class Lost:
    """Why a task has no result."""

    why: str


@dataclass(slots=True)
class _Worker:
    """A process: which task it does, and since when. It can be given one when it has said that it is `ready`."""

    process: Any
    pipe: Connection
    ready: bool = False
    task: int = -1
    since: float = 0.0


def shared_out(
    work: Callable[[TaskT], ResultT], tasks: Sequence[TaskT], workers: int, longest: float, told: str = ""
) -> Iterator[ResultT | Lost]:
    """What `work` gives for each task, in order. One that takes longer than so many seconds is ended.

    `told`: what is done, for the line that shows how far it is.
    """
    done: dict[int, ResultT | Lost] = {}
    waiting = deque(range(len(tasks)))
    with _team(work, min(workers, len(tasks))) as (team, anew):
        given = 0
        while given < len(tasks):
            _occupy(team, waiting, tasks)
            for place, worker in enumerate(team):
                if worker.task >= 0 and time.monotonic() - worker.since > longest:
                    done[worker.task] = Lost(f"takes more than {longest:.0f} s")
                    team[place] = anew(worker)
            heard = wait([worker.pipe for worker in team], timeout=1.0)
            for place, worker in enumerate(team):
                if worker.pipe not in heard:
                    continue
                try:
                    result = worker.pipe.recv()
                except (EOFError, ConnectionResetError):
                    worker.process.join()
                    if not worker.ready:
                        raise RuntimeError("a process that shares the work does not start") from None
                    if worker.task >= 0:
                        done[worker.task] = Lost(f"breaks its process, which ends with {worker.process.exitcode}")
                    team[place] = anew(worker)
                    continue
                if worker.ready:
                    done[worker.task], worker.task = result, -1
                worker.ready = True
            while given in done:
                yield done.pop(given)
                given += 1
                _show(told, given, len(tasks))


def _occupy(team: Sequence[_Worker], waiting: deque[int], tasks: Sequence[Any]) -> None:
    """Give each process that does nothing one of the tasks that wait."""
    for worker in team:
        if worker.ready and worker.task < 0 and waiting:
            worker.task, worker.since = waiting.popleft(), time.monotonic()
            worker.pipe.send(tasks[worker.task])


@contextmanager
def _team(work: Callable[[Any], Any], size: int) -> Iterator[tuple[list[_Worker], Callable[[_Worker], _Worker]]]:
    """So many processes, and how to get another one in place of one that is of no use any more."""
    context = multiprocessing.get_context("spawn")

    def start() -> _Worker:
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(work, there), daemon=True)
        process.start()
        there.close()
        return _Worker(process, here)

    def anew(worker: _Worker) -> _Worker:
        worker.process.kill()
        worker.process.join()
        worker.pipe.close()
        return start()

    team = [start() for _ in range(size)]
    try:
        yield team, anew
    finally:
        for worker in team:
            worker.process.kill()
            worker.process.join()


def _serve(work: Callable[[Any], Any], pipe: Connection) -> None:
    """Say that the work can begin, and do one task after another, as long as any come."""
    pipe.send(None)
    while True:
        try:
            task = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        try:
            result = work(task)
        except Exception as error:
            result = Lost(f"cannot be compared: {type(error).__name__}: {error}")
        pipe.send(result)


def _show(told: str, done: int, of: int) -> None:
    if told and sys.stderr.isatty():
        end = "\n" if done == of else ""
        print(f"\r{told}: {done} of {of}", end=end, file=sys.stderr, flush=True)
