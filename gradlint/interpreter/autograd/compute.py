"""Results of operations: what they give, by their rows of knowledge, the mode and the operands."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import Any

from gradlint.domain.facts import ANY_PRECISION, NO, UNSURE, YES, Dtypes, Truth, both, either, negation
from gradlint.domain.objects import Container, Tensor
from gradlint.domain.provenance import MOST_CAUSES, AskKind, Belief, Cause, CauseKind
from gradlint.domain.refs import Alternatives, Ref
from gradlint.domain.value_sets import one_of
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, ImportPath, PlainObject, PythonNumber, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.detach import cut_by, cut_by_mode, cut_off, cuts
from gradlint.interpreter.autograd.operands import Operand, looked_up
from gradlint.interpreter.autograd.record import record
from gradlint.interpreter.autograd.results import COPY, ITSELF, NOTHING_REQUESTED, Form, OperationCall, Requested, forms
from gradlint.interpreter.autograd.tensor import fresh, own_count
from gradlint.interpreter.autograd.version_counter import counts_alone
from gradlint.interpreter.engine.history import cut_at
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.properties.hidden_views import VIEWS_OF_HIDDEN
from gradlint.knowledge.properties.named_results import NAMES, RETURNED
from gradlint.knowledge.properties.probabilities import KEEPING, NUDGING, SQUASHING, TINY
from gradlint.knowledge.schema import Operation

MOST_CUTS = 3
"""The most earlier cuts that a result remembers, so that there is room for other marks."""
FREEZING = (AskKind.ASSIGNMENT, AskKind.METHOD, AskKind.MODULE, AskKind.PRETRAINED)
"""The requests that an existing object not require grad, or what does so unless an argument says otherwise."""


def apply(
    m: Interpreter,
    node: Site,
    row: Operation,
    slots: Sequence[tuple[str, Value]],
    requested: Requested = NOTHING_REQUESTED,
    extra: Sequence[tuple[str, Value]] = (),
) -> Value:
    """Return the results of an operation on these operands; `extra` are a module's own parameters, by name."""
    operands, own = looked_up(m, row, slots, extra, requested.dtype)
    return compute(m, OperationCall(node, row, operands, own, requested))


def compute(m: Interpreter, call: OperationCall) -> Value:
    """Make the results of a call of an operation, put it into the graph, and emit that."""
    planned, part = forms(call), call.requested.part
    made = [_result(m, call, form, f"{part}{index}") for index, form in enumerate(planned)]
    values = [value for value, _ in made]
    given = _bundled(m, call, values) if m.may_be(values[0], Tensor) else values[0]
    passing = {ref: form.result.passes for form, (_, ref) in zip(planned, made, strict=True) if ref is not None}
    record(m, call, passing, values[0])
    return given


def _bundled(m: Interpreter, call: OperationCall, values: list[Value]) -> Value:
    """The results as they come back: one by itself, several in a tuple, or a list of one that stands for many."""
    row, part = call.row, call.requested.part
    if row.bundle == "list":
        return m.new(call.site, f"{part}list", Container("tuple", rest=values[0]))
    if row.bundle or len(values) > 1:
        cls = ImportPath(f"{RETURNED}{row.name}") if row.name in NAMES else NOTHING
        return m.new(call.site, f"{part}tuple", Container("tuple", items=tuple(enumerate(values)), cls=cls))
    return values[0]


def _listed(m: Interpreter, node: Site, kind: Dtypes, cuts: tuple[Cause, ...]) -> Value:
    return m.new(node, "list", Container("list", rest=one_of([PythonNumber(kind, cuts), PlainObject("list")])))


NO_TENSOR: dict[str, Callable[[Interpreter, Any, Dtypes, tuple[Cause, ...]], Value]] = {
    "none": lambda m, node, kind, cuts: Constant(None),
    "number": lambda m, node, kind, cuts: PythonNumber(kind, cuts),
    "list": _listed,
}
"""Results that leave the tensors' world."""


def _result(m: Interpreter, call: OperationCall, form: Form, part: str) -> tuple[Value, Ref | None]:
    """One result, and the new handle in it if it may be recorded in the graph."""
    node, kind = call.site, form.result.kind
    if kind in NO_TENSOR:
        cut = cut_off(m, node, call.row.name, [one.value for one in call.operands])
        return NO_TENSOR[kind](m, node, form.facts["dtype"], cut), None
    first = call.operands[0] if call.operands else None
    if first is None or form.kinds == ITSELF:
        return (first.value if first else UNKNOWN), None
    facts = _flags(m, call, form)
    if form.kinds - ITSELF != COPY:
        facts |= _shared(m, call, form, part)
    facts |= form.facts
    if facts["belief"] is Belief.UNTOUCHED and _is_unrecorded(m, form):
        facts["belief"] = Belief.PROVEN  # whoever touched the flags of operands
    facts["probability_op"], squashing = _squashed(call)
    facts["causes"] = (*squashing, *_reasons(m, call, form.wants, facts["requires_grad"]))[:MOST_CAUSES]
    made = fresh(m, node, part, **facts)
    recorded = made if m[made].requires_grad.may(YES) else None
    return (one_of((first.value, made)) if "self" in form.kinds else made), recorded


def _is_unrecorded(m: Interpreter, form: Form) -> bool:
    """Return whether nothing records a new result, whatever flags the operands have."""
    return form.kinds == COPY and (m.recording is NO or not form.result.differentiable)


def _flags(m: Interpreter, call: OperationCall, form: Form) -> dict[str, Any]:
    """Return a new handle's autograd flags: whether it requires grad, and whether it is a leaf, by the mode."""
    row, first = call.row, call.operands[0]
    viewed, copied = "view" in form.kinds, "fresh" in form.kinds
    kept = _flag_of_base(m, first) if viewed else NO
    if first.tensor is not None and first.tensor.inference.possibly(YES):
        kept |= NO
    requires, leaf = _by_mode(m, form.wants, kept | NO if copied else kept)
    facts = {"requires_grad": requires, "leaf": leaf}
    if viewed:
        facts["unwritable"] = _unwritable(m, row, first, copied=copied)
        facts["showing"] = both(negation(m.recording), kept)
    return facts


def _unwritable(m: Interpreter, row: Operation, first: Operand, *, copied: bool) -> Truth:
    """Return whether a view of this operand may not be written where that is recorded."""
    before = first.tensor.unwritable if first.tensor else UNSURE
    found = YES if row.together else either((negation(m.recording), before))
    return found | NO if copied else found


def _squashed(call: OperationCall) -> tuple[str, tuple[Cause, ...]]:
    """The operation that made probabilities of the elements, if one did, and where: here, or where the operand's did,
    if kept."""
    kept = _kept(call.row, call.operands)
    op = call.row.name if call.row.name in SQUASHING else kept.probability_op if kept is not None else ""
    before = kept.causes if kept is not None else ()
    here = Cause(CauseKind.SQUASHED, call.site)
    return op, (next((mark for mark in before if mark.kind == CauseKind.SQUASHED), here),) if op else ()


def _kept(row: Operation, operands: Sequence[Operand]) -> Tensor | None:
    """The operand of which elements stay what they were, or are kept away from zero by next to nothing."""
    if row.name in KEEPING:
        return operands[0].tensor
    tensors = [one.tensor for one in operands if one.tensor is not None]
    added = [one.value.value for one in operands if type(one.value) is Constant and type(one.value.value) is float]
    tiny = len(tensors) + len(added) == len(operands) and all(0 < one <= TINY for one in added)
    return tensors[0] if row.name == NUDGING and tiny and len(tensors) == 1 else None


def _flag_of_base(m: Interpreter, first: Operand) -> Truth:
    """Return whether what a view of this operand is a view of requires grad: its base, where it is a view itself. A
    leaf that views what nobody sees may have been set to require grad alone; inference tensors show their flag on no
    view."""
    if first.tensor is not None and first.tensor.inference is YES:
        return NO
    if first.tensor is None or not first.tensor.base:
        hidden = first.tensor is not None and _hides_its_base(first.tensor)
        return first.requires_grad | NO if hidden else first.requires_grad
    found = [m.thing(first.value if base is None else base) for base in first.tensor.base]
    facts = [thing.requires_grad for thing in found if type(thing) is Tensor]
    return reduce(or_, facts) if len(facts) == len(found) else first.requires_grad | UNSURE


def _hides_its_base(tensor: Tensor) -> bool:
    """Return whether a tensor may be a view of a hidden base, so that its views show the flag of that base."""
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
    """Return the facts that a result that shares memory takes over from its operand."""
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
    """Return the causes of a result: the call that made it, and the cut that took it off the graph if there was one."""
    is_off = wants.may(YES)
    cut = cut_by_mode(m.state.switch or call.site, m.state.grad_mode) if is_off else cut_by(call.site, call.row.name)
    # `x.view_as(y)` takes nothing but the shape of y.
    operands = [*(one for one in call.operands if one.name not in call.row.ignores), *call.own]
    marks = [Cause(CauseKind.MADE, call.site)]
    known = m.recording is not NO  # gradients that are off keep out what nobody has seen, too
    if requires is NO and any(o.requires_grad.possibly(YES) if known else o.requires_grad.may(YES) for o in operands):
        marks.append(cut)
    if requires is NO and not is_off:
        cut_at(m, cut, [o.value for o in operands])
    marks += cuts(m, [o.value for o in operands])[:MOST_CUTS]
    marks += [mark for operand in operands if operand.tensor for mark in _asked(operand.tensor, requires)]
    marks += _counted(call)
    return tuple(dict.fromkeys(marks))[:MOST_CAUSES]


def _counted(call: OperationCall) -> list[Cause]:
    """Return the causes that counted the elements of a result that has those of its operand, in whatever shape."""
    first = call.operands[0].tensor if call.operands else None
    if first is None or len(call.row.results) != 1 or call.row.results[0].dtype != "same" or call.requested.dtype:
        return []
    return [mark for mark in first.causes if mark.kind == CauseKind.COUNTED]


def _asked(operand: Tensor, requires: Truth) -> Iterator[Cause]:
    """Yield the requests that an operand require grad, or not, so that the result does not."""
    for mark in operand.causes:
        if mark.kind == CauseKind.ASKED and mark.how in FREEZING and requires is NO and operand.requires_grad is NO:
            yield replace(mark, kind=CauseKind.FROZEN)
        elif mark.kind == CauseKind.ASKED:
            yield Cause(CauseKind.ASKED, mark.node)
        elif mark.kind == CauseKind.FROZEN and requires is NO:
            yield mark
