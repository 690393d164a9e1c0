"""The budget of statements that are run before calls are no longer followed: a file's cost grows with its length."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from gradlint.interpreter.static.sites import Site

MOST_STEPS_PER_STATEMENT = 30
"""The average number of times that a file's statements are run before calls are no longer followed."""
FEWEST_STEPS = 18_000
"""The fewest statements that may be run, however short the file is, for each function that nobody calls."""
FEWEST_STEPS_OF_A_SCRIPT = 50_000
"""The same for what is run because the file is: in a library little, in a script all that it does."""
MOST_STEPS_IN_ALL = 100
"""The average number of times that a file's statements are run, whatever runs on its own, before that may run few of
them: otherwise the cost of a file would grow with the square of its length."""
FEWEST_STEPS_OF_ANY = 2_000
"""The fewest statements that whatever begins may run, when there are none left in all."""
FEWEST_STEPS_LATE = 500
WORK_BEFORE_LATE = 6_000_000
"""Behind so much work in a file, what still begins may run as few statements: where there are many objects each
statement is dear, however few statements there are."""
WORK_BEFORE_NO_OTHERS = 12_000_000
"""Behind so much work in a file no other is followed, before it has to be given up for what these do."""
FEWEST_STEPS_ELSEWHERE = 400
"""The fewest statements of other files that a file's uncalled functions run, besides one for every two of its own."""
FEWEST_STEPS_ELSEWHERE_OF_A_TRAINING = 6_000
"""The same where the file trains or evaluates, or is a program: its functions run what others define, whoever calls
them."""
FEWEST_STEPS_ELSEWHERE_OF_A_SCRIPT = 48_000
"""The same for what is run because the file is: in a script that is the program."""

HEAP_OF_A_STEP = 150
"""A statement of another file counts once more for each so many objects there are: so much longer it takes."""
MOST_WORK = 20_000_000
"""The most objects that may be gone over one by one (see `Index.work`) until a file is given up: where as many are
there as it has statements, the cost of each statement grows with their number."""
WORK_OF_AN_EVENT = 200
"""The number of objects whose traversal costs as much as one event: to find it, emit it and run the rules on it."""
STEPS = "steps"
"""The bound on how many statements are run."""
CALLS_LEFT_OUT = frozenset({"depth of calls", "depth of instances", "depth of modules", "recursion", STEPS})
"""The bounds behind which calls are not followed."""


class TooMuch(Exception):
    """A program is given up at this `node` since it would take too long."""

    def __init__(self, node: Site) -> None:
        super().__init__()
        self.node = node


@dataclass(slots=True)
class Steps:
    """The statements `left` in the file that runs, and `elsewhere`: while the linted file runs in all others, and while
    one of these runs in the linted file. `granted` is how many what runs now began with, `in_all` how many there are
    for all that begins; `purses` are steps in other files that are for functions of one kind."""

    elsewhere: int
    in_all: int
    left: int = 0
    granted: int = 0
    purses: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of_a_script(cls, statements: int) -> Steps:
        """Return the steps of a file with so many statements, when it begins to run."""
        others = max(5 * FEWEST_STEPS, MOST_STEPS_IN_ALL * statements)
        steps = cls(FEWEST_STEPS_ELSEWHERE_OF_A_SCRIPT + statements // 2, FEWEST_STEPS_OF_A_SCRIPT + others)
        steps.grant(statements, FEWEST_STEPS_OF_A_SCRIPT)
        return steps

    def grant(self, statements: int, fewest: int = FEWEST_STEPS, work: int = 0) -> None:
        """Grant so many statements to what begins now before calls are no longer followed, however much it was that ran
        before it, as long as there are steps left in all and it was not too much `work`."""
        self.in_all -= self.granted - self.left
        most = min(max(fewest, MOST_STEPS_PER_STATEMENT * statements), self.in_all)
        late = work >= WORK_BEFORE_LATE
        self.granted = self.left = FEWEST_STEPS_LATE if late else max(FEWEST_STEPS_OF_ANY, most)

    def grant_elsewhere(self, statements: int, *, trains: bool) -> None:
        """Grant this many statements of other files to all functions that nobody calls; these run from now on. `trains`
        says whether the file trains or evaluates networks, or is there to be run."""
        fewest = FEWEST_STEPS_ELSEWHERE_OF_A_TRAINING if trains else FEWEST_STEPS_ELSEWHERE
        self.elsewhere = min(self.elsewhere, fewest + statements // 2)

    def swap(self) -> None:
        """Swap the steps when another file runs than before: the linted one, or one of the others."""
        self.left, self.elsewhere = self.elsewhere, self.left

    @contextmanager
    def apart(self) -> Iterator[None]:
        """Give the code inside this block steps of its own."""
        kept = self.left, self.elsewhere
        self.left = self.elsewhere = 0
        yield
        self.left, self.elsewhere = kept
