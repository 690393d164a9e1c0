"""Findings with the source they speak of, the places that contributed and the cure, as wide as a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from gradlint.finding import Note, Place
from gradlint.frozen import frozen
from gradlint.report import COLUMNS
from gradlint.report.entry import Entry, escaped, shown, width
from gradlint.report.paint import paint
from gradlint.report.wrapping import wrapped

EQUAL = 2
"""The most notes of the same words that are shown."""
FEWEST = 20
"""The fewest columns of source, however narrow a terminal is."""
CUT = "..."
"""The text that stands for the rest of a line."""


def report(entries: Sequence[Entry], painted: bool, columns: int = COLUMNS) -> str:
    """A block for each finding, with an empty line between two blocks."""
    return _report(entries, painted, columns, detailed=False)


def report_detailed(entries: Sequence[Entry], painted: bool, columns: int = COLUMNS) -> str:
    """The same, with the confidence of each finding and the signs it rests on."""
    return _report(entries, painted, columns, detailed=True)


def _report(entries: Sequence[Entry], painted: bool, columns: int, *, detailed: bool) -> str:
    blocks = (_block(entry, painted, columns, detailed) for entry in entries)
    return "\n".join("".join(f"{line.rstrip()}\n" for line in block) for block in blocks)


def _block(entry: Entry, painted: bool, columns: int, detailed: bool) -> Iterator[str]:
    """The message, the place, the source with its marks, notes on other files, the signs, and the help."""
    finding = entry.finding
    notes, left = _first_of_each(finding.notes)
    marks = [_Mark(note.place, "-", note.text) for note in notes if not note.path] + [_Mark(finding.place, "^", "")]
    marks.sort(key=lambda mark: (mark.place.row, mark.place.column))
    sheet = _Sheet(painted, columns, max(len(entry.row_of(mark.place)) for mark in marks))
    yield from sheet.headline(finding.code, finding.message)
    yield f"{' ' * sheet.gutter}{sheet.blue('-->')} {paint(entry.where, 'bold', painted)}"
    yield from _source(entry, marks, sheet)
    for note in notes:
        if note.path:
            where = f"{entry.named(note.path)}:{entry.row_of(note.place, note.path)}"
            yield from sheet.remark("note", f"{escaped(note.text)} ({where})")
    for text, count in left.items():
        yield from sheet.remark(f"and {count} more", escaped(text))
    if detailed:
        signs = "; ".join(f"{sign.text} ({sign.confidence})" for sign in finding.signs)
        yield from sheet.remark(str(finding.confidence), escaped(signs or "all that it rests on is proven"))
    if finding.help:
        yield from sheet.remark("help", escaped(finding.help), "green")


def _first_of_each(notes: Sequence[Note]) -> tuple[list[Note], Counter[str]]:
    """The notes that are shown, and how many of the same words are not."""
    seen, first, left = Counter[str](), list[Note](), Counter[str]()
    for note in notes:
        seen[note.text] += 1
        if seen[note.text] <= EQUAL:
            first.append(note)
        else:
            left[note.text] += 1
    return first, left


# ---- source


@frozen()
class _Mark:
    """A place that is pointed at by this sign, and what is said of it."""

    place: Place
    sign: str
    text: str


def _source(entry: Entry, marks: Sequence[_Mark], sheet: _Sheet) -> Iterator[str]:
    row, bare = 0, True
    for mark in marks:
        line, label = entry.line(mark.place.row), entry.row_of(mark.place)
        if not line.strip():
            if mark.text:
                yield from sheet.remark("note", f"{escaped(mark.text)} (line {label})")
            continue
        if bare:
            yield sheet.bar()
            bare = False
        drawn, before, under = _drawn(line, *_extent(entry.located(mark.place)[1], line), sheet.room)
        # A cut line is drawn anew for each of its places, for each needs another part of it.
        if mark.place.row != row or drawn != shown(line).rstrip():
            yield f"{sheet.bar(label)} {drawn}"
        row = mark.place.row
        yield from sheet.marked(mark, before, max(1, under))


def _extent(place: Place, line: str) -> tuple[int, int]:
    """Return the columns of a place on its first line; a place that goes on ends with the line's text."""
    start = min(place.column - 1, len(line))
    end = place.end_column - 1 if place.end_row == place.row else len(line.rstrip())
    return start, max(start, min(end, len(line)))


def _drawn(line: str, start: int, end: int, room: int) -> tuple[str, int, int]:
    """The line as it is drawn in so many columns, how many stand before the place, and how many it takes."""
    line = line.rstrip()
    start, end = min(start, len(line)), min(end, len(line))
    first, last = _window(line, start, end, room)
    left, right = CUT if first else "", CUT if last < len(line) else ""
    end = max(start, min(end, last))
    before, inside, after = shown(line[first:start]), shown(line[start:end]), shown(line[end:last])
    return left + before + inside + after + right, width(left + before), width(inside)


def _window(line: str, start: int, end: int, room: int) -> tuple[int, int]:
    """The part of a line that is drawn: all of it, or its beginning if the place is there, or what is around that."""
    if len(line) <= room and width(shown(line)) <= room:
        return 0, len(line)
    inner = room - 2 * len(CUT)
    first = 0 if end <= inner and width(shown(line[:end])) <= inner else start
    taken = 0
    while 0 < first <= start and (taken := taken + width(shown(line[first - 1]))) <= inner // 3:
        first -= 1
    last, taken = first, 0 if first else -len(CUT)
    while last < len(line) and (taken := taken + width(shown(line[last]))) <= inner:
        last += 1
    return first, last


# ---- the parts of a block


@frozen()
class _Sheet:
    """The layout of a block: whether in colour, in how many columns, and how many of them row numbers take."""

    painted: bool
    columns: int
    gutter: int

    @property
    def room(self) -> int:
        """Return the number of columns for source."""
        return max(FEWEST, self.columns - self.gutter - 3)

    def blue(self, text: str) -> str:
        return paint(text, "blue", self.painted)

    def bar(self, label: str = "") -> str:
        """The beginning of a row of source."""
        return self.blue(f"{label:>{self.gutter}} |")

    def headline(self, code: str, message: str) -> Iterator[str]:
        """The code and the message, which goes on below its beginning."""
        first, *more = wrapped(escaped(message), self.columns - len(code) - 1)
        yield f"{paint(code, 'red', self.painted)} {first}"
        yield from (f"{' ' * (len(code) + 1)}{line}" for line in more)

    def remark(self, title: str, text: str, colour: str = "blue") -> Iterator[str]:
        """A note that has no source, or the help."""
        indent = self.gutter + len(title) + 5
        first, *more = wrapped(text, self.columns - indent)
        yield f"{' ' * self.gutter} {self.blue('=')} {paint(f'{title}:', colour, self.painted)} {first}"
        yield from (f"{' ' * indent}{line}" for line in more)

    def marked(self, mark: _Mark, before: int, under: int) -> Iterator[str]:
        """A place underlined, and what is said of it behind that or, where there is no room, below it."""
        text, line = escaped(mark.text), mark.sign * under
        beside = bool(text) and before + under + 1 + width(text) <= self.room
        drawn = f"{line} {text}" if beside else line
        yield f"{self.bar()} {' ' * before}{paint(drawn, 'red' if mark.sign == '^' else 'blue', self.painted)}"
        if text and not beside:
            lines = wrapped(text, self.room)
            indent = max(0, min(before, self.room - max(map(width, lines))))
            yield from (f"{self.bar()} {' ' * indent}{self.blue(each)}" for each in lines)
