"""Counts of writes: torch compares those of saved tensors, and not every handle has that of its memory."""

from __future__ import annotations

from gradlint.domain.facts import NO, YES, Truth, both, either, negation
from gradlint.domain.mentions import object_references
from gradlint.domain.objects import Tensor
from gradlint.domain.provenance import CauseKind
from gradlint.domain.refs import KEPT, Alternatives, Ref
from gradlint.domain.state import OLDEST
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import NOTHING, Value
from gradlint.interpreter.engine.call_keys import COUNT
from gradlint.interpreter.engine.machine import Interpreter

ALIASING = frozenset({"detach", "data", "Variable", "state_dict", "Parameter", "Buffer"})


def count_through(tensor: Tensor) -> Ref | None:
    """The count that a write through a handle certainly moves, if known: an inference tensor has none, its aliases
    their own."""
    if tensor.is_summary or tensor.may_be_structured or tensor.inference is not NO or len(tensor.count) != 1:
        return None
    (count,) = tensor.count
    return count if count is not None and count.recency < OLDEST else None


def comparing(count: Ref | None) -> frozenset[tuple[Ref]]:
    """Return the references by which a graph certainly compares this count: it, or the memory that the count is of."""
    if count is None:
        return frozenset()
    return frozenset([(count,), (count._replace(part=count.part.removesuffix(COUNT)),)])


def counts_alone(tensor: Tensor) -> Truth:
    """Return whether a handle on the memory of another has a count of writes of its own, which no graph of it
    compares."""
    return either([tensor.alone, _stands_aside(tensor)])


def _stands_aside(tensor: Tensor) -> Truth:
    """Return whether autograd hears nothing of what is done to a handle: of `.data`, and outside of inference mode of
    every alias of an inference tensor, which has no count."""
    if tensor.made not in ALIASING:
        return NO
    aside = YES if tensor.made == "data" else tensor.inference
    made_there = tensor.inference if any(mark.kind == CauseKind.INFERENCE for mark in tensor.causes) else NO
    return both(aside, negation(made_there))


def unnoticed(m: Interpreter, tensor: Tensor) -> Truth:
    """Return whether graphs that saved this memory by its other handles do not see a write through this one."""
    return either([counts_alone(one) for one in _through(m, tensor)])


def is_silent(m: Interpreter, tensor: Tensor) -> Truth:
    """Return whether autograd hears nothing of a write through this handle, be it a write to a leaf."""
    return either([_stands_aside(one) for one in _through(m, tensor)])


def _through(m: Interpreter, tensor: Tensor) -> list[Tensor]:
    """A handle, and those that it may be a view of."""
    return [tensor, *(m[base] for base in tensor.base if base is not None and base in m.state.heap)]


def kept(m: Interpreter, tensor: Tensor) -> Alternatives:
    """Return the references that a graph keeps which saves a tensor: its memory, and where it counts alone nobody knows
    who else may write that unnoticed."""
    return (*tensor.storage, KEPT) if unnoticed(m, tensor).may(YES) else tensor.storage


def compared(m: Interpreter, tensor: Tensor) -> Alternatives:
    """The count that a graph compares which saves a tensor, where that is known and its memory does not tell."""
    count = count_through(tensor)
    return () if count is None or kept(m, tensor) in comparing(count) else (count,)


def is_shared(m: Interpreter, memories: tuple[Ref, ...], besides: Value = NOTHING) -> bool:
    """Return whether anything is on these memories, or has saved them, but one handle that nobody holds."""
    if any(ref != besides for ref, _ in m.state.heap.holding(memories)):
        return True
    things = m.state.heap.values()
    values = (*m.state.names.values(), *(thing.gradient for thing in things if type(thing) is Tensor))
    return any(besides in alternatives(value) for value in values) or any(
        besides in object_references(thing) for thing in things if type(thing) is not Tensor
    )
