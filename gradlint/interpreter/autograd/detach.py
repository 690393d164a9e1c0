"""Cuts: where a value left the graph of what it was computed from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradlint.domain import MOST_MARKS, YES, Array, Container, Mark, Node, Ref, Scalar, Tensor, Value, alternatives
from gradlint.interpreter.engine.machine import Interpreter

MODE, IN_VAIN = "no_grad", "enable_grad"
"""What a cut is by where gradients were off, and where they were enabled in vain, inside inference mode: then it stands
where the mode was set, if that is known. Else it is by an operation or a function, where that was called."""
MOST_LEFT = 300
"""How many nodes of a graph are noted of which something is cut."""
DEEPEST = 3
"""How deep containers are looked into."""


def cuts(it: Interpreter, values: Iterable[Value], depth: int = 0) -> tuple[Mark, ...]:
    """Where anything that these values were computed from left its graph."""
    found: dict[Mark, None] = {}
    for option in (option for value in values for option in alternatives(value)):
        if type(option) is Scalar:
            found |= dict.fromkeys(option.cuts)
        elif type(option) is Ref:
            thing = it.state.heap.get(option)
            if type(thing) is Tensor or type(thing) is Array:
                found |= {mark: None for mark in thing.marks if mark.how == "cut"}
            elif type(thing) is Container and depth < DEEPEST:
                found |= dict.fromkeys(cuts(it, [*(inner for _, inner in thing.items), thing.rest], depth + 1))
    return tuple(found)[:MOST_MARKS]


def cuts_of_numbers(values: Iterable[Value]) -> tuple[Mark, ...]:
    """Where what is a number now among these values was a tensor and left its graph."""
    options = [option for value in values for option in alternatives(value) if type(option) is Scalar]
    return tuple(dict.fromkeys(mark for option in options for mark in option.cuts))


def cut_off(it: Interpreter, node: Any, by: str, values: Iterable[Value]) -> tuple[Mark, ...]:
    """The cuts behind what is computed here outside of the graph: here, where one of the values may require grad."""
    values, mark = list(values), Mark("cut", getattr(node, "node", node), by)
    cut_at(it, mark, values)
    here = (mark,) if any(tensor.requires_grad.possibly(YES) for tensor in _tensors(it, values)) else ()
    return (*here, *cuts(it, values))[:MOST_MARKS]


def cut_at(it: Interpreter, mark: Mark, values: Iterable[Value]) -> None:
    """Something computed from these values leaves their graphs at this cut, as far as they may carry one."""
    nodes = [node for tensor in _tensors(it, values) if tensor.requires_grad.may(YES) for node in tensor.node]
    for ref in it.past(nodes, MOST_LEFT):
        if type(it.state.heap.get(ref)) is Node:
            it.cut[ref] = mark
            it.left.setdefault(ref.key, mark)


def _tensors(it: Interpreter, values: Iterable[Value], depth: int = 0) -> list[Tensor]:
    """The tensors among these values, and among what containers hold."""
    found: list[Tensor] = []
    for option in (option for value in values for option in alternatives(value)):
        thing = it.state.heap.get(option) if type(option) is Ref else None
        if type(thing) is Tensor:
            found.append(thing)
        elif type(thing) is Container and depth < DEEPEST:
            found += _tensors(it, [*(inner for _, inner in thing.items), thing.rest], depth + 1)
    return found
