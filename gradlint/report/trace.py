"""A trace as text for people and as JSON for tools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from gradlint.report import concise
from gradlint.report.entry import Entry, escaped, shown
from gradlint.report.json import as_sign
from gradlint.report.paint import paint
from gradlint.trace import CALLED, Fact, Heard, Judged, Line, Said, Traced

MOST_WHERE = 4
"""The most ways to a line that are named one by one."""
MOST_RULES = 8
"""The most rules that heard an event that are named."""


def text(traced: Traced, painted: bool) -> str:
    """Each line of source, and below it what is known and what happens there."""
    if (found := traced.unreadable) is not None:
        return concise.report([Entry(found, traced.path, traced.path)], painted)
    return "".join(f"{line.rstrip()}\n" for line in _text(traced, painted))


def _text(traced: Traced, painted: bool) -> Iterator[str]:
    width = max((len(str(line.row)) for _, lines in traced.files for line in lines), default=1)
    for index, (path, lines) in enumerate(traced.files):
        if index:
            yield ""
        yield paint(escaped(path), "bold", painted) + (" (as it is run from there)" if index else "")
        last = 0
        for line in lines:
            if last and line.row > last + 1:
                yield f"{'...':>{width + 2}}"
            last = line.row
            yield f"{paint(f'{line.row:>{width}} |', 'blue', painted)} {shown(line.text)}"
            below = paint(f"{'':>{width}} :", "blue", painted)
            yield from (f"{below}   {told}" for told in _below(line, painted, traced.row is not None))


def _below(line: Line, painted: bool, rules: bool) -> Iterator[str]:
    if line.unrun:
        yield paint("never run", "cyan", painted)
    if line.runs:
        yield paint(f"run {_listed(line.runs)}", "cyan", painted)
    yield from (paint(mode, "cyan", painted) for mode in _said(line.modes))
    for fact, again in _named_once(line.facts):
        name = f"{fact.name} {'=' if not fact.before else ':'}"
        yield f"{' ' * len(name) if again else name} {escaped(_known(fact))}{_where(fact.where)}"
    for event in line.events:
        yield f"* {escaped(_event(event))}{_where(event.where)}"
        if rules and event.rules:
            more = len(event.rules) - MOST_RULES
            yield f"    heard by {', '.join(event.rules[:MOST_RULES])}{f' and {more} more' if more > 0 else ''}"
    yield from (f"! bound of the analysis reached: {bound}" for bound in _said(line.bounds))
    for judged in line.findings:
        yield _finding(judged, painted)
        yield from (f"    {sign.confidence}: {escaped(sign.text)}" for sign in judged.finding.signs)
        yield from (f"    line {note.place.row}: {escaped(note.text)}" for note in judged.finding.notes)


def _named_once(facts: Sequence[Fact]) -> Iterator[tuple[Fact, bool]]:
    """All that is known of one name together; whether the name was there before."""
    names = {(fact.name, not fact.before): None for fact in facts}
    for name in names:
        same = [fact for fact in facts if (fact.name, not fact.before) == name]
        yield from ((fact, index > 0) for index, fact in enumerate(same))


def _known(fact: Fact) -> str:
    """Return the description of a name; of what a statement changed only what is different."""
    if not fact.before or fact.before == fact.after:
        return fact.after or fact.before
    before, after = _parts(fact.before), _parts(fact.after)
    if before[0] != after[0] or before[0] not in ("Tensor", "Module", "Optimizer"):
        return f"{fact.before} -> {fact.after}"
    return f"{fact.before} -> {', '.join(part for part in after[1:] if part not in before[1:]) or fact.after}"


def _parts(known: str) -> list[str]:
    """The kind of a thing, and its facts one by one."""
    kind, bracket, inside = known.partition("[")
    if not bracket or not known.endswith("]"):
        return [known]
    out, deep = [""], 0
    for character in inside[:-1]:
        deep += (character in "[(") - (character in ")]")
        if character == "," and not deep:
            out.append("")
        else:
            out[-1] += character
    return [kind, *(part.strip() for part in out)]


def _event(event: Heard) -> str:
    """An event by its name, its key and its fields, but for how the line itself says it, and what is not so."""
    key = next((value for name, value in event.fields if name in KEYS), "")
    told = [(name, value) for name, value in event.fields if name not in (*KEYS, "name")]
    fields = [f"{name}={value}" for name, value in told if value != "no" or name in MODES]
    return " ".join([event.name, *([key] if key else []), *fields])


KEYS = ("op", "path", "attr", "what")
"""The fields by which rules choose events."""
MODES = ("before", "to")
"""The fields that say what they say by "no" as well."""


def _said(all_said: Iterable[Said]) -> Iterator[str]:
    return (f"{said.text}{_where(said.where)}" for said in all_said)


def _where(where: Sequence[str]) -> str:
    return f"   ({_listed(where)})" if where else ""


def _listed(words: Sequence[str]) -> str:
    more = len(words) - MOST_WHERE
    told = [*words[:MOST_WHERE], *([f"{more} more"] if more > 0 else [])]
    return escaped("; ".join([told[0], *(word.removeprefix(CALLED) for word in told[1:])]))


def _finding(judged: Judged, painted: bool) -> str:
    finding = judged.finding
    told = f"{paint(finding.code, 'red', painted)} ({finding.confidence}) {escaped(finding.message)}"
    return f"> {told}" + (f"; not reported: {judged.unreported}" if judged.unreported else "")


def as_json(traced: Traced, painted: bool) -> str:
    """One object: the files with their lines."""
    if (found := traced.unreadable) is not None:
        place = {"row": found.place.row, "column": found.place.column}
        return json.dumps({"files": [], "unreadable": {"path": traced.path, **place, "message": found.message}}) + "\n"
    return json.dumps({"files": [_file(path, lines) for path, lines in traced.files]}, indent=2) + "\n"


def _file(path: str, lines: Sequence[Line]) -> dict[str, Any]:
    return {"path": path, "lines": [_line(line) for line in lines]}


def _line(line: Line) -> dict[str, Any]:
    return {
        "row": line.row,
        "text": line.text,
        "never_run": line.unrun,
        "runs": list(line.runs),
        "modes": [{"mode": said.text, "where": list(said.where)} for said in line.modes],
        "facts": [
            {"name": fact.name, "before": fact.before or None, "after": fact.after or None, "where": list(fact.where)}
            for fact in line.facts
        ],
        "events": [
            {"event": one.name, "fields": dict(one.fields), "heard_by": list(one.rules), "where": list(one.where)}
            for one in line.events
        ],
        "bounds": [{"bound": said.text, "where": list(said.where)} for said in line.bounds],
        "findings": [_judged(one) for one in line.findings],
    }


def _judged(judged: Judged) -> dict[str, Any]:
    finding = judged.finding
    return {
        "code": finding.code,
        "name": finding.name,
        "confidence": str(finding.confidence),
        "signs": [as_sign(sign) for sign in finding.signs],
        "message": finding.message,
        "column": finding.place.column,
        "unreported": judged.unreported or None,
    }


FORMATS = {"text": text, "json": as_json}
