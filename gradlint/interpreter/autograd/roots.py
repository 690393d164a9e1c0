"""Roots of a backward: it goes well, so they require grad, and were recorded."""

from __future__ import annotations

from gradlint.domain.facts import NO, YES
from gradlint.domain.objects import Node, Tensor
from gradlint.domain.provenance import Belief, CauseKind
from gradlint.domain.refs import OPAQUE, Alternatives, Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site, syntax


def learn_requires_grad(m: Interpreter, node: Site, root: Value) -> None:
    """Learn that a differentiated tensor requires grad: where nothing told so, and no program asked for it, it was
    recorded, by a known operation or one that nobody saw. So was what alone can have led to it."""
    found = m.all(root, Tensor)
    before = []
    for ref, tensor in found:
        recorded = recorded_by(m, tensor.node)
        if _may_be_told(tensor) and (recorded or tensor.belief >= Belief.FROM_USAGE):
            if not recorded or OPAQUE in recorded:
                unseen = Node("unknown", syntax(node), (recorded or (OPAQUE,),))
                recorded = (m.new(node, f"history of {ref.site}.{ref.part}", unseen),)
            now = replace(tensor, requires_grad=YES, leaf=NO, node=recorded)
            if _may_be_given_back(m, tensor):
                now = replace(now, leaf=tensor.leaf, node=(*recorded, None))
            m.store(ref, now, sure=len(found) == 1)
        elif was_handed_over(tensor) and tensor.requires_grad.is_unsure:
            m.store(ref, replace(tensor, requires_grad=YES), sure=len(found) == 1)
            recorded = ()
        before.append(_alone_before(m, recorded))
    if before and len(found) == len(alternatives(root)):
        _all_recorded(m, set.intersection(*before))


def _may_be_told(tensor: Tensor) -> bool:
    """Return whether it is not known of a tensor whether it requires grad, but that neither it was set by hand nor
    what it may show the flag of. Unseen code that had it may have set it as well."""
    by_hand = tensor.showing.may(YES) or any(mark.kind == CauseKind.ASKED and mark.how for mark in tensor.causes)
    return tensor.requires_grad.is_unsure and not by_hand and not was_handed_over(tensor)


def _may_be_given_back(m: Interpreter, tensor: Tensor) -> bool:
    """Return whether unseen code may have given back a number that it was passed and that requires grad."""
    others = m.state.heap.holding(tensor.storage) if tensor.belief >= Belief.FROM_USAGE else ()
    return any(type(other) is Tensor and _is_asked_number(other) for _, other in others)


def _is_asked_number(tensor: Tensor) -> bool:
    """Return whether it may be a leaf of one number that the program has made itself and set to require grad."""
    is_leaf = tensor.belief.seen_made and tensor.leaf.possibly(YES)
    return is_leaf and tensor.requires_grad.possibly(YES) and tensor.scalar.possibly(YES)


def was_handed_over(tensor: Tensor) -> bool:
    """Return whether unseen code may have had what the program has made itself."""
    return tensor.belief.seen_made and tensor.unseen.may(YES)


def _alone_before(m: Interpreter, recorded: tuple[Ref, ...]) -> set[Ref]:
    """The nodes without which these alternatives cannot have been recorded: the way back while there is only one."""
    before: set[Ref] = set()
    while len(recorded) == 1 and recorded[0].recency < 2 and recorded[0] not in before:
        thing = m.state.heap.get(recorded[0])
        if type(thing) is not Node:
            break
        before.add(recorded[0])
        slots = [recorded_by(m, slot) for slot in thing.inputs]
        if sum(map(bool, slots)) != 1:
            break
        m.state.heap[recorded[0]] = replace(thing, inputs=tuple(slot or (None,) for slot in slots))
        recorded = next(filter(None, slots))
    return before


def _all_recorded(m: Interpreter, nodes: set[Ref]) -> None:
    """Learn that the tensors that these recorded nodes made require grad."""
    heap = m.state.heap
    for ref, tensor in list(heap.items()) if nodes else ():
        if type(tensor) is Tensor and ref.recency < 2 and _may_be_told(tensor) and not nodes.isdisjoint(tensor.node):
            recorded = recorded_by(m, tensor.node)
            if len(recorded) == 1:
                m.store_exact(ref, replace(tensor, requires_grad=YES, leaf=NO, node=recorded))


def recorded_by(m: Interpreter, slot: Alternatives) -> tuple[Ref, ...]:
    """Return the nodes of an operand's alternatives, where it was recorded. A tensor that an operation made stands
    beside its node for the leaf that it may have been made by hand."""
    out = []
    for ref in slot:
        thing = None if ref is None else m.state.heap.get(ref)
        by_hand = type(thing) is Tensor and _may_be_told(thing) and not set(slot).isdisjoint(set(thing.node) - {None})
        if ref is not None and not by_hand:
            out.append(ref)
    return tuple(out)
