"""Operations: what they give, by their rows of knowledge, and what they put into the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from gradlint import events
from gradlint.domain.facts import ANY_GRAD, ANY_PRECISION, NO, UNSURE, YES, Dtypes, Truth, both, either, negation
from gradlint.domain.objects import Container, Node, Tensor
from gradlint.domain.provenance import MOST_CAUSES, Belief, Cause, CauseKind
from gradlint.domain.refs import Alternatives, Ref
from gradlint.domain.value_sets import one_of
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, ImportPath, PlainObject, PythonNumber, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.detach import IN_VAIN, MODE, cut_off, cuts, cuts_of_numbers
from gradlint.interpreter.autograd.growth import emit_grown, grown_from
from gradlint.interpreter.autograd.layout import COPY, ITSELF
from gradlint.interpreter.autograd.operands import Operand, in_graph
from gradlint.interpreter.autograd.results import (
    NOTHING_REQUESTED,
    Form,
    OperationCall,
    Requested,
    forms,
    looked_up,
)
from gradlint.interpreter.autograd.saved_tensors import differentiated, is_differentiated, saved
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.autograd.version_counter import counts_alone, own_count
from gradlint.interpreter.engine.history import cut_at, grows, nodes_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge.properties.hidden_views import VIEWS_OF_HIDDEN
from gradlint.knowledge.properties.named_results import NAMES, RETURNED
from gradlint.knowledge.properties.probabilities import KEEPING, NUDGING, SQUASHING, TINY
from gradlint.knowledge.schema import Operation, Saving

MOST_CUTS = 3
"""How many earlier cuts a result remembers, so that there is room for other marks."""
FREEZING = ("assign", "method", "module", "from_pretrained")
"""What asks something that is there already not to require grad, in the words of `RequiresGradChanged.by`; or what does
so unless it is told otherwise."""


def apply(
    m: Interpreter,
    node: Site,
    row: Operation,
    slots: Sequence[tuple[str, Value]],
    requested: Requested = NOTHING_REQUESTED,
    extra: Sequence[tuple[str, Value]] = (),
) -> Value:
    """Return what the operation gives for these operands; `extra` are parameters that take part (a module's own), by
    name."""
    operands, own = looked_up(m, row, slots, extra, requested.dtype)
    return compute(m, OperationCall(node, row, operands, own, requested))


def compute(m: Interpreter, call: OperationCall) -> Value:
    """Make the results of a call of an operation, put it into the graph, and emit that."""
    planned, part = forms(call), call.requested.part
    parts = [_result(m, call, form, f"{part}{index}") for index, form in enumerate(planned)]
    recording = {ref: form.result.passes for form, (_, ref) in zip(planned, parts, strict=True) if ref is not None}
    if recording:
        _record(m, call, recording)
    values = [value for value, _ in parts]
    for form, value in zip(planned, values, strict=True):
        if call.requested.scalar is not UNSURE and form.result.kinds == COPY and "size" not in form.facts:
            m.update_fields(value, Tensor, scalar=call.requested.scalar)
    if not m.is_silent:
        _emit_recorded(m, call, values[0])
    return _bundled(m, call, values) if m.may_be(values[0], Tensor) else values[0]


def _bundled(m: Interpreter, call: OperationCall, values: list[Value]) -> Value:
    """The results as they come back: one by itself, several in a tuple, or a list of one that stands for many."""
    row, part = call.row, call.requested.part
    if row.bundle == "list":
        return m.new(call.site, f"{part}list", Container("tuple", rest=values[0]))
    if row.bundle or len(values) > 1:
        cls = ImportPath(f"{RETURNED}{row.name}") if row.name in NAMES else NOTHING
        return m.new(call.site, f"{part}tuple", Container("tuple", items=tuple(enumerate(values)), cls=cls))
    return values[0]


def _result(m: Interpreter, call: OperationCall, form: Form, part: str) -> tuple[Value, Ref | None]:
    """One result, and the new handle in it if it may be recorded in the graph."""
    node, row = call.site, call.row
    if form.result.kind in NO_TENSOR:
        cut = cut_off(m, node, row.name, [o.value for o in call.operands])
        return NO_TENSOR[form.result.kind](m, node, form.facts["dtype"], cut), None
    first = call.operands[0] if call.operands else None
    if first is None or form.kinds == ITSELF:
        return (first.value if first else UNKNOWN), None
    facts = _flags(m, row, first, form)
    tensors = [o.tensor for o in call.operands if o.tensor]
    if form.kinds - ITSELF != COPY:
        facts |= _shared(m, call, form, part)
    if len(tensors) == 1 and not call.own:
        facts["device"] = tensors[0].device
    if grads := tuple(dict.fromkeys(ref for tensor in tensors for ref in tensor.grad_of)):
        facts["grad_of"] = grads
    beliefs = [tensor.belief for tensor in tensors] + [o.tensor.belief for o in call.own if o.tensor]
    facts["belief"] = max(beliefs, default=Belief.PROVEN)
    facts["causes"] = _reasons(m, call, form.wants, facts["requires_grad"])
    if op := _squashed(row, call.operands):
        squashing = _squashing(node, _kept(row, call.operands))
        facts |= {"probability_op": op, "causes": (squashing, *facts["causes"])[:MOST_CAUSES]}
    made = fresh(m, node, part, **facts | form.facts)
    recorded = made if m[made].requires_grad.may(YES) else None
    return (one_of((first.value, made)) if "self" in form.kinds else made), recorded


def _listed(m: Interpreter, node: Site, kind: Dtypes, cuts: tuple[Cause, ...]) -> Value:
    return m.new(node, "list", Container("list", rest=one_of([PythonNumber(kind, cuts), PlainObject("list")])))


NO_TENSOR: dict[str, Callable[[Interpreter, Any, Dtypes, tuple[Cause, ...]], Value]] = {
    "none": lambda m, node, kind, cuts: Constant(None),
    "number": lambda m, node, kind, cuts: PythonNumber(kind, cuts),
    "list": _listed,
}
"""Results that leave the tensors' world."""
TAKING = frozenset({"getitem", "unbind"})
"""What takes a part of a thing, be it rows of a tensor or elements of a tuple."""


def _flags(m: Interpreter, row: Operation, first: Operand, form: Form) -> dict[str, Any]:
    """Return what a new handle is to autograd: whether it requires grad, and whether it is a leaf, by the mode."""
    viewed, copied = "view" in form.kinds, "fresh" in form.kinds
    kept = _flag_of_base(m, first) if viewed else NO
    if first.tensor is not None and first.tensor.inference.possibly(YES):
        kept |= NO
    requires, leaf = _by_mode(m, form.wants, kept | NO if copied else kept)
    facts = {"requires_grad": requires, "leaf": leaf, "made": row.name, "is_summary": row.bundle == "list"}
    if _may_be_element(row, first):
        facts |= _of_element()
    if viewed:
        facts["unwritable"] = _unwritable(m, row, first, copied=copied)
        facts["showing"] = both(negation(m.recording), kept)
    return facts


def _of_element() -> dict[str, Any]:
    """What is known of the flags of what may be an element that was there before."""
    flags = dict.fromkeys(("requires_grad", "leaf", "retains"), UNSURE)
    return {**flags, "grad": ANY_GRAD, "may_be_structured": True}


def _unwritable(m: Interpreter, row: Operation, first: Operand, *, copied: bool) -> Truth:
    """Whether a view of this operand may not be written where that is recorded."""
    before = first.tensor.unwritable if first.tensor else UNSURE
    found = YES if row.together else either((negation(m.recording), before))
    return found | NO if copied else found


def _squashed(row: Operation, operands: Sequence[Operand]) -> str:
    if row.name in SQUASHING:
        return row.name
    kept = _kept(row, operands)
    return "" if kept is None else kept.probability_op


def _kept(row: Operation, operands: Sequence[Operand]) -> Tensor | None:
    """The operand of which elements stay what they were, or are kept away from zero by next to nothing."""
    if row.name in KEEPING:
        return operands[0].tensor
    tensors = [one.tensor for one in operands if one.tensor is not None]
    added = [one.value.value for one in operands if type(one.value) is Constant and type(one.value.value) is float]
    tiny = len(tensors) + len(added) == len(operands) and all(0 < one <= TINY for one in added)
    return tensors[0] if row.name == NUDGING and tiny and len(tensors) == 1 else None


def _squashing(node: Site, kept: Tensor | None) -> Cause:
    """Where elements became probabilities: here, or where those of the operand did."""
    before = () if kept is None else kept.causes
    return next((mark for mark in before if mark.kind == CauseKind.SQUASHED), Cause(CauseKind.SQUASHED, node))


def _flag_of_base(m: Interpreter, first: Operand) -> Truth:
    """Whether what a view of this operand is a view of requires grad: its base, where it is a view itself. A leaf that
    views what nobody sees may have been asked to require grad alone; what was made in inference mode shows its flag on
    no view."""
    if first.tensor is not None and first.tensor.inference is YES:
        return NO
    if first.tensor is None or not first.tensor.base:
        hidden = first.tensor is not None and _hides_its_base(first.tensor)
        return first.requires_grad | NO if hidden else first.requires_grad
    found = [m.thing(first.value if base is None else base) for base in first.tensor.base]
    facts = [thing.requires_grad for thing in found if type(thing) is Tensor]
    return reduce(or_, facts) if len(facts) == len(found) else first.requires_grad | UNSURE


def _hides_its_base(tensor: Tensor) -> bool:
    """Whether it may be a view of what nobody sees, so that what views it shows the flag of that, not of the tensor."""
    return tensor.made in VIEWS_OF_HIDDEN and tensor.leaf.may(YES)


def _by_mode(m: Interpreter, requires: Truth, kept: Truth) -> tuple[Truth, Truth]:
    """requires_grad and leaf of a result, by the mode; `kept` is the flag it has if it is made without the graph."""
    mode = m.recording
    on = (requires, negation(requires))
    off = (kept, YES)
    if mode is YES or on == off:
        return on
    if mode is NO:
        return off
    ignorance = UNSURE if mode.is_unsure else on[0]
    return on[0] | off[0] | ignorance, on[1] | off[1] | (UNSURE if mode.is_unsure else on[1])


def _shared(m: Interpreter, call: OperationCall, form: Form, part: str) -> dict[str, Any]:
    """Return what a result that shares memory takes over from its operand."""
    node, first, copied = call.site, call.operands[0], "fresh" in form.kinds
    refs = tuple(ref for ref, _ in m.all(first.value, Tensor))
    storage = first.tensor.storage if first.tensor else ()
    base: Alternatives = ()
    if "alias" not in form.kinds:
        found: dict[Ref | None, None] = {}
        for ref in refs:
            found |= dict.fromkeys(m[ref].base or (ref,))
        if None in found:
            found = {**dict.fromkeys(refs), **{ref: None for ref in found if ref is not None}}
        base = tuple(found)
        recorded = m.recording is YES and first.requires_grad is YES
        if first.tensor is not None and not first.tensor.base and _hides_its_base(first.tensor) and not recorded:
            base = (*base, None)
    alone = counts_alone(first.tensor) if first.tensor else NO
    count: Alternatives = first.tensor.count if first.tensor else ()
    if call.row.name == "data":
        alone, count = YES, own_count(m.memory(node, part))
    if copied:
        memory = m.memory(node, part)
        storage, base, count = (*storage, memory), (*base, None), (*(count or (None,)), *own_count(memory))
        alone |= NO
    facts = {"storage": storage, "base": base, "alone": alone, "count": count, "precision": ANY_PRECISION}
    if first.tensor:
        inference = first.tensor.inference
        facts["inference"] = inference | m.state.inference if copied else inference
        if form.facts["dtype"] is first.tensor.dtype:
            facts["precision"] = first.tensor.precision
    return facts


def _reasons(m: Interpreter, call: OperationCall, wants: Truth, requires: Truth) -> tuple[Cause, ...]:
    """Where a result comes from: made here, and what cut it off the graph if something did."""
    cut = Cause(CauseKind.CUT, call.site, call.row.name)
    if wants.may(YES):
        cut = Cause(CauseKind.CUT, m.state.switch or call.site, IN_VAIN if m.state.grad_mode is YES else MODE)
    # `x.view_as(y)` takes nothing but the shape of y.
    operands = [*(one for one in call.operands if one.name not in call.row.ignores), *call.own]
    marks = [Cause(CauseKind.MADE, call.site)]
    known = m.recording is not NO  # gradients that are off keep out what nobody has seen, too
    if requires is NO and any(o.requires_grad.possibly(YES) if known else o.requires_grad.may(YES) for o in operands):
        marks.append(cut)
    if requires is NO and cut.by not in (MODE, IN_VAIN):
        cut_at(m, cut, [o.value for o in operands])
    marks += cuts(m, [o.value for o in operands])[:MOST_CUTS]
    marks += [mark for operand in operands if operand.tensor for mark in _asked(operand.tensor, requires)]
    marks += _counted(call)
    return tuple(dict.fromkeys(marks))[:MOST_CAUSES]


def _counted(call: OperationCall) -> list[Cause]:
    """Where the elements of a result were counted that has those of its operand, in whatever shape."""
    first = call.operands[0].tensor if call.operands else None
    if first is None or len(call.row.results) != 1 or call.row.results[0].dtype != "same" or call.requested.dtype:
        return []
    return [mark for mark in first.causes if mark.kind == CauseKind.COUNTED]


def _asked(operand: Tensor, requires: Truth) -> Iterator[Cause]:
    """Where what a result comes from was asked to require grad, or not to, so that the result does not."""
    for mark in operand.causes:
        if mark.kind == CauseKind.ASKED and mark.by in FREEZING and requires is NO and operand.requires_grad is NO:
            yield Cause(CauseKind.FROZEN, mark.node, mark.by, mark.name)
        elif mark.kind == CauseKind.ASKED:
            yield Cause(CauseKind.ASKED, mark.node)
        elif mark.kind == CauseKind.FROZEN and requires is NO:
            yield mark


def _record(m: Interpreter, call: OperationCall, results: Mapping[Ref, bool]) -> None:
    """Put the operation into the graph and let its results know, each with whether it passes gradients on."""
    row, operands, own, part = call.row, call.operands, call.own, call.requested.part
    involved = call.involved
    inner = tuple(nodes_of(m, one.value) for one in own)
    seen = (*((None,) if one.name in row.ignores else in_graph(m, one.value) for one in operands), *inner)
    inputs = tuple(map(_as_heard, seen, involved))
    asked = differentiated(involved, inputs)
    if own:
        asked["parameters"] = _all_alike(own, inner)
        for saving in row.savings:
            asked.setdefault(saving.condition, UNSURE)  # of a weight that something computes nobody knows
    besides = [Saving(one.name) for one in operands if one.name in row.besides]
    sure, refs = UNSURE if besides else YES, [*results]
    saves = [slot for one in (*row.savings, *besides) for slot in saved(m, one, involved, asked, refs, sure)]
    grown = grows(m, call.site, part, inputs)
    new = Node(row.name, syntax(call.site), inputs, tuple(filter(None, saves)), grows=grown)
    ref = _adding(m, call, new) if row.adds else m.new(call.site, f"{part}node", new)
    older = operands[0].tensor.node if operands[0].tensor and _may_be_element(row, operands[0]) else ()
    for result, passes in results.items():
        tensor = m[result]
        nodes: Alternatives = (ref,) if passes and tensor.requires_grad is YES and tensor.leaf is NO else (ref, None)
        m.state.heap[result] = replace(tensor, node=tuple(dict.fromkeys((*nodes, *older))))


def _adding(m: Interpreter, call: OperationCall, whole: Node) -> Ref:
    """A node for what is added last, and before it one for all the rest, which alone saves anything."""
    added = {place for place, one in enumerate(call.involved) if one.name in call.row.adds}
    rest = tuple((None,) if place in added else slot for place, slot in enumerate(whole.inputs))
    last = [whole.inputs[place] for place in sorted(added)]
    inner = m.new(call.site, f"{call.requested.part}node before", replace(whole, inputs=rest))
    return m.new(call.site, f"{call.requested.part}node", replace(whole, inputs=((inner,), *last), saves=()))


def _as_heard(slot: Alternatives, one: Operand) -> Alternatives:
    """Return what an operand is in the graph of an operation that hears of its flag, or does not. A leaf made in
    inference mode is one there if it is heard of."""
    if one.hears is NO:
        return (None,)
    leaf = one.tensor is not None and one.tensor.inference is YES and not one.tensor.node
    sure = one.hears is YES and leaf and one.requires_grad is YES
    return tuple(part for part in slot if part is not None) if sure else slot


def _all_alike(own: Sequence[Operand], inner: Sequence[Alternatives]) -> Truth:
    """Whether the parameters of a layer are differentiated; both where only some are."""
    asked = [
        is_differentiated(one, slot)
        for one, slot in zip(own, inner, strict=True)
        if one.tensor is not None and one.tensor.parameter.may(YES)
    ]
    return reduce(or_, asked, asked[0]) if asked else NO


def _may_be_element(row: Operation, first: Operand) -> bool:
    """Whether what looks like a view of an operand may be an element of it, which was there before."""
    return first.tensor is not None and first.tensor.may_be_structured and row.name in TAKING


def _emit_recorded(m: Interpreter, call: OperationCall, result: Value) -> None:
    node, row, operands = call.site, call.row, call.involved
    shown = m.only(result, Tensor)
    if shown is None:
        return
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
