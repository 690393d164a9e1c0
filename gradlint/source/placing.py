"""From nodes to places."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from typing import Any

import libcst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from gradlint.finding import Place
from gradlint.frozen import frozen
from gradlint.texts import BOM, TOO_DEEP, NotLinted, with_line_feeds

_LINE_FEED = re.compile(r"\n")
_INK = re.compile(r"[^\s\\]")
_BLANK = (
    libcst.BaseParenthesizableWhitespace, libcst.TrailingWhitespace, libcst.EmptyLine, libcst.Newline, libcst.Comment
)  # fmt: skip


class _OfSyntax(dict[libcst.CSTNode, Any]):
    """Where syntax stands: of blank space and comments, which are more than half of all nodes, nothing is kept."""

    def __setitem__(self, node: libcst.CSTNode, extent: Any) -> None:
        if not isinstance(node, _BLANK):
            super().__setitem__(node, extent)


class _SyntaxPositions(PositionProvider):
    """The positions of syntax alone: in the largest files it is memory that runs out first."""

    def _gen_impl(self, module: libcst.Module) -> None:
        self._computed = _OfSyntax()
        super()._gen_impl(module)


class _Positions(MetadataWrapper):
    """What LibCST knows of a tree, but for a walk over all of it that it makes although nobody takes part."""

    def visit_batched(
        self,
        visitors: Iterable[libcst.BatchableCSTVisitor],
        before_visit: Any = None,
        after_leave: Any = None,
    ) -> libcst.CSTNode:
        visitors = list(visitors)
        return super().visit_batched(visitors, before_visit, after_leave) if visitors else self.module


@frozen()
class Places:
    """Where the syntax of a tree stands in the text it was parsed from.

    `ranges` are in what LibCST writes; `written` and `read` are that and the text, where they differ.
    """

    ranges: Mapping[libcst.CSTNode, CodeRange]
    written: _Ink | None
    read: _Ink | None

    def of(self, nodes: Iterable[libcst.CSTNode]) -> dict[libcst.CSTNode, Place]:
        """The places of those of these nodes that belong to the tree and are neither blank space nor comments."""
        found = {node: _place(self.ranges[node]) for node in nodes if node in self.ranges}
        if self.written is None or self.read is None:
            return found
        return {node: _carried(place, self.written, self.read) for node, place in found.items()}


def placed(module: libcst.Module, text: str) -> Places:
    """Where the syntax of a tree stands in the text it was parsed from.

    Raises `NotLinted` for a tree so deep that LibCST cannot write it out.
    """
    try:
        ranges = _Positions(module, unsafe_skip_copy=True).resolve(_SyntaxPositions)
        code = module.code
    except (RecursionError, KeyError) as error:
        if not _came_of_depth(error):
            raise
        raise NotLinted(1, 1, TOO_DEEP) from None
    program = with_line_feeds(text.removeprefix(BOM))
    return Places(ranges, None, None) if code == program else Places(ranges, _Ink(code), _Ink(program))


def _came_of_depth(error: BaseException | None) -> bool:
    """Whether an error is that of a recursion too deep, or was raised while one was on its way: LibCST looks for the
    end of syntax that was never written out."""
    while error is not None and not isinstance(error, RecursionError):
        error = error.__context__
    return error is not None


def _place(extent: CodeRange) -> Place:
    return Place(extent.start.line, extent.start.column + 1, extent.end.line, extent.end.column + 1)


class _Ink:
    """The characters of a text that are not blank, by their order.

    LibCST forgets blank ones that stand before a statement: form feeds in indentation, backslashes that continue
    an empty line. Every piece of syntax that has an extent begins and ends with ink.
    """

    def __init__(self, text: str) -> None:
        self.starts = [0, *(match.end() for match in _LINE_FEED.finditer(text))]
        self.offsets = [match.start() for match in _INK.finditer(text)]

    def before(self, row: int, column: int) -> int:
        """How many of them stand before a place."""
        return bisect_left(self.offsets, self.starts[row - 1] + column - 1)

    def place(self, number: int, after: int = 0) -> tuple[int, int]:
        """Row and column of the one with this number, or of what follows it directly."""
        offset = self.offsets[number] + after
        row = bisect_right(self.starts, offset)
        return row, offset - self.starts[row - 1] + 1


def _carried(place: Place, written: _Ink, read: _Ink) -> Place:
    """A place in what LibCST writes, carried over to what it read."""
    first = written.before(place.row, place.column)
    last = written.before(place.end_row, place.end_column) - 1
    if first > last or len(written.offsets) != len(read.offsets):
        return place
    return Place(*read.place(first), *read.place(last, after=1))
