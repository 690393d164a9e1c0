"""Factories of torch: they make new leaves, of data or of sizes, or take what they are given as it is."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any

from gradlint import events
from gradlint.domain.facts import (
    ANY_DEVICE,
    ANY_DTYPE,
    ANY_PRECISION,
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
from gradlint.domain.provenance import MOST_CAUSES, AskKind, Belief, Cause, CauseKind, CutKind, WriteKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, number_kind, one_of, references, truth_of
from gradlint.domain.values import NONE_VALUE, NOTHING, Constant, PythonNumber, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd import shape
from gradlint.interpreter.autograd.casts import to
from gradlint.interpreter.autograd.detach import cut_off
from gradlint.interpreter.autograd.in_place import Write, write
from gradlint.interpreter.autograd.operations import wanted_dtype
from gradlint.interpreter.autograd.requires_grad import Asked, set_requires_grad
from gradlint.interpreter.autograd.results import LETTERS, UNKNOWN_LAYOUT, combined
from gradlint.interpreter.autograd.tensor import (
    data_kind,
    default_device,
    default_precision,
    device_named,
    fresh,
    own_count,
    precision_named,
    unknown_tensor,
)
from gradlint.interpreter.autograd.version_counter import counts_alone, is_shared
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import is_opaque
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.schema import Factory
from gradlint.knowledge.shapes.memory_format import IN_ORDER

AS_TO = frozenset({"dtype", "device"})
"""The arguments of factories besides the data that `to` has as well."""
DATA = frozenset({"data", "obj", "ndarray", "fill_value", "s"})
"""The parameters of factories that say what the elements are."""


def _of_tensor(m: Interpreter, node: Site, row: Factory, bound: dict[str, Value], shared: Value) -> Value:
    """Return the result of a factory that takes its tensor as it is, unless the arguments ask for something else."""
    asked = {name: value for name, value in bound.items() if name != row.shares and value != NONE_VALUE}
    if not asked:
        return shared
    if asked.keys() <= AS_TO and row.name == "as_tensor":
        return to(m, node, shared, Arguments([], asked), "")
    for ref, tensor in m.all(shared, Tensor) if "requires_grad" in asked else ():
        m.store_exact(ref, replace(tensor, requires_grad=tensor.requires_grad | UNSURE))  # the flag of a leaf is set
    return unknown_tensor(m, node, "made", Belief.PROVEN, references(shared))


def _not_refused(row: Factory) -> Dtypes:
    """The kinds of tensors that a factory takes as they are."""
    return reduce(or_, [kind for letter, kind in LETTERS.items() if letter not in row.refuses])


def _filled(m: Interpreter, node: Site, row: Factory, out: Value, wants: Truth) -> Value:
    """A factory fills a tensor that is there, and a leaf then requires grad as the factory's argument says."""
    write(m, out, Write(node, row.name, WriteKind.OUT, differentiable=False))
    m.update_fields(out, Tensor, **UNKNOWN_LAYOUT)
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
    dtype = (wanted_dtype(bound.get("dtype")) if row.takes_dtype else None) or factory_dtype(m, row, bound, first)
    if given is not None and shared is not None and not row.keeps:
        return _of_tensor(m, node, row, bound, shared)
    perhaps = () if given is not None or shared is None or row.keeps else tuple(ref for ref, _ in m.all(shared, Tensor))
    facts: dict[str, Any] = {"dtype": dtype, "made": row.name, "precision": _precision(m, row, bound, args, first),
                             "device": _device(m, row, bound, args, first, of_tensor=like is not None)}  # fmt: skip
    facts |= _taken_over(m, node, row, bound, perhaps=bool(perhaps))
    if args.unknown and row.takes_dtype:
        facts["dtype"] = facts["dtype"] | ANY_DTYPE
    data = [bound[name] for name in DATA.intersection(bound)]
    if cut := cut_off(m, node, row.name, data, CutKind.COPIED):
        facts["causes"] = (Cause(CauseKind.MADE, node), *cut)[:MOST_CAUSES]
    elif row.dtype == "bounds" and dtype.is_unsure and not args.unknown and _counts(m, bound):
        facts["causes"] = (Cause(CauseKind.MADE, node), Cause(CauseKind.COUNTED, node))
    if not args.unknown:
        facts |= shape.of_factory(m, row, bound, args.positional) | {"contiguous": _contiguous(m, row, bound)}
    out = bound.get("out", NONE_VALUE)
    if out != NONE_VALUE:
        return _filled(m, node, row, out, truth_of(bound.get("requires_grad", Constant(False))))
    made = fresh(m, node, **facts)
    m.emit(events.Recorded, node, op=row.name, operands=(), result=m[made], saved=(), grows=NO)
    wants = bound.get("requires_grad")
    if wants is not None and row.takes_requires_grad:
        set_requires_grad(m, made, Asked(node, truth_of(wants), AskKind.FACTORY))
    elif args.unknown and row.takes_requires_grad:
        m.update_fields(made, Tensor, requires_grad=Truth.unsure())
    return one_of((made, *perhaps))  # of a tensor among what it may be given it may be that very one


def _counts(m: Interpreter, bound: dict[str, Value]) -> bool:
    """Return whether all bounds but one that nobody shows are most likely whole numbers."""
    given = [bound[name] for name in BOUNDS if bound.get(name, NONE_VALUE) != NONE_VALUE]
    others = [one for one in given if not getattr(one, "whole", False) and not (number_kind(one) or FLOAT) <= INTEGER]
    return not others or (len(others) == 1 and is_opaque(m.thing(others[0])))


BOUNDS = ("start", "end", "step")


def _taken_over(m: Interpreter, node: Site, row: Factory, bound: dict[str, Value], *, perhaps: bool) -> dict[str, Any]:
    """Return the facts of a factory's result from its argument: memory, and whether it requires grad; `perhaps` that is
    a tensor and comes back as it is."""
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
    """Return whether data is made of Python's own constants: numbers of NumPy bring their dtype with them."""
    thing = m.state.heap.get(value) if type(value) is Ref else None
    if type(thing) is Container:
        inside = [inner for _, inner in thing.items]
        return depth > 0 and thing.rest == NOTHING and all(_is_literal(m, inner, depth - 1) for inner in inside)
    return type(value) is Constant


def factory_dtype(m: Interpreter, row: Factory, bound: dict[str, Value], first: Value | None) -> Dtypes:
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


def _contiguous(m: Interpreter, row: Factory, bound: Mapping[str, Value]) -> Truth:
    """Return whether a new tensor is contiguous: it is made of numbers, or like one that is."""
    if bound.keys() & {"memory_format", "layout"}:
        return UNSURE
    if row.name.endswith("_like"):
        like = m.only(bound.get("input", NONE_VALUE), Tensor)
        return YES if like is not None and not like.may_be_structured and like.contiguous is YES else UNSURE
    data = bound.get("data", NONE_VALUE)
    listed = type(data) in (Constant, PythonNumber) or m.only(data, Container) is not None
    return YES if row.name in IN_ORDER and listed else UNSURE
