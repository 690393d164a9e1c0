"""Recording: the node of an operation in the graph, with the memories that it keeps for backward."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from gradlint import events
from gradlint.domain.facts import FLOAT, INEXACT, NO, UNSURE, YES, Truth, both, either
from gradlint.domain.objects import Node, Tensor
from gradlint.domain.refs import KEPT, Alternatives, Ref
from gradlint.domain.value_sets import cuts_of_numbers
from gradlint.domain.values import Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.growth import emit_grown, grown_from
from gradlint.interpreter.autograd.operands import Operand, operand
from gradlint.interpreter.autograd.results import OperationCall
from gradlint.interpreter.autograd.version_counter import compared, kept
from gradlint.interpreter.engine.history import are_nodes, as_heard, grows, in_graph, nodes_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import syntax
from gradlint.knowledge.schema import ANY, STACK, VIEW, Saving

OTHERS = "others"
"""The condition of what is saved of one of several operands of a name where another of them requires grad."""


def record(m: Interpreter, call: OperationCall, results: Mapping[Ref, bool], shown: Value) -> None:
    """Put an operation into the graph if something is recorded on these results, each with whether it passes gradients
    on, and emit that the operation was run; `shown` is what it gives first."""
    if results:
        _put_into_graph(m, call, results)
    if not m.is_silent and (tensor := m.only(shown, Tensor)) is not None:
        _emit_recorded(m, call, tensor)


def _put_into_graph(m: Interpreter, call: OperationCall, results: Mapping[Ref, bool]) -> None:
    """Make the node of an operation and let its results know, each with whether it passes gradients on."""
    row, operands, own, part = call.row, call.operands, call.own, call.requested.part
    involved = call.involved
    inner = tuple(nodes_of(m, one.value) for one in own)
    seen = (*((None,) if one.name in row.ignores else in_graph(m, one.value) for one in operands), *inner)
    inputs = tuple(as_heard(slot, one.tensor, one.hears) for slot, one in zip(seen, involved, strict=True))
    grown = grows(m, call.site, part, inputs)
    asked = differentiated(involved, inputs)
    if own:
        asked["parameters"] = _all_alike(own, inner)
        for saving in row.savings:
            asked.setdefault(saving.condition, UNSURE)  # of a weight that something computes nobody knows
    besides = [Saving(one.name) for one in operands if one.name in row.besides]
    sure, refs = UNSURE if besides else YES, [*results]
    saves = [slot for one in (*row.savings, *besides) for slot in saved(m, one, involved, asked, refs, sure)]
    new = Node(row.name, syntax(call.site), inputs, tuple(filter(None, saves)), grows=grown)
    ref = _adding(m, call, new) if row.adds else m.new(call.site, f"{part}node", new)
    older = operands[0].tensor.node if operands[0].tensor and call.takes_element else ()
    # What is computed with an element of what a network gave has its graph, if it has any.
    behind = any(are_nodes(m, slot) for slot in inputs)
    for result, passes in results.items():
        tensor = m[result]
        is_certain = behind if tensor.requires_grad is UNSURE else tensor.requires_grad is YES and tensor.leaf is NO
        nodes: Alternatives = (ref,) if passes and is_certain else (ref, None)
        m.state.heap[result] = replace(tensor, node=tuple(dict.fromkeys((*nodes, *older))))


def _adding(m: Interpreter, call: OperationCall, whole: Node) -> Ref:
    """A node for what is added last, and before it one for all the rest, which alone saves anything."""
    added = {place for place, one in enumerate(call.involved) if one.name in call.row.adds}
    rest = tuple((None,) if place in added else slot for place, slot in enumerate(whole.inputs))
    last = [whole.inputs[place] for place in sorted(added)]
    inner = m.new(call.site, f"{call.requested.part}node before", replace(whole, inputs=rest))
    return m.new(call.site, f"{call.requested.part}node", replace(whole, inputs=((inner,), *last), saves=()))


def _all_alike(own: Sequence[Operand], inner: Sequence[Alternatives]) -> Truth:
    """Return whether the parameters of a layer are differentiated; both where only some are."""
    asked = [
        is_differentiated(one, slot)
        for one, slot in zip(own, inner, strict=True)
        if one.tensor is not None and one.tensor.parameter.may(YES)
    ]
    return reduce(or_, asked, asked[0]) if asked else NO


def _emit_recorded(m: Interpreter, call: OperationCall, shown: Tensor) -> None:
    node, row, operands = call.site, call.row, call.involved
    recorded = [m[ref] for ref in shown.node if ref is not None and ref in m.state.heap]
    memories = {memory for one in recorded for slot in one.saves if None not in slot for memory in slot}
    m.emit(
        events.Recorded,
        node,
        op=row.name,
        operands=tuple(o.tensor for o in operands if o.tensor),
        result=shown,
        saved=tuple(o.tensor for o in operands if o.tensor and memories.intersection(o.tensor.storage)),
        grows=either([one.grows for one in recorded]) if recorded else NO,
        numbers=cuts_of_numbers(o.value for o in operands),
        others=tuple((place, o.value) for place, o in enumerate(operands) if o.tensor is None),
    )
    if any(one.grows.possibly(YES) for one in recorded):
        emit_grown(m, node, row.name, shown, grown_from(m, node, operands))


def saved(
    m: Interpreter,
    saving: Saving,
    operands: Sequence[Operand],
    asked: Mapping[str, Truth],
    results: Sequence[Ref],
    sure: Truth = YES,
) -> list[Alternatives]:
    """The memories that an entry of a row's `savings` stands for; None among them where it may be none, or a copy.

    A number is kept as well, in memory that nothing else can write. `asked` says which operands require grad, `sure`
    whether what the row says certainly holds.
    """
    name, kinds, condition, beside, or_copy = saving
    chosen = [one for one in operands if one.name.removeprefix("*") == name]
    if condition == OTHERS:
        each = [asked[_numbered(one.name, index)] for index, one in enumerate(chosen)]
        wanted = [either(each[:index] + each[index + 1 :]) for index in range(len(chosen))]
        each_slots = [_slots(m, [one], kinds, want, or_copy) for one, want in zip(chosen, wanted, strict=True)]
        return [slot for slots in each_slots for slot in slots]
    wanted_all = both(sure, both(_asked(asked, condition), _is_tensor(operands, beside)))
    if name == "result":
        return [_perhaps(m, m[results[0]].storage, wanted_all)]
    if saving.is_own:
        return [_perhaps(m, (KEPT,), wanted_all)]
    return _slots(m, chosen, kinds, wanted_all, or_copy)


def _slots(m: Interpreter, chosen: Sequence[Operand], kinds: str, wanted: Truth, or_copy: str) -> list[Alternatives]:
    """The memory of one of these operands, if they are of a kind that is saved; or that of a copy. And what counts the
    writes to it, where that is certain."""
    sure = all(not kinds or one.dtype <= DTYPES[kinds] for one in chosen if one.dtype is not None)
    memories = tuple(memory for one in chosen for memory in _memories(m, one, kinds))
    copied = any(COPIED[or_copy](one.tensor) for one in chosen)
    slot = _perhaps(m, (*memories, KEPT) if copied else memories, wanted if sure else wanted | UNSURE)
    one = chosen[0].tensor if len(chosen) == 1 else None
    if one is None or copied or not slot or None in slot:
        return [slot]
    return [slot, compared(m, one)]


def _is_stack(tensor: Tensor | None) -> bool:
    """Return whether an operand may be a stack of matrices."""
    return tensor is not None and tensor.planar is not YES


COPIED: dict[str, Callable[[Tensor | None], bool]] = {
    "": lambda tensor: False,
    ANY: lambda tensor: True,
    STACK: _is_stack,
    VIEW: lambda tensor: tensor is not None and bool(tensor.base) and _is_stack(tensor),
}
"""Tests of whether a copy of an operand may be kept, by the word for those of which one may."""


def _perhaps(m: Interpreter, memories: Alternatives, wanted: Truth) -> Alternatives:
    if wanted is NO:
        return ()
    return memories if (wanted is YES and not m.blocks.copying) or not memories else (*memories, None)


def is_differentiated(one: Operand, slot: Alternatives) -> Truth:
    """Return whether an operation computes a gradient for an operand, given what it is in the graph: not for what has a
    flag that says so but is in no graph, or whose flag it does not hear."""
    flag = NO if one.hears is NO else one.requires_grad
    return flag | NO if None in slot else flag


def differentiated(operands: Iterable[Operand], inputs: Iterable[Alternatives]) -> dict[str, Truth]:
    """Return whether an operation computes a gradient for each operand, given what they are in the graph. Of several of
    one name the second is called 1 and so on."""
    asked: dict[str, Truth] = {}
    met: Counter[str] = Counter()
    for one, slot in zip(operands, inputs, strict=True):
        asked[_numbered(one.name, met[one.name])] = is_differentiated(one, slot)
        met[one.name] += 1
    return asked


def _numbered(name: str, index: int) -> str:
    return f"{name} {index}" if index else name


def _asked(asked: Mapping[str, Truth], condition: str) -> Truth:
    """Return whether a condition holds; an operand that is left out requires no grad."""
    return asked.get(condition, NO) if condition else YES


def _is_tensor(operands: Sequence[Operand], name: str) -> Truth:
    """Return whether the operand of that name is a tensor, which it is without a name as well."""
    chosen = next((one for one in operands if one.name == name), None)
    if chosen is None or chosen.tensor is not None:
        return YES
    return NO if chosen.known else UNSURE


DTYPES = {"f": FLOAT, "fc": INEXACT}


def _memories(m: Interpreter, one: Operand, kinds: str) -> Alternatives:
    if one.tensor is None:
        return () if kinds or one.dtype is None else (KEPT,)
    return kept(m, one.tensor) if not kinds or one.tensor.dtype.may(DTYPES[kinds]) else ()


class Saves(NamedTuple):
    """The tensors saved by an operation that writes one of its operands: its operands as it leaves them `behind`, and
    others as they were `before`."""

    behind: tuple[Alternatives, ...] = ()
    before: tuple[Alternatives, ...] = ()


def saved_in_place(
    m: Interpreter, savings: Sequence[Saving], slots: Sequence[tuple[str, Value]], target: Value, name: str = "input"
) -> Saves:
    """The memories that an operation keeps for backward which writes its target, the operand of this name; of what the
    target held before the write it can only keep a copy, unless it is another operand as well."""
    operands = [operand(m, each, value) for each, value in slots]
    asked = differentiated(operands, (nodes_of(m, one.value) for one in operands))
    others = [one for one in operands if one.name != name]
    written = tuple(memory for _, tensor in m.all(target, Tensor) for memory in kept(m, tensor))
    behind, before = list[Alternatives](), list[Alternatives]()
    for saving in savings:
        what = saving.name
        wanted = both(_asked(asked, saving.condition), _is_tensor(operands, saving.beside))
        if what == "own" or any(one.name == what for one in others):
            before += saved(m, saving, others, asked, ())
        elif wanted is not NO:
            memories = written if what == "result" else (*written, KEPT)
            behind.append(memories if wanted is YES else (*memories, None))
    return Saves(tuple(filter(None, behind)), tuple(filter(None, before)))
