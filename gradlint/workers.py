"""Processes that do one task after the other: what a task does to its process costs no other task.

A worker is forked when everything that tasks need is loaded. It gets a task and answers with the result; it works under
limits of CPU time and memory for each. If it ends without an answer, a new one is forked for the tasks that are left,
and what it was busy with last, as far as the task has said so (`busy_with`), is told.
Where there is no fork, tasks are done in this process, without limits.
"""

from __future__ import annotations

import contextlib
import faulthandler
import math
import mmap
import multiprocessing
import os
import signal
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from gradlint.frozen import frozen
from gradlint.limits import GIGABYTE, LIMITS, SECONDS_PARSING, Limits

with contextlib.suppress(ImportError):  # where there is none there is no fork either
    import resource

TaskT = TypeVar("TaskT")
ResultT = TypeVar("ResultT")

NO_LIMIT = -1
"""The value of `resource` for no limit (RLIM_INFINITY)."""


@frozen()
class End:
    """The end of a process on a task: `why`, in words, and what it was `busy_with`."""

    why: str
    busy_with: str = ""


def can_fork() -> bool:
    """Return whether tasks can be done in processes of their own."""
    return "fork" in multiprocessing.get_all_start_methods()


def done(
    tasks: Iterable[TaskT],
    work: Callable[[TaskT], ResultT],
    gave_up: Callable[[TaskT, End], ResultT],
    *,
    jobs: int,
    limits: Limits = LIMITS,
) -> Iterator[ResultT]:
    """The results of tasks, as they come, from so many processes (0: from this one). What a task gives that costs its
    process its life is what `gave_up` makes of its end."""
    if jobs < 1 or not can_fork():
        for task in tasks:
            try:
                result = work(task)
            except MemoryError:
                result = gave_up(task, End("it takes more memory than there is"))
            yield result
        return
    waiting, workers = deque(tasks), list[_Worker[TaskT, ResultT]]()
    try:
        while waiting or any(worker.is_busy for worker in workers):
            while waiting and len(workers) < jobs:
                workers.append(_Worker(work, limits, [worker.connection for worker in workers]))
                workers[-1].give(waiting)
            ready = wait([worker.connection for worker in workers])
            for worker in [worker for worker in workers if worker.connection in ready]:
                if worker.is_busy:
                    yield worker.answer(gave_up)
                if worker.is_over or not waiting:
                    workers.remove(worker)
                    worker.end()
                else:
                    worker.give(waiting)
    finally:
        for worker in workers:
            worker.end()


class _Worker(Generic[TaskT, ResultT]):
    """A process that does tasks, as the one that forked it sees it."""

    def __init__(self, work: Callable[[TaskT], ResultT], limits: Limits, others: list[Connection[Any, Any]]) -> None:
        context = multiprocessing.get_context("fork")
        self.connection, inside = context.Pipe()
        self._note = _Note()
        self._limits, self._task, self.is_busy, self.is_over = limits, deque[TaskT](maxlen=1), False, False
        self._process: BaseProcess = context.Process(
            target=_work, args=(work, limits, inside, self._note, [self.connection, *others]), daemon=True
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # no thread of ours holds a lock
            self._process.start()
        inside.close()

    def give(self, tasks: deque[TaskT]) -> None:
        """Have the process do the first of these tasks; it is left where the process has ended meanwhile."""
        try:
            self.connection.send(tasks[0])
        except OSError:
            self.is_over = True
            return
        self._task.append(tasks.popleft())
        self.is_busy = True

    def answer(self, gave_up: Callable[[TaskT, End], ResultT]) -> ResultT:
        """Return the result of the task, or what is said where the process has ended on it."""
        self.is_busy = False
        result: ResultT
        try:
            result, self.is_over = self.connection.recv()
        except (EOFError, OSError):
            self.is_over = True
            self._process.join()
            reason = why(self._process.exitcode, self._limits, parsing=self._note.parsing)
            result = gave_up(self._task[0], End(reason, self._note.read()))
        return result

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        self.connection.close()


class _Note:
    """A few words that a process leaves for who forked it, even if it is killed, and whether it is `parsing`."""

    MOST = 16_384

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, self.MOST + 1)

    @property
    def parsing(self) -> bool:
        return bool(self._memory[self.MOST])

    @parsing.setter
    def parsing(self, now: bool) -> None:
        self._memory[self.MOST] = now

    def write(self, words: str) -> None:
        data = words.encode("utf-8", "surrogateescape")
        self._memory.seek(0)
        self._memory.write(data + b"\0" if len(data) < self.MOST else b"\0")

    def read(self) -> str:
        return self._memory[: self.MOST].partition(b"\0")[0].decode("utf-8", "surrogateescape")


_notes: list[_Note] = []
"""The note of this process, if it is a worker."""


def busy_with(what: str) -> None:
    """Say what this process is busy with; nothing where it does what its task is about."""
    for note in _notes:
        note.write(what)


@contextlib.contextmanager
def parsing() -> Iterator[None]:
    """Let a worker take so much CPU time inside this block as parsing may take, if it has as much left."""
    before = [_limit_time(SECONDS_PARSING) for _ in _notes]
    for note, limit in zip(_notes, before, strict=True):
        note.parsing = resource.getrlimit(resource.RLIMIT_CPU) != limit
    try:
        yield
    finally:
        for note, limit in zip(_notes, before, strict=True):
            note.parsing = False
            resource.setrlimit(resource.RLIMIT_CPU, limit)


def why(code: int | None, limits: Limits, *, parsing: bool = False) -> str:
    """Return the reason that a process has ended with this code, in words."""
    if code == -signal.SIGXCPU:
        took = (
            f"parsing it takes more than {SECONDS_PARSING:g}" if parsing else f"it takes more than {limits.seconds:g}"
        )
        return f"{took} s of CPU time"
    if code == OUT_OF_MEMORY:
        return f"it takes more than {limits.memory / GIGABYTE:g} GB of memory"
    if code == -signal.SIGABRT:
        return "its process was ended by SIGABRT, as native code does that gets no more memory or stack"
    if code is not None and code < 0:
        return f"its process was ended by {signal.Signals(-code).name}"
    return f"its process ended with code {code}"


OUT_OF_MEMORY = 78
"""The code with which a worker ends that gets no more memory."""


def _work(
    work: Callable[[TaskT], ResultT], limits: Limits, connection: Connection[Any, Any], note: _Note, others: list[Any]
) -> None:
    """Do tasks until there are no more: the other end is closed."""
    faulthandler.disable()
    _silence_native_code()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who forked it decides
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for other in others:  # else nobody hears that the other end is closed
        other.close()
    _notes[:] = [note]
    before, unlimited = _resident(), resource.getrlimit(resource.RLIMIT_CPU)
    _limit_memory(limits)
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        resource.setrlimit(resource.RLIMIT_CPU, unlimited)
        _limit_time(limits.seconds)
        busy_with("")
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


def _silence_native_code() -> None:
    """Keep to ourselves what native code says on stderr when it ends the process; the reason is told otherwise."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _limit_time(seconds: float) -> tuple[int, int]:
    """Limit this process to so much more time, if it has as much left; then it ends, also in code that is not Python's.
    Gives the limits that there were."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    before = soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    known = [math.ceil(used.ru_utime + used.ru_stime + seconds), *(one for one in (soft, hard) if one != NO_LIMIT)]
    resource.setrlimit(resource.RLIMIT_CPU, (min(known), hard))
    return before


def _limit_memory(limits: Limits) -> None:
    """Limit this process to so much more memory; where nobody can say how much it has, as much as there is."""
    try:
        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = now + limits.memory
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == NO_LIMIT else min(most, hard), hard))


def _resident() -> int:
    """Return the most memory that this process has taken, in bytes."""
    unit = 1 if os.uname().sysname == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
