"""Histories: what the graph nodes that a summarised call made depend on, in terms without those nodes.

A summary forgets what lies between its results and what was there before. What of it can be noticed outside is kept:
on which operands a result depends, certainly or perhaps, and whose memory the graph saved on the way. Told again, all
of it is one operation.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import reduce
from operator import or_
from typing import Any

from gradlint.domain.heap import Heap
from gradlint.domain.objects import Node
from gradlint.domain.refs import KEPT, NOWHERE, Alternatives, Graph, Ref
from gradlint.frozen import frozen
from gradlint.interpreter.engine.history import grows_at, in_all, inputs_first, nodes_of, past_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import syntax
from gradlint.knowledge.properties.zero_gradient import FLAT


@frozen()
class History:
    """The history of new tensors that come from the same nodes, in terms of the summarised call: what they were
    computed from (among it nodes that other new tensors come from), and the memories that were saved on the way. None
    among the alternatives of a slot: perhaps not. `inside` are the names of all nodes that lie between. `flattened` are
    those inputs to which no gradient but zero arrives, because every way goes through an operation like `flat`. `last`
    is the node itself that new tensors come from, where it is one."""

    inputs: tuple[Alternatives, ...]
    saves: tuple[Alternatives, ...]
    inside: frozenset[Graph]
    flattened: tuple[Alternatives, ...] = ()
    flat: Node | None = None
    last: Node | None = None


def histories_of(
    m: Interpreter, before: Heap, keys: Iterable[Alternatives], memories: set[Ref], operands: dict[Ref, Alternatives]
) -> dict[Alternatives, History]:
    """The histories of new tensors by the nodes these come from, each after those that it builds on."""
    keys = list(keys)
    ends = {key[0] for key in keys if len(key) == 1}
    nodes = tuple(node for key in keys for node in key)
    place = {ref: index for index, ref in enumerate(inputs_first(m, nodes, lambda ref: ref in before))}
    keys.sort(key=lambda key: max(place[node] for node in key if node is not None))
    return {key: _history(m, before, key, ends.difference(key), memories, operands) for key in keys}


def have_a_common_trunk(histories: Iterable[History]) -> bool:
    """Return whether some node that is no result lies behind several results."""
    found: set[Graph] = set()
    for history in histories:
        if not found.isdisjoint(history.inside):
            return True
        found |= history.inside
    return False


def _history(
    m: Interpreter,
    before: Heap,
    key: Alternatives,
    ends: Collection[Ref | None],
    memories: set[Ref],
    operands: dict[Ref, Alternatives],
) -> History:
    """Return the part of these nodes' history that was there before or that other new tensors come from, and the
    memories saved in it.

    What is certainly before each node is a set of bits, for histories may be thousands of nodes long.
    """
    certain: dict[Ref | None, int] = {}
    bits: dict[Ref | Alternatives, int] = {}
    every: dict[Ref, None] = {}
    saves: dict[Alternatives, None] = {}
    inside: set[Graph] = set()
    flat: list[Ref] = []
    for ref in inputs_first(m, key, lambda ref: ref in before or ref in ends):
        node = m.state.heap.get(ref)
        if ref in before or ref in ends or type(node) is not Node:
            every[ref] = None
            certain[ref] = bits.setdefault(ref, 1 << len(bits))
            continue
        inside.add(ref.key)
        kept = [_kept(slot, memories) for slot in node.saves]
        saves |= dict.fromkeys(kept)
        own = [bits.setdefault(slot, 1 << len(bits)) for slot in kept]
        certain[ref] = reduce(or_, [*own, *[in_all(slot, certain) for slot in node.inputs]], 0)
        if node.op in FLAT:
            flat.append(ref)
    together = in_all(key, certain)
    sure = {one for one, bit in bits.items() if bit & together}
    around = past_of(m, key, barred=set(flat)) if flat else every
    inputs: dict[Alternatives, None] = {}
    flattened: dict[Alternatives, None] = {}
    or_else = NOWHERE if NOWHERE in every else None
    every.pop(NOWHERE, None)
    for ref in every:
        arguments = [argument for argument, slot in operands.items() if ref in slot]
        for found in arguments or [ref]:
            (inputs if ref in around else flattened)[(found,) if ref in sure else (found, or_else)] = None
    certainly = tuple(slot if slot in sure or None in slot else (*slot, None) for slot in saves)
    behind = m[flat[0]] if flattened else None
    last = m.state.heap.get(key[0]) if len(key) == 1 and key[0] is not None else None
    last = last if type(last) is Node else None
    return History(tuple(inputs), certainly, frozenset(inside), tuple(flattened), behind, last)


def _kept(slot: Alternatives, memories: set[Ref]) -> Alternatives:
    """A saved memory, as far as it may be noticed outside."""
    return tuple(dict.fromkeys([memory if memory is None or memory in memories else KEPT for memory in slot]))


def recorded_again(
    m: Interpreter, place: Any, made: Ref, history: History, now: dict[Ref, Ref], kept: dict[Ref, Ref]
) -> Ref:
    """All that a summarised call recorded for the same results, as one operation: on what its objects are `now`, which
    keeps what its memories are. Where a call runs anew at its place, it is the node that was `made` there before."""
    inputs = tuple(_operands(m, slot, now) for slot in history.inputs)
    saves = tuple(tuple(ref if ref is None else kept.get(ref, ref) for ref in slot) for slot in history.saves)
    if history.flat is not None:
        behind = tuple(_operands(m, slot, now) for slot in history.flattened)
        inputs = (*inputs, (m.new(place, f"{made.part} flat", Node(history.flat.op, history.flat.at, behind)),))
    last = history.last if made.site != m.allocations.site(place) else None
    op, at = ("call", syntax(place)) if last is None else (last.op, last.at)
    m.store_new(made, Node(op, at, inputs, saves, grows=grows_at(m, made, inputs)))
    for graph in history.inside - {made.key}:
        m.graphs.around.setdefault(graph, {})[made.key] = None
    return made


def _operands(m: Interpreter, slot: Alternatives, now: dict[Ref, Ref]) -> Alternatives:
    """An operand in terms of the call at hand: an argument is what it is in the graph now."""
    out: dict[Ref | None, None] = {}
    for ref in slot:
        found = now.get(ref) if ref is not None else None
        if found is None:
            out[ref] = None
        else:
            out |= dict.fromkeys((found,) if type(m.state.heap.get(found)) is Node else nodes_of(m, found))
    return tuple(out)
