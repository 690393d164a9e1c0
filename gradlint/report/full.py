"""Findings with the source they speak of, the places that contributed, and the cure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradlint.finding import Place
from gradlint.report.concise import headline
from gradlint.report.entry import Entry, escaped, shown, width
from gradlint.report.paint import paint

WIDEST = 160
"""Source lines are cut to this many characters around what they are shown for."""
BEFORE = 60
"""How much of a cut line stays before the place itself."""


def report(entries: Sequence[Entry], painted: bool) -> str:
    """A block for each finding, with an empty line between two blocks."""
    return "\n".join("".join(line.rstrip() + "\n" for line in _block(entry, painted)) for entry in entries)


def _block(entry: Entry, painted: bool) -> Iterator[str]:
    finding = entry.finding
    yield headline(entry, painted)
    marked = [(note.place, "-", note.text) for note in finding.notes if not note.path] + [(finding.place, "^", "")]
    marked.sort(key=lambda mark: (mark[0].row, mark[0].column))
    rows = [entry.row_of(place) for place, _, _ in marked]
    gutter = max(map(len, rows))
    row = 0
    for (place, sign, text), label in zip(marked, rows, strict=True):
        line = entry.line(place.row)
        if not line.strip():
            if text:
                yield f"  {'':>{gutter}} {_blue('=', painted)} note: {escaped(text)} (line {label})"
            continue
        start, end = _extent(entry.located(place)[1], line)
        # A cut line is drawn anew for each of its places, for each needs another part of it.
        drawn, before, under = _drawn(line, start, end)
        if place.row != row or len(line) > WIDEST:
            yield f"  {_blue(f'{label:>{gutter}} |', painted)} {drawn}"
        row = place.row
        underline = sign * max(1, under)
        mark = paint(underline, "red", painted) if sign == "^" else _blue(f"{underline} {escaped(text)}", painted)
        yield f"  {_blue(f'{chr(32) * gutter} |', painted)} {' ' * before}{mark}"
    for note in finding.notes:
        if note.path:
            where = f"{entry.named(note.path)}:{entry.row_of(note.place, note.path)}"
            yield f"  {'':>{gutter}} {_blue('=', painted)} note: {escaped(note.text)} ({where})"
    if finding.help:
        yield f"  {paint('help:', 'green', painted)} {escaped(finding.help)}"


def _blue(text: str, painted: bool) -> str:
    return paint(text, "blue", painted)


def _extent(place: Place, line: str) -> tuple[int, int]:
    """Where a place begins and ends on its first line; a place that goes on ends with the line's text."""
    start = min(place.column - 1, len(line))
    end = place.end_column - 1 if place.end_row == place.row else len(line.rstrip())
    return start, max(start, min(end, len(line)))


def _drawn(line: str, start: int, end: int) -> tuple[str, int, int]:
    """The line as it is drawn, how many columns stand before the place, and how many it takes."""
    left, right = "", ""
    if len(line) > WIDEST:
        first = max(0, start - BEFORE)
        last = min(len(line), first + WIDEST)
        left, right = "..." if first else "", "..." if last < len(line) else ""
        line, start, end = line[first:last], start - first, min(end, last) - first
    before, inside, after = shown(line[:start]), shown(line[start:end]), shown(line[end:])
    return left + before + inside + after + right, width(left + before), width(inside)
