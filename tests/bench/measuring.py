"""From commands to rows: each is run once a round, in turn, and what its runs cost is kept."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .commands import Command

CLOCK = Path(__file__).with_name("clock.py")
GIVEN_UP = (": GRD000 ", ": GRD002 ")
"""So gradlint says that it did not lint a file."""


@dataclass(frozen=True)
class Run:
    """What one run cost: wall and CPU seconds, bytes of peak memory; how it ended (None: killed), and what it said.

    `given_up` counts the files that gradlint did not lint; `said` is the last line of a run.
    """

    wall: float
    cpu: float
    rss: float
    code: int | None
    given_up: int = 0
    said: str = ""


@dataclass(frozen=True)
class Spread:
    """The median of some numbers, the least and the greatest."""

    median: float
    least: float
    most: float

    def __truediv__(self, other: Spread) -> float:
        """Return the ratio of the medians."""
        return self.median / max(other.median, 1e-9)


@dataclass(frozen=True)
class Row:
    """A command with its runs."""

    command: Command
    runs: tuple[Run, ...]

    def spread(self, of: Callable[[Run], float]) -> Spread:
        """Return the spread of a quantity over all runs."""
        values = [of(run) for run in self.runs]
        return Spread(statistics.median(values), min(values), max(values))

    @property
    def wall(self) -> Spread:
        """Wall time, in seconds."""
        return self.spread(lambda run: run.wall)

    @property
    def cpu(self) -> Spread:
        """CPU time of user and system, in seconds."""
        return self.spread(lambda run: run.cpu)

    @property
    def rss(self) -> Spread:
        """Peak memory of the largest process, in bytes."""
        return self.spread(lambda run: run.rss)

    @property
    def trouble(self) -> str:
        """Why the row has no figures; empty where it has some."""
        if not self.runs:
            return "not run"
        if any(run.code is None for run in self.runs):
            return f"> {self.command.limit:g} s"
        bad = [run.code for run in self.runs if run.code not in self.command.good]
        return f"failed with {bad[0]}" if bad else ""

    @property
    def given_up(self) -> int:
        """How many files gradlint did not lint, in the run that is worst in this."""
        return max((run.given_up for run in self.runs), default=0)

    @property
    def remark(self) -> str:
        """What a reader of the figures has to know besides; often empty."""
        if self.given_up:
            return f"{self.given_up} {'file was' if self.given_up == 1 else 'files were'} given up on"
        failed = [run.said for run in self.runs if run.code is not None and run.code not in self.command.good]
        return failed[0] if failed else ""


@dataclass(frozen=True)
class Bench:
    """Where commands are run: a folder without code, what variables they see, and the files for what they print."""

    folder: Path
    surroundings: Mapping[str, str]
    out: Path
    error: Path
    result: Path

    def run(self, command: Command) -> Run:
        """Run a command and return what it cost."""
        clock = [sys.executable, "-I", "-S", str(CLOCK), str(self.result), str(command.limit), *command.arguments]
        with self.out.open("wb") as out, self.error.open("wb") as error:
            subprocess.run(clock, stdout=out, stderr=error, cwd=self.folder, env=dict(self.surroundings), check=True)
        cost = json.loads(self.result.read_text(encoding="utf-8"))
        printed, said = (file.read_text(encoding="utf-8", errors="replace") for file in (self.out, self.error))
        given_up = sum(any(word in line for word in GIVEN_UP) for line in printed.splitlines())
        return Run(**cost, given_up=given_up, said=last_line(said) or last_line(printed))


def last_line(text: str) -> str:
    """Return the last line of a text that is not blank; empty where there is none."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def in_turn(
    commands: Sequence[Command], rounds: int, run: Callable[[Command], Run]
) -> Iterator[tuple[int, Command, Run]]:
    """Run all commands, round by round, and yield each run with its round.

    Warm commands are run once before. What was killed or failed is not run again.
    """
    for command in commands:
        if command.warm:
            run(command)
    over = set[Command]()
    for number in range(1, rounds + 1):
        for command in commands:
            if command not in over:
                done = run(command)
                if done.code not in command.good:
                    over.add(command)
                yield number, command, done


def rows(commands: Sequence[Command], runs: Sequence[tuple[Command, Run]]) -> list[Row]:
    """Return a row for each command, in order, from what was run of them."""
    return [Row(command, tuple(run for of, run in runs if of == command)) for command in commands]
