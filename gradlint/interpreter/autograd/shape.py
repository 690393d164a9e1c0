"""Sizes: how large a tensor is in each dimension, or else whether it has one element, and at most two dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from gradlint.domain.facts import NO, UNSURE, YES, Truth, truth
from gradlint.domain.fields import Aspect, unknown
from gradlint.domain.objects import Container, Module, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Constant, ImportPath, Places, PythonNumber, Value
from gradlint.interpreter.autograd.operands import Operand
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.knowledge.schema import Factory, ModuleRow, Operation
from gradlint.knowledge.shapes import (
    NOT_SEEN,
    REMEMBERED,
    STEPPED,
    UNTOLD,
    Asked,
    Size,
    Told,
    of_parameter,
    of_steps,
    size_of,
    whole,
)
from gradlint.knowledge.shapes.element_count import (
    ARRANGING,
    BY_ROW,
    CTC,
    ELEMENTWISE,
    FLATTENING,
    FOLLOWING,
    GROWING,
    MOST_PLANAR,
    NOT_DEEPER,
    PLANAR_LAYERS,
    REDUCING,
    REDUCTIONS,
    SPREADING,
)

UNKNOWN_SIZES = unknown(Tensor, Aspect.SIZE)
"""What is known of a tensor's sizes where nothing is."""

MOST_NESTED = 4
"""How deep lists in lists are looked into."""
KEEPING = ELEMENTWISE | ARRANGING
FIRST = FOLLOWING | GROWING
ADDING = GROWING | SPREADING


def measured(size: Size) -> dict[str, Any]:
    """All that is known of a tensor's sizes, by this one."""
    return {"size": size, "scalar": truth(prod(size) == 1), "planar": truth(len(size) <= MOST_PLANAR)}


def of_results(row: Operation, operands: Sequence[Operand], own: Sequence[Operand], told: Told) -> list[dict[str, Any]]:
    """Return what is known of the sizes of each of an operation's results; `own` are the parameters of a layer."""
    if any(one.name in row.besides and one.tensor is not None and one.tensor.scalar is not YES for one in operands):
        return [UNKNOWN_SIZES] * len(row.results)  # what hardly ever is a tensor may make more of the others
    given = [_size(one) for one in operands if one.dtype is not None]
    sizes = size_of(row.name, Asked(given, told, {one.name: _size(one) for one in own}), len(row.results))
    if all(size is not None for size in sizes):
        return [measured(size) for size in sizes if size is not None]
    known = {"planar": _planar(row, operands), "scalar": _scalar(row, operands)}
    return [known if size is None else measured(size) for size in sizes]


def _size(one: Operand) -> Size | None:
    """The size of an operand; a number has no dimensions."""
    if one.tensor is None:
        return () if one.known else None
    return None if one.tensor.may_be_structured else one.tensor.size


def told(m: Interpreter, row: Operation, bound: Mapping[str, Value], args: Arguments) -> Told:
    """The constants that a call is given."""
    names = frozenset(name.lstrip("*") for name in row.parameters)
    more = len(args.positional) > len(row.parameters) or not names.issuperset(bound.keys() - BESIDE)
    by_name = {name: _constant(m, value) for name, value in bound.items() if name not in row.operands}
    listed = tuple(_constant(m, value) for value in args.positional[1:])
    sequences = [bound.get(name.lstrip("*"), NONE_VALUE) for name in row.operands if name.startswith("*")]
    hidden = args.unknown or any(_is_open(m, value) for value in sequences)
    return Told(by_name, listed, names, more, hidden)


def _is_open(m: Interpreter, value: Value) -> bool:
    """Whether a sequence of operands may hold others than are known."""
    listed = m.only(value, Container)
    return listed is None or listed.rest != NOTHING


def told_by(m: Interpreter, layer: Module, name: str) -> Told:
    """The constants that a layer of this name was made with and that say what it makes of sizes."""
    held = dict(layer.attributes)
    asked = REMEMBERED.get(name)
    return NOT_SEEN if asked is None else Told({one: _constant(m, held.get(one, UNKNOWN)) for one in asked})


def told_key(m: Interpreter, index: Value) -> Told:
    """Return what stands between the brackets, where it is constant."""
    key = _constant(m, index)
    return Told({"key": tuple([one.value for one in key.parts]) if type(key) is Places else key})


BESIDE = frozenset({"dtype", "out", "device", "layout", "generator", "name"})
"""Arguments that change no size."""


def _constant(m: Interpreter, value: Value, depth: int = MOST_NESTED) -> object:
    """A constant, or a tuple of some."""
    if type(value) is Constant:
        return value.value
    listed = m.only(value, Container) if type(value) is Ref and depth else None
    if listed is None or listed.rest != NOTHING or listed.kind not in ("tuple", "list"):
        return UNTOLD
    inside = tuple(_constant(m, one, depth - 1) for _, one in listed.items)
    return UNTOLD if UNTOLD in inside else inside


def _scalar(row: Operation, operands: Sequence[Operand]) -> Truth:
    """Whether what an operation gives that keeps the number of elements, or adds some, is one: as its operands are."""
    if row.name in FIRST:
        operands = operands[:1]
    elif row.name not in KEEPING and row.name not in SPREADING:
        return UNSURE
    told = [UNSURE if one.tensor is None else one.tensor.scalar for one in operands if one.tensor or not one.known]
    if NO in told:
        return NO
    return YES if told and row.name not in ADDING and all(one is YES for one in told) else UNSURE


def of_call(m: Interpreter, row: Operation, bound: Mapping[str, Value]) -> Truth:
    """Whether what an operation gives is one element, as far as its arguments say."""
    if row.name in REDUCING:
        return YES if "dim" not in bound else UNSURE
    if "reduction" not in row.parameters or bound.keys() & {"size_average", "reduce"}:
        return UNSURE
    operands = [bound[name] for name in row.operands if name in bound]
    return reduced(m, row.name, bound.get("reduction", Constant("mean")), operands)


def reduced(m: Interpreter, loss: str, reduction: Value, given: Sequence[Value]) -> Truth:
    """Whether a loss with this `reduction=` is one element; without one it has as many as what it is given has elements
    or rows. Where nothing is known of that, it is taken to have several."""
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
    """Whether there is but one row; of more than two dimensions any may hold the rows."""
    if size is None or (len(size) == 2 and size[0] > 1):
        return NO
    return UNSURE if len(size) > 2 else YES


def of_factory(m: Interpreter, row: Factory, bound: Mapping[str, Value], positional: list[Value]) -> dict[str, Any]:
    """Return what is known of the sizes of a new tensor, by literal sizes or data, or by what it is to be like."""
    size = _made(m, row, bound, positional)
    if size is not None:
        return measured(size)
    if (like := _model(m, row, bound)) is not None:
        return {"scalar": like.scalar, "planar": like.planar}
    data = bound.get("data")
    if data is None or len(positional) > len(row.parameters):  # `FloatTensor(2, n, 4)` is given sizes
        return {}
    listed = m.only(data, Container)
    several = listed is not None and listed.rest == NOTHING and len(listed.items) > 1
    return ({"scalar": NO} if several else {}) | ({"planar": YES} if _is_planar(m, data, MOST_PLANAR) else {})


def _model(m: Interpreter, row: Factory, bound: Mapping[str, Value]) -> Tensor | None:
    """The tensor that a new one is as large as."""
    name = "input" if row.name.endswith("_like") else row.shares if row.keeps else ""
    return m.only(bound[name], Tensor) if name in bound else None


def _made(m: Interpreter, row: Factory, bound: Mapping[str, Value], positional: list[Value]) -> Size | None:
    """The size of a new tensor, where it is known."""
    if (like := _model(m, row, bound)) is not None:
        return None if like.may_be_structured else like.size
    if "size" in row.parameters:
        return _by_numbers(m, _sizes(m, row, bound, positional))
    if row.name in STEPPED:
        return of_steps(row.name, {name: _constant(m, value) for name, value in bound.items()})
    data = next((bound[name] for name in DATA if name in row.parameters and name in bound), None)
    if data is not None and m.only(data, Container) is None and row.name[0].isupper():
        return _by_numbers(m, positional)  # `Tensor(3)` has three
    if data is not None:
        return _of_data(m, data)
    counts = COUNTED.get(row.name, ())
    told = [_constant(m, bound.get(name, NONE_VALUE)) for name in counts]
    return whole([one if one is not None else told[0] for one in told])


DATA = ("data", "obj", "s")
"""The parameters of factories that are the elements, or a tensor that has them."""


def _sizes(m: Interpreter, row: Factory, bound: Mapping[str, Value], positional: list[Value]) -> Sequence[Value]:
    """Return what says how large a new tensor is: one after the other where nothing else can be given."""
    names = [name for name in row.parameters if name != "input"]
    if names == ["size"]:
        return positional or [bound.get("size", NONE_VALUE)]
    if names[0] == "size":
        return [bound["size"]] if "size" in bound else ()
    last = bound.get("size", positional[-1] if positional else NONE_VALUE)  # `randint(high, size)`
    return [last] if m.only(last, Container) is not None else ()


WINDOWS = ("hann_window", "hamming_window", "blackman_window", "bartlett_window", "kaiser_window")
COUNTED = {
    "eye": ("n", "m"),
    "linspace": ("steps",),
    "logspace": ("steps",),
    "randperm": ("n",),
    **dict.fromkeys(WINDOWS, ("window_length",)),
}
"""The parameters that say how large a new tensor is, by the factory's name; a later one may be left out."""


def _by_numbers(m: Interpreter, given: Sequence[Value]) -> Size | None:
    """The size that these say: numbers, or a tuple of them."""
    found = [_constant(m, one) for one in given]
    several = found[0] if len(found) == 1 and isinstance(found[0], tuple) else tuple(found)
    return whole(several)


def _of_data(m: Interpreter, data: Value, depth: int = MOST_NESTED) -> Size | None:
    """The size of data that is written out: lists of lists of numbers."""
    if type(data) in (Constant, PythonNumber):
        return ()
    listed = m.only(data, Container) if type(data) is Ref and depth else None
    if listed is None or listed.rest != NOTHING or not listed.items or listed.kind not in ("tuple", "list"):
        return None
    inside = {_of_data(m, one, depth - 1) for _, one in listed.items}
    inner = inside.pop()
    return None if inside or inner is None else (len(listed.items), *inner)


def _is_planar(m: Interpreter, data: Value, most: int) -> bool:
    """Whether data certainly has no more dimensions than that."""
    if type(data) in (Constant, PythonNumber):
        return True
    listed = m.only(data, Container)
    if listed is None or listed.rest != NOTHING or not most:
        return False
    return all(_is_planar(m, one, most - 1) for _, one in listed.items)


def _planar(row: Operation, operands: Sequence[Operand]) -> Truth:
    """Whether what an operation gives has at most two dimensions: as all its operands have, or by its nature."""
    if row.name in FLATTENING:
        return YES
    planar = all(one.known if one.tensor is None else one.tensor.planar is YES for one in operands)
    return YES if planar and row.name in NOT_DEEPER else UNSURE


def of_parameters(m: Interpreter, row: ModuleRow, name: str, args: Arguments) -> dict[str, Any]:
    """Return what is known of the sizes of a layer's parameter: it has several elements where all whole numbers that
    the layer is made with are larger than one."""
    layer = row.path.rpartition(".")[2]
    by_name = {name: _constant(m, value) for name, value in args.keywords.items()}
    size = None if args.unknown else of_parameter(layer, name, [_constant(m, one) for one in args.positional], by_name)
    if size is not None:
        return measured(size)
    numbers = [one.value for one in args.values() if type(one) is Constant and type(one.value) is int]
    known = not args.unknown and all(type(one) in (Constant, ImportPath) for one in args.values())
    several = known and numbers and min(numbers) > 1
    return {"scalar": NO if several else UNSURE, "planar": YES if layer in PLANAR_LAYERS else UNSURE}


def of_layer(m: Interpreter, layer: Module) -> Truth:
    """Whether what a layer gives is one element: certainly not where the parameters it was made with have several in
    every dimension, for it gives as many, for each that it is given, as one of their dimensions has."""
    held = [tensor for _, value in layer.attributes for _, tensor in m.all(value, Tensor)]
    own = [tensor for tensor in held if tensor.parameter.may(YES)]
    return NO if own and all(_is_wide(one) and one.causes[:1] == layer.causes[:1] for one in own) else UNSURE


def _is_wide(parameter: Tensor) -> bool:
    """Whether a parameter has several elements in every dimension, as it has where it was made with large numbers."""
    return parameter.scalar is NO if parameter.size is None else min(parameter.size, default=1) > 1
