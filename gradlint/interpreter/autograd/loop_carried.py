"""Names by which a loop carries a graph from one iteration to the next, and names that certainly do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

from gradlint.domain.facts import NO, YES
from gradlint.domain.mentions import object_references
from gradlint.domain.objects import Container, Node, Tensor
from gradlint.domain.provenance import Belief, CauseKind
from gradlint.domain.refs import OPAQUE, Alternatives, Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import NOTHING, Unknown, Value
from gradlint.interpreter.autograd.batches import BATCH
from gradlint.interpreter.engine.frames import Frame
from gradlint.interpreter.engine.history import in_every, nodes_of, past_of, surely_saves
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.rebinding import read_first
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.interpreter.static.tree_walk import in_order
from gradlint.source import targets


def carriers(m: Interpreter, node: Site, carried: Sequence[Ref]) -> tuple[tuple[str, str, Any], ...]:
    """Return the names of the running function by which the next iteration of the loop around a place reaches these
    nodes: "tensor" or "tuple" (one of tensors), and the place itself or a later one where the loop binds the name. None
    where something else holds it as well."""
    loop = _loop_around(m.frame.scope.node, node)
    found: list[tuple[str, str, Any]] = []
    for name, bindings in read_first(m.frame.scope.node, loop).items() if loop is not None else ():
        value = m.state.held((m.frame.id, name))
        if value is not None and any(_holds(m, ref, carried) for ref in m.state.reach([value])):
            kind = _kind(m, value) if bindings else ""
            found += [(name, kind, place) for place in _last_places(loop, node, bindings)]
    return tuple(found) if all(kind for _, kind, _ in found) else ()


def may_be_carried(m: Interpreter, nodes: Iterable[Ref]) -> bool:
    """Return whether the running iteration of the innermost loop may have begun with access to values that have these
    nodes in their graph. What a name holds that each iteration binds before it reads it is out of its reach."""
    frame: Frame | None = m.frame
    while frame is not None and frame.loop is None:
        frame = frame.caller
    if frame is None or frame.loop is None or frame.loop.head is None:
        return True
    loop, began = frame.loop.node, frame.loop.head
    bound = bound_first(loop) - _seen_inside(frame.scope.node) if isinstance(loop, cst.For | cst.While) else set()
    held = [value for (owner, name), value in began.names.items() if owner != frame.id or name not in bound]
    now, m.state = m.state, began
    graphs = [node for ref in _held_by(m, [*held, *began.stack]) for node in nodes_of(m, ref)]
    past, m.state = past_of(m, graphs), now
    return not past.keys().isdisjoint(nodes)


def is_of_before(m: Interpreter, ref: Ref) -> bool:
    """Return whether a node was recorded in an earlier iteration, or an earlier round of a loop."""
    loop, places = m.frame.loop, m.allocations
    number = places.others.get(places.whole.get(ref.site, 0), {}).get(ref.site, 0)
    return ref.recency > 0 or (loop is not None and number in loop.rounds[:-1])


def freed_before(m: Interpreter, node: Site, starts: Iterable[Alternatives], nodes: Iterable[Ref]) -> tuple[Node, ...]:
    """The nodes that this very backward may have freed when it ran before, of each place from which every one of these
    histories has some node. The node that is in it may be another one of that place, which is not freed."""
    here = {ref.key: m[ref] for ref in nodes if _may_be_freed_by(m[ref], syntax(node))}
    if not here:
        return ()
    saving = [
        in_every(m, start, lambda ref: {ref.key} if surely_saves(m.state.heap.get(ref)) else set()) for start in starts
    ]
    return tuple(thing for key, thing in here.items() if any(key in places for places in saving))


def _may_be_freed_by(thing: Node, backward: cst.CSTNode) -> bool:
    return thing.freed.may(YES) and any(mark.kind == CauseKind.FREED and mark.node is backward for mark in thing.causes)


def _held_by(m: Interpreter, values: Iterable[Value]) -> list[Ref]:
    """The tensors that can be got at from these values; what a tensor was made of is not held by it."""
    found = m.state.reach(values, lambda thing: () if type(thing) is Tensor else object_references(thing))
    return [ref for ref in found if type(m[ref]) is Tensor]


def bound_first(loop: cst.For | cst.While) -> set[str]:
    """The names that each iteration certainly binds before it mentions them in any other way."""
    bound: set[str] = set()
    mentioned: set[str] = set()
    if isinstance(loop, cst.For):
        _bind(targets(loop.target), bound, mentioned)
    else:
        mentioned |= names_in(loop.test)
    _follow(loop.body, bound, mentioned)
    return bound


def _follow(body: cst.BaseSuite, bound: set[str], mentioned: set[str]) -> None:
    """Add what the statements of a block bind and mention, in their order."""
    for statement in body.body:
        if type(statement) is cst.With:
            mentioned |= names_in(*statement.items) - bound
            _follow(statement.body, bound, mentioned)
            continue
        simple = statement.body if type(statement) is cst.SimpleStatementLine else (statement,)
        for one in simple:
            if type(one) is cst.Assign:
                mentioned |= names_in(one.value) - bound
                _bind([single for each in one.targets for single in targets(each.target)], bound, mentioned)
            else:
                mentioned |= names_in(one) - bound


def _bind(singles: Iterable[cst.CSTNode], bound: set[str], mentioned: set[str]) -> None:
    for single in singles:
        if type(single) is not cst.Name:
            mentioned |= names_in(single) - bound
        elif single.value not in mentioned:
            bound.add(single.value)


def is_unknown_from_outside(m: Interpreter, name: str) -> bool:
    """Return whether a name of the running function holds an unknown value, the same in each iteration of its loop."""
    loop = m.frame.loop
    value = m.state.names.get((m.frame.id, name))
    if loop is None or not isinstance(loop.node, cst.For | cst.While) or value is None:
        return False
    return name not in bound_first(loop.node) and any(type(one) is Unknown for one in alternatives(value))


def shares_unseen_graph(m: Interpreter, leaves: Sequence[Ref], nodes: Sequence[Ref]) -> bool:
    """Return whether a tensor in a history of these leaves and nodes may have a graph that nobody shows, and was there
    before the iteration that runs: then each iteration differentiates that graph again. What a function is declared to
    be given is data to it, as far as it shows, and so is what a loader gives."""
    if not m.loops.active:
        return False
    made = m.loops.active[-1].made
    found = [(ref, m[ref]) for ref in leaves if ref.origin not in made]
    before = [one for _, one in found if type(one) is Tensor and one.made != BATCH]
    made_by_others = [one for one in before if one.belief is not Belief.ANNOTATED and not one.parameter <= YES]
    if any(one.leaf.may(NO) and one.requires_grad.may(YES) for one in made_by_others):
        return True
    opaque = [m[ref] for ref in nodes if any(OPAQUE in slot for slot in m[ref].inputs)]
    return any(is_unknown_from_outside(m, name) for name in names_of_operands(opaque))


def names_of_operands(nodes: Iterable[Node]) -> set[str]:
    """The names from which these operations were computed: a criterion is no operand of what it computes."""
    parts: list[Any] = []
    for one in nodes:
        loss = one.op == CRITERION and type(one.at) is cst.Call
        parts += [argument.value for argument in one.at.args] if loss else [one.at]
    return names_in(*parts)


CRITERION = "criterion"
"""The operation that a loss is which nobody shows."""


def names_in(*trees: cst.CSTNode) -> set[str]:
    """The names that are mentioned in these trees."""
    return {node.value for tree in trees for node in in_order(tree) if type(node) is cst.Name}


def _seen_inside(scope: cst.CSTNode) -> set[str]:
    """The names that functions inside a scope mention, and those that are not its own."""
    inner = [node for node in in_order(scope) if isinstance(node, cst.FunctionDef | cst.Lambda | cst.ClassDef)]
    declared = [node for node in in_order(scope) if isinstance(node, cst.Global | cst.Nonlocal)]
    return names_in(*(node for node in inner if node is not scope), *declared)


def _last_places(loop: Any, place: Any, bindings: Sequence[Any]) -> list[Any]:
    """Return the last of a place and the bindings of a name in an iteration: the place only if some come before it."""
    order = list(in_order(loop))
    at = order.index(place)
    later = [binding for binding in bindings if order.index(binding) > at]
    return [*([] if 0 < len(later) == len(bindings) else [place]), *later]


def _loop_around(scope: Any, place: Any) -> Any:
    """The innermost loop of a scope around a place."""
    loops = [node for node in in_order(scope) if isinstance(node, cst.For | cst.While)]
    return next((loop for loop in reversed(loops) if any(node is place for node in in_order(loop.body))), None)


def _holds(m: Interpreter, ref: Ref, carried: Sequence[Ref]) -> bool:
    return type(m[ref]) is Tensor and not past_of(m, nodes_of(m, ref)).keys().isdisjoint(carried)


def _kind(m: Interpreter, value: Value) -> str:
    thing = m.only(value, Container)
    if thing is not None and thing.kind == "tuple" and thing.rest == NOTHING:
        return "tuple" if all(_is_tensor(m, inner) for _, inner in thing.items) else ""
    return "tensor" if _is_tensor(m, value) else ""


def _is_tensor(m: Interpreter, value: Value) -> bool:
    return all(type(one) is Ref and type(m.state.heap.get(one)) is Tensor for one in alternatives(value))
