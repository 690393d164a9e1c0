"""From a file with findings to one without: fixes are made, and each is kept only if linting shows what it is to do.

A fix that leaves its finding, brings another or makes of the file what nobody can read is not kept. What is left is
fixed again until nothing changes any more, for fixes that touch wait for each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gradlint import fixes, texts
from gradlint.changes import Wanted
from gradlint.finding import Finding
from gradlint.results import Result

MOST_ROUNDS = 20
"""How often a file is fixed anew."""
MOST_TRIES = 200
"""How often it is linted for that in all."""


@dataclass(frozen=True, slots=True)
class _Version:
    """A text, and what is found in it."""

    text: str
    findings: tuple[Finding, ...]


class Fixer:
    """Fixes one file; `lint` tells what is found in bytes of it."""

    def __init__(self, lint: Callable[[bytes], Result], wanted: Wanted) -> None:
        self._lint, self._wanted, self._tries = lint, wanted, 0

    def fixed(self, data: bytes, besides: Sequence[Finding] = ()) -> tuple[bytes, tuple[Finding, ...]]:
        """The bytes with all fixes made that are wanted and hold what they promise, and the findings that are gone:
        those that are found in the file, and those that the run found in it `besides`."""
        try:
            version = _Version(texts.decode(data), (*self._lint(data).findings, *besides))
        except texts.Unreadable:
            return data, ()
        cured: list[Finding] = []
        for _ in range(MOST_ROUNDS):
            better = self._better(version, [one for one in version.findings if self._wanted.wants(one)])
            if better is None:
                break
            version, gone = better
            cured += gone
        return (texts.encode(version.text), tuple(cured)) if cured else (data, ())

    def _better(self, version: _Version, findings: Sequence[Finding]) -> tuple[_Version, tuple[Finding, ...]] | None:
        """The text with these findings cured, or some of them; None where no fix holds what it promises."""
        if not findings or self._tries >= MOST_TRIES:
            return None
        applied = fixes.apply(version.text, findings, self._wanted.safeties)
        after = self._checked(version, applied)
        if after is not None:
            return after, applied.fixed
        middle = len(findings) // 2
        if not middle:
            return None
        return self._better(version, findings[:middle]) or self._better(version, findings[middle:])

    def _checked(self, before: _Version, applied: fixes.Applied) -> _Version | None:
        """The text after fixes, if their findings are gone and no others have come."""
        if applied.text == before.text:
            return None
        try:
            data = texts.encode(applied.text)
            if texts.decode(data) != applied.text:
                return None  # what is declared of its encoding has another meaning now
        except (texts.Unreadable, UnicodeError):
            return None
        self._tries += 1
        found = self._lint(data)
        allowed = _counted(before.findings) - _counted(applied.fixed)
        return None if found.traceback or _counted(found.findings) - allowed else _Version(applied.text, found.findings)


def _counted(findings: Sequence[Finding]) -> Counter[str]:
    return Counter(finding.code for finding in findings)
