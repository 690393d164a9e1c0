"""Findings: what the linter reports, with every position resolved.

Rows count from 1, columns from 1 in code points; an end is exclusive.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum

from gradlint.frozen import frozen


class Effect(StrEnum):
    """The effect of a mistake: its own line raises, another line raises on account of it, or nothing does."""

    ERROR = "error"
    ERROR_LATER = "error later"
    WRONG_RESULT = "wrong result"
    NO_EFFECT = "no effect"
    MEMORY = "memory"
    SLOW = "slow"

    @property
    def raises(self) -> bool:
        """Return whether torch raises: a mistake that is not wanted where the program waits for an error."""
        return self in (RAISES, LATER)


RAISES, LATER = Effect.ERROR, Effect.ERROR_LATER


def printed(effect: str) -> str:
    """An effect as people read it: an error is one wherever it is raised."""
    return RAISES if effect == LATER else effect


CALLED = "reached by this call"
"""The note at the call in the linted file that leads to a finding in another."""
RAISED = "raises here"
"""The note at the line that raises on account of that of the finding."""
HERE = ""
"""The path of the linted file."""


class Confidence(IntEnum):
    """The confidence in a finding; the lowest is the strongest."""

    CERTAIN = 0
    LIKELY = 1
    POSSIBLE = 2

    def __str__(self) -> str:
        return self.name.lower()


class Question(StrEnum):
    """A question about a finding: whether torch does what it says, whether the thing is what it is taken for, and
    whether it is a mistake."""

    TORCH = "torch"
    THING = "thing"
    MISTAKE = "mistake"


@frozen()
class Sign:
    """Evidence that answers a question, and how far that answer may be believed."""

    question: Question
    confidence: Confidence
    text: str


@frozen()
class Degrees:
    """The confidence in a finding for each question; the finding is as sure as the weakest answer."""

    torch: Confidence = Confidence.CERTAIN
    thing: Confidence = Confidence.CERTAIN
    mistake: Confidence = Confidence.CERTAIN

    @classmethod
    def of(cls, signs: Iterable[Sign]) -> Degrees:
        """Return the degrees that signs give; what none speaks of is certain."""
        degrees: dict[str, Confidence] = {}
        for sign in signs:
            degrees[sign.question] = max(sign.confidence, degrees.get(sign.question, Confidence.CERTAIN))
        return cls(**degrees)

    @property
    def weakest(self) -> Confidence:
        return max(self.torch, self.thing, self.mistake)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A stretch of the linted text."""

    row: int
    column: int
    end_row: int
    end_column: int


@frozen()
class Note:
    """Another place that contributed, and how; `path` is its file where that is another one than the finding's."""

    place: Place
    text: str
    path: str = ""


@frozen()
class Edit:
    """Text to put in place of a stretch (an empty stretch inserts)."""

    place: Place
    text: str


SAFE, UNSAFE = "safe", "unsafe"
"""The safeties of a fix: a safe one changes nothing but the mistake."""


@frozen()
class Fix:
    """Edits that together cure a finding. `safety` is "safe", "unsafe" or "display"."""

    edits: tuple[Edit, ...]
    safety: str
    message: str

    @property
    def is_offered(self) -> bool:
        """Return whether tools may make the edits, or else people are only shown them."""
        return self.safety != "display"


@frozen()
class Finding:
    """One mistake at one place of one text. `consequence` is what it does, in the words of `Rule.effect`; `path` is
    the file where that is another one than the linted; `signs` are what it rests on where that is not proven."""

    code: str
    name: str
    message: str
    place: Place
    confidence: Confidence = Confidence.CERTAIN
    consequence: str = ""
    help: str = ""
    notes: tuple[Note, ...] = ()
    fixes: tuple[Fix, ...] = ()
    path: str = ""
    signs: tuple[Sign, ...] = ()

    @property
    def degrees(self) -> Degrees:
        """Return the confidence for each question."""
        return Degrees.of(self.signs)
