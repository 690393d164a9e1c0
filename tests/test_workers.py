"""Work in processes of its own: what one task does to its process costs no other, and results do not depend on it."""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gradlint import engine, linter, registry, run, settings, source, workers
from gradlint.limits import GIGABYTE, Limits
from gradlint.workers import done

CASES = Path(__file__).parent / "cases"
FEW = Limits(seconds=1, memory=GIGABYTE // 4)

pytestmark = pytest.mark.skipif(not workers.can_fork(), reason="there is no fork here")


def spin(_: int) -> None:
    while True:
        pass


def fill(_: int) -> None:
    kept = [b"x" * (1 << 24) for _ in range(1 << 12)]
    raise AssertionError(len(kept))


FATAL: dict[str, tuple[Callable[[int], object], str]] = {
    "it takes too long": (spin, "it takes more than 1 s of CPU time"),
    "it takes too much memory": (fill, "it takes more than 0.25 GB of memory"),
    "it crashes": (lambda _: os.kill(os.getpid(), signal.SIGSEGV), "its process was ended by SIGSEGV"),
    "it ends its process": (lambda _: os._exit(3), "its process ended with code 3"),
    "it raises": (lambda _: 1 // 0, "its process ended with code 1"),
    "it cannot answer": (lambda _: lambda: None, "its process ended with code 1"),
}


def results(tasks: list[int], work: Callable[[int], object], jobs: int, limits: Limits = FEW) -> dict[int, object]:
    found = done(tasks, lambda task: (task, work(task)), lambda task, end: (task, end.why), jobs=jobs, limits=limits)
    return dict(found)


@pytest.mark.parametrize("jobs", [0, 1, 2, 5])
def test_all_tasks_are_done(jobs: int):
    assert results([*range(20)], lambda task: task * task, jobs) == {task: task * task for task in range(20)}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("what", FATAL)
def test_a_task_that_ends_its_process_costs_no_other(what: str, jobs: int):
    fatal, why = FATAL[what]
    found = results([*range(8)], lambda task: fatal(task) if task % 4 == 2 else task, jobs)
    assert found == {task: why if task % 4 == 2 else task for task in range(8)}
    assert not multiprocessing.active_children()


def test_memory_that_is_not_there_costs_no_other_task_in_this_process():
    def work(task: int) -> int:
        if task == 1:
            raise MemoryError
        return task

    assert results([0, 1, 2], work, 0) == {0: 0, 1: "it takes more memory than there is", 2: 2}


def test_time_is_counted_for_each_task():
    def work(task: int) -> int:
        begun = time.process_time()
        while time.process_time() - begun < 0.5:
            pass
        return task

    assert results([1, 2, 3, 4], work, 1) == {task: task for task in (1, 2, 3, 4)}


@pytest.mark.parametrize("work", ["parses", "parsed before", "has no more time"])
def test_parsing_has_a_limit_of_its_own(work: str, monkeypatch: pytest.MonkeyPatch):
    """Who has parsed has all the time of the task again, and parsing gets no more than that."""
    monkeypatch.setattr(workers, "SECONDS_PARSING", 50 if work == "has no more time" else 1)

    def parses(_: int) -> None:
        with workers.parsing():
            if work != "parsed before":
                spin(0)
        spin(0)

    kind, seconds = ("parsing it", 1) if work == "parses" else ("it", 3)
    begun = time.monotonic()
    assert results([1], parses, 1, replace(FEW, seconds=3)) == {1: f"{kind} takes more than {seconds} s of CPU time"}
    assert time.monotonic() - begun >= seconds - 1


def test_parsing_outside_of_a_worker_has_no_limit():
    import resource

    before = resource.getrlimit(resource.RLIMIT_CPU)
    with workers.parsing():
        assert resource.getrlimit(resource.RLIMIT_CPU) == before


def test_a_process_that_has_grown_is_followed_by_another():
    def work(task: int) -> int:
        more = mmap.mmap(-1, FEW.memory * 2 // 3)  # bytes may come out of what the process has taken and freed before
        for page in range(0, len(more), mmap.PAGESIZE):
            more[page] = 1
        kept.append(more)
        return os.getpid()

    kept: list[mmap.mmap] = []
    assert len(set(results([1, 2, 3], work, 1).values())) == 3


def test_who_stops_listening_leaves_no_process():
    found = done(range(9), lambda task: task, lambda task, end: -1, jobs=2)
    assert next(found) in range(9)
    found.close()  # type: ignore[attr-defined]
    assert not multiprocessing.active_children()


def test_interrupts_are_left_to_who_forked():
    assert results([1], lambda _: os.kill(os.getpid(), signal.SIGINT) or "goes on", 1) == {1: "goes on"}


KILLS = 25


@pytest.mark.skipif(sys.platform != "linux", reason="children are found in /proc")
@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(20))
def test_processes_that_are_killed_at_any_moment_cost_their_tasks_alone(seed: int):
    """500 kills in all: each task is answered once, and nothing is left behind."""
    chance = random.Random(seed)

    def work(task: int) -> int:
        time.sleep(chance.random() / 50)
        return task

    killer = multiprocessing.get_context("fork").Process(target=kill_children, args=(os.getpid(), seed), daemon=True)
    killer.start()
    while killer.is_alive():
        assert sorted(done(range(40), work, lambda task, end: task, jobs=3)) == list(range(40))
    killer.join()
    assert killer.exitcode == 0 and not multiprocessing.active_children()


def kill_children(parent: int, seed: int) -> None:
    """Kill other children of a process, each at a random moment."""
    chance, killed = random.Random(seed), 0
    while killed < KILLS:
        time.sleep(chance.random() / 20)
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        for child in [int(one) for one in children if int(one) != os.getpid()][:1]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
                killed += 1


def test_what_a_process_was_busy_with_is_told():
    def work(task: int) -> int:
        workers.busy_with("nothing much")
        workers.busy_with(f"/\udcff{task}" if task % 2 else "")
        os.kill(os.getpid(), signal.SIGKILL)
        return task

    found = dict(done(range(4), work, lambda task, end: (task, end.busy_with), jobs=2))  # type: ignore[arg-type]
    assert found == {0: "", 1: "/\udcff1", 2: "", 3: "/\udcff3"}


# ---- a run


def lint(path: Path, **facts: object) -> run.Outcome:
    request = settings.Request(paths=(str(path),), isolated=True, **facts)  # type: ignore[arg-type]
    return engine.lint(request, registry.rules(), registry.packs())


def test_the_number_of_processes_changes_nothing(tmp_path: Path):
    for file in sorted(CASES.glob("*.py"))[::8]:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "broken.py").write_text("def (:\n")
    expected = lint(tmp_path)
    assert len(expected.files) > 10 and len(expected.entries) > 30
    for jobs in (1, 3):
        assert replace(lint(tmp_path, jobs=jobs), told=()) == replace(expected, told=())


def test_a_file_on_which_a_process_ends_is_reported_with_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    mistake = "import torch\n\nx = torch.ones(2).long().requires_grad_()\n"
    for name in ("first", "fatal", "last"):
        (tmp_path / f"{name}.py").write_text(mistake)
    analyse = linter.analyse

    def ended(text: str, *args: object, **facts: object) -> object:
        view = facts["project"]
        if view.path.endswith("fatal.py"):  # type: ignore[attr-defined]
            os.kill(os.getpid(), signal.SIGKILL)
        return analyse(text, *args, **facts)  # type: ignore[arg-type]

    monkeypatch.setattr(linter, "analyse", ended)
    found = {(Path(entry.filename).stem, entry.finding.code) for entry in lint(tmp_path, jobs=2).entries}
    assert found == {("first", "GRD101"), ("fatal", "GRD002"), ("last", "GRD101")}


def test_a_file_around_on_which_processes_end_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Whoever imports it is linted as if it could not be read, and says so; it is itself given up."""
    (tmp_path / "fatal.py").write_text("import torch\n\nx = torch.ones(2)\n")
    for name in ("first", "second", "third"):
        (tmp_path / f"{name}.py").write_text(
            "import torch\nimport fatal\n\nx = torch.ones(2).long().requires_grad_()\ny = fatal.x + 1\n"
        )
    parse = source.parse

    def ended(text: str) -> object:
        if text.startswith("import torch\n\nx = torch.ones(2)\n"):
            os.kill(os.getpid(), signal.SIGKILL)
        return parse(text)

    monkeypatch.setattr(source, "parse", ended)
    outcome = lint(tmp_path, jobs=2)
    found = {(Path(entry.filename).stem, entry.finding.code) for entry in outcome.entries}
    assert found == {("fatal", "GRD002"), *((name, "GRD101") for name in ("first", "second", "third"))}
    unread = [line for line in outcome.told if "which cannot be read: its process was ended by SIGKILL" in line]
    assert len(unread) == 3


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ("seconds = 1", r"it takes more than 1 s of CPU time"),
        ("memory = 300", r"it takes more than 0\.3 GB|.* no more memory"),
    ],
)
def test_the_configuration_says_what_a_file_may_take(limits: str, said: str, tmp_path: Path):
    if limits.startswith("seconds"):
        work = "import torch\n" + "".join(f"def f{i}(x):\n    return (x @ x).sum()\n" for i in range(8000))
    else:
        work = "import torch\n" + ("x = [" + "torch.ones(2), " * 5_000 + "]\n") * 4
    (tmp_path / "gradlint.toml").write_text(f"[limits]\n{limits}\n")
    (tmp_path / "a.py").write_text(work)
    (tmp_path / "b.py").write_text("import torch\n\nx = torch.ones(2).long().requires_grad_()\n")
    command = [sys.executable, "-P", "-m", "gradlint", "check", "--output-format", "concise", "-j", "2", "--no-cache"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert re.search(rf"a\.py:1:1: GRD002 ({said})", found.stdout) and "b.py:3:5: GRD101" in found.stdout
    assert found.stderr == "2 findings in 2 files\n"


def test_the_configuration_says_how_much_a_file_may_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(
        "# " + "a" * 2_500_000 + "\nimport torch\nx = torch.ones(2).long().requires_grad_()\n"
    )
    for size, code in ((None, "GRD002"), (1, "GRD002"), (3, "GRD101")):
        (tmp_path / "gradlint.toml").write_text("" if size is None else f"limits.size = {size}\n")
        outcome = engine.lint(settings.Request(paths=("a.py",)), registry.rules())
        assert [entry.finding.code for entry in outcome.entries] == [code]
