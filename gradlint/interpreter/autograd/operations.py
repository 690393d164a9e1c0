"""Operations and factories of torch: arguments are matched to the parameters of a row, which decides the rest."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from operator import or_
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import (
    ANY_DEVICE,
    ANY_DTYPE,
    ANY_PRECISION,
    BOOL,
    COMPLEX,
    FLOAT,
    INTEGER,
    NO,
    UNSURE,
    YES,
    Device,
    Dtypes,
    Precision,
    Truth,
    truth,
)
from gradlint.domain.objects import Array, Container, Tensor
from gradlint.domain.provenance import MOST_CAUSES, Belief, Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, number_kind, one_of, references
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Constant, PlainObject, PythonNumber, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd import layout, shape
from gradlint.interpreter.autograd.casts import to
from gradlint.interpreter.autograd.detach import cut_off
from gradlint.interpreter.autograd.in_place import Write, maybe_written, write
from gradlint.interpreter.autograd.record import apply, compute
from gradlint.interpreter.autograd.requires_grad import Asked, set_requires_grad
from gradlint.interpreter.autograd.results import OperationCall, Requested, looked_up
from gradlint.interpreter.autograd.saved_tensors import saved_in_place
from gradlint.interpreter.autograd.tensor import (
    LETTERS,
    combined,
    data_kind,
    default_device,
    default_precision,
    device_named,
    dtype_named,
    fresh,
    precision_named,
    truth_of,
    unknown_tensor,
)
from gradlint.interpreter.autograd.version_counter import counts_alone, is_shared, own_count
from gradlint.interpreter.engine import cannot_raise
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.iteration import tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import is_opaque
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge.schema import Factory, Operation, Result
from gradlint.knowledge.shapes.element_count import RESIZING


def match(row: Operation, args: Arguments) -> dict[str, Value]:
    """The arguments by the names of the row's parameters."""
    bound = dict(zip((name.lstrip("*") for name in row.parameters), args.positional, strict=False))
    return bound | {_torch_name(row, name): value for name, value in args.keywords.items()}


def _torch_name(row: Operation, name: str) -> str:
    """An argument by the name that torch gives it, be it written as NumPy calls it."""
    known = NUMPY_NAMES.get(name, name)
    return known if name not in row.parameters and known in row.parameters else name


NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
"""What torch takes as well for the names of its own parameters, for all operations."""


def _listed(m: Interpreter, node: Site, row: Operation, args: Arguments) -> Arguments:
    """The arguments with a sequence of operands as one, where they are given one by one (`block_diag(x, y)`)."""
    place = next((n for n, name in enumerate(row.parameters) if name.startswith("*")), None)
    if place is None or len(args.positional) < place + 2 or m.only(args.positional[place], Container) is not None:
        return args
    given = args.positional[place:]
    if not all(m.may_be(value, Tensor) for value in given):
        return args
    listed = tuple_of(m, node, given, "operands")
    return Arguments([*args.positional[:place], listed], args.keywords, args.unknown)


def slots_of(m: Interpreter, row: Operation, bound: dict[str, Value]) -> list[tuple[str, Value]]:
    """The operands of the row with their values, and what takes part besides; a sequence of tensors gives one slot for
    each."""
    slots: list[tuple[str, Value]] = []
    for name in row.operands:
        value = bound.get(name.lstrip("*"))
        if value is None:
            continue
        slots += [(name, one) for one in _sequence(m, value)] if name.startswith("*") else [(name, value)]
    besides = [(name, bound[name]) for name in row.besides if name in bound]
    for name, value in besides:  # what may be a tensor: not where nothing but ignorance says so
        if m.may_be(value, Tensor) or any(type(one) is Unknown and one.reach for one in alternatives(value)):
            slots.append((name, value))
    return slots


def _sequence(m: Interpreter, value: Value) -> list[Value]:
    thing = m.only(value, Container)
    if thing is None:
        return [value]
    found = [element for _, element in thing.items]
    return [*found, thing.rest] if thing.rest != NOTHING or not found else found


def operation_row(m: Interpreter, path: str, args: Arguments) -> Operation | None:
    """The row of an operation; where one spelling has several forms, the arguments decide."""
    if path + " along dim" in m.torch.operations:
        second = args.positional[1] if len(args.positional) > 1 else args.keywords.get("other")
        if second is not None and m.may_be(second, Tensor):
            return m.torch.operations.get(path + " of two")
        if second is not None or "dim" in args.keywords:
            return m.torch.operations[path + " along dim"]
    if path == "torch.where" and len(args.positional) == 1:
        return m.torch.operations["torch.where indices"]
    of_tensors = m.torch.operations.get(path + " of tensors")
    if of_tensors is not None and any(m.may_be(value, Tensor) for value in args.values()):
        return of_tensors
    return m.torch.operations.get(path)


def plain_value(kind: str) -> Value:
    """Return what a call gives that leaves the tensors' world, by the word its row uses."""
    return PLAIN_VALUES.get(kind) or (PlainObject(kind) if kind else UNKNOWN)


def plain_result(m: Interpreter, node: Site, kind: str) -> Value:
    """Return what a call gives by the word its row uses: a new list where it says so."""
    one, _, none = kind.partition(" or ")
    if none:
        return one_of([plain_result(m, node, one), NONE_VALUE])
    if not one.startswith(LIST_OF):
        return plain_value(one)
    element = one.removeprefix(LIST_OF)
    return m.new(node, "list", Container("data" if element == "data" else "list", rest=plain_value(element)))


LIST_OF = "list of "
PLAIN_VALUES: dict[str, Value] = {
    "none": NONE_VALUE,
    "bool": PythonNumber(BOOL),
    "int": PythonNumber(INTEGER),
    "float": PythonNumber(FLOAT),
    "complex": PythonNumber(COMPLEX),
}


def run_operation(m: Interpreter, node: Site, row: Operation, args: Arguments, *, by: str, name: str = "") -> Value:
    """Run an operation of torch on these arguments; it is called as what (`by`), through what `name`."""
    args = _listed(m, node, row, args)
    bound = match(row, args)
    told = shape.told(m, row, bound, args)
    if row.needs and not args.unknown:
        row, bound = _awake(row, bound)
    requested = Requested(_wanted_by(row, bound), scalar=shape.of_call(m, row, bound), told=told)
    operands, _ = looked_up(m, row, slots_of(m, row, bound), dtype=requested.dtype)
    call = OperationCall(node, row, operands, requested=requested, bound=bound)
    cannot_raise.for_operation(m, node, row.name, args.values())
    inplace = call.flag("inplace", NO) if row.inplace_flag else NO
    if row.writes or inplace is YES:
        return _in_place(m, call, by, name)
    if inplace is not NO:
        call = _perhaps_in_place(m, call, by, name)
    if row.bundle == "list" and row.operands[0].startswith("*"):
        return _one_each(m, call)
    result = compute(m, call)
    if bound.get("out", NONE_VALUE) != NONE_VALUE:
        return _into(m, call, bound["out"])
    return with_counts(m, node, result, [truth_of(bound[name]) for name in COUNTS if name in bound])


def _perhaps_in_place(m: Interpreter, call: OperationCall, by: str, name: str) -> OperationCall:
    """The call of an operation that may have written its first operand, and may give it back."""
    maybe_written(m, lambda: _in_place(m, call, by, name))
    row = replace(call.row, results=(perhaps_itself(call.row.results[0]),))
    return replace(call, row=row, operands=looked_up(m, row, call.slots, dtype=call.requested.dtype)[0])


def _wanted_by(row: Operation, bound: dict[str, Value]) -> Dtypes | None:
    """The kind that a call asks of its result; None where it asks for none."""
    if row.complex_if in bound:
        return {YES: COMPLEX, NO: FLOAT}.get(truth_of(bound[row.complex_if]), COMPLEX | FLOAT)
    return wanted_dtype(bound.get("dtype")) if row.takes_dtype else None


def _into(m: Interpreter, call: OperationCall, out: Value) -> Value:
    """The tensor that is handed over as `out`, with the result in it."""
    row = call.row
    this = Write(
        call.site, row.name, "out", [one.value for one in call.operands], differentiable=row.results[0].differentiable
    )
    write(m, out, replace(this, differentiable=False) if row.out_unchecked else this)
    if row.out_unchecked:  # some are recorded all the same: those that consist of others
        maybe_written(m, lambda: write(m, out, this))
    m.update_fields(out, Tensor, **layout.UNKNOWN_LAYOUT)
    return out


def _awake(row: Operation, bound: dict[str, Value]) -> tuple[Operation, dict[str, Value]]:
    """The row and the arguments of an operation that does nothing unless its parameters say so."""
    told = [truth_of(bound[name]) if name in bound else truth(default) for name, default in row.needs]
    if all(one is YES for one in told):
        kind = row.results[0].kind.removeprefix("self or ")
    elif NO in told:
        kind, bound = "self", {name: value for name, value in bound.items() if name != "inplace"}
    else:
        return row, bound
    return replace(row, results=(replace(row.results[0], kind=kind),)), bound


def perhaps_itself(result: Result) -> Result:
    """The result of an operation that may give its operand back."""
    return result if result.kind.startswith("self") else replace(result, kind=f"self or {result.kind}")


COUNTS = ("return_indices", "return_inverse", "return_counts")
"""Parameters that ask for whole numbers beside the result, in the order in which these come."""


def with_counts(m: Interpreter, node: Site, result: Value, asked: Sequence[Truth]) -> Value:
    """The result of an operation, in a tuple with whole numbers for each time that these are asked for."""
    more = [
        fresh(m, node, f"count {index}", dtype=INTEGER, requires_grad=NO, leaf=YES, made="count")
        for index, one in enumerate(asked)
        if one is not NO
    ]
    if not more:
        return result
    if all(one is YES for one in asked if one is not NO):
        return tuple_of(m, node, [result, *more], "counted")
    several = Container("tuple", items=((0, result),), rest=one_of(more))
    return one_of([result, m.new(node, "counted", several)])


def _one_each(m: Interpreter, call: OperationCall) -> Value:
    """A result for each operand of a sequence, from it alone."""
    given = m.only(call.bound.get(call.row.operands[0].lstrip("*"), UNKNOWN), Container)
    alone = replace(call.row, bundle="")
    made = [apply(m, call.site, alone, [slot], Requested(part=f"{n} ")) for n, slot in enumerate(call.slots)]
    if given is not None and given.rest == NOTHING:
        return tuple_of(m, call.site, made, "tuple")
    return m.new(call.site, "list", Container("tuple", rest=one_of(made)))


def _in_place(m: Interpreter, call: OperationCall, by: str, name: str) -> Value:
    """The operand that is written; or what comes back, where that is something else."""
    node, row, slots = call.site, call.row, call.slots
    if by == "function" or not row.writes:
        by, name = "function", first_argument(node)
    writes = call.flag(row.writes_if, YES)
    targets = [(slot, value) for slot, value in slots if slot in row.writes] or slots[:1]
    others = [value for slot, value in slots if slot not in row.writes and slot not in row.ignores]
    # What may give the operand back may leave it alone.
    unsure = writes is not YES or row.results[0].kinds > layout.ITSELF
    inside = m.state.modes
    if row.in_no_grad:
        m.state.grad_mode = NO
    for slot, target in targets if writes is not NO else ():
        if m.may_be(target, Tensor) or any(type(option) is Unknown for option in alternatives(target)):
            saves = saved_in_place(m, row.savings, slots, target, slot)
            recorded = row.records_write(slot)
            this = Write(node, row.name, by, others, name, recorded, checked=not row.unchecked, saves=saves)
            m.maybe(partial(write, m, target, this), unsure)
            if row.name in RESIZING:
                m.update_fields(target, Tensor, **{name: layout.UNKNOWN_LAYOUT[name] for name in RESIZING[row.name]})
    result = targets[0][1] if targets else UNKNOWN
    if row.writes and row.results[0].kinds != layout.ITSELF:  # what is written is not what comes back
        result = apply(m, node, row, slots)
    m.state.modes = inside
    return result


def first_argument(node: Site) -> str:
    """How the program writes the first thing that is handed to a call."""
    call = syntax(node)
    handed = call.args[0] if type(call) is cst.Call and call.args else None
    return spelled(handed.value) if handed is not None and handed.keyword is None else ""


def wanted_dtype(value: Value | None) -> Dtypes | None:
    """The kind that a `dtype=` argument asks for; None where it is not given."""
    if value is None or value == NONE_VALUE:
        return None
    return dtype_named(value) or ANY_DTYPE


# ---- factories

AS_TO = frozenset({"dtype", "device"})
"""What factories are asked for beside the data, and `to` as well."""
DATA = frozenset({"data", "obj", "ndarray", "fill_value", "s"})
"""The parameters of factories that say what the elements are."""


def _of_tensor(m: Interpreter, node: Site, row: Factory, bound: dict[str, Value], shared: Value) -> Value:
    """Return what a factory gives that takes the tensor it is handed as it is, unless something else is asked for."""
    asked = {name: value for name, value in bound.items() if name != row.shares and value != NONE_VALUE}
    if not asked:
        return shared
    if asked.keys() <= AS_TO and row.name == "as_tensor":
        return to(m, node, shared, Arguments([], asked), "")
    for ref, tensor in m.all(shared, Tensor) if "requires_grad" in asked else ():
        m.store_exact(ref, replace(tensor, requires_grad=tensor.requires_grad | UNSURE))  # a leaf is asked itself
    return unknown_tensor(m, node, "made", Belief.PROVEN, references(shared))


def _not_refused(row: Factory) -> Dtypes:
    """The kinds of tensors that a factory takes as they are."""
    return reduce(or_, [kind for letter, kind in LETTERS.items() if letter not in row.refuses])


def _filled(m: Interpreter, node: Site, row: Factory, out: Value, wants: Truth) -> Value:
    """A factory fills a tensor that is there, and a leaf then requires grad as the factory is told."""
    write(m, out, Write(node, row.name, "out", differentiable=False))
    m.update_fields(out, Tensor, **layout.UNKNOWN_LAYOUT)
    found = m.all(out, Tensor)
    sure = m.is_strong(found)
    for ref, tensor in found:
        if tensor.leaf.may(YES):
            now = wants if tensor.leaf is YES else tensor.requires_grad | wants
            m.store(ref, replace(tensor, requires_grad=now), sure=sure)
    return out


def run_factory(m: Interpreter, node: Site, row: Factory, args: Arguments, *, like: Value | None = None) -> Value:
    """A factory of torch makes a new leaf."""
    names = [name.lstrip("*") for name in row.parameters[like is not None :]]
    bound = dict(zip(names, args.positional, strict=False)) | args.keywords
    first = like if like is not None else next(iter([*args.positional, *args.keywords.values()]), None)
    shared = bound.get(row.shares) if row.shares else None
    given = m.only(shared, Tensor) if shared is not None else None
    dtype = (wanted_dtype(bound.get("dtype")) if row.takes_dtype else None) or factory_dtype(m, row, bound, args, first)
    if given is not None and shared is not None and not row.keeps:
        return _of_tensor(m, node, row, bound, shared)
    perhaps = () if given is not None or shared is None or row.keeps else tuple(ref for ref, _ in m.all(shared, Tensor))
    facts: dict[str, Any] = {"dtype": dtype, "made": row.name, "precision": _precision(m, row, bound, args, first),
                             "device": _device(m, row, bound, args, first, of_tensor=like is not None)}  # fmt: skip
    facts |= _taken_over(m, node, row, bound, perhaps=bool(perhaps))
    if args.unknown and row.takes_dtype:
        facts["dtype"] = facts["dtype"] | ANY_DTYPE
    if cut := cut_off(m, node, row.name, [bound[name] for name in DATA.intersection(bound)]):
        facts["causes"] = (Cause(CauseKind.MADE, node), *cut)[:MOST_CAUSES]
    elif row.dtype == "bounds" and dtype.is_unsure and not args.unknown and _counts(m, bound):
        facts["causes"] = (Cause(CauseKind.MADE, node), Cause(CauseKind.COUNTED, node))
    if not args.unknown:
        facts |= shape.of_factory(m, row, bound, args.positional) | {"contiguous": layout.of_factory(m, row, bound)}
    out = bound.get("out", NONE_VALUE)
    if out != NONE_VALUE:
        return _filled(m, node, row, out, truth_of(bound.get("requires_grad", Constant(False))))
    made = fresh(m, node, **facts)
    m.emit(events.Recorded, node, op=row.name, operands=(), result=m[made], saved=(), grows=NO)
    wants = bound.get("requires_grad")
    if wants is not None and row.takes_requires_grad:
        set_requires_grad(m, made, Asked(node, truth_of(wants), "factory"))
    elif args.unknown and row.takes_requires_grad:
        m.update_fields(made, Tensor, requires_grad=Truth.unsure())
    return one_of((made, *perhaps))  # of a tensor among what it may be given it may be that very one


def _counts(m: Interpreter, bound: dict[str, Value]) -> bool:
    """Whether all bounds but one that nobody shows are most likely whole numbers."""
    given = [bound[name] for name in BOUNDS if bound.get(name, NONE_VALUE) != NONE_VALUE]
    others = [one for one in given if not getattr(one, "whole", False) and not (number_kind(one) or FLOAT) <= INTEGER]
    return not others or (len(others) == 1 and is_opaque(m.thing(others[0])))


BOUNDS = ("start", "end", "step")


def _taken_over(m: Interpreter, node: Site, row: Factory, bound: dict[str, Value], *, perhaps: bool) -> dict[str, Any]:
    """Return what the result of a factory has of what it is given: memory, and whether it requires grad; `perhaps` that
    is a tensor and comes back as it is."""
    facts: dict[str, Any] = {}
    shared = bound.get(row.shares, NONE_VALUE) if row.shares else NONE_VALUE
    given, array = m.only(shared, Tensor), m.only(shared, Array)
    if given is not None and row.keeps:
        facts |= {name: getattr(given, name) for name in ("storage", "count", "requires_grad", "inference")}
        facts["alone"] = counts_alone(given)
    elif row.keeps and shared != NONE_VALUE:
        facts |= {"requires_grad": UNSURE, "inference": UNSURE}
    elif perhaps or (row.follows and any(type(o) is Unknown for value in bound.values() for o in alternatives(value))):
        facts |= {"requires_grad": UNSURE, "leaf": UNSURE, "precision": ANY_PRECISION}
        if row.dtype == "default" and wanted_dtype(bound.get("dtype")) is None:
            facts["dtype"] = _not_refused(row)
    if array is not None and array.storage:
        facts |= {"storage": array.storage, "alone": truth(is_shared(m, array.storage))}
        facts["count"] = own_count(m.memory(node, "tensor"))
    return facts


def _precision(
    m: Interpreter, row: Factory, bound: dict[str, Value], args: Arguments, first: Value | None
) -> Precision:
    """The precision of what a factory makes."""
    wanted = bound.get("dtype") if row.takes_dtype else None
    if args.unknown or (wanted is not None and wanted != NONE_VALUE):
        return ANY_PRECISION if args.unknown else precision_named(wanted)
    if row.dtype == "default":
        return default_precision(m)
    tensor = m.only(first, Tensor) if first is not None else None
    if tensor is not None and row.dtype in ("data", "like"):
        return tensor.precision
    return default_precision(m) if row.dtype == "data" and _is_literal(m, first) else ANY_PRECISION


def _device(
    m: Interpreter, row: Factory, bound: dict[str, Value], args: Arguments, first: Value | None, *, of_tensor: bool
) -> Device:
    """The device on which a factory makes something."""
    wanted = bound.get("device")
    if args.unknown or (wanted is not None and wanted != NONE_VALUE):
        return ANY_DEVICE if args.unknown else device_named(wanted)
    if first is None or not (of_tensor or row.dtype in ("data", "like")):
        return default_device(m)
    tensor = m.only(first, Tensor)
    if tensor is not None:
        return tensor.device
    return default_device(m) if not of_tensor and _is_literal(m, first) else ANY_DEVICE


def _is_literal(m: Interpreter, value: Value | None, depth: int = 4) -> bool:
    """Whether data is made of Python's own constants: numbers of NumPy bring their dtype with them."""
    thing = m.state.heap.get(value) if type(value) is Ref else None
    if type(thing) is Container:
        inside = [inner for _, inner in thing.items]
        return depth > 0 and thing.rest == NOTHING and all(_is_literal(m, inner, depth - 1) for inner in inside)
    return type(value) is Constant


def factory_dtype(
    m: Interpreter, row: Factory, bound: dict[str, Value], args: Arguments, first: Value | None
) -> Dtypes:
    """The kind of elements a factory makes when no `dtype=` is given."""
    kind = row.dtype
    if kind == "like values":
        return data_kind(m, bound["values"]) if "values" in bound else ANY_DTYPE
    if kind == "dtype":
        return wanted_dtype(bound.get("dtype")) or FLOAT
    if kind in LETTERS:
        return LETTERS[kind]
    if kind == "default":
        return FLOAT
    if kind == "like":
        return data_kind(m, first) if first is not None else ANY_DTYPE
    if kind == "data":
        return data_kind(m, first) if first is not None else FLOAT
    if kind == "fill":
        fill = bound.get("fill_value")
        return data_kind(m, fill) if fill is not None else ANY_DTYPE
    numbers = [value for key, value in bound.items() if key in row.parameters or key in BOUNDS]
    numbers = [value for value in numbers if value != NONE_VALUE]
    return combined("promote", [data_kind(m, number) for number in numbers]) if numbers else ANY_DTYPE
