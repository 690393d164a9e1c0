"""Operations: what they give, by their rows of knowledge, and what they put into the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Any

from gradlint import events
from gradlint.domain import (
    ANY_DTYPE,
    ANY_GRAD,
    ANY_PRECISION,
    COMPLEX,
    CPU,
    DISCRETE,
    FLOAT,
    MOST_CAUSES,
    NO,
    NOTHING,
    UNKNOWN,
    UNSURE,
    YES,
    Alternatives,
    Belief,
    Cause,
    CauseKind,
    Constant,
    Container,
    Device,
    Dtypes,
    ImportPath,
    Node,
    PlainObject,
    Precision,
    PythonNumber,
    Ref,
    Tensor,
    Truth,
    Value,
    both,
    either,
    negation,
    one_of,
)
from gradlint.frozen import frozen, replace
from gradlint.interpreter.autograd import layout, shape
from gradlint.interpreter.autograd.detach import IN_VAIN, MODE, cut_off, cuts, cuts_of_numbers
from gradlint.interpreter.autograd.growth import emit_grown, grown_from
from gradlint.interpreter.autograd.inference_mode import heard
from gradlint.interpreter.autograd.operands import Operand, in_graph, operand, precision_kept
from gradlint.interpreter.autograd.saved_tensors import differentiated, is_differentiated, saved
from gradlint.interpreter.autograd.tensor import combined, fresh
from gradlint.interpreter.autograd.version_counter import counts_alone, own_count
from gradlint.interpreter.engine.history import cut_at, grows, nodes_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge.properties.hidden_views import VIEWS_OF_HIDDEN
from gradlint.knowledge.properties.named_results import NAMES, RETURNED
from gradlint.knowledge.properties.probabilities import KEEPING, SQUASHING
from gradlint.knowledge.schema import Operation, Result, Saving
from gradlint.knowledge.shapes import NOT_SEEN, Told

MOST_CUTS = 3
"""How many earlier cuts a result remembers, so that there is room for other marks."""
FREEZING = ("assign", "method", "module", "from_pretrained")
"""What asks something that is there already not to require grad, in the words of `RequiresGradChanged.by`; or what does
so unless it is told otherwise."""


@frozen()
class Requested:
    """What a call asks of its results: `dtype`, `precision` and `device` (None: it asks for none), whether they are one
    element (`scalar`) where the arguments say so; `told` are those that are constants, `part` tells apart what is made
    at one site."""

    dtype: Dtypes | None = None
    precision: Precision = ANY_PRECISION
    device: Device | None = None
    scalar: Truth = UNSURE
    told: Told = NOT_SEEN
    part: str = ""


NOTHING_REQUESTED = Requested()


@frozen()
class OperationCall:
    """An operation that runs at a `site` on `operands` and on parameters of a module's `own`: whether each `hears` that
    it requires grad, whether one of them does (`wants`), and what is `requested`."""

    site: Site
    row: Operation
    operands: list[Operand]
    own: list[Operand]
    hears: Sequence[Truth]
    wants: Truth
    requested: Requested

    @property
    def involved(self) -> list[Operand]:
        """All that takes part."""
        return self.operands + self.own


def apply(
    m: Interpreter,
    node: Site,
    row: Operation,
    slots: Sequence[tuple[str, Value]],
    requested: Requested = NOTHING_REQUESTED,
    extra: Sequence[tuple[str, Value]] = (),
) -> Value:
    """What the operation gives for these operands; `extra` are parameters that take part (a module's own), by name."""
    operands = [operand(m, name, value) for name, value in slots]
    own = [operand(m, name, value) for name, value in extra]
    hears = heard(row, operands, own, requested.dtype)
    pairs = zip([*operands, *own], hears, strict=True)
    wants = either([both(hearing, o.requires_grad) for o, hearing in pairs if o.name not in row.ignores])
    call = OperationCall(node, row, operands, own, hears, wants, requested)
    told, part = requested.told, requested.part
    lies = layout.of_results(row, operands, told)
    measures = [known | {"contiguous": lies} for known in shape.of_results(row, operands, own, told)]
    parts = [_result(m, call, result, index, measures[index]) for index, result in enumerate(row.results)]
    recording = {ref: result.passes for result, (_, ref) in zip(row.results, parts, strict=True) if ref is not None}
    if recording:
        _record(m, call, recording)
    for result, (value, _), known in zip(row.results, parts, measures, strict=True):
        if requested.scalar is not UNSURE and result.kind == "fresh" and "size" not in known:
            m.update_fields(value, Tensor, scalar=requested.scalar)
    if not m.is_silent:
        _emit_recorded(m, call, parts[0][0])
    values = [value for value, _ in parts]
    if m.only(values[0], Tensor) is None and not m.may_be(values[0], Tensor):
        return values[0]
    if row.bundle == "list":
        return m.new(node, f"{part}list", Container("tuple", rest=values[0]))
    if row.bundle or len(values) > 1:
        cls = ImportPath(f"{RETURNED}{row.name}") if row.name in NAMES else NOTHING
        return m.new(node, f"{part}tuple", Container("tuple", items=tuple(enumerate(values)), cls=cls))
    return values[0]


def _result(
    m: Interpreter, call: OperationCall, result: Result, index: int, measures: dict[str, Any]
) -> tuple[Value, Ref | None]:
    """One result, and the new handle in it if it may be recorded in the graph."""
    node, row, operands, requested = call.site, call.row, call.operands, call.requested
    dtype, precision, device, told = requested.dtype, requested.precision, requested.device, requested.told
    kind = dtype or _kind(row, result, operands)
    if result.kind in NO_TENSOR:
        return NO_TENSOR[result.kind](m, node, kind, cut_off(m, node, row.name, [o.value for o in operands])), None
    first = operands[0] if operands else None
    handles = layout.handles(row, first, told, measures, result.kind.split(" or "))
    if result.precision:
        precision = Precision.named(result.precision)
    if first is not None and (_converts(first, kind, precision) or _moves(first, device)):
        handles = [handle for handle in handles if handle not in ("self", "view")] or handles
    elif first is not None and _needs_no_copy(first, result, dtype, precision, device):
        handles = ["self"]
    if first is None or handles == ["self"]:
        return (first.value if first else UNKNOWN), None
    if handles == ["fresh"] and dtype is None and kind <= FLOAT and not (call.own or told.hidden):
        precision = precision_kept(row, operands)
    rest = [handle for handle in handles if handle != "self"]
    measures = {**measures, "dtype": kind}
    if precision is not ANY_PRECISION:
        measures["precision"] = precision
    if device is not None:
        measures["device"] = device
    made = _handle(m, call, result, f"{requested.part}{index}", " or ".join(rest), measures)
    recorded = made if m[made].requires_grad.may(YES) else None
    return (one_of((first.value, made)) if "self" in handles else made), recorded


def _kind(row: Operation, result: Result, operands: list[Operand]) -> Dtypes:
    """The kind of a result by those of the operands; what takes part besides may make a complex number of it."""
    kinds = [(one, one.dtype) for one in operands if one.dtype is not None]
    if any(one.name in row.besides and kind.may(COMPLEX) for one, kind in kinds):
        return ANY_DTYPE
    counted = [(kind, one.known and one.tensor is None) for one, kind in kinds if one.name not in row.besides]
    return combined(result.dtype, [kind for kind, _ in counted], [number for _, number in counted], row)


def _converts(first: Operand, kind: Dtypes, precision: Precision) -> bool:
    """Whether a result of this kind is certainly another tensor than the operand, because the elements change."""
    if kind <= DISCRETE and first.requires_grad is YES and not (first.dtype and first.dtype <= DISCRETE):
        return True  # what requires grad is of floating point, unless a recorded write made it so
    if first.dtype is None or kind.is_unsure:
        return False
    if not first.dtype.may(kind):
        return True
    same_kind = first.tensor is not None and first.dtype <= FLOAT and kind <= FLOAT
    return same_kind and not first.tensor.precision.may(precision) and not precision.is_unsure  # type: ignore[union-attr]


def _needs_no_copy(
    first: Operand, result: Result, dtype: Dtypes | None, precision: Precision, device: Device | None
) -> bool:
    """Whether what may be cast or moved certainly is as it is asked to be."""
    tensor = first.tensor
    if tensor is None:
        return False
    there = device is CPU and tensor.device is CPU  # there may be several of other kinds
    if dtype is None and not result.precision:
        return there
    precise = not precision.is_unsure and tensor.dtype <= FLOAT and tensor.precision <= precision
    return result.kind == CASTING and (device is None or there) and precise


CASTING = "self or fresh"
"""What a cast or a move gives."""


def _moves(first: Operand, device: Device | None) -> bool:
    """Whether a result on this device is certainly another tensor than the operand."""
    known = device is not None and not device.is_unsure and first.tensor is not None
    return known and not first.tensor.device.may(device)  # type: ignore[union-attr, arg-type]


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


def _handle(
    m: Interpreter, call: OperationCall, result: Result, part: str, handle: str, measures: dict[str, Any]
) -> Ref:
    """The new handle that a result is, of this kind (`view or fresh`), with what is known of it already."""
    node, row, operands, own, kind = call.site, call.row, call.operands, call.own, measures["dtype"]
    wanted = NO if not result.differentiable or kind <= DISCRETE else call.wants
    first = operands[0]
    viewed = handle in ("view", "view or fresh")
    kept = _flag_of_base(m, first) if viewed else NO
    if first.tensor is not None and first.tensor.inference.possibly(YES):
        kept |= NO
    requires, leaf = _flags(m, wanted, kept | NO if "fresh" in handle else kept)
    facts: dict[str, Any] = {"dtype": kind, "requires_grad": requires, "leaf": leaf, "made": row.name}
    if _may_be_element(row, first):
        requires = UNSURE
        facts |= {
            "requires_grad": UNSURE,
            "leaf": UNSURE,
            "retains": UNSURE,
            "grad": ANY_GRAD,
            "may_be_structured": True,
        }
    facts["is_summary"] = row.bundle == "list"
    if viewed:
        facts["unwritable"] = _unwritable(m, row, first, handle)
        facts["showing"] = both(negation(m.recording), kept)
    facts["probability_op"] = _squashed(row, first)
    if handle != "fresh":
        facts["precision"] = first.tensor.precision if first.tensor and kind is first.tensor.dtype else ANY_PRECISION
        facts |= _shared(m, node, row, first, handle, part)
        if first.tensor:
            made_there = first.tensor.inference
            facts["inference"] = made_there | m.state.inference if "fresh" in handle else made_there
    tensors = [o.tensor for o in operands if o.tensor]
    if len(tensors) == 1 and not own:
        facts["device"] = tensors[0].device
    facts |= measures
    if grads := tuple(dict.fromkeys(ref for tensor in tensors for ref in tensor.grad_of)):
        facts["grad_of"] = grads
    facts["belief"] = max(
        [t.belief for t in tensors] + [o.tensor.belief for o in own if o.tensor], default=Belief.PROVEN
    )
    by_mode = Cause(CauseKind.CUT, m.state.switch or node, IN_VAIN if m.state.grad_mode is YES else MODE)
    cut = by_mode if wanted.may(YES) else Cause(CauseKind.CUT, node, row.name)
    # `x.view_as(y)` takes nothing but the shape of y.
    reached = [one for one in operands if one.name not in row.ignores]
    facts["causes"] = _reasons(m, node, requires, reached + own, cut)
    if facts["probability_op"]:
        facts["causes"] = (_squashing(node, row, first), *facts["causes"])[:MOST_CAUSES]
    return fresh(m, node, part, **facts)


def _unwritable(m: Interpreter, row: Operation, first: Operand, handle: str) -> Truth:
    """Whether a view of this operand may not be written where that is recorded."""
    before = first.tensor.unwritable if first.tensor else UNSURE
    found = YES if row.together else either((negation(m.recording), before))
    return found | NO if "fresh" in handle else found


def _squashed(row: Operation, first: Operand) -> str:
    if row.name in SQUASHING:
        return row.name
    return first.tensor.probability_op if first.tensor and row.name in KEEPING else ""


def _squashing(node: Site, row: Operation, first: Operand) -> Cause:
    """Where elements became probabilities."""
    before = first.tensor.causes if first.tensor and row.name in KEEPING else ()
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


def _flags(m: Interpreter, requires: Truth, kept: Truth) -> tuple[Truth, Truth]:
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


def _shared(m: Interpreter, node: Site, row: Operation, first: Operand, handle: str, part: str) -> dict[str, Any]:
    """What a result that shares memory takes over from its operand."""
    refs = tuple(ref for ref, _ in m.all(first.value, Tensor))
    storage = first.tensor.storage if first.tensor else ()
    base: Alternatives = ()
    if handle != "alias":
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
    if row.name == "data":
        alone, count = YES, own_count(m.memory(node, part))
    if handle == "view or fresh":
        memory = m.memory(node, part)
        storage, base, count = (*storage, memory), (*base, None), (*(count or (None,)), *own_count(memory))
    return {"storage": storage, "base": base, "alone": alone | NO if "fresh" in handle else alone, "count": count}


def _reasons(m: Interpreter, node: Site, requires: Truth, operands: Sequence[Operand], cut: Cause) -> tuple[Cause, ...]:
    """Where a result comes from: made here, and what `cut` it off the graph if something did."""
    marks = [Cause(CauseKind.MADE, node)]
    known = m.recording is not NO  # gradients that are off keep out what nobody has seen, too
    if requires is NO and any(o.requires_grad.possibly(YES) if known else o.requires_grad.may(YES) for o in operands):
        marks.append(cut)
    if requires is NO and cut.by not in (MODE, IN_VAIN):
        cut_at(m, cut, [o.value for o in operands])
    marks += cuts(m, [o.value for o in operands])[:MOST_CUTS]
    marks += [mark for operand in operands if operand.tensor for mark in _asked(operand.tensor, requires)]
    return tuple(dict.fromkeys(marks))[:MOST_CAUSES]


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
    row, operands, own, hears, part = call.row, call.operands, call.own, call.hears, call.requested.part
    involved = call.involved
    inner = tuple(nodes_of(m, o.value) for o in own)
    seen = (*((None,) if o.name in row.ignores else in_graph(m, o.value) for o in operands), *inner)
    inputs = tuple(map(_as_heard, seen, involved, hears))
    asked = differentiated(
        (o if h is not NO else o._replace(requires_grad=NO) for o, h in zip(involved, hears, strict=True)), inputs
    )
    if own:
        asked["parameters"] = _all_alike(own, inner)
        for saving in row.savings:
            asked.setdefault(saving.condition, UNSURE)  # of a weight that something computes nobody knows
    besides = [Saving(one.name) for one in operands if one.name in row.besides]
    sure = UNSURE if besides else YES
    refs = [*results]
    saves = [slot for saving in (*row.savings, *besides) for slot in saved(m, saving, involved, asked, refs, sure)]
    grown = grows(m, call.site, part, inputs)
    new = Node(row.name, syntax(call.site), inputs, tuple(filter(None, saves)), grows=grown)
    ref = m.new(call.site, f"{part}node", new)
    older = operands[0].tensor.node if operands[0].tensor and _may_be_element(row, operands[0]) else ()
    for result, passes in results.items():
        tensor = m[result]
        nodes: Alternatives = (ref,) if passes and tensor.requires_grad is YES and tensor.leaf is NO else (ref, None)
        m.state.heap[result] = replace(tensor, node=tuple(dict.fromkeys((*nodes, *older))))


def _as_heard(slot: Alternatives, one: Operand, hearing: Truth) -> Alternatives:
    """What an operand is in the graph of an operation that hears of its flag, or does not. A leaf made in inference
    mode is one there if it is heard of."""
    if hearing is NO:
        return (None,)
    leaf = one.tensor is not None and one.tensor.inference is YES and not one.tensor.node
    sure = hearing is YES and leaf and one.requires_grad is YES
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
