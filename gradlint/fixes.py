"""Fixes: from the edits that a rule drafts to changes of the text, and from a text to its cure.

Everything but the edited stretches stays as it is, to the byte: newlines of every kind, a byte order mark, comments.
"""

from __future__ import annotations

import io
import tokenize
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from operator import attrgetter

from gradlint.finding import SAFE, Edit, Finding, Fix, Place
from gradlint.frozen import frozen
from gradlint.rule import Cure, Draft
from gradlint.rule import Edit as Drafted
from gradlint.source import Extent, Layout, Statement
from gradlint.texts import BOM, NEWLINE

MOST_ROWS = 300
"""The most rows that a fix may indent."""


_ORDER = attrgetter("place.row", "place.column", "place.end_row", "place.end_column")


class Impossible(Exception):
    """An edit cannot be made as the text is laid out; the finding then comes without a fix."""


# ---- from drafts to edits


def fix_of(draft: Draft, layout: Layout, rows: Rows) -> Fix | None:
    """The first fix that a draft offers and the layout allows, as edits of the text; None where there is none.
    What several of its edits do to one statement is done once."""
    for cure in draft.cures:
        try:
            made = [*chain.from_iterable(dict.fromkeys(tuple(_edits(edit, layout, rows)) for edit in cure.edits))]
            _leave_something(cure, layout)
            made += _imports(cure, layout, rows)
        except Impossible:
            continue
        return Fix(tuple(sorted(made, key=_ORDER)), cure.safety, draft.help or draft.message)
    return None


def _edits(edit: Drafted, layout: Layout, rows: Rows) -> Iterator[Edit]:
    if edit.node not in layout.extents:
        raise Impossible
    yield from _HOW[edit.how](edit, layout.extents[edit.node], layout, rows)


def _replaced(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    if not (extent.expression or extent.whole):
        raise Impossible
    yield Edit(extent.place, edit.text)


def _wrapped(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    if not extent.expression:
        raise Impossible
    before, after = edit.text, edit.after
    if after.startswith(".") and not extent.atomic:
        before, after = f"{before}(", f"){after}"
    if before:
        yield _inserted(extent.place.row, extent.place.column, before)
    yield _inserted(extent.place.end_row, extent.place.end_column, after)


def _renamed(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    if extent.name is None:
        raise Impossible
    yield Edit(extent.name, edit.text)


def _before(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    place = _statement(extent)
    yield _inserted(place.row, 1, f"{rows.indent(place)}{edit.text}{rows.newline(place.row)}")


def _after(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    place = _statement(extent)
    if extent.statement is not None and extent.statement.leaves:
        raise Impossible
    yield _put_behind(rows, place.end_row, f"{rows.indent(place)}{edit.text}")


def _ended_with(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    if extent.statement is None or not extent.statement.ends:
        raise Impossible
    yield from _after(edit, extent, layout, rows)


def _put_behind(rows: Rows, row: int, lines: str) -> Edit:
    """Lines without their last newline put behind a row."""
    if row < len(rows.starts):
        return _inserted(row + 1, 1, f"{lines}{rows.newline(row)}")
    return _inserted(row, len(rows.row(row)) + 1, f"{rows.newline(1)}{lines}")


def _put_under(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    place = _statement(extent)
    first, *others = _indented(place, layout, rows)
    header = f"{rows.indent(place)}{edit.text}{rows.newline(place.row)}"
    yield _inserted(place.row, 1, f"{header}{first.text}")
    yield from others


def _put_alone_under(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    if not extent.whole:
        raise Impossible  # what else the statement does is not to depend on it
    yield from _put_under(edit, extent, layout, rows)


def _rest_put_under(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    place = _statement(extent)
    rest = extent.statement.rest if extent.statement is not None else None
    if rest is None:
        raise Impossible
    yield Edit(place, edit.text)
    yield from _indented(rest, layout, rows)


def _indented(place: Place, layout: Layout, rows: Rows) -> list[Edit]:
    """Indent each row of a stretch that is not empty; nobody wants half a file indented for them."""
    if place.end_row - place.row >= MOST_ROWS or rows.in_strings(place):
        raise Impossible
    return rows.indentations(place, layout.indent)


def _moved_out(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    around = layout.extents[edit.to].headed if edit.to in layout.extents else None
    own = extent.statement
    if (
        around is None
        or own is None
        or not extent.whole
        or not own.beside
        or not own.last
        or own.block is not around.block
    ):
        raise Impossible
    yield from _outdented(rows, own.place, around.place.column)


def _unwrapped(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    around = extent.headed
    header = extent.place
    if around is None or not around.fills or rows.row(header.end_row)[header.end_column - 1 :].strip() != ":":
        raise Impossible
    rows.indent(around.place)
    yield Edit(Place(around.place.row, 1, header.end_row + 1, 1), "")
    body = replace(around.body, row=header.end_row + 1)
    yield from _outdented(rows, body, around.place.column)


def _outdented(rows: Rows, place: Place, column: int) -> Iterator[Edit]:
    """Have a stretch begin in another column, further left."""
    if rows.in_strings(place):
        raise Impossible
    for row in range(place.row, place.end_row + 1):
        taken = rows.row(row)[column - 1 : place.column - 1]
        if taken.strip():
            raise Impossible
        if taken:
            yield Edit(Place(row, column, row, column + len(taken)), "")


def _deleted(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    own = extent.statement
    if own is None or not extent.whole or not (edit.to is None or _comes_next(own, layout.extents.get(edit.to))):
        raise Impossible
    yield _without_rows(rows, own.place) if own.beside else Edit(own.place, "pass")


def _leave_something(cure: Cure, layout: Layout) -> None:
    """Several deletions may not take all there is in a block."""
    gone = [own for edit in cure.edits if edit.how == "delete" and (own := layout.extents[edit.node].statement)]
    for own in gone:
        if own.beside and sum(one.block is own.block for one in gone) > own.beside:
            raise Impossible


def _comes_next(own: Statement, there: Extent | None) -> bool:
    if own.rest is None or there is None or there.statement is None:
        return False
    return (own.rest.row, own.rest.column) == (there.statement.place.row, there.statement.place.column)


def _without_rows(rows: Rows, place: Place) -> Edit:
    if place.end_row < len(rows.starts) or rows.text.endswith(("\n", "\r")):
        return Edit(Place(place.row, 1, place.end_row + 1, 1), "")
    return Edit(Place(place.row, 1, place.end_row, len(rows.row(place.end_row)) + 1), "")


def _moved_before(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    own, there = _places_of_move(edit, extent, layout, rows)
    beside = layout.extents[edit.to].statement
    if beside is None or beside.place != there:
        raise Impossible  # it runs less often, or more
    yield _without_rows(rows, own)
    yield _inserted(there.row, 1, f"{rows.lines(own)}{rows.newline(there.row)}")


def _moved_behind(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    own, there = _places_of_move(edit, extent, layout, rows)
    yield _without_rows(rows, own)
    yield _put_behind(rows, there.end_row, rows.lines(own))


def _places_of_move(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> tuple[Place, Place]:
    """Return the place of a statement that is moved, and of the one it goes to in the same block."""
    own = _statement(extent)
    block = extent.statement.block if extent.statement is not None else None
    there = layout.extents[edit.to].within.get(block) if edit.to in layout.extents else None
    if block is None or there is None or there == own:
        raise Impossible
    rows.indent(own)
    return own, there


def _given_to(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    if extent.value is None:
        raise Impossible
    yield Edit(Place(extent.place.row, extent.place.column, extent.value.row, extent.value.column), edit.text)
    yield _inserted(extent.value.end_row, extent.value.end_column, edit.after)


def _keyword_set(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    for keyword, _, value in extent.arguments:
        if keyword == edit.text:
            yield Edit(value, edit.after)
            return
    given = f"{edit.text}={edit.after}"
    if extent.arguments:
        last = extent.arguments[-1][1]
        yield _inserted(last.end_row, last.end_column, f", {given}")
    else:
        if rows.row(extent.place.end_row)[extent.place.end_column - 2] != ")":
            raise Impossible
        yield _inserted(extent.place.end_row, extent.place.end_column - 1, given)


def _keyword_dropped(edit: Drafted, extent: Extent, layout: Layout, rows: Rows) -> Iterator[Edit]:
    places = [place for _, place, _ in extent.arguments]
    number = next((n for n, (keyword, _, _) in enumerate(extent.arguments) if keyword == edit.text), None)
    if number is None:
        raise Impossible
    own = places[number]
    if number:
        yield Edit(Place(places[number - 1].end_row, places[number - 1].end_column, own.end_row, own.end_column), "")
    elif len(places) > 1:
        yield Edit(Place(own.row, own.column, places[1].row, places[1].column), "")
    else:
        comma = NEWLINE.sub("", rows.between(own.end_row, own.end_column, extent.place)).partition(",")[1]
        if comma:
            raise Impossible
        yield Edit(own, "")


_HOW: dict[str, Callable[[Drafted, Extent, Layout, Rows], Iterator[Edit]]] = {
    "replace": _replaced,
    "wrap": _wrapped,
    "rename": _renamed,
    "insert before": _before,
    "insert after": _after,
    "end with": _ended_with,
    "put under": _put_under,
    "put alone under": _put_alone_under,
    "put rest under": _rest_put_under,
    "move before": _moved_before,
    "move out": _moved_out,
    "unwrap": _unwrapped,
    "move behind": _moved_behind,
    "give to": _given_to,
    "delete": _deleted,
    "set keyword": _keyword_set,
    "drop keyword": _keyword_dropped,
}


def _imports(cure: Cure, layout: Layout, rows: Rows) -> Iterator[Edit]:
    """Imports of modules that the new text names and that are not imported where it stands."""
    there = frozenset[str].intersection(*(layout.extents[edit.node].imported for edit in cure.edits))
    for module in cure.imports:
        if module in layout.taken:
            raise Impossible
        if module not in there:
            yield _inserted(layout.import_row, 1, f"import {module}{rows.newline(layout.import_row)}")


def _statement(extent: Extent) -> Place:
    if extent.statement is None:
        raise Impossible
    return extent.statement.place


def _inserted(row: int, column: int, text: str) -> Edit:
    return Edit(Place(row, column, row, column), text)


class Rows:
    """The rows of a text as places count them; what is asked of all of it is looked for once."""

    def __init__(self, text: str) -> None:
        self.text = text.removeprefix(BOM)
        self.starts = [0, *(match.end() for match in NEWLINE.finditer(self.text))]
        if len(self.starts) > 1 and self.starts[-1] == len(self.text):
            self.starts.pop()
        self._indentations: dict[str, tuple[list[int], list[Edit]]] = {}

    def row(self, number: int) -> str:
        """A row without its newline."""
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[self.starts[number - 1] : end].rstrip("\r\n")

    def lines(self, place: Place) -> str:
        """The rows of a place, without the last newline."""
        last = self.offset(place.end_row, len(self.row(place.end_row)) + 1)
        return self.text[self.starts[place.row - 1] : last]

    def newline(self, number: int) -> str:
        """Return the newline at the end of a row, or of the row before if it is the last."""
        found = NEWLINE.search(self.text, self.starts[number - 1]) or NEWLINE.search(self.text)
        return found[0] if found else "\n"

    def indent(self, place: Place) -> str:
        """Return the indentation of a statement."""
        indent = self.row(place.row)[: place.column - 1]
        if indent.strip():
            raise Impossible
        return indent

    def between(self, row: int, column: int, place: Place) -> str:
        """The text from a place on to the end of another."""
        return self.text[self.offset(row, column) : self.offset(place.end_row, place.end_column)]

    def indentations(self, place: Place, indent: str) -> list[Edit]:
        """Return the edits that indent each row of a place that is not empty: the same ones for all such fixes."""
        if indent not in self._indentations:
            filled = [row for row in range(1, len(self.starts) + 1) if self.row(row).strip()]
            self._indentations[indent] = filled, [_inserted(row, 1, indent) for row in filled]
        filled, edits = self._indentations[indent]
        return edits[bisect_left(filled, place.row) : bisect_right(filled, place.end_row)]

    def in_strings(self, place: Place) -> bool:
        """Return whether a row of a place begins inside a string, where white space means something."""
        inside = self._inside_strings
        if inside is None:
            raise Impossible
        at = bisect_left(inside, place.row)
        return at < len(inside) and inside[at] <= place.end_row

    @cached_property
    def _inside_strings(self) -> list[int] | None:
        try:
            return sorted(row for first, last in _long_strings(self.text) for row in range(first + 1, last + 1))
        except Impossible:
            return None

    def offset(self, row: int, column: int) -> int:
        start = self.starts[row - 1] if row <= len(self.starts) else len(self.text)
        return min(start + column - 1, len(self.text))


def _long_strings(text: str) -> Iterator[tuple[int, int]]:
    """First and last row of each string that has several. Raises `Impossible` where Python cannot tell."""
    opened: list[int] = []
    program = NEWLINE.sub("\n", text)
    starts = {getattr(tokenize, name, -1) for name in ("FSTRING_START", "TSTRING_START")}
    ends = {getattr(tokenize, name, -1) for name in ("FSTRING_END", "TSTRING_END")}
    try:
        for token in tokenize.generate_tokens(io.StringIO(program).readline):
            if token.type in starts:
                opened.append(token.start[0])
            elif token.type in ends:
                yield opened.pop(), token.end[0]
            elif token.type == tokenize.STRING and token.start[0] < token.end[0]:
                yield token.start[0], token.end[0]
    except (tokenize.TokenError, SyntaxError, IndentationError) as error:
        raise Impossible from error


# ---- from fixes to the cured text


@frozen()
class Applied:
    """A text after fixes, which are these `edits` of it: the findings they cured, and those that were left (no fix, or
    one in the way of another)."""

    text: str
    fixed: tuple[Finding, ...]
    left: tuple[Finding, ...]
    edits: tuple[Edit, ...]


def apply(text: str, findings: Iterable[Finding], safeties: Sequence[str] = (SAFE,)) -> Applied:
    """The text with the first fix of each finding made that is this safe, in order of place.

    Where two would change the same stretch, the first is made and the other left: lint the new text and apply again.
    Two that are the same are made once, and so is a line that both put in.
    """
    rows, made = Rows(text), _Made()
    fixed, left = list[Finding](), list[Finding]()
    done: dict[tuple[int, Edit], tuple[Edit, ...]] = {}
    for finding in sorted(findings, key=lambda found: (found.place, found.code)):
        fix = next((fix for fix in finding.fixes if fix.safety in safeties), None)
        key = (len(fix.edits), fix.edits[0]) if fix and fix.edits else None
        if fix and (
            (key and done.get(key) == fix.edits)
            or not any(made.collides(_span(edit, rows), edit) for edit in fix.edits)
        ):
            for edit in fix.edits:
                made.add(_span(edit, rows), edit)
            if key:
                done[key] = fix.edits
            fixed.append(finding)
        else:
            left.append(finding)
    return Applied(_edited(text, made.edits, rows), tuple(fixed), tuple(left), tuple(made.edits.values()))


def with_edits(text: str, edits: Iterable[Edit]) -> str:
    """A text with edits that do not overlap."""
    rows = Rows(text)
    return _edited(text, {_span(edit, rows): edit for edit in edits}, rows)


def _span(edit: Edit, rows: Rows) -> tuple[int, int]:
    place = edit.place
    return rows.offset(place.row, place.column), rows.offset(place.end_row, place.end_column)


class _Made:
    """Edits that do not overlap, by the stretches of the text that they change."""

    def __init__(self) -> None:
        self.edits: dict[tuple[int, int], Edit] = {}
        self.spans: list[tuple[int, int]] = []

    def add(self, span: tuple[int, int], edit: Edit) -> None:
        if span not in self.edits:
            insort(self.spans, span)
        self.edits[span] = edit

    def collides(self, span: tuple[int, int], edit: Edit) -> bool:
        """Return whether an edit overlaps or touches one that is made; two that put in the same line do not."""
        if span in self.edits and self.edits[span].text == edit.text and edit.text.endswith(("\n", "\r")):
            return False
        first, last = span
        at = bisect_left(self.spans, (first, first))
        beside = self.spans[max(at - 1, 0) : at + 1]
        return any(first <= end and begin <= last for begin, end in beside)


def _edited(text: str, made: dict[tuple[int, int], Edit], rows: Rows) -> str:
    pieces, at = [text[: len(text) - len(rows.text)]], 0
    for (first, last), edit in sorted(made.items()):
        pieces += [rows.text[at:first], edit.text]
        at = last
    return "".join((*pieces, rows.text[at:]))
