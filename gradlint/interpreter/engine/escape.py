"""Unknown code may do anything to the objects in its reach, and nothing else.

The flags and states of every object in reach become unsure and the elements of containers unknown. The
attributes of modules and instances stay bound as they are: code that is passed an object changes what
its parts are like far more often than it puts other parts in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import libcst as cst

from gradlint.domain.facts import YES
from gradlint.domain.fields import PerClass
from gradlint.domain.mentions import handed_on
from gradlint.domain.objects import Array, Module, Node, Object, Optimizer, Scaler, Tensor
from gradlint.domain.refs import Escape, Graph, Ref
from gradlint.domain.value_sets import alternatives, references
from gradlint.domain.values import (
    UNKNOWN,
    Bound,
    Constant,
    Function,
    Imported,
    ImportPath,
    PlainObject,
    PythonNumber,
    Unknown,
    Value,
)
from gradlint.domain.weakening import RARELY, RARELY_IN_CALLS, after_unseen_code
from gradlint.frozen import replace
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.tree_walk import in_order


def in_reach(m: Interpreter, values: Iterable[Value]) -> dict[Ref, Object]:
    """The objects that unknown code gets hold of with these values."""
    return _reach(m, values)[0]


def as_it_was(before: Object, now: Object, fields: PerClass[tuple[str, ...]] = RARELY) -> Object:
    """An object that unknown code may have had hold of, if that did what most code does: it left these fields alone,
    flags and what optimizers hold (in calls, gradients as well). Steps stay open, and modes but for what calls show."""
    if type(before) is not type(now) or type(before) not in IS_KNOWN or not IS_KNOWN[type(before)](before):
        return now
    rarely = {name: getattr(before, name) for name in fields[type(before)]}
    return replace(now, belief=now.belief.once_handed_over(), **rarely)  # type: ignore[union-attr]


STEPPING = (Optimizer, Scaler)
IS_KNOWN: dict[type, Callable[[Any], bool]] = {
    Tensor: lambda before: before.leaf is YES and not before.requires_grad.is_unsure,
    Module: lambda before: not before.open.is_unsure,
    Optimizer: lambda before: not before.open.is_unsure,
}
"""Tests of whether enough was known of an object for the facts that are left alone to matter."""


def escape_graphs(m: Interpreter, values: Iterable[Value], how: Escape = Escape.HELD) -> None:
    """Let the graphs of these values escape to unseen code."""
    for graph in graphs_in_reach(m, values):
        m.graphs.escape(graph, how)


def graphs_in_reach(m: Interpreter, values: Iterable[Value]) -> list[Graph]:
    """The names of all graph nodes and optimizers that whoever holds these values can get at."""
    heap = m.state.heap
    return [ref.key for ref in m.state.reach(values, handed_on) if type(heap[ref]) in (Node, Optimizer)]


def havoc_again(m: Interpreter, handed: Iterable[tuple[Ref, Escape]]) -> None:
    """Unknown code gets hold of what it got hold of before, for as much as then."""
    parted: dict[Escape, list[Value]] = {}
    for ref, how in handed:
        parted.setdefault(how, []).append(ref)
    for how in sorted(parted):
        havoc(m, parted[how], how)


def weak_update(m: Interpreter, unknown: Unknown) -> None:
    """Update the objects in reach of an unknown value weakly: it may be any of them."""
    for ref in unknown.reach:
        if (thing := m.state.heap.get(ref)) is not None and (now := after_unseen_code(thing)) is not thing:
            m.store_exact(ref, now)


def havoc(m: Interpreter, values: Iterable[Value], how: Escape = Escape.HELD, *, keeps_modes: bool = False) -> None:
    """Unknown code gets hold of these values, and may do this with their graphs; modules most likely keep their
    modes."""
    m.effects.unseen_off |= m.state.grad_mode is not YES
    values = [value for value in values if not _out_of_reach(value)]
    if not values:
        return
    functions = [
        option
        for value in values
        if type(value) is not Ref
        for option in alternatives(value)
        if type(option) is Function or type(option) is Bound
    ]
    for function in functions:  # anybody may call them
        called = function.function if type(function) is Bound else function
        if type(called) is Function:
            m.defined.escaped[called.node] = None
    found, graphs = _reach(m, [*values, *captured(m, functions)])
    memories = [memory for thing in found.values() if isinstance(thing, (Tensor, Array)) for memory in thing.storage]
    if how is Escape.UNSEEN and any(type(thing) in STEPPING for thing in found.values()):
        how = Escape.HELD  # who gets an optimizer may be there to step
    m.effects.handed |= {ref: max(how, m.effects.handed.get(ref, how)) for ref in found}
    for ref, thing in found.items():
        if type(thing) is Optimizer:
            m.graphs.escape(ref.key, max(how, Escape.UNSEEN))
        if (now := after_unseen_code(thing)) is not thing:
            now = as_it_was(thing, now, RARELY_IN_CALLS) if how <= Escape.UNSEEN else now
            if type(thing) is Module and type(now) is Module and keeps_modes and how <= Escape.UNSEEN:
                now = replace(now, left=thing.left if thing.mode.is_unsure else thing.mode)
            m.store_exact(ref, now)
    if graphs:
        _differentiated(m, graphs, how)
    SLOTS[TypeSlot.ASKED_UNSEEN][Tensor](m, [ref for ref, thing in found.items() if type(thing) is Tensor])
    if memories:
        if how > Escape.READ:
            known = m.graphs.escaped
            known |= {memory.key: max(how, known.get(memory.key, how)) for memory in memories}
        wrote, m.effects.wrote = m.effects.wrote, {}  # what is passed in is noted
        SLOTS[TypeSlot.WRITTEN_UNSEEN][Tensor](m, memories)
        m.effects.wrote = wrote


def _reach(m: Interpreter, values: Iterable[Value]) -> tuple[dict[Ref, Object], list[Ref]]:
    """The objects in reach, and the nodes of the graphs they are in."""
    heap = m.state.heap
    found: dict[Ref, Object] = {}
    graphs: list[Ref] = []
    todo = [ref for value in values for ref in references(value)]
    while todo:
        ref = todo.pop()
        if ref in found or (thing := heap.get(ref)) is None:
            continue
        if type(thing) is Node:
            graphs.append(ref)
            continue
        found[ref] = thing
        todo += handed_on(thing)
    return found, graphs


def _differentiated(m: Interpreter, graphs: list[Ref], how: Escape) -> None:
    """Unknown code that holds a graph may run backward through it: that frees its nodes and fills the gradients of its
    leaves, but does nothing else to them. Its name proves nothing of what it does to them. A graph that such code has
    had before is not walked again."""
    heap = m.state.heap
    seen: set[Ref] = set()
    todo = list(graphs)
    while todo:
        ref = todo.pop()
        thing = heap.get(ref)
        if ref in seen or thing is None:
            continue
        seen.add(ref)
        if type(thing) is Node and thing.freed is YES and how > Escape.READ:
            m.graphs.found_freed.add(ref.key)
        known = m.graphs.escaped.get(ref.key, -1) >= how
        if type(thing) is Node and not ((thing.freed.is_unsure or thing.freed is YES) and known):
            heap[ref] = after_unseen_code(thing)
            m.graphs.escape(ref.key, how)
            todo += [other for slot in thing.inputs for other in slot if other is not None]
        elif type(thing) is Tensor and not (thing.grad.is_unsure and thing.unit.is_unsure and thing.unseen.may(YES)):
            now = SLOTS[TypeSlot.DIFFERENTIATED_UNSEEN][Tensor](thing)
            m.store_exact(ref, as_it_was(thing, now, RARELY_IN_CALLS) if how <= Escape.UNSEEN else now)


def _out_of_reach(value: Value) -> bool:
    kind = type(value)
    return (
        kind is Constant
        or kind is PythonNumber
        or kind is PlainObject
        or kind is ImportPath
        or kind is Imported
        or value == UNKNOWN
    )


def captured(m: Interpreter, values: Iterable[Value]) -> list[Value]:
    """Return the values that functions among these hold of the scopes around them, by the names that they mention, and
    what the functions among those hold."""
    found: dict[tuple[int, str], Value] = {}
    todo = [value for value in values if type(value) is Function and value.frame != 0]
    while todo:
        function = todo.pop()
        mentioned = _mentioned(m, function)
        for (frame, name), value in m.state.names.items():
            if frame == function.frame and name in mentioned and (frame, name) not in found:
                found[frame, name] = value
                todo += [one for one in alternatives(value) if type(one) is Function and one.frame != 0]
    return [*found.values()]


class Mentioned(dict[Any, frozenset[str]]):
    """The names in each function that it does not bind itself, those of functions inside it as well."""


def _mentioned(m: Interpreter, function: Function) -> frozenset[str]:
    known = m.notes(Mentioned)
    if function.node not in known:
        nodes = in_order(function.node)
        scope = m.scan.scopes.get(function.node)
        own = scope.binds - scope.declares if scope is not None else frozenset[str]()
        known[function.node] = frozenset(node.value for node in nodes if isinstance(node, cst.Name)) - own
    return known[function.node]


def result_of_unknown(values: Iterable[Value]) -> Unknown:
    """Return the result of unknown code: anything, made of what went into it."""
    refs: dict[Ref, None] = {}
    for value in values:
        for option in alternatives(value):
            if type(option) is Ref:
                refs[option] = None
            elif type(option) is Unknown:
                refs |= dict.fromkeys(option.reach)
            elif type(option) is Bound:
                refs |= dict.fromkeys(r for r in alternatives(option.owner) if type(r) is Ref)
    return Unknown(tuple(refs))
