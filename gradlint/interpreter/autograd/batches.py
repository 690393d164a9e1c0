"""Batches: what a loader that gathers samples in its own way gives.

It makes tensors of them, and keeps the tuples, lists and dicts they are in (and strings). So a batch is a tensor or
holds tensors: one summary of them all, of which nothing else is known.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from gradlint.domain.facts import NO, YES
from gradlint.domain.objects import Iterator, Module, Tensor
from gradlint.domain.provenance import Belief, Cause, CauseKind, IteratorKind
from gradlint.domain.refs import Ref
from gradlint.domain.values import PlainObject, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.tensor import made_of
from gradlint.interpreter.engine.iteration import iterator, tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site

BATCH = "batch"
"""The word for how the tensors of a batch are made."""


@dataclass(slots=True)
class TakenApart:
    """The names, each with the scope, to which batches were unpacked, or that go over one: they stand for one of
    several in a tuple."""

    names: set[tuple[Any, str]] = field(default_factory=set)


PARTS = frozenset({"items", "keys", "values", "get", "pop"})
"""The methods of dicts by which something is taken out of a batch."""


def batch(m: Interpreter, node: Site, reach: tuple[Ref, ...] = ()) -> Ref:
    """Return the batch of a loader that gathers in its own way, from a dataset of which only its reach is known.

    Data has no graph, and is not asked for gradients before it is used: unless tensors of the program are in reach.
    """
    history, memories = made_of(m, reach)
    storage = (m.memory(node, "batch memory"), *memories)
    found = Tensor(
        storage=storage, node=history, made=BATCH, is_summary=True, may_be_structured=True, belief=Belief.FROM_USAGE,
        causes=(Cause(CauseKind.MADE, node),),
    )  # fmt: skip
    if not any(type(m.state.heap.get(ref)) in (Tensor, Module) for ref in reach):
        found = replace(found, requires_grad=NO, leaf=YES, node=(None,))
    return m.new(node, BATCH, found)


def is_batch(thing: object) -> bool:
    """Return whether it stands for a batch of a loader and all that is in it."""
    return type(thing) is Tensor and thing.made == BATCH and thing.may_be_structured


def note_taken_apart(m: Interpreter, whole: Value, target: cst.BaseExpression) -> None:
    """A target is bound to one of those that something holds: notes its name if that is a batch."""
    if type(target) is cst.Name and is_batch(m.thing(whole)):
        m.notes(TakenApart).names.add((m.frame.scope.node, target.value))


def part(m: Interpreter, node: Site, owner: Value, name: str) -> Value:
    """Return the result of a method of a batch that is a dict."""
    if name == "items":
        owner = tuple_of(m, node, [PlainObject("str"), owner])
    element = PlainObject("str") if name == "keys" else owner
    return owner if name in ("get", "pop") else iterator(m, node, Iterator(element, by=IteratorKind.OF_BATCH))
