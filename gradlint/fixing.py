"""The fixing of a file: fixes are made, and each is kept only if linting shows what it is to do.

A fix that leaves its finding, brings another or makes of the file what nobody can read is not kept. What is left is
fixed again until nothing changes any more, for fixes that touch wait for each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from gradlint import fixes, kinds, texts
from gradlint.changes import Wanted
from gradlint.finding import Finding
from gradlint.frozen import frozen
from gradlint.reading import MOST_CONFIGURED
from gradlint.results import Result
from gradlint.rewriting import rewritten

MOST_TRIES = 200
"""The most times that a file is linted in all to fix it."""


@frozen()
class _Version:
    """The bytes of a file, and what is found in them."""

    data: bytes
    findings: tuple[Finding, ...]


class Fixer:
    """Fixes one file of a kind that its `name` tells; `lint` says what is found in bytes of it."""

    def __init__(self, lint: Callable[[bytes], Result], wanted: Wanted, name: str = "") -> None:
        self._lint, self._wanted, self._name, self._tries = lint, wanted, name, 0

    def fixed(self, data: bytes, besides: Sequence[Finding] = ()) -> tuple[bytes, tuple[Finding, ...]]:
        """The bytes with all fixes made that are wanted and hold what they promise, and the findings that are gone:
        those that are found in the file, and those that the run found in it `besides`."""
        version = _Version(data, (*self._lint(data).findings, *besides))
        cured: list[Finding] = []
        while better := self._better(version, [one for one in version.findings if self._wanted.wants(one)]):
            version, gone = better
            cured += gone
        return version.data, tuple(cured)

    def _better(self, version: _Version, findings: Sequence[Finding]) -> tuple[_Version, tuple[Finding, ...]] | None:
        """The text with these findings cured, or some of them, and what is cured; None where no fix holds what it
        promises. What does not hold together with what does is halved, so that a few that never hold cost little."""
        best = None
        kept: list[Finding] = []
        waiting = [findings] if findings else []
        while waiting and self._tries < MOST_TRIES:
            some = waiting.pop()
            if (after := self._cured(version, [*kept, *some])) is not None:
                best = after
                kept += some
            elif (middle := len(some) // 2) > 0:
                waiting += [some[middle:], some[:middle]]
        return best

    def _cured(self, before: _Version, findings: Sequence[Finding]) -> tuple[_Version, tuple[Finding, ...]] | None:
        """The file after fixes, if their findings are gone and no others have come, and what is cured."""
        try:
            program = kinds.read(before.data, self._name, MOST_CONFIGURED).program
            applied = fixes.apply(program, findings, self._wanted.safeties)
            data = rewritten(before.data, self._name, applied.edits)
        except (texts.CannotBeEdited, texts.Unreadable):
            return None
        if data == before.data:
            return None
        self._tries += 1
        found = self._lint(data)
        allowed = _counted(before.findings) - _counted(applied.fixed)
        if found.traceback or _counted(found.findings) - allowed:
            return None
        return _Version(data, found.findings), applied.fixed


def _counted(findings: Sequence[Finding]) -> Counter[str]:
    return Counter(finding.code for finding in findings)
