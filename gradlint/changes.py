"""Changes of files: which fixes are wanted, what they make of a file, and how that is written or shown."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence

from gradlint import kinds
from gradlint.finding import SAFE, Finding
from gradlint.frozen import frozen
from gradlint.report.entry import escaped, safe_name


@frozen()
class Wanted:
    """The fixes that are made: those of findings with these `codes`, if they are as safe as this."""

    codes: frozenset[str]
    safeties: tuple[str, ...] = (SAFE,)

    def wants(self, finding: Finding) -> bool:
        """Return whether a finding has a fix that is made."""
        return finding.code in self.codes and any(fix.safety in self.safeties for fix in finding.fixes)


NOTHING_WANTED = Wanted(frozenset())


@frozen()
class Changed:
    """The result of the fixes of a file that is shown under a `path`, or of what came `over_stdin`: its bytes `before`
    and `after`, and what is `cured`."""

    path: str
    filename: str
    before: bytes
    after: bytes
    cured: tuple[Finding, ...]
    over_stdin: bool = False

    def diff(self) -> str:
        """The change as a unified diff, in a notebook for each cell. Rows end as they end in the file."""
        before, after = (kinds.shown(data, self.filename) for data in (self.before, self.after))
        return "".join(self._part(cell, before[cell], after.get(cell, "")) for cell in before)

    def _part(self, cell: int | None, before: str, after: str) -> str:
        name = safe_name(self.path) + ("" if cell is None else f":cell {cell}")
        rows = difflib.unified_diff(_rows(before), _rows(after), name, name)
        return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)


def _rows(text: str) -> list[str]:
    rows = text.split("\n")
    return [*(f"{row}\n" for row in rows[:-1]), *([rows[-1]] if rows[-1] else [])]


def tally(changes: Iterable[Changed]) -> str:
    """Return a table of the fixes in each file: so many findings of each rule."""
    rows: list[str] = []
    for path, cured in _by_path(changes).items():
        rows.append(f"{safe_name(path)}:\n")
        counted = Counter((one.code, one.name) for one in cured)
        width = max(len(str(number)) for number in counted.values())
        rows += [f"  {number:>{width}} x {code} {escaped(name)}\n" for (code, name), number in sorted(counted.items())]
    return "".join(rows)


def _by_path(changes: Iterable[Changed]) -> dict[str, Sequence[Finding]]:
    found: dict[str, list[Finding]] = {}
    for change in sorted(changes, key=lambda one: one.path):
        found.setdefault(change.path, []).extend(change.cured)
    return dict(found)
