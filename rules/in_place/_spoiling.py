"""Spoiled graphs, for the rules on them: the saved value that was written, where and by whom."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from gradlint.domain import NO, YES, Cause, CauseKind, Node
from gradlint.events import BackwardRun
from gradlint.rule import Draft

CALLS = {"backward": "`backward()`", "grad": "`autograd.grad()`"}
"""The calls by which the program requests a backward."""
UNNAMED = frozenset({"call", "module"})
"""Operations that stand for more than one."""


def written_marks(event: BackwardRun, *kinds: CauseKind) -> Iterator[tuple[Node, Cause]]:
    """The nodes on which this backward raises because what they saved was written, each with the place where it was
    written in one of these ways."""
    yield from _marks((node for node in event.modified_nodes if node.stale <= YES), kinds)


def marks_of_one_path(event: BackwardRun, *kinds: CauseKind) -> Iterator[tuple[Node, Cause]]:
    """The nodes on which this backward raises on one path, where what they saved was written, and not on another."""
    yield from _marks(event.modified_on_one_path, kinds)


def _marks(nodes: Iterable[Node], kinds: Collection[CauseKind]) -> Iterator[tuple[Node, Cause]]:
    for node in nodes:
        found = [mark for mark in node.causes if mark.kind in kinds] if node.freed <= NO else []
        if found:
            yield node, found[0]


def operation(node: Node) -> str:
    """Return a message's name for what a node recorded."""
    return "an operation" if node.op in UNNAMED else f"`{node.op}`"


def explained(draft: Draft, node: Node, mark: Cause, written: str) -> Draft:
    """The finding, pointing at where the value was saved and where it was written."""
    saved = draft.note(node.at, f"{operation(node)} saved it here") if node.at is not mark.node else draft
    return saved.note(mark.node, written)
