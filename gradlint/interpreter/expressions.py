"""Expressions: every kind that Python has."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import libcst as cst

from gradlint.domain import (
    BOOL,
    FLOAT,
    INTEGER,
    MAPPINGS,
    NO,
    NOTHING,
    UNKNOWN,
    YES,
    Array,
    Const,
    Container,
    Dtypes,
    Module,
    Named,
    Plain,
    Ref,
    Scalar,
    Tensor,
    Truth,
    Unknown,
    Value,
    alternatives,
    one_of,
    summarised,
)
from gradlint.interpreter import containers
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.attributes import get_attribute
from gradlint.interpreter.core import Interpreter, expression
from gradlint.interpreter.classes import method_of
from gradlint.interpreter.functions import YIELDED, call_function, make_function
from gradlint.interpreter.loops import comprehension
from gradlint.interpreter.narrowing import narrow, truthiness
from gradlint.interpreter.operations import run_operation
from gradlint.interpreter.reach import result_of_unknown
from gradlint.interpreter.scan import spelled
from gradlint.interpreter.tensors import apply
from gradlint.knowledge import OPERATIONS

# ---- atoms


@expression(cst.Name)
def name(it: Interpreter, node: cst.Name) -> Value:
    found = it.lookup(node.value)
    if found is not None:
        return found
    if node.value in CONSTANTS:
        return Const(CONSTANTS[node.value])
    return Named(f"builtins.{node.value}")


CONSTANTS: dict[str, object] = {"True": True, "False": False, "None": None, "__debug__": True, "__name__": "__main__"}


@expression(cst.Integer, cst.Float, cst.Imaginary)
def number(it: Interpreter, node: Any) -> Value:
    try:
        return Const(ast.literal_eval(node.value))
    except (ValueError, SyntaxError, OverflowError, MemoryError):
        return Scalar(INTEGER if type(node) is cst.Integer else FLOAT)


@expression(cst.SimpleString)
def string(it: Interpreter, node: cst.SimpleString) -> Value:
    if len(node.value) > 200:
        return Plain("str")
    try:
        return Const(ast.literal_eval(node.value))
    except (ValueError, SyntaxError, MemoryError):
        return Plain("str")


@expression(
    cst.ConcatenatedString, cst.FormattedString, *([cst.TemplatedString] if hasattr(cst, "TemplatedString") else [])
)
def text(it: Interpreter, node: Any) -> Value:
    todo = [node]
    while todo:
        piece = todo.pop(0)
        if isinstance(piece, cst.ConcatenatedString):
            todo = [piece.left, piece.right, *todo]
        for inner in getattr(piece, "parts", ()):
            if hasattr(inner, "expression"):
                it.value(inner.expression)
    return Plain("str")


@expression(cst.Ellipsis)
def ellipsis(it: Interpreter, node: cst.Ellipsis) -> Value:
    return Const(...)


# ---- displays


DISPLAYS: dict[type, str] = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}


@expression(cst.Tuple, cst.List, cst.Set)
def sequence(it: Interpreter, node: Any) -> Value:
    kind = DISPLAYS[type(node)]
    values = it.values([element.value for element in node.elements])
    if any(type(element) is cst.StarredElement for element in node.elements):
        return _starred(it, node, kind, values)
    return containers.container(it, node, kind, values)


def _starred(it: Interpreter, node: Any, kind: str, values: Sequence[Value]) -> Value:
    out = Container(kind)
    for element, value in zip(node.elements, values, strict=True):
        if type(element) is not cst.StarredElement:
            out = containers.appended(out, value)
            continue
        thing = it.only(value, Container)
        if thing is not None and thing.rest == NOTHING and thing.kind not in MAPPINGS:
            for _, inner in thing.items:
                out = containers.appended(out, inner)
        else:
            whole = summarised(out)
            out = replace(whole, rest=one_of((whole.rest, containers.elements(it, node, value))))
            containers.consume(it, node, value, "*")
    return it.new(node, "container", out)


@expression(cst.StarredElement)
def starred(it: Interpreter, node: cst.StarredElement) -> Value:
    return it.value(node.value)


@expression(cst.Dict)
def mapping(it: Interpreter, node: cst.Dict) -> Value:
    plain = [element for element in node.elements if type(element) is cst.DictElement]
    keys = it.hold(*it.values([element.key for element in plain]))
    it.hold(*it.values([element.value for element in node.elements]))
    found = it.land(keys)
    known = iter(found[: len(plain)])
    out = Container("dict")
    for element, value in zip(node.elements, found[len(plain) :], strict=True):
        if type(element) is cst.DictElement:
            out = containers.stored(out, containers.key_of(next(known)), value)
            continue
        other = it.only(value, Container)
        if other is not None and other.origin:
            out = replace(out, origin=other.origin, marks=other.marks)
        if other is None:
            out = replace(out, rest=Unknown(tuple(r for r in alternatives(value) if type(r) is Ref)))
            continue
        for key, inner in other.items:
            out = containers.stored(out, key, inner)
        if other.rest != NOTHING:
            out = containers.stored(out, None, other.rest)
    return it.new(node, "container", out)


@expression(cst.ListComp, cst.SetComp, cst.GeneratorExp)
def list_comprehension(it: Interpreter, node: Any) -> Value:
    element, more = comprehension(it, node, [node.elt])
    if type(node) is cst.GeneratorExp:
        return containers.iterator(it, node, element[0], "generator expression", empty=more)
    kind = "list" if type(node) is cst.ListComp else "set"
    return it.new(node, "container", Container(kind, rest=element[0]))


@expression(cst.DictComp)
def dict_comprehension(it: Interpreter, node: cst.DictComp) -> Value:
    found, _ = comprehension(it, node, [node.key, node.value])
    return it.new(node, "container", Container("dict", rest=found[1]))


# ---- access


@expression(cst.Attribute)
def attribute(it: Interpreter, node: cst.Attribute) -> Value:
    return get_attribute(it, node, it.value(node.value), node.attr.value, spelled(node.value))


@expression(cst.Subscript)
def subscript(it: Interpreter, node: cst.Subscript) -> Value:
    start = it.hold(it.value(node.value))
    index = index_value(it, node)
    owner = it.land(start)[0]
    return get_item(it, node, owner, index)


def index_value(it: Interpreter, node: cst.Subscript) -> Value:
    """What stands between the brackets."""
    found = [_element(it, element.slice) for element in node.slice]
    if len(found) == 1 and not isinstance(node.slice[0].comma, cst.Comma):
        return found[0]
    kinds = [index_kind(it, value) for value in found]
    return ADVANCED if YES in kinds else UNCLEAR if any(kind.is_unsure for kind in kinds) else BASIC


BASIC, ADVANCED, UNCLEAR = Plain("basic index"), Plain("advanced index"), Plain("index")


def _element(it: Interpreter, part: Any) -> Value:
    if type(part) is cst.Slice:
        for bound in (part.lower, part.upper, part.step):
            if bound is not None:
                it.value(bound)
        return Plain("slice")
    value = it.value(part.value)
    return value


def get_item(it: Interpreter, node: Any, owner: Value, index: Value) -> Value:
    """`owner[index]`."""
    options = [option for option in alternatives(owner) if option != Const(None)]
    tensors = [option for option in options if type(option) is Ref and type(it.state.heap.get(option)) is Tensor]
    if tensors and len(tensors) == len(options):
        return _row(it, node, one_of(tensors, len(tensors)), index)
    return one_of([_item(it, node, option, index) for option in options])


def _item(it: Interpreter, node: Any, owner: Value, index: Value) -> Value:
    thing = it.state.heap.get(owner) if type(owner) is Ref else None
    if type(thing) is Container:
        if index == Plain("slice"):
            return it.new(node, "slice", summarised(thing))
        return containers.get_item(it, owner, thing, index)  # type: ignore[arg-type]
    if type(thing) is Tensor:
        return _row(it, node, owner, index)
    if type(thing) is Array:
        return it.new(node, "array", thing) if index != Scalar(INTEGER) else Scalar(thing.dtype)
    cls = getattr(thing, "cls", None)
    method = method_of(it, owner, "__getitem__")
    if method is not None:
        return call_function(it, node, method, Arguments([owner, index]))
    if type(thing) is Module and thing.attributes:
        return _part_of_module(thing, index)
    if type(owner) is Named or type(owner) is Const:
        return owner if type(owner) is Named else Plain("str")
    if type(owner) is Plain:
        return containers.ELEMENTS.get(owner.kind, UNKNOWN)
    return result_of_unknown([owner])


def _part_of_module(thing: Module, index: Value) -> Value:
    """`sequential[0]`, `modulelist[-1]`, `moduledict["a"]`."""
    parts = [(str(key), value) for key, value in thing.attributes]
    if type(index) is Const:
        wanted = index.value
        if isinstance(wanted, int) and wanted < 0:
            wanted += len(parts)
        for key, value in parts:
            if key == str(wanted):
                return value
    return one_of([value for _, value in parts], len(parts))


def _row(it: Interpreter, node: Any, owner: Value, index: Value) -> Value:
    """Indexing a tensor: a view for numbers, slices and None, a copy for lists and tensors."""
    tensor = it.only(owner, Tensor)
    if tensor is not None and tensor.loose and type(index) is Const and isinstance(index.value, str):
        return Unknown(tuple(ref for ref, _ in it.all(owner, Tensor)))
    kind = index_kind(it, index)
    row = OPERATIONS["operator.getitem"] if kind is not YES else OPERATIONS[ADVANCED_ROW]
    if kind.is_unsure:
        row = replace(row, results=(replace(row.results[0], kind="view or fresh"),))
    return apply(it, node, row, [(row.operands[0], owner)])


ADVANCED_ROW = "operator.getitem advanced"


def index_kind(it: Interpreter, index: Value) -> Truth:
    """Whether an index is an advanced one, which copies."""
    if index == ADVANCED:
        return YES
    if index == UNCLEAR:
        return Truth.unsure()
    out = None
    for option in alternatives(index):
        thing = it.state.heap.get(option) if type(option) is Ref else None
        if type(thing) in (Tensor, Array) or (type(thing) is Container and thing.kind == "list"):
            found = YES
        elif type(option) in (Const, Plain, Scalar):
            found = NO
        else:
            found = Truth.unsure()
        out = found if out is None else out | found
    return out if out in (YES, NO) else Truth.unsure()


# ---- operators

BINARY: dict[type, str] = {
    cst.Add: "add", cst.Subtract: "sub", cst.Multiply: "mul", cst.Divide: "truediv", cst.FloorDivide: "floordiv",
    cst.Modulo: "mod", cst.Power: "pow", cst.MatrixMultiply: "matmul", cst.BitAnd: "and_", cst.BitOr: "or_",
    cst.BitXor: "xor", cst.LeftShift: "lshift", cst.RightShift: "rshift",
}  # fmt: skip
COMPARISONS: dict[type, str] = {
    cst.LessThan: "lt", cst.LessThanEqual: "le", cst.GreaterThan: "gt", cst.GreaterThanEqual: "ge", cst.Equal: "eq",
    cst.NotEqual: "ne",
}  # fmt: skip
UNARY: dict[type, str] = {cst.Minus: "neg", cst.Plus: "pos", cst.BitInvert: "invert"}
FOLDED: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv, "mod": operator.mod,
    "floordiv": operator.floordiv, "neg": operator.neg, "lt": operator.lt, "le": operator.le, "gt": operator.gt,
    "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
LARGEST_FOLDED = 2**40


@expression(cst.BinaryOperation)
def binary(it: Interpreter, node: cst.BinaryOperation) -> Value:
    operands: list[Any] = []
    operations: list[Any] = []
    left: Any = node
    while type(left) is cst.BinaryOperation:
        operations.append(left)
        operands.append(left.right)
        left = left.left
    value = it.value(left)
    for operation in reversed(operations):
        start = it.hold(value)
        right = it.value(operands.pop())
        value = compute(it, operation, BINARY[type(operation.operator)], [it.land(start)[0], right])
    return value


@expression(cst.UnaryOperation)
def unary(it: Interpreter, node: cst.UnaryOperation) -> Value:
    value = it.value(node.expression)
    if type(node.operator) is cst.Not:
        found = truthiness(it, value)
        return Const(found is NO) if found in (YES, NO) else Scalar(BOOL)
    return compute(it, node, UNARY[type(node.operator)], [value])


def compute(it: Interpreter, node: Any, name: str, values: list[Value]) -> Value:
    """An operator of Python on these operands."""
    if (found := _by_method(it, node, name, values)) is not None:
        return found
    if any(it.may_be(value, Tensor) for value in values):
        row = OPERATIONS.get(f"operator.{name}")
        if row is not None:
            return run_operation(it, node, row, Arguments(values), by="operator")
    folded = _folded(name, values)
    if folded is not None:
        return folded
    kinds = [k for value in values if (k := _kind(value)) is not None]
    if len(kinds) == len(values):
        return _number(name, kinds)
    if all(type(value) in (Const, Plain, Scalar) for value in values):
        return Plain("str")
    if (joined := _joined_sequences(it, node, name, values)) is not None:
        return joined
    arrays = [thing for value in values for _, thing in it.all(value, Array)]
    if arrays:
        return it.new(node, "array", Array(arrays[0].dtype | Dtypes.unsure()))
    return result_of_unknown(values)


def _by_method(it: Interpreter, node: Any, name: str, values: list[Value]) -> Value | None:
    """What a class of the program makes of an operator."""
    plain = name.removesuffix("_")
    for owner, *others in (values, values[::-1])[: len(values)]:
        method = method_of(it, owner, f"__{plain}__" if owner is values[0] else f"__r{plain}__")
        if method is not None:
            return call_function(it, node, method, Arguments([owner, *others]))
    return None


def _joined_sequences(it: Interpreter, node: Any, name: str, values: list[Value]) -> Value | None:
    """`list + list`, `[x] * n`."""
    things = [it.only(value, Container) for value in values]
    if name == "add" and all(things) and len(things) == 2:
        left, right = things
        assert left is not None and right is not None
        out = left
        if right.rest == NOTHING:
            for _, value in right.items:
                out = containers.appended(out, value)
        else:
            whole = summarised(out)
            out = replace(whole, rest=one_of((whole.rest, summarised(right).rest)))
        return it.new(node, "container", out)
    if name == "mul" and any(things):
        thing = things[0] or things[1]
        assert thing is not None
        return it.new(node, "container", summarised(thing))
    return None


def _folded(name: str, values: list[Value]) -> Value | None:
    if name not in FOLDED or not all(type(value) is Const for value in values):
        return None
    constants = [value.value for value in values]  # type: ignore[union-attr]
    if any(isinstance(c, str) and len(c) > 100 for c in constants):
        return None
    try:
        found = FOLDED[name](*constants)
    except (TypeError, ValueError, ArithmeticError):
        return None
    if isinstance(found, (int, float)) and not isinstance(found, bool) and not abs(found) < LARGEST_FOLDED:
        return None
    return Const(found) if isinstance(found, (bool, int, float, str)) else None


def _kind(value: Value) -> Dtypes | None:
    from gradlint.domain import number_kind

    return number_kind(value)


def _number(name: str, kinds: list[Dtypes]) -> Value:
    if name in ("lt", "le", "gt", "ge", "eq", "ne"):
        return Scalar(BOOL)
    from gradlint.interpreter.tensors import combined

    if name == "truediv":
        return Scalar(combined("divide", kinds))
    found = combined("promote", kinds)
    return Scalar(INTEGER if found is BOOL else found)


@expression(cst.Comparison)
def comparison(it: Interpreter, node: cst.Comparison) -> Value:
    start = it.hold(_guarded(it, node.left, node))
    results: list[Value] = []
    for target in node.comparisons:
        left = it.land(start)[0]
        start = it.hold(left)
        right = it.value(target.comparator)
        results.append(_compared(it, node, target.operator, it.land(start)[0], right))
        start = it.hold(right)
    it.land(start)
    return results[0] if len(results) == 1 else Scalar(BOOL)


def _guarded(it: Interpreter, left: Any, node: cst.Comparison) -> Value:
    """The left side of a comparison; `.grad` compared with None is only looked at."""
    if type(left) is cst.Attribute and left.attr.value == "grad" and _with_none(node):
        return get_attribute(it, left, it.value(left.value), "grad", spelled(left.value), guard=True)
    return it.value(left)


def _with_none(node: cst.Comparison) -> bool:
    return all(isinstance(t.comparator, cst.Name) and t.comparator.value == "None" for t in node.comparisons)


def _compared(it: Interpreter, node: Any, operation: Any, left: Value, right: Value) -> Value:
    name = COMPARISONS.get(type(operation))
    if name is None:
        if type(operation) in (cst.Is, cst.IsNot) and right == Const(None):
            return _is_none(left, type(operation) is cst.Is)
        if type(operation) in (cst.In, cst.NotIn) and _certainly_lacks(it, right, left):
            return Const(type(operation) is cst.NotIn)
        return Scalar(BOOL)
    if any(it.may_be(value, Tensor) for value in (left, right)):
        return compute(it, node, name, [left, right])
    return _folded(name, [left, right]) or Scalar(BOOL)


def _certainly_lacks(it: Interpreter, value: Value, key: Value) -> bool:
    """Whether a mapping has no such key."""
    constant = containers.key_of(key)
    found = it.all(value, Container)
    return (
        constant is not None
        and len(found) == len(alternatives(value))
        and all(
            thing.kind in MAPPINGS and thing.rest == NOTHING and all(known != constant for known, _ in thing.items)
            for _, thing in found
        )
    )


def _is_none(value: Value, wanted: bool) -> Value:
    found = [option == Const(None) for option in alternatives(value)]
    if any(type(option) is Unknown for option in alternatives(value)) or (any(found) and not all(found)):
        return Scalar(BOOL)
    return Const(all(found) == wanted)


@expression(cst.BooleanOperation)
def boolean(it: Interpreter, node: cst.BooleanOperation) -> Value:
    left = it.value(node.left)
    goes_on = type(node.operator) is cst.And
    decided = truthiness(it, left)
    if decided is (NO if goes_on else YES):
        return left
    start = it.hold(left)
    aside = it.fork()
    narrow(it, node.left, goes_on)
    right = it.value(node.right)
    left = it.land(start)[0]
    if decided is (YES if goes_on else NO):
        return right
    it.hold(right)
    narrowed = it.state
    it.state = aside
    narrow(it, node.left, not goes_on)
    other = it.land(start)[0]
    it.hold(other)
    it.join([narrowed, it.state])
    return it.state.flight.pop() if it.state.flight else UNKNOWN


@expression(cst.IfExp)
def conditional(it: Interpreter, node: cst.IfExp) -> Value:
    decided = truthiness(it, it.value(node.test))
    if decided in (YES, NO):
        return it.value(node.body if decided is YES else node.orelse)
    aside = it.fork()
    narrow(it, node.test, True)
    it.hold(it.value(node.body))
    first = it.state
    it.state = aside
    narrow(it, node.test, False)
    it.hold(it.value(node.orelse))
    it.join([first, it.state])
    return it.state.flight.pop() if it.state.flight else UNKNOWN


@expression(cst.NamedExpr)
def walrus(it: Interpreter, node: cst.NamedExpr) -> Value:
    from gradlint.interpreter.assignments import assign

    value = it.value(node.value)
    return assign(it, node, node.target, value)


# ---- functions and coroutines


@expression(cst.Lambda)
def lambda_(it: Interpreter, node: cst.Lambda) -> Value:
    return make_function(it, node, "<lambda>")


@expression(cst.Await)
def await_(it: Interpreter, node: cst.Await) -> Value:
    return it.value(node.expression)


@expression(cst.Yield)
def yield_(it: Interpreter, node: cst.Yield) -> Value:
    if node.value is None:
        value: Value = Const(None)
    elif type(node.value) is cst.From:
        value = containers.elements(it, node, it.value(node.value.item))
    else:
        value = it.value(node.value)
    if it.frame.around is not None:
        it.frame.around(value)
        return UNKNOWN
    it.escape([value])
    it.state.names[it.frame.id, YIELDED] = one_of([it.state.names.get((it.frame.id, YIELDED), NOTHING), value])
    return UNKNOWN
