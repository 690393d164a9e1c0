"""The places of nodes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from functools import cached_property

import libcst
from libcst.metadata.position_provider import PositionProvidingCodegenState

from gradlint.finding import Place
from gradlint.frozen import frozen
from gradlint.texts import BOM, TOO_DEEP, NotLinted, with_line_feeds

_LINE_FEED = re.compile(r"\n")
_INK = re.compile(r"[^\s\\]")
_BLANK = frozenset({
    libcst.SimpleWhitespace, libcst.ParenthesizedWhitespace, libcst.TrailingWhitespace, libcst.EmptyLine,
    libcst.Newline, libcst.Comment,
})  # fmt: skip
"""More than half of all nodes: nobody asks where they stand."""


class _Writer(PositionProvidingCodegenState):
    """Writes a tree out as LibCST does and notes between which characters each piece of syntax stands.

    LibCST's own counts lines and columns at every token, which takes most of its time; they follow from the text.
    """

    def __init__(self, module: libcst.Module) -> None:
        self.default_indent, self.default_newline = module.default_indent, module.default_newline
        self.indent_tokens: list[str] = []
        self.tokens: list[str] = []
        self.length = 0
        self.extents: dict[libcst.CSTNode, tuple[int, int]] = {}
        self._begun: list[int] = []

    def add_indent_tokens(self) -> None:
        self.tokens += self.indent_tokens
        self.length += sum(map(len, self.indent_tokens))

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self.length += len(value)

    def pop_trailing_newline(self) -> None:
        if self.tokens:
            self.length -= len(self.tokens.pop())

    def before_codegen(self, node: libcst.CSTNode) -> None:
        self._begun.append(self.length)

    def after_codegen(self, node: libcst.CSTNode) -> None:
        first = self._begun.pop()
        if type(node) not in _BLANK and node not in self.extents:
            self.extents[node] = first, self.length

    def record_syntactic_position(  # type: ignore[override]  # any context manager does, a generator's is slow
        self, node: libcst.CSTNode, *, start_node: libcst.CSTNode | None = None, end_node: libcst.CSTNode | None = None
    ) -> _Recorded:
        return _Recorded(self, node, start_node, end_node)


class _Recorded:
    """Notes the extent of a node without the blank space that it owns, or from one of its parts to another."""

    __slots__ = ("end_node", "first", "node", "start_node", "writer")

    def __init__(
        self, writer: _Writer, node: libcst.CSTNode, start_node: libcst.CSTNode | None, end_node: libcst.CSTNode | None
    ) -> None:
        self.writer, self.node, self.start_node, self.end_node = writer, node, start_node, end_node

    def __enter__(self) -> None:
        self.first = self.writer.length

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        if kind is not None:
            return
        extents = self.writer.extents
        first = self.first if self.start_node is None else extents[self.start_node][0]
        last = self.writer.length if self.end_node is None else extents[self.end_node][1]
        extents[self.node] = first, last


@frozen()
class Places:
    """The places of a tree's syntax in the text it was parsed from.

    `extents` are in what LibCST writes; `read` is the text, where that differs from what is `written`.
    """

    extents: Mapping[libcst.CSTNode, tuple[int, int]]
    written: _Text
    read: _Text | None

    def of(self, nodes: Iterable[libcst.CSTNode]) -> dict[libcst.CSTNode, Place]:
        """Return the places of those nodes that belong to the tree and are neither blank space nor comments."""
        return {node: self._place(*self.extents[node]) for node in nodes if node in self.extents}

    def _place(self, first: int, last: int) -> Place:
        if self.read is None:
            return Place(*self.written.at(first), *self.written.at(last))
        return _carried(first, last, self.written, self.read)


def placed(module: libcst.Module, text: str) -> Places:
    """Return the places of a tree's syntax in the text it was parsed from.

    Raises `NotLinted` for a tree so deep that LibCST cannot write it out.
    """
    writer = _Writer(module)
    try:
        module._codegen(writer)  # what `Module.code` and LibCST's own positions do, in one walk
    except RecursionError:
        raise NotLinted(1, 1, TOO_DEEP) from None
    code, program = "".join(writer.tokens), with_line_feeds(text.removeprefix(BOM))
    return Places(writer.extents, _Text(code), None if code == program else _Text(program))


class _Text:
    """The lines of a text, and those of its characters that are not blank, by their order.

    LibCST forgets blank ones that stand before a statement: form feeds in indentation, backslashes that continue
    an empty line. Every piece of syntax that has an extent begins and ends with ink.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _LINE_FEED.finditer(text))]

    @cached_property
    def ink(self) -> list[int]:
        """The offsets of the characters that are not blank."""
        return [match.start() for match in _INK.finditer(self._text)]

    def at(self, offset: int) -> tuple[int, int]:
        """Return the row and the column of a character."""
        row = bisect_right(self._starts, offset)
        return row, offset - self._starts[row - 1] + 1


def _carried(first: int, last: int, written: _Text, read: _Text) -> Place:
    """Carry an extent in what LibCST writes over to what it read."""
    begin, end = bisect_left(written.ink, first), bisect_left(written.ink, last) - 1
    if begin > end or len(written.ink) != len(read.ink):
        return Place(*written.at(first), *written.at(last))
    return Place(*read.at(read.ink[begin]), *read.at(read.ink[end] + 1))


NOWHERE = Places({}, _Text(""), None)
"""The places of a text that is not there."""
