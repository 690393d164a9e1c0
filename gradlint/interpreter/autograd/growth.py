"""The graph that a loop records on top of the graph of its earlier iterations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import NO, YES, either, truth
from gradlint.domain.objects import Tensor
from gradlint.domain.refs import Ref
from gradlint.frozen import frozen
from gradlint.interpreter.autograd.operands import Operand
from gradlint.interpreter.autograd.terms import is_freed_term
from gradlint.interpreter.engine.history import MOST_LOOKED_BACK, MOST_WEIGHED, in_every, nodes_of, past_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site, syntax


@frozen()
class Growth:
    """The spelling of the operand that an earlier iteration computed (`name`), the syntax of its addend, the other
    operands, and whether one of those was computed from it (`recurrent`)."""

    name: str = ""
    added: Any = None
    others: Sequence[Operand] = ()
    recurrent: bool = False


class Sums(dict[Any, Any]):
    """The first operator of the sum that a loop makes longer, by each of its operators."""


def emit_grown(m: Interpreter, node: Site, op: str, shown: Tensor, growth: Growth) -> None:
    """A loop has made a graph longer, by what is not from an earlier iteration among the other operands. Told at the
    target of an augmented assignment, whether that writes in place or not."""
    place = syntax(node)
    node = place.target if type(place) is cst.AugAssign else m.notes(Sums).get(place, node)
    nodes = tuple(ref for ref in shown.node if ref is not None)
    freed = in_every(m, nodes, lambda ref: {"freed"} if getattr(m.state.heap.get(ref), "freed", NO) is YES else set())
    graph = tuple(ref.key for ref in nodes)
    spent = truth(bool(freed))
    picked = op.rstrip("_") in SUMMING and _is_picked(m, node, nodes)
    brings = either([one.requires_grad for one in growth.others if not _holds_older(m, node, one)])
    m.emit(
        events.GraphGrown,
        node,
        op=op,
        result=shown,
        graph=graph,
        freed=spent,
        name=growth.name,
        added=growth.added,
        adds_grad=brings,
        picked=picked,
        recurrent=growth.recurrent,
        by_part=bool(m.loops.active) and all(loop.over_parts for loop in m.loops.active),
        differentiated=any(is_freed_term(m, nodes_of(m, one.value)) for one in growth.others),
    )


SUMMING = frozenset({"add", "sub", "lerp"})
PICKING = frozenset({"amax", "amin", "cummax", "cummin", "kthvalue", "max", "median", "min", "sort", "topk"})
"""Operations by which a search for the best way (Viterbi's, one with beams) goes on from a few of those so far."""


def _is_picked(m: Interpreter, node: Site, nodes: Sequence[Ref]) -> bool:
    """Return whether what earlier iterations recorded at this place got here through a choice alone."""
    heap, site = m.state.heap, m.allocations.site(node)
    past = past_of(m, nodes, MOST_LOOKED_BACK)
    choices = {ref for ref in past if getattr(heap.get(ref), "op", "").partition(" ")[0] in PICKING}
    if not choices:
        return False
    left = past_of(m, nodes, MOST_LOOKED_BACK, choices)
    return not any(ref.recency and _is_of_sum(m, site, ref) for ref in left)


def grown_from(m: Interpreter, node: Site, operands: Sequence[Operand]) -> Growth:
    """Return the operand that an earlier iteration computed, as it is written, what came to it, and the others. A sum
    of several terms goes on at its first operator."""
    place = syntax(node)
    grown = next((one for one in operands if _holds_older(m, node, one)), None)
    if type(place) not in TERMS or len(operands) != 2 or grown is None:
        return Growth(others=operands)
    terms = [getattr(place, name) for name in TERMS[type(place)]]
    of, added = terms if grown is operands[0] else reversed(terms)
    m.notes(Sums)[place] = m.notes(Sums).get(of, place)
    others = [one for one in operands if one is not grown]
    return Growth(spelled(of), added, others, goes_on_from(m, nodes_of(m, grown.value), others))


def goes_on_from(m: Interpreter, nodes: Iterable[Ref | None], others: Sequence[Operand]) -> bool:
    """Return whether one of the operands was computed from these nodes: what a layer or a step of an integration adds
    to what it was given is no term of a sum."""
    own = {ref for ref in nodes if ref is not None}
    past = past_of(m, [ref for one in others for ref in nodes_of(m, one.value)], MOST_WEIGHED)
    return not own.isdisjoint(past)


TERMS: dict[Any, tuple[str, str]] = {cst.BinaryOperation: ("left", "right"), cst.AugAssign: ("target", "value")}
"""The two operands of an operator as the program writes them."""


def _holds_older(m: Interpreter, node: Site, one: Operand) -> bool:
    """Return whether what an earlier iteration recorded at this place may be in an operand's history."""
    site = m.allocations.site(node)
    past = past_of(m, nodes_of(m, one.value), MOST_LOOKED_BACK)
    return any(ref.recency if ref.site == site else _is_of_sum(m, site, ref) for ref in past)


def _is_of_sum(m: Interpreter, site: int, ref: Ref) -> bool:
    """Return whether something was recorded at this place, or by another operator of the sum there."""
    whole = m.allocations.whole
    return ref.site == site or (site in whole and whole.get(ref.site) == whole[site])
