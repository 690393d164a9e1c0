"""Maps from the rows of a program to its file: to cells of a notebook, or behind prompts of a page."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import NamedTuple

from gradlint.finding import Place
from gradlint.frozen import frozen
from gradlint.texts.decoding import BOM, NEWLINE, Unreadable
from gradlint.texts.displaying import without_comma
from gradlint.texts.python import NotLinted, fault
from gradlint.texts.recovering import readable


@frozen()
class Stretch:
    """The rows of a program from `first` on: they are those of a `cell` (None: of the file) from its `row` on, without
    the `indent` characters that each of them begins with there."""

    first: int
    row: int
    cell: int | None = None
    indent: int = 0


@frozen()
class SourceMap:
    """The map from the rows of a program to its file; the rows of a file without stretches are its own."""

    stretches: tuple[Stretch, ...] = ()

    def stretch(self, row: int) -> Stretch:
        """The stretch that a row belongs to."""
        at = bisect_right(self.stretches, row, key=lambda each: each.first) - 1
        return self.stretches[at] if at >= 0 else _WHOLE

    def located(self, place: Place) -> tuple[int | None, Place]:
        """The cell in which a place begins, and the place as rows and columns of that."""
        start, end = self.stretch(place.row), self.stretch(place.end_row)
        down = start.row - start.first
        there = Place(
            place.row + down, place.column + start.indent, place.end_row + down, place.end_column + end.indent
        )
        return start.cell, there

    def written(self, row: int) -> str:
        """A row as it is written: with its cell, if it is in one."""
        cell, there = self.located(Place(row, 1, row, 1))
        return str(there.row) if cell is None else f"cell {cell}:{there.row}"


_WHOLE = Stretch(1, 1)
IDENTITY = SourceMap()


@frozen()
class Part:
    """Rows of a program that are parsed by themselves: from row `first` on. Where it `keeps_rows`, its file can take no
    row more or less, for each begins with what is no part of the program."""

    first: int
    program: str
    keeps_rows: bool = False

    @property
    def end(self) -> int:
        """The row behind its last."""
        return self.first + len(NEWLINE.findall(self.program)) + 1


class Sound(NamedTuple):
    """A program that can be parsed, the `errors` of the one it was made of, and the rows of what was `recovered` from
    them."""

    program: str
    errors: tuple[Unreadable, ...] = ()
    recovered: frozenset[int] = frozenset()


@frozen()
class Text:
    """The text to lint in a file: the `program`, row for row what is `shown` of the file, and where that stands in it.

    The `parts` of a program are what must be parsed by itself: a broken one leaves the others as they are. It is
    told of, or, in a page `of_examples`, passed over."""

    program: str
    shown: str
    source_map: SourceMap = IDENTITY
    parts: tuple[Part, ...] = field(default=(), repr=False)
    of_examples: bool = False

    @property
    def is_broken(self) -> bool:
        """Return whether Python refuses a part that is to be told of."""
        return not self.of_examples and any(True for _ in self._broken(fault))

    def sound(self, refused: Callable[[str], Unreadable | None]) -> Sound:
        """The program with what can be read of the parts that are refused, and why they are, as far as that is to be
        told."""
        broken = list(self._broken(refused))
        if not broken:
            return Sound(self.program)
        rows, recovered = NEWLINE.split(self.program), set[int]()
        for part, _ in broken:
            left = None if self.of_examples else readable(f"\n{part.program}")
            stretch = slice(part.first - 1, part.end - 1)
            rows[stretch] = [""] * (part.end - part.first)
            if left is not None and refused(left) is None:
                rows[stretch] = [*NEWLINE.split(left)[1:], *rows[stretch]][: part.end - part.first]
                recovered |= set(range(part.first, part.end))
        told = () if self.of_examples else tuple(error for _, error in broken)
        return Sound("\n".join(rows), told, frozenset(recovered))

    def recovered(self, error: Unreadable, refused: Callable[[str], Unreadable | None]) -> Sound:
        """The program without what it is refused for. Raises this error where too much would be missing."""
        program = self.program.removeprefix(BOM)
        left = None if self.parts or isinstance(error, NotLinted) else readable(program)
        if left is None or refused(left) is not None:
            raise error
        rows = range(1, len(NEWLINE.split(left)) + 1)
        return Sound(f"{self.program[: len(self.program) - len(program)]}{left}", (error,), frozenset(rows))

    def as_written(self, refused: Callable[[str], Unreadable | None]) -> str:
        """The sound program without the commas that show values: for what its comments say, and where."""
        if not self.parts:
            return self.program
        program, shown = NEWLINE.split(self.sound(refused).program), NEWLINE.split(self.shown)
        pairs = zip(program, shown, strict=True)
        return "\n".join(
            without_comma(row, was[self.source_map.stretch(number).indent :])
            for number, (row, was) in enumerate(pairs, 1)
        )

    def _broken(self, refused: Callable[[str], Unreadable | None]) -> Iterator[tuple[Part, Unreadable]]:
        """The parts that are refused, with the errors as of the whole program."""
        for part in self.parts:
            # Below another row, as in the whole program: what may only begin a file is nothing that may begin a part.
            if (error := refused(f"\n{part.program}")) is not None:
                yield part, type(error)(part.first + max(error.row - 2, 0), error.column, error.message)


def of_python(text: str) -> Text:
    """A file that is one program."""
    return Text(text, text)
