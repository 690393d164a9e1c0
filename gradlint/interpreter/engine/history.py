"""Graphs: what is certainly in the history of a node."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import reduce
from operator import and_
from typing import Any, TypeVar

from gradlint.domain.facts import MAYBE, NO, UNSURE, YES, Truth
from gradlint.domain.objects import Array, Container, Instance, Node, Tensor
from gradlint.domain.provenance import Belief, Cause
from gradlint.domain.refs import APART, ASTRAY, NOWHERE, OPAQUE, Alternatives, Escape, Graph, Ref
from gradlint.domain.state import OLDEST
from gradlint.domain.value_sets import alternatives, references
from gradlint.domain.values import NOTHING, Constant, PlainObject, PythonNumber, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import escaped_leaves, only_of_others
from gradlint.interpreter.static.sites import Site

T = TypeVar("T")

MOST_WEIGHED = 300
MOST_LOOKED_BACK = 20
"""The most nodes of a history that are weighed in whole; of larger ones only what is straight ahead is certain.

`MOST_LOOKED_BACK` holds for the question whether a graph grows, which comes at every operation in a loop.
"""


def past_of(
    m: Interpreter, starts: Iterable[Ref | None], most: int = sys.maxsize, barred: Collection[Ref] = ()
) -> dict[Ref, None]:
    """The nodes and leaves that may be in the history of these nodes, themselves included, without going through those
    that are barred; stops behind `most`."""
    found: dict[Ref, None] = {}
    heap, todo = m.state.heap, [ref for ref in starts if ref is not None]
    while todo and len(found) <= most:
        ref = todo.pop()
        if ref not in found and ref not in barred:
            found[ref] = None
            todo += _inputs(heap.get(ref))
    m.works(2 * len(found))
    return found


def past_of_what_stays(m: Interpreter, starts: Iterable[Alternatives]) -> set[Ref]:
    """The nodes and leaves that may be in the history, whatever code that is not followed has taken out of it."""
    found, todo = set[Ref](), [*starts]
    while todo:
        slot = todo.pop()
        for ref in () if APART in slot else slot:
            if ref is not None and ref not in found:
                found.add(ref)
                thing = m.state.heap.get(ref)
                todo += thing.inputs if type(thing) is Node else ()
    m.works(2 * len(found))
    return found


def _inputs(thing: object) -> list[Ref]:
    """The nodes and leaves that an operation may have been passed; none of what is no operation."""
    return [other for slot in thing.inputs for other in slot if other is not None] if type(thing) is Node else []


def certainly_recorded(m: Interpreter, value: Value) -> Tensor | None:
    """Return the tensor believed most of those that a value is, or certainly holds, and that certainly carry a graph.
    Where all that a container may hold carries one, it most likely holds something."""
    found: list[Tensor] = []
    seen: set[Value] = set()
    todo = [value]
    while todo:
        one = todo.pop()
        thing = m.thing(one)
        if type(thing) is Tensor:
            if _is_recorded(thing):
                found.append(thing)
        elif one not in seen:
            if type(thing) is Container and type(some := m.thing(thing.rest)) is Tensor and _is_recorded(some):
                found.append(replace(some, belief=max(some.belief, Belief.FROM_USAGE)))
            seen.add(one)
            todo += [inner for _, inner in (*getattr(thing, "items", ()), *getattr(thing, "attributes", ()))]
            todo += getattr(thing, "certain", ())
    return min(found, key=lambda tensor: tensor.belief, default=None)


def _is_recorded(tensor: Tensor) -> bool:
    return tensor.requires_grad is YES and tensor.leaf is NO


def sure_past(m: Interpreter, start: Alternatives) -> dict[Ref, None]:
    """Nodes and leaves that are certainly in the history: in every history it may be, where they are at all."""
    nodes = past_of(m, start, MOST_WEIGHED)
    if len(nodes) > MOST_WEIGHED:
        m.log.exceeded("size of a graph")
        return _single_past(m, start)
    certain, bits = _certain(m, start, lambda ref: {ref} if ref.recency < 2 else set(), exclusive=True)
    found = in_all(start, certain, _excluding(m, bits))
    return {ref: None for ref in nodes if bits.get(ref, 0) & found}


def _sure_places(m: Interpreter, start: Alternatives, past: Collection[Ref]) -> frozenset[Graph] | set[Graph]:
    """Return the places that certainly made nodes and leaves of a history, whichever of those made there they are;
    `past` is what may be in it."""
    if len(past) > MOST_LOOKED_BACK:
        return {ref.key for ref in _single_past(m, start, MOST_LOOKED_BACK)}
    return in_every(m, start, lambda ref: {ref.key})


def in_every(m: Interpreter, start: Alternatives, known: Callable[[Ref], set[T]]) -> frozenset[T]:
    """Return the intersection, over every history that it may be, of what is said of its nodes."""
    certain, bits = _certain(m, start, known)
    found = in_all(start, certain)
    return frozenset([one for one, bit in bits.items() if bit & found])


def savers(m: Interpreter, nodes: Sequence[Ref]) -> list[Ref]:
    """Return those nodes that certainly save tensors, or have one behind them that does, whichever way was taken."""
    saving, _ = _certain(m, tuple(nodes), lambda ref: {True} if surely_saves(m.state.heap.get(ref)) else set())
    return [ref for ref in nodes if saving[ref]]


def surely_saves(thing: object) -> bool:
    """Return whether this is an operation that certainly keeps something for backward."""
    return type(thing) is Node and any(None not in slot for slot in thing.saves)


def _certain(
    m: Interpreter, start: Alternatives, known: Callable[[Ref], set[T]], *, exclusive: bool = False
) -> tuple[dict[Ref | None, int], dict[T, int]]:
    """Return the answers of `known` for each node of a history and all that is certainly before it, as bits, and the
    bit of each answer: sets would take the square of the length of the history. `exclusive`: these are references, and
    what no path has beside what is before a node may be taken for before it."""
    certain: dict[Ref | None, int] = {}
    bits: dict[T, int] = {}
    excluding = _excluding(m, bits) if exclusive else None
    for ref in inputs_first(m, start):
        thing = m.state.heap.get(ref)
        found = 0
        for one in known(ref):
            found |= bits.setdefault(one, 1 << len(bits))
        for slot in thing.inputs if type(thing) is Node else ():
            found |= in_all(slot, certain, excluding)
        certain[ref] = found
    return certain, bits


def in_all(
    slot: Sequence[Ref | None], certain: Mapping[Ref | None, int], excluding: Callable[[int], int] | None = None
) -> int:
    """Return the bits that every alternative certainly has in its history, or excludes."""
    found = [certain.get(ref, 0) for ref in slot]
    if excluding is not None and len(found) > 1:
        found = [one | excluding(one) for one in found]
    return reduce(and_, found) if found else 0


def _excluding(m: Interpreter, bits: Mapping[Any, int]) -> Callable[[int], int] | None:
    """Return a function that finds the objects that no path has which has some of these, all as bits."""
    apart = m.state.apart
    if not apart:
        return None
    sides: dict[int, list[list[int]]] = {}  # by how many bits were known

    def excluding(present: int) -> int:
        if len(bits) not in sides:
            sides.clear()
            sides[len(bits)] = [[sum(bits.get(ref, 0) for ref in side) for side in pair] for pair in apart]
        found = 0
        for one, other in sides[len(bits)]:
            found |= (other if present & one else 0) | (one if present & other else 0)
        return found

    return excluding


def inputs_first(m: Interpreter, start: Alternatives, ends: Callable[[Ref], bool] | None = None) -> list[Ref]:
    """The nodes of a history, each after those it was made from (but for cycles), and no further than to its ends."""
    heap, order, edges = m.state.heap, list[Ref](), 0
    seen: set[Ref] = set()
    todo: list[tuple[Ref, bool]] = [(ref, False) for ref in start if ref is not None]
    while todo:
        ref, done = todo.pop()
        if done:
            order.append(ref)
        elif ref not in seen:
            seen.add(ref)
            todo.append((ref, True))
            if ends is None or not ends(ref):
                inputs = _inputs(heap.get(ref))
                edges += len(inputs)
                todo += [(other, False) for other in inputs if other not in seen]
    m.works(WORK_OF_A_NODE * len(order) + edges)
    return order


WORK_OF_A_NODE = 5
"""The number of objects that cost as much to go over as one node to put into its order, besides its inputs."""


def _single_past(m: Interpreter, start: Alternatives, most: int = sys.maxsize) -> dict[Ref, None]:
    """The part of the history to which only one way leads at every step."""
    found: dict[Ref, None] = {}
    todo = list(start) if len(start) == 1 else []
    while todo and len(found) < most:
        ref = todo.pop()
        if ref is None or ref in found or ref.recency >= 2:
            continue
        found[ref] = None
        thing = m.state.heap.get(ref)
        if type(thing) is Node:
            todo += [slot[0] for slot in thing.inputs if len(slot) == 1]
    return found


def towards(m: Interpreter, starts: Iterable[Alternatives], ends: frozenset[Ref]) -> dict[Ref, bool]:
    """The nodes of a history from which one of the ends may be reached, and whether it certainly is."""
    found: dict[Ref, bool] = {}
    for ref in inputs_first(m, tuple(ref for start in starts for ref in start)):
        thing = m.state.heap.get(ref)
        for slot in thing.inputs if type(thing) is Node else ():
            leading = [found.get(other, False) or other in ends for other in slot if other is not None]
            if any(leading) or any(other in found for other in slot):
                found[ref] = found.get(ref, False) or (all(leading) and None not in slot)
    return found


def company(m: Interpreter, start: Alternatives, leaves: Sequence[Ref]) -> tuple[int, ...]:
    """Return, as bits, for each leaf the leaves that may be in the history of an operation that takes it."""
    bits = {leaf: 1 << index for index, leaf in enumerate(leaves)}
    behind, together = dict(bits), dict(bits)
    for ref in inputs_first(m, start):
        thing = m.state.heap.get(ref)
        if type(thing) is not Node:
            continue
        taken = _inputs(thing)
        found = 0
        for other in taken:
            found |= behind.get(other, 0)
        behind[ref] = found
        for leaf in bits.keys() & set(taken):
            together[leaf] |= found
    return tuple(together[leaf] for leaf in leaves)


def grows(m: Interpreter, node: Site, part: str, inputs: tuple[Alternatives, ...]) -> Truth:
    """Return whether the history holds an older node of the same place: certainly, or on some path that ran."""
    return grows_at(m, Ref(m.allocations.site(node), f"{part}node", m.frame.id), inputs)


def grows_at(m: Interpreter, made: Ref, inputs: tuple[Alternatives, ...]) -> Truth:
    """Return whether the history holds an older node that was made as this one is."""
    older = [ref for age in (1, OLDEST) if (ref := Ref(*made[:3], age)) in m.state.heap]
    if m.allocations.round:
        older += [ref for ref in m.allocations.of_other_rounds(Ref(*made[:3])) if ref in m.state.heap]
    if not older:
        return NO
    places, found = {ref.key for ref in older}, [past_of(m, slot, MOST_LOOKED_BACK) for slot in inputs]
    looked_back = zip(inputs, found, strict=True)
    if any(not places.isdisjoint(_sure_places(m, slot, past)) for slot, past in looked_back):
        return YES
    if any(ref in past for ref in older for past in found):
        return MAYBE
    return UNSURE if any(len(past) > MOST_LOOKED_BACK or OPAQUE in past for past in found) else NO


MOST_LEFT = 300
"""The most nodes of a graph that are noted because something is cut off from them, or reads what they give."""


def cut_at(m: Interpreter, mark: Cause, values: Iterable[Value]) -> None:
    """Note that something computed from these values leaves their graphs at this cut, as far as they may carry one."""
    for ref in _behind(m, values):
        m.effects.cut[ref] = mark
        m.graphs.left.setdefault(ref.key, mark)


def read_at(m: Interpreter, values: Iterable[Value]) -> None:
    """Note that something reads these values, and has nothing to do with their graphs."""
    for ref in _behind(m, values):
        m.graphs.escape(ref.key, Escape.READ)


def _behind(m: Interpreter, values: Iterable[Value]) -> list[Ref]:
    """The nodes that these values were computed by, as far as they may carry a graph."""
    nodes = [node for tensor in tensors_in(m, values) if tensor.requires_grad.may(YES) for node in tensor.node]
    return [ref for ref in past_of(m, nodes, MOST_LEFT) if type(m.state.heap.get(ref)) is Node]


def tensors_in(m: Interpreter, values: Iterable[Value], depth: int = 0) -> list[Tensor]:
    """The tensors among these values, and among what containers hold."""
    found: list[Tensor] = []
    for option in (option for value in values for option in alternatives(value)):
        thing = m.state.heap.get(option) if type(option) is Ref else None
        if type(thing) is Tensor:
            found.append(thing)
        elif type(thing) is Container and depth < DEEPEST:
            found += tensors_in(m, thing.held, depth + 1)
    return found


DEEPEST = 3
"""The depth to which containers are looked into."""


def held_in(m: Interpreter, value: Value, kinds: Collection[str] = ()) -> list[Value]:
    """The value itself, or, if it is a container (of one of these kinds, where any are told), all that it holds."""
    holders = [thing for _, thing in m.all(value, Container) if not kinds or thing.kind in kinds]
    if not holders or len(holders) < len(alternatives(value)):
        return [value]
    return [one for thing in holders for one in thing.held if one != NOTHING]


def may_have_graph(m: Interpreter, value: Value, depth: int = 0) -> bool:
    """Return whether a value may be, or hold, something that is differentiated."""
    for option in alternatives(value):
        thing = m.thing(option)
        if type(thing) is Tensor:
            found = thing.requires_grad.may(YES)
        elif type(thing) is Container and depth < DEEPEST:
            found = any(may_have_graph(m, one, depth + 1) for one in thing.held if one != NOTHING)
        else:
            found = type(thing) not in (Array, Constant, PlainObject, PythonNumber)
        if found:
            return True
    return False


def nodes_of(m: Interpreter, value: Value) -> Alternatives:
    """Return the graph operands of a value: nodes, leaves, None (nothing recorded) or OPAQUE."""
    out: dict[Ref | None, None] = {}
    for option in alternatives(value):
        thing = m.state.heap.get(option) if type(option) is Ref else None
        if type(option) is Ref and type(thing) is Tensor:
            out |= _of_tensor(m, option, thing)
        elif type(option) is Unknown or type(thing) is Instance:
            out |= {OPAQUE: None} if only_of_others(m, references(option)) else {OPAQUE: None, ASTRAY: None}
            if type(option) is Unknown and option.reach:
                out |= {APART: None} if APART in option.reach else {}
                out |= dict.fromkeys(escaped_leaves(m, option.reach))
                for ref in option.reach:
                    out |= dict.fromkeys(nodes_of(m, ref))
        else:
            out[None] = None
    m.works(2 * len(out))  # callers go over them at least once more
    return tuple(out)


def _of_tensor(m: Interpreter, ref: Ref, thing: Tensor) -> dict[Ref | None, None]:
    out: dict[Ref | None, None] = {}
    believed = thing.requires_grad is UNSURE and are_nodes(m, thing.node)  # of an element of what has a graph
    if (thing.requires_grad.may(NO) and not believed) or thing.inference.possibly(YES):  # no view of what was made in
        out[None] = None  # inference mode is recorded, and `F.linear` looks at its weight through one
    elif thing.leaf is YES and None in thing.node and len(thing.node) > 1:
        out[None] = None  # a view made with gradients off may show the flag of what it is a view of
    if thing.requires_grad.may(YES):
        for node in thing.node or (None,):
            out[m.own(ref) if node is None else node] = None
        if not thing.node and thing.leaf.may(NO):
            out[OPAQUE] = None  # nobody saw what recorded it
            if thing.belief.seen_made:
                out[ASTRAY] = None
    return out


def are_nodes(m: Interpreter, slot: Alternatives) -> bool:
    """Return whether all of these, one at least, are operations that were seen."""
    return bool(slot) and all(one is not None and type(m.state.heap.get(one)) is Node for one in slot)


def in_graph(m: Interpreter, value: Value) -> Alternatives:
    """Return the graph operands of an operand. Of one of several leaves that only one handle stands for, nobody knows
    whether it is the one that is asked about."""
    slot, tensor = nodes_of(m, value), m.only(value, Tensor)
    return (*slot, NOWHERE) if tensor and tensor.is_summary and tensor.leaf.possibly(YES) else slot


def as_heard(slot: Alternatives, tensor: Tensor | None, hears: Truth) -> Alternatives:
    """Return these graph operands of a tensor, to an operation that `hears` of its flag or does not. A leaf made in
    inference mode is one there if it is heard of."""
    if hears is NO:
        return (None,)
    if tensor is None or hears is not YES or tensor.inference is not YES or tensor.node:
        return slot
    return tuple(part for part in slot if part is not None) if tensor.requires_grad is YES else slot
