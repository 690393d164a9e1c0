"""Case files: more lines for a rule, each with what is to be said about it.

The file `integer_requires_grad.py` holds cases of the rule `integer-requires-grad`. A line ends in

* `# ABC123` (or several codes): these codes are reported there;
* `# ok: why`: nothing is reported there, and the rule of the file heard of the line and declined;
* `# todo ABC123`: a miss that is known; the test fails as soon as it is reported;
* `# todo ok`: a false report that is known; the test fails as soon as it is gone.

Nothing is reported on other lines. A file has at least ten marked lines, at least half of them `# ok`, and no two
marked lines that differ in names alone.
"""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from gradlint import linter, showing
from gradlint.finding import Confidence, Finding
from gradlint.frozen import frozen
from gradlint.proving import Proof, behind_gate, heard_at
from gradlint.proving.examples import comments
from gradlint.registry import rules
from gradlint.rule import Rule
from gradlint.testing.claims import Claim, parameters, rules_of

MARK = re.compile(r"#\s*(todo\s+)?(?:([A-Z]{3}\d{3}(?:\s+[A-Z]{3}\d{3})*)|(ok)(?::\s*(\S.*))?)\s*")
LIKE_A_MARK = re.compile(r"#\s*(todo\b|ok\b|[A-Z]{3}\d{3}\b)", re.IGNORECASE)
FEWEST = 10


@frozen()
class Mark:
    """A claim about a row: the codes to be reported, or none for an `ok`. `todo`: that is not so yet."""

    row: int
    codes: tuple[str, ...]
    todo: bool
    why: str


@frozen()
class CaseFile:
    """The text of a case file and the rule it is about."""

    path: Path
    text: str
    rule: Rule | None

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marked rows in order."""
        found = ((row, MARK.fullmatch(comment)) for row, comment in comments(self.text))
        return tuple(Mark(row, tuple((m[2] or "").split()), bool(m[1]), m[4] or "") for row, m in found if m)

    def at(self, row: int) -> str:
        """Return the name of a row in faults."""
        return f"{self.path}:{row}"


def case_claims(folder: str | Path, prefix: str = "") -> list[Any]:
    """Every law about every case file of a folder, and one file for each rule whose code begins so, as parameters."""
    wanted, every = rules_of(prefix), rules()
    files = [read_case_file(path, wanted) for path in sorted(Path(folder).glob("*.py"))]
    return parameters([*missing_files(wanted, files, folder), *(c for file in files for c in claims_of(file, every))])


def proof_of(rule: Rule, folder: str | Path, together: Sequence[Rule]) -> Proof | None:
    """Return whether all laws about the case file of a rule hold; None where the folder has none."""
    path = Path(folder, f"{rule.name.replace('-', '_')}.py")
    if not path.is_file():
        return None
    faults = [fault for claim in claims_of(read_case_file(path, [rule]), together) for fault in claim.faults() if fault]
    return Proof(rule, str(path), "case", seen=not faults, detail="\n".join(faults))


def read_case_file(path: Path, wanted: Sequence[Rule]) -> CaseFile:
    """A case file and, by its name, its rule."""
    names = {rule.name.replace("-", "_"): rule for rule in wanted}
    return CaseFile(path, path.read_text(encoding="utf-8"), names.get(path.stem))


def missing_files(wanted: Sequence[Rule], files: Sequence[CaseFile], folder: str | Path) -> Iterator[Claim]:
    """Every rule has a case file."""
    there = {file.path.stem for file in files}
    for rule in wanted:
        stem = rule.name.replace("-", "_")
        fault = "" if stem in there else f"{rule.code} has no case file; write {Path(folder, stem)}.py"
        yield Claim(f"{rule.code}-has-cases", [fault].copy)


def claims_of(file: CaseFile, together: Sequence[Rule]) -> Iterator[Claim]:
    """Every law about one case file."""
    laws: dict[str, Callable[[], Iterator[str]]] = {
        "form": lambda: form(file),
        "marks": lambda: judged(file, _analysed(file.text, tuple(together)), together),
        "heard": lambda: is_silent(file, _analysed(file.text, tuple(together))),
        "shapes": lambda: repeated(file),
        "gate": lambda: iter(behind_gate(file.text, _analysed(file.text, tuple(together)).findings, together)),
    }
    for law, faults in laws.items():
        yield Claim(f"{file.path.stem}-{law}", faults)


@cache
def _analysed(text: str, together: tuple[Rule, ...]) -> linter.Analysis:
    return linter.analyse(text, together, watch=linter.Watch(positions=True))


# ---- the laws


def form(file: CaseFile) -> Iterator[str]:
    """Yield the faults of form: it has a rule, compiles, its marks are spelled right and enough lines are marked."""
    if file.rule is None:
        yield f"{file.path} is named after no rule"
    try:
        compile(file.text, str(file.path), "exec", dont_inherit=True)
    except SyntaxError as error:
        yield f"{file.at(error.lineno or 1)}: does not compile: {error.msg}"
    for row, comment in comments(file.text):
        mark = MARK.fullmatch(comment)
        if mark is None and LIKE_A_MARK.match(comment):
            yield f"{file.at(row)}: `{comment}` looks like a mark; write `# ABC123`, `# ok: why` or `# todo ...`"
        if mark is not None and mark[3] and not mark[1] and not mark[4]:
            yield f"{file.at(row)}: say why it is ok: `# ok: why`"
    fine = sum(not mark.codes for mark in file.marks)
    if len(file.marks) < FEWEST or 2 * fine < len(file.marks):
        yield f"{file.path} has {len(file.marks)} marked lines, {fine} of them ok; at least {FEWEST}, half of them ok"
    if file.rule is not None and not any(file.rule.code in mark.codes for mark in file.marks):
        yield f"{file.path} has no line marked {file.rule.code}"


def judged(file: CaseFile, analysis: linter.Analysis, together: Sequence[Rule]) -> Iterator[str]:
    """Every line is reported as its mark says; what is shown by default on other lines is a fault."""
    usual = _by_row(showing.shown(analysis.findings, together, Confidence.LIKELY))
    found = _by_row(showing.shown(analysis.findings, together, Confidence.POSSIBLE))
    marks = {mark.row: mark for mark in file.marks}
    for row in sorted(marks.keys() | usual.keys()):
        fault = _fault(marks.get(row), usual.get(row, frozenset()), found.get(row, frozenset()))
        missed = sorted({*marks[row].codes} - found.get(row, frozenset())) if fault and row in marks else []
        heard = "".join(f"; {code}: {heard_at(analysis.heard, row, code)}" for code in missed)
        if fault:
            yield f"{file.at(row)}: {fault}{heard}"


def _by_row(findings: Sequence[Finding]) -> dict[int, frozenset[str]]:
    rows: dict[int, frozenset[str]] = {}
    for finding in findings:
        rows[finding.place.row] = rows.get(finding.place.row, frozenset()) | {finding.code}
    return rows


def _fault(mark: Mark | None, usual: frozenset[str], found: frozenset[str]) -> str:
    """Return the fault of the codes reported on a row: by default, and at any confidence."""
    codes = frozenset(mark.codes if mark else ())
    if mark and mark.todo and not codes:
        return "" if usual else "nothing is reported any more; take the `todo` away"
    if mark and mark.todo and codes & found:
        return f"{_list(codes & found)} is reported now; take the `todo` away"
    if wrong := usual - codes:
        return f"{_list(wrong)} is reported, {_list(codes)} is marked"
    if not (mark and mark.todo) and codes - found:
        return f"{_list(codes)} is marked, {_list(found)} is reported"
    return ""


def _list(codes: frozenset[str]) -> str:
    return ", ".join(sorted(codes)) or "nothing"


def is_silent(file: CaseFile, analysis: linter.Analysis) -> Iterator[str]:
    """The rule of the file heard of every `# ok` line: it was not quiet because nothing reached it."""
    if file.rule is None:
        return
    heard = {place.row for code, _, place in analysis.heard if code == file.rule.code}
    for mark in file.marks:
        if not mark.codes and not mark.todo and mark.row not in heard:
            yield f"{file.at(mark.row)}: {file.rule.code} heard nothing here, so being quiet says nothing"


def repeated(file: CaseFile) -> Iterator[str]:
    """No two marked lines are alike but for their names."""
    shapes, first = line_shapes(file.text), dict[tuple[str, ...], int]()
    for mark in file.marks:
        earlier = first.setdefault(shapes.get(mark.row, ()), mark.row)
        if earlier != mark.row:
            yield f"{file.at(mark.row)}: differs from line {earlier} in names alone"


def line_shapes(text: str) -> dict[int, tuple[str, ...]]:
    """The tokens of each row with every name replaced by one."""
    rows: dict[int, tuple[str, ...]] = {}
    left_out = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in left_out:
            is_name = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
            rows[token.start[0]] = (*rows.get(token.start[0], ()), "name" if is_name else token.string)
    return rows
