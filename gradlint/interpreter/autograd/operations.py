"""Operations and factories of torch: arguments are matched to the parameters of a row, which decides the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import libcst as cst

from gradlint.domain.facts import (
    ANY_DTYPE,
    BOOL,
    COMPLEX,
    FLOAT,
    INTEGER,
    NO,
    UNSURE,
    YES,
    Dtypes,
    Truth,
    truth,
)
from gradlint.domain.objects import Container, Tensor
from gradlint.domain.provenance import WriteKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of, truth_of
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Constant, PlainObject, PythonNumber, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.compute import apply, compute
from gradlint.interpreter.autograd.in_place import Write, maybe_written, write
from gradlint.interpreter.autograd.operands import looked_up
from gradlint.interpreter.autograd.record import saved_in_place
from gradlint.interpreter.autograd.results import ITSELF, UNKNOWN_LAYOUT, OperationCall, Requested
from gradlint.interpreter.autograd.tensor import (
    dtype_named,
    fresh,
)
from gradlint.interpreter.engine import cannot_raise
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.iteration import tuple_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge.schema import Operation, Result
from gradlint.knowledge.shapes import UNTOLD, Size, Told
from gradlint.knowledge.shapes.element_count import BY_ROW, CTC, REDUCING, REDUCTIONS, RESIZING


def match(row: Operation, args: Arguments) -> dict[str, Value]:
    """The arguments by the names of the row's parameters."""
    bound = dict(zip((name.lstrip("*") for name in row.parameters), args.positional, strict=False))
    return bound | {_torch_name(row, name): value for name, value in args.keywords.items()}


def _torch_name(row: Operation, name: str) -> str:
    """An argument by the name that torch gives it, be it written as NumPy calls it."""
    known = NUMPY_NAMES.get(name, name)
    return known if name not in row.parameters and known in row.parameters else name


NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
"""The names that torch takes as well for the names of its own parameters, for all operations."""


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


def told_by_call(m: Interpreter, row: Operation, bound: Mapping[str, Value], args: Arguments) -> Told:
    """The constants that a call is given."""
    names = frozenset(name.lstrip("*") for name in row.parameters)
    more = args.unknown or len(args.positional) > len(row.parameters) or not names.issuperset(bound.keys() - BESIDE)
    by_name = {name: constant(m, value) for name, value in bound.items() if name not in row.operands}
    if "key" in by_name and (picked := m.only(bound["key"], Container)) is not None and picked.kind == "list":
        by_name["key"] = UNTOLD  # a list is one index, not one for each dimension
    listed = tuple(constant(m, value) for value in args.positional[1:])
    sequences = [bound.get(name.lstrip("*"), NONE_VALUE) for name in row.operands if name.startswith("*")]
    hidden = args.unknown or any(_is_open(m, value) for value in sequences)
    return Told(by_name, listed, names, more, hidden)


def _is_open(m: Interpreter, value: Value) -> bool:
    """Return whether a sequence of operands may hold others than are known."""
    listed = m.only(value, Container)
    return listed is None or listed.rest != NOTHING


BESIDE = frozenset({"dtype", "out", "device", "layout", "generator", "name"})
"""Arguments that change no size."""


def _is_scalar(m: Interpreter, row: Operation, bound: Mapping[str, Value]) -> Truth:
    """Return whether what an operation gives is one element, as far as its arguments say."""
    if row.name in REDUCING:
        return YES if "dim" not in bound else UNSURE
    if "reduction" not in row.parameters or bound.keys() & {"size_average", "reduce"}:
        return UNSURE
    operands = [bound[name] for name in row.operands if name in bound]
    return reduced(m, row.name, bound.get("reduction", Constant("mean")), operands)


def reduced(m: Interpreter, loss: str, reduction: Value, given: Sequence[Value]) -> Truth:
    """Return whether a loss with this `reduction=` is one element; without one it has as many as what it is given has
    elements or rows. Where nothing is known of that, it is taken to have several."""
    is_one = REDUCTIONS.get(reduction.value) if type(reduction) is Constant and type(reduction.value) is str else None
    if is_one is not False:
        return UNSURE if is_one is None else YES
    tensors = [tensor for value in given if (tensor := m.only(value, Tensor)) is not None]
    if loss in CTC:
        return UNSURE
    if loss in BY_ROW:
        return _of_rows(tensors[0].size if tensors else None)
    told = [tensor.scalar for tensor in tensors]
    return NO if NO in told or YES not in told else YES if set(told) == {YES} else UNSURE


def _of_rows(size: Size | None) -> Truth:
    """Return whether there is but one row; of more than two dimensions any may hold the rows."""
    if size is None or (len(size) == 2 and size[0] > 1):
        return NO
    return UNSURE if len(size) > 2 else YES


MOST_NESTED = 4
"""The depth to which lists in lists are looked into."""


def constant(m: Interpreter, value: Value, depth: int = MOST_NESTED) -> object:
    """A constant, or a tuple of some."""
    if type(value) is Constant:
        return value.value
    listed = m.only(value, Container) if type(value) is Ref and depth else None
    if listed is None or listed.rest != NOTHING or listed.kind not in ("tuple", "list"):
        return UNTOLD
    inside = tuple(constant(m, one, depth - 1) for _, one in listed.items)
    return UNTOLD if UNTOLD in inside else inside


def slots_of(m: Interpreter, row: Operation, bound: dict[str, Value]) -> list[tuple[str, Value]]:
    """The operands of the row with their values, and what takes part besides; a sequence of tensors gives a slot for
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
    """Return the result of a call that leaves the tensors' world, by the word its row uses."""
    return PLAIN_VALUES.get(kind) or (PlainObject(kind) if kind else UNKNOWN)


def plain_result(m: Interpreter, node: Site, kind: str) -> Value:
    """Return the result of a call by the word its row uses: a new list where it says so."""
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


def run_named(m: Interpreter, node: Site, path: str, args: Arguments, *, by: WriteKind, name: str) -> Value | None:
    """Run torch's operation at a path, called as what (`by`), through what `name`; None for what is no operation."""
    row = operation_row(m, path, args)
    return None if row is None else run_operation(m, node, row, args, by=by, name=name)


def run_operation(
    m: Interpreter, node: Site, row: Operation, args: Arguments, *, by: WriteKind, name: str = ""
) -> Value:
    """Run an operation of torch on these arguments; it is called as what (`by`), through what `name`."""
    args = _listed(m, node, row, args)
    bound = match(row, args)
    told = told_by_call(m, row, bound, args)
    if row.needs and not args.unknown:
        row, bound = _awake(row, bound)
    requested = Requested(_wanted_by(row, bound), scalar=_is_scalar(m, row, bound), told=told)
    operands, _ = looked_up(m, row, slots_of(m, row, bound), dtype=requested.dtype)
    call = OperationCall(node, row, operands, requested=requested, bound=bound)
    if m.known_not_to_raise is not None:
        cannot_raise.for_operation(m, node, row.name, args.values())
    inplace = call.flag("inplace", NO) if row.inplace_flag else NO
    if row.writes or inplace is YES:
        return _in_place(m, call, by, name)
    if inplace is not NO:
        call = _perhaps_in_place(m, call, by, name)
    if row.bundle == "list" and row.operands[0].startswith("*"):
        return _one_each(m, call)
    if bound.get("out", NONE_VALUE) != NONE_VALUE:
        return _into(m, call, bound["out"])
    if counts := [truth_of(bound[name]) for name in COUNTS if name in bound]:
        return with_counts(m, node, compute(m, call), counts)
    return compute(m, call)


def _perhaps_in_place(m: Interpreter, call: OperationCall, by: WriteKind, name: str) -> OperationCall:
    """The call of an operation that may have written its first operand, and may give it back."""
    maybe_written(m, lambda: _in_place(m, call, by, name))
    row = replace(call.row, results=(perhaps_itself(call.row.results[0]),))
    return replace(call, row=row, operands=looked_up(m, row, call.slots, dtype=call.requested.dtype)[0])


def _wanted_by(row: Operation, bound: dict[str, Value]) -> Dtypes | None:
    """The dtype argument of a call, as a kind; None where it has none."""
    if row.complex_if in bound:
        return {YES: COMPLEX, NO: FLOAT}.get(truth_of(bound[row.complex_if]), COMPLEX | FLOAT)
    return wanted_dtype(bound.get("dtype")) if row.takes_dtype else None


def _into(m: Interpreter, call: OperationCall, out: Value) -> Value:
    """The tensor that is passed in as `out`, with the result in it."""
    compute(m, call)
    row = call.row
    this = Write(
        call.site,
        row.name,
        WriteKind.OUT,
        [one.value for one in call.operands],
        differentiable=row.results[0].differentiable,
    )
    write(m, out, replace(this, differentiable=False) if row.out_unchecked else this)
    if row.out_unchecked:  # some are recorded all the same: those that consist of others
        maybe_written(m, lambda: write(m, out, this))
    m.update_fields(out, Tensor, **UNKNOWN_LAYOUT)
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
"""Parameters that add integers to the result, in the order in which these come."""


def with_counts(m: Interpreter, node: Site, result: Value, asked: Sequence[Truth]) -> Value:
    """The result of an operation, in a tuple with integers for each of these that is true."""
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


def _in_place(m: Interpreter, call: OperationCall, by: WriteKind, name: str) -> Value:
    """The operand that is written; or what comes back, where that is something else."""
    node, row, slots = call.site, call.row, call.slots
    if by is WriteKind.FUNCTION or not row.writes:
        by, name = WriteKind.FUNCTION, first_argument(node)
    writes = call.flag(row.writes_if, YES)
    targets = [(slot, value) for slot, value in slots if slot in row.writes] or slots[:1]
    others = [value for slot, value in slots if slot not in row.writes and slot not in row.ignores]
    # What may give the operand back may leave it alone.
    unsure = writes is not YES or row.results[0].kinds > ITSELF
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
                m.update_fields(target, Tensor, **{name: UNKNOWN_LAYOUT[name] for name in RESIZING[row.name]})
    result = targets[0][1] if targets else UNKNOWN
    if row.writes and row.results[0].kinds != ITSELF:  # what is written is not what comes back
        result = apply(m, node, row, slots)
    m.state.modes = inside
    return result


def first_argument(node: Site) -> str:
    """Return the spelling of a call's first argument."""
    call = syntax(node)
    handed = call.args[0] if type(call) is cst.Call and call.args else None
    return spelled(handed.value) if handed is not None and handed.keyword is None else ""


def wanted_dtype(value: Value | None) -> Dtypes | None:
    """The kind of a `dtype=` argument; None where it is not given."""
    if value is None or value == NONE_VALUE:
        return None
    return dtype_named(value) or ANY_DTYPE
