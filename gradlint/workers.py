"""Processes that do one task after the other: what a task does to its process costs no other task.

A worker is forked when everything that tasks need is loaded. It gets a task and answers with the result; it works under
limits of CPU time and memory for each. If it ends without an answer, a new one is forked for the tasks that are left.
Where there is no fork, tasks are done in this process, without limits.
"""

from __future__ import annotations

import contextlib
import faulthandler
import math
import multiprocessing
import os
import signal
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

with contextlib.suppress(ImportError):  # where there is none there is no fork either
    import resource

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")

GIGABYTE = 1 << 30


@dataclass(frozen=True, slots=True)
class Limits:
    """What a task may take: `seconds` of CPU time, and bytes of `memory` besides what its process had before the first.
    A process that has taken half of that does no further task."""

    seconds: float = 120.0
    memory: int = GIGABYTE


LIMITS = Limits()


def can_fork() -> bool:
    """Whether tasks can be done in processes of their own."""
    return "fork" in multiprocessing.get_all_start_methods()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def done(
    tasks: Iterable[TaskT],
    work: Callable[[TaskT], ResultT],
    gave_up: Callable[[TaskT, str], ResultT],
    *,
    jobs: int,
    limits: Limits = LIMITS,
) -> Iterator[ResultT]:
    """The results of tasks, as they come, from so many processes (0: from this one). What a task gives that costs its
    process its life is what `gave_up` makes of the reason."""
    if jobs < 1 or not can_fork():
        for task in tasks:
            try:
                result = work(task)
            except MemoryError:
                result = gave_up(task, "it takes more memory than there is")
            yield result
        return
    waiting, workers = deque(tasks), list[_Worker[TaskT, ResultT]]()
    try:
        while waiting or any(worker.is_busy for worker in workers):
            while waiting and len(workers) < jobs:
                workers.append(_Worker(work, limits, [worker.connection for worker in workers]))
                workers[-1].give(waiting.popleft())
            ready = wait([worker.connection for worker in workers])
            for worker in [worker for worker in workers if worker.connection in ready]:
                yield worker.answer(gave_up)
                if worker.is_over:
                    workers.remove(worker)
                elif waiting:
                    worker.give(waiting.popleft())
                else:
                    workers.remove(worker)
                    worker.end()
    finally:
        for worker in workers:
            worker.end()


class _Worker(Generic[TaskT, ResultT]):
    """A process that does tasks, as the one that forked it sees it."""

    def __init__(self, work: Callable[[TaskT], ResultT], limits: Limits, others: list[Connection[Any, Any]]) -> None:
        context = multiprocessing.get_context("fork")
        self.connection, inside = context.Pipe()
        self._limits, self._task, self.is_busy, self.is_over = limits, deque[TaskT](maxlen=1), False, False
        self._process: BaseProcess = context.Process(
            target=_work, args=(work, limits, inside, [self.connection, *others]), daemon=True
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # no thread of ours holds a lock
            self._process.start()
        inside.close()

    def give(self, task: TaskT) -> None:
        """Have the process do a task."""
        self._task.append(task)
        self.is_busy = True
        self.connection.send(task)

    def answer(self, gave_up: Callable[[TaskT, str], ResultT]) -> ResultT:
        """What the task gave, or what is said where the process has ended on it."""
        self.is_busy = False
        try:
            result, self.is_over = self.connection.recv()
        except (EOFError, OSError):
            self.is_over = True
            self._process.join()
            result = gave_up(self._task[0], why(self._process.exitcode, self._limits))
        if self.is_over:
            self.end()
        return result  # type: ignore[no-any-return]

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self.connection.close()


def why(code: int | None, limits: Limits) -> str:
    """Why a process has ended with this code, in words."""
    if code == -signal.SIGXCPU:
        return f"it takes more than {limits.seconds:g} s of CPU time"
    if code == OUT_OF_MEMORY:
        return f"it takes more than {limits.memory / GIGABYTE:g} GB of memory"
    if code is not None and code < 0:
        return f"its process was ended by {signal.Signals(-code).name}"
    return f"its process ended with code {code}"


OUT_OF_MEMORY = 78
"""The code with which a worker ends that gets no more memory."""


def _work(
    work: Callable[[TaskT], ResultT], limits: Limits, connection: Connection[Any, Any], others: list[Any]
) -> None:
    """Do tasks until there are no more: the other end is closed."""
    faulthandler.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who forked it decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _close_stderr()
    for other in others:  # else nobody hears that the other end is closed
        other.close()
    before = _resident()
    _limit_memory(limits)
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        _limit_time(limits)
        try:
            result = work(task)
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except BaseException:
            os._exit(1)  # nothing is raised in tasks; whatever it was, no traceback of it reaches a user
        full = _resident() - before > limits.memory // 2
        try:
            connection.send((result, full))
        except Exception:
            os._exit(1)
        if full:
            return


def _close_stderr() -> None:
    """What native code says of how it ends is for those who wrote it: its traceback reaches no user."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _limit_time(limits: Limits) -> None:
    """From now on this process may take so much more time; then it ends, also in code that is not Python's."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = math.ceil(used.ru_utime + used.ru_stime + limits.seconds)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _limit_memory(limits: Limits) -> None:
    """From now on this process gets so much more memory; where nobody can say how much it has, as much as there is."""
    try:
        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = now + limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _resident() -> int:
    """How much memory this process has taken at most, in bytes."""
    unit = 1 if os.uname().sysname == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
