"""Graphs that were freed, for the rules on them."""

from __future__ import annotations

from gradlint.domain import YES, Cause, CauseKind, Node
from gradlint.events import BackwardRun

CALLS = {"backward": "`backward()`", "grad": "`autograd.grad()`"}
"""The calls by which the program requests a backward."""


def freed(event: BackwardRun) -> tuple[Node, Cause] | None:
    """A node that this backward needs and an earlier one certainly freed, and where that one stands."""
    for node in event.modified_nodes:
        if node.freed <= YES:
            for mark in node.causes:
                if mark.kind == CauseKind.FREED:
                    return node, mark
    return None


def stepped(event: BackwardRun) -> tuple[Node, Cause] | None:
    """A node that this backward needs and that saved weights which were stepped since, and where."""
    for node in event.modified_nodes:
        for mark in node.causes:
            if mark.kind == CauseKind.STEPPED:
                return node, mark
    return None
