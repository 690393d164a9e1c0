"""Counts of writes: torch compares how often what was saved had been written, and not every handle has the count of the
memory that it is on."""

from __future__ import annotations

from gradlint.domain import (
    KEPT,
    NO,
    NOTHING,
    YES,
    Ref,
    Slot,
    Tensor,
    Truth,
    Value,
    alternatives,
    both,
    either,
    negation,
    object_references,
)
from gradlint.interpreter.core import Interpreter

ALIASING = frozenset({"detach", "data", "Variable", "state_dict", "Parameter", "Buffer"})


def counts_alone(tensor: Tensor) -> Truth:
    """Whether a handle on the memory of another has a count of writes of its own, which no graph of that other
    compares."""
    return either([tensor.alone, _stands_aside(tensor)])


def _stands_aside(tensor: Tensor) -> Truth:
    """Whether autograd hears nothing of what is done to a handle: of `.data`, and outside of inference mode of every
    alias of an inference tensor, which has no count."""
    if tensor.made not in ALIASING:
        return NO
    aside = YES if tensor.made == "data" else tensor.inference
    made_there = tensor.inference if any(mark.how == "inference" for mark in tensor.marks) else NO
    return both(aside, negation(made_there))


def unnoticed(it: Interpreter, tensor: Tensor) -> Truth:
    """Whether graphs that saved this memory by its other handles do not see a write through this one."""
    return either([counts_alone(one) for one in _through(it, tensor)])


def unheard(it: Interpreter, tensor: Tensor) -> Truth:
    """Whether autograd hears nothing of a write through this handle, be it a write to a leaf."""
    return either([_stands_aside(one) for one in _through(it, tensor)])


def _through(it: Interpreter, tensor: Tensor) -> list[Tensor]:
    """A handle, and those that it may be a view of."""
    return [tensor, *(it[base] for base in tensor.base if base is not None and base in it.state.heap)]


def kept(it: Interpreter, tensor: Tensor) -> Slot:
    """What a graph keeps that saves a tensor: its memory, and where it counts alone nobody knows who else may write
    that unnoticed."""
    return (*tensor.storage, KEPT) if unnoticed(it, tensor).may(YES) else tensor.storage


def is_shared(it: Interpreter, memories: tuple[Ref, ...], besides: Value = NOTHING) -> bool:
    """Whether anything is on these memories, or has saved them, but one handle that nobody holds."""
    if any(ref != besides for ref, _ in it.state.heap.holding(memories)):
        return True
    holders = [thing for thing in it.state.heap.values() if type(thing) is not Tensor]
    held = (option for value in it.state.names.values() for option in alternatives(value))
    return besides in held or any(besides in object_references(thing) for thing in holders)
