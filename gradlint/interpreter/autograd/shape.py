"""Sizes: how large a tensor is in each dimension, or else whether it has one element, and at most two dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradlint.domain.facts import ANY_SHAPE, NO, NUMBER, ROW, SINGLE, UNSURE, YES, Shape, Truth
from gradlint.domain.objects import Container, Module, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, may_be_row, number_kind
from gradlint.domain.values import (
    NONE_VALUE,
    NOTHING,
    SLICE,
    UNKNOWN,
    Constant,
    ImportPath,
    Places,
    PythonNumber,
    Unknown,
    Value,
)
from gradlint.interpreter.autograd.operations import MOST_NESTED, constant
from gradlint.interpreter.autograd.results import measured
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.running_totals import RunningTotals
from gradlint.knowledge.schema import Factory, ModuleRow
from gradlint.knowledge.shapes import (
    NOT_SEEN,
    REMEMBERED,
    SHAPES,
    STEPPED,
    WIDTH,
    WITH_WIDTH,
    Size,
    Told,
    of_parameter,
    of_steps,
    whole,
)
from gradlint.knowledge.shapes.element_count import (
    MOST_PLANAR,
    PLANAR_LAYERS,
)
from gradlint.knowledge.shapes.outline import PART, PICKED, of_lengths, shape_of


def told_by(m: Interpreter, layer: Module, name: str) -> Told:
    """The constants that a layer of this name was made with and that say what it makes of sizes."""
    held = dict(layer.attributes)
    asked = (WIDTH,) if name in WITH_WIDTH else REMEMBERED.get(name)
    return NOT_SEEN if asked is None else Told({one: constant(m, held.get(one, UNKNOWN)) for one in asked})


def told_key(m: Interpreter, index: Value) -> Told:
    """Return the index between the brackets, where it is constant."""
    thing = m.thing(index)
    if type(thing) is Tensor:
        return Told({"key": PICKED}) if thing.shape <= ROW else NOT_SEEN
    if type(thing) is Container and thing.kind == "list":
        return Told({"key": PICKED}) if _shape_of_data(m, index) <= ROW else NOT_SEEN
    key = PART if index == SLICE else constant(m, index)
    return Told({"key": tuple([one.value for one in key.parts]) if type(key) is Places else key})


def of_factory(m: Interpreter, row: Factory, bound: Mapping[str, Value], positional: list[Value]) -> dict[str, Any]:
    """Return the size facts of a new tensor, by literal sizes or data, or by the tensor it is to be like."""
    size = _made(m, row, bound, positional)
    if size is not None:
        return measured(size)
    if (like := _model(m, row, bound)) is not None:
        return {"scalar": like.scalar, "planar": like.planar, "shape": like.shape}
    shape = {"shape": _shape_made(m, row, bound, positional)}
    data = bound.get("data")
    if data is None or len(positional) > len(row.parameters):  # `FloatTensor(2, n, 4)` is given sizes
        return shape
    listed = m.only(data, Container)
    several = listed is not None and listed.rest == NOTHING and len(listed.items) > 1
    return shape | ({"scalar": NO} if several else {}) | ({"planar": YES} if _is_planar(m, data, MOST_PLANAR) else {})


def _shape_made(m: Interpreter, row: Factory, bound: Mapping[str, Value], positional: list[Value]) -> Shape:
    """The shape of a new tensor of which not every length is known."""
    if "size" in row.parameters:
        return _by_lengths(m, _sizes(m, row, bound, positional))
    if row.name in STEPPED or row.name in COUNTED_ROWS:
        return ROW
    data = next((bound[name] for name in DATA if name in row.parameters and name in bound), None)
    if data is not None and m.only(data, Container) is None and row.name[0].isupper():
        return _by_lengths(m, positional)
    return ANY_SHAPE if data is None else _shape_of_data(m, data)


def _by_lengths(m: Interpreter, given: Sequence[Value]) -> Shape:
    """The shape of what has these lengths: numbers, known or not, or a tuple of them. Without any it has that of what
    else it is given (`torch.normal(means, stds)`)."""
    if not given:
        return ANY_SHAPE
    listed = m.only(given[0], Container) if len(given) == 1 else None
    if listed is not None and (listed.rest != NOTHING or listed.kind not in ("tuple", "list")):
        return ANY_SHAPE
    lengths = given if listed is None else [value for _, value in listed.items]
    if len(lengths) == 1 and listed is None and number_kind(lengths[0]) is None:  # or is it a tuple?
        return ANY_SHAPE
    return of_lengths([constant(m, one) for one in lengths])


def _shape_of_data(m: Interpreter, data: Value, depth: int = MOST_NESTED) -> Shape:
    """The shape of a tensor of data, be it known how much of it there is or not."""
    if number_kind(data) is not None:
        return ANY_SHAPE if may_be_row([data]) else NUMBER
    if type(data) is not Ref:
        return ANY_SHAPE
    held = m.thing(data)
    if type(held) is Tensor and not held.may_be_structured:
        return held.shape
    if type(held) is not Container or held.kind not in ("tuple", "list") or not depth:
        return ANY_SHAPE
    found = {_shape_of_data(m, one, depth - 1) for one in held.held for one in alternatives(one) if one != NOTHING}
    if data.origin in m.notes(RunningTotals).lists and all(map(_may_be_number, held.held)):
        return ROW | ANY_SHAPE  # what begins as a number is taken for one further on
    if found == {NUMBER} and held.rest == NOTHING and len(held.items) == 1:
        return SINGLE
    return shape_of(SHAPES["stack"], list(found), Told()) if found else ANY_SHAPE


def _may_be_number(value: Value) -> bool:
    """Return whether this is a number as far as anybody knows, and most likely no row of some."""
    options = [one for one in alternatives(value) if one != NOTHING]
    return not may_be_row(options) and all(type(one) is Unknown or number_kind(one) is not None for one in options)


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
        return of_steps(row.name, {name: constant(m, value) for name, value in bound.items()})
    data = next((bound[name] for name in DATA if name in row.parameters and name in bound), None)
    if data is not None and m.only(data, Container) is None and row.name[0].isupper():
        return _by_numbers(m, positional)  # `Tensor(3)` has three
    if data is not None:
        return _of_data(m, data)
    counts = COUNTED.get(row.name, ())
    told = [constant(m, bound.get(name, NONE_VALUE)) for name in counts]
    return whole([one if one is not None else told[0] for one in told])


DATA = ("data", "obj", "s")
"""The parameters of factories that are the elements, or a tensor that has them."""


def _sizes(m: Interpreter, row: Factory, bound: Mapping[str, Value], positional: list[Value]) -> Sequence[Value]:
    """Return the arguments that give a new tensor's size: one after the other where nothing else can be given."""
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
COUNTED_ROWS = COUNTED.keys() - {"eye"}
"""The factories of these that make one dimension."""


def _by_numbers(m: Interpreter, given: Sequence[Value]) -> Size | None:
    """The size that these say: numbers, or a tuple of them."""
    found = [constant(m, one) for one in given]
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
    """Return whether data certainly has no more dimensions than that."""
    if type(data) in (Constant, PythonNumber):
        return True
    listed = m.only(data, Container)
    if listed is None or listed.rest != NOTHING or not most:
        return False
    return all(_is_planar(m, one, most - 1) for _, one in listed.items)


def of_parameters(m: Interpreter, row: ModuleRow, name: str, args: Arguments) -> dict[str, Any]:
    """Return the size facts of a layer's parameter: it has several elements where all of the layer's integers are
    larger than 1."""
    layer = row.path.rpartition(".")[2]
    by_name = {name: constant(m, value) for name, value in args.keywords.items()}
    size = None if args.unknown else of_parameter(layer, name, [constant(m, one) for one in args.positional], by_name)
    if size is not None:
        return measured(size)
    numbers = [one.value for one in args.values() if type(one) is Constant and type(one.value) is int]
    known = not args.unknown and all(type(one) in (Constant, ImportPath) for one in args.values())
    several = known and numbers and min(numbers) > 1
    return {"scalar": NO if several else UNSURE, "planar": YES if layer in PLANAR_LAYERS else UNSURE}


def of_layer(m: Interpreter, layer: Module) -> Truth:
    """Return whether what a layer gives is one element: certainly not where the parameters it was made with have
    several in every dimension, for it gives as many, for each that it is given, as one of their dimensions has."""
    held = [tensor for _, value in layer.attributes for _, tensor in m.all(value, Tensor)]
    own = [tensor for tensor in held if tensor.parameter.may(YES)]
    return NO if own and all(_is_wide(one) and one.causes[:1] == layer.causes[:1] for one in own) else UNSURE


def _is_wide(parameter: Tensor) -> bool:
    """Return whether a parameter has several elements in every dimension, as one made with large numbers has."""
    return parameter.scalar is NO if parameter.size is None else min(parameter.size, default=1) > 1
