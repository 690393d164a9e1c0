"""Operators, comparisons, conditions, lambdas and coroutines."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import BOOL, INTEGER, NO, YES, Dtypes, negation, truth
from gradlint.domain.joining import summarised, thinned
from gradlint.domain.objects import MAPPINGS, MOST_ITEMS, Array, Container, Instance, Iterator, Module, Tensor
from gradlint.domain.provenance import Cause, WriteKind
from gradlint.domain.value_sets import alternatives, key_of, may_be_row, number_kind, one_of
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, PlainObject, PythonNumber, Unknown, Value
from gradlint.interpreter.autograd.detach import cuts
from gradlint.interpreter.autograd.operands import numbers_kind
from gradlint.interpreter.autograd.operations import run_operation
from gradlint.interpreter.autograd.results import combined
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.deferred import YIELDED
from gradlint.interpreter.engine.dispatch import evaluates
from gradlint.interpreter.engine.escape import escape_graphs, result_of_unknown
from gradlint.interpreter.engine.iteration import elements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import is_opaque
from gradlint.interpreter.nn import module_containers
from gradlint.interpreter.python import containers
from gradlint.interpreter.python.attribute_load import get_attribute
from gradlint.interpreter.python.comparison import among, equal, identical
from gradlint.interpreter.python.foreign import foreign_made
from gradlint.interpreter.python.functions import MANAGERS, call_function, make_function
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.python.ndarray import fresh_array
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.static.string_values import combined_text
from gradlint.interpreter.static.tree_walk import elements_of
from gradlint.interpreter.syntax import receivers
from gradlint.interpreter.syntax.assignment import assign
from gradlint.interpreter.syntax.narrowing import assume, truthiness

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
    "floordiv": operator.floordiv, "neg": operator.neg, "abs": operator.abs,
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
    "eq": operator.eq, "ne": operator.ne,
}  # fmt: skip
LARGEST_FOLDED = 2**40
LARGEST_OPERAND = 2**64
LONGEST_FOLDED = 100
"""Characters of a string that is folded, and how often or how wide one is written."""
_WIDTH = re.compile(r"[0-9]{3}")


@evaluates(cst.BinaryOperation)
def binary(m: Interpreter, node: cst.BinaryOperation) -> Value:
    operands: list[Any] = []
    operations: list[Any] = []
    left: Any = node
    while type(left) is cst.BinaryOperation:
        operations.append(left)
        operands.append(left.right)
        left = left.left
    value = m.value(left)
    for operation in reversed(operations):
        start = m.push(value)
        right = m.value(operands.pop())
        value = compute(m, operation, BINARY[type(operation.operator)], [m.pop_from(start)[0], right])
    return value


@evaluates(cst.UnaryOperation)
def unary(m: Interpreter, node: cst.UnaryOperation) -> Value:
    value = m.value(node.expression)
    if type(node.operator) is cst.Not:
        found = truthiness(m, value)
        return Constant(found is NO) if found in (YES, NO) else PythonNumber(BOOL)
    return compute(m, node, UNARY[type(node.operator)], [value])


def compute(m: Interpreter, node: Site, name: str, values: list[Value]) -> Value:
    """An operator of Python on these operands."""
    if (found := _by_method(m, node, name, values)) is not None:
        return found
    if any(m.may_be(value, Tensor) for value in values):
        row = m.torch.operations.get(f"operator.{name}")
        if row is not None:
            computed = run_operation(m, node, row, Arguments(values), by=WriteKind.FUNCTION)
            numbers = [one_of(some) for value in values if (some := _numbers(value))]
            return computed if len(numbers) < len(values) else one_of((computed, compute(m, node, name, numbers)))
    folded = _folded(name, values)
    if folded is not None:
        return folded
    kinds = [k for value in values if (k := numbers_kind(value)) is not None]
    if len(kinds) == len(values):
        return _number(name, kinds, cuts(m, values), row=may_be_row(values))
    if all(type(value) in (Constant, PlainObject, PythonNumber) for value in values):
        plain = next((value.kind for value in values if type(value) is PlainObject), "str")
        combined = COMBINED.get(plain, "str")
        return combined_text(name, values) if combined == "str" else PlainObject(combined)
    if name == "add" and (found := module_containers.added(m, node, *values, in_place=False)) is not None:
        return found
    if (joined := _joined_containers(m, node, name, values)) is not None:
        return joined
    arrays = [thing for value in values for _, thing in m.all(value, Array)]
    if arrays:
        return fresh_array(m, node, dtype=arrays[0].dtype | Dtypes.unsure(), causes=cuts(m, values))
    foreign = (made for value in values if (made := foreign_made(m, node, value)) is not None)
    return next(foreign, None) or result_of_unknown(values)


COMBINED = {"path": "path", "datetime": "timedelta", "timedelta": "timedelta", "Size": "Size", "dtype": "bool"}
"""The kinds of plain objects that operators make of others; of all others, strings."""


def _by_method(m: Interpreter, node: Site, name: str, values: list[Value]) -> Value | None:
    """Return the result of an operator that a class of the program defines."""
    plain = name.removesuffix("_")
    for owner, *others in (values, values[::-1])[: len(values)]:
        method = method_of(m, owner, f"__{plain}__" if owner is values[0] else f"__r{plain}__")
        if method is not None:
            return call_function(m, node, method, Arguments([owner, *others]))
    return None


def _joined_containers(m: Interpreter, node: Site, name: str, values: list[Value]) -> Value | None:
    """`list + list`, `[x] * n`, `dict | dict`, and what sets are for."""
    things = [thing for value in values if (thing := m.only(value, Container)) is not None]
    if name == "mul" and things:
        whole = summarised(things[0])  # nothing of it where the number is zero
        return m.new(node, "container", whole if _at_least_once(values) else thinned(whole))
    if name not in ("add", "or_", "and_", "sub", "xor") or len(things) < 2:
        return None
    left, right = things
    if left.kind in MAPPINGS and right.kind in MAPPINGS:
        return m.new(node, "container", containers.with_all(left, right))
    out = m.new(node, "container", left if name in ("add", "or_") else thinned(left))
    if name in ("add", "or_"):
        containers.extend(m, node, out, values[1])
    elif name == "xor":
        containers.extend(m, node, out, m.new(node, "others", thinned(right)))
    return out


def _at_least_once(values: list[Value]) -> bool:
    return any(type(value) is Constant and type(value.value) is int and value.value > 0 for value in values)


def _folded(name: str, values: list[Value]) -> Value | None:
    constants = [value.value for value in values if type(value) is Constant]
    if name not in FOLDED or len(constants) < len(values) or not _is_cheap(name, constants):
        return None
    try:
        found = FOLDED[name](*constants)
    except (TypeError, ValueError, ArithmeticError):
        return None
    if isinstance(found, (int, float)) and not isinstance(found, bool) and not abs(found) < LARGEST_FOLDED:
        return None
    return Constant(found) if isinstance(found, (bool, int, float, str)) else None


def _is_cheap(name: str, constants: list[Any]) -> bool:
    """Return whether folding these is cheap: a factor or the width in a format may ask for any memory."""
    sizes = [len(one) if isinstance(one, (str, bytes)) else 0 for one in constants]
    numbers = [abs(one) for one in constants if isinstance(one, int)]
    if max(sizes) > LONGEST_FOLDED or max(numbers, default=0) > LARGEST_OPERAND:
        return False
    if not any(sizes):
        return True
    if name == "mod":
        return not isinstance(constants[0], str) or not _WIDTH.search(constants[0])
    return name != "mul" or max(numbers, default=0) <= LONGEST_FOLDED


def _numbers(value: Value) -> list[Value]:
    """The Python numbers among what a value may be."""
    return [option for option in alternatives(value) if number_kind(option) is not None]


def _number(name: str, kinds: list[Dtypes], cut: tuple[Cause, ...], *, row: bool) -> Value:
    if name in ("lt", "le", "gt", "ge", "eq", "ne"):
        return PythonNumber(BOOL)
    if name == "truediv":
        return PythonNumber(combined("divide", kinds), cut, row=row)
    found = combined("real" if name == "abs" else "promote", kinds)
    return PythonNumber(INTEGER if found is BOOL else found, cut, row=row)


@evaluates(cst.Comparison)
def comparison(m: Interpreter, node: cst.Comparison) -> Value:
    start = m.push(_guarded(m, node.left, node))
    results: list[Value] = []
    for target in node.comparisons:
        left = m.pop_from(start)[0]
        start = m.push(left)
        right = m.value(target.comparator)
        results.append(_compared(m, node, target.operator, m.pop_from(start)[0], right))
        start = m.push(right)
    m.pop_from(start)
    return results[0] if len(results) == 1 else PythonNumber(BOOL)


def _guarded(m: Interpreter, left: Any, node: cst.Comparison) -> Value:
    """The left side of a comparison; `.grad` compared with None is only looked at."""
    others = [target.comparator for target in node.comparisons]
    with_none = all(isinstance(other, cst.Name) and other.value == "None" for other in others)
    if type(left) is cst.Attribute and left.attr.value == "grad" and with_none:
        owner = m.value(left.value)
        receivers.note(m, left, owner)
        return get_attribute(m, left, owner, "grad", spelled(left.value), guard=True)
    return m.value(left)


def _compared(m: Interpreter, node: Site, operation: Any, left: Value, right: Value) -> Value:
    name = COMPARISONS.get(type(operation))
    if name is not None and (found := _by_method(m, node, name, [left, right])) is not None:
        return found
    if name is None:
        return _by_identity(m, node, operation, left, right)
    if any(m.may_be(value, kind) for value in (left, right) for kind in (Tensor, Array)):
        return compute(m, node, name, [left, right])
    if any(type(option) is Unknown for value in (left, right) for option in alternatives(value)):
        return UNKNOWN  # of tensors it is a tensor
    if name in ("eq", "ne") and (same := equal(m, left, right)) in (YES, NO):
        return Constant((same is YES) == (name == "eq"))
    if any(is_opaque(thing) for value in (left, right) for _, thing in m.all(value, Instance)):
        return UNKNOWN
    return _folded(name, [left, right]) or PythonNumber(BOOL)


def _by_identity(m: Interpreter, node: Site, operation: Any, left: Value, right: Value) -> Value:
    """`is` and `in`, and what they are not."""
    asks, plainly = type(operation) in (cst.In, cst.NotIn), type(operation) in (cst.In, cst.Is)
    if asks and (method := method_of(m, right, "__contains__")) is not None:
        call_function(m, node, method, Arguments([right, left]))
        return PythonNumber(BOOL)
    if not asks and right == Constant(None):
        return _is_none(left, plainly)
    if asks and _certainly_lacks(m, right, left):
        return Constant(not plainly)
    found = (among if asks else identical)(m, left, right)
    return Constant((found is YES) == plainly) if found in (YES, NO) else PythonNumber(BOOL)


def _certainly_lacks(m: Interpreter, value: Value, key: Value) -> bool:
    """Return whether a mapping has no such key."""
    constant = key_of(key)
    if modules := m.all(value, Module):
        return len(modules) == len(alternatives(value)) and all(
            module_containers.certainly_lacks(m, module, key) for _, module in modules
        )
    found = m.all(value, Container)
    return (
        constant is not None
        and len(found) == len(alternatives(value))
        and all(
            thing.kind in MAPPINGS and thing.rest == NOTHING and all(known != constant for known, _ in thing.items)
            for _, thing in found
        )
    )


def _is_none(value: Value, wanted: bool) -> Value:
    found = [option == Constant(None) for option in alternatives(value)]
    if any(type(option) is Unknown for option in alternatives(value)) or (any(found) and not all(found)):
        return PythonNumber(BOOL)
    return Constant(all(found) == wanted)


@evaluates(cst.BooleanOperation)
def boolean(m: Interpreter, node: cst.BooleanOperation) -> Value:
    left = m.value(node.left)
    resume_again = type(node.operator) is cst.And
    decided = truthiness(m, left)
    if decided is (NO if resume_again else YES):
        return left
    start = m.push(left)
    aside = m.fork()
    assume(m, node.left, resume_again, decided)
    right = m.value(node.right)
    left = m.pop_from(start)[0]
    if decided is (YES if resume_again else NO):
        return right
    m.push(right)
    narrowed = m.state
    m.state = aside
    assume(m, node.left, not resume_again, decided)
    m.push(_deciding(m, m.pop_from(start)[0], not resume_again))
    m.join([narrowed, m.state])
    return m.state.stack.pop() if m.state.stack else UNKNOWN


def _deciding(m: Interpreter, value: Value, counts: bool) -> Value:
    """Return the alternatives of a value that count as true, or those that do not."""
    wanted = truth(counts)
    options = [option for option in alternatives(value) if truthiness(m, option).may(wanted)]
    return one_of([Constant(counts) if option == PythonNumber(BOOL) else option for option in options] or [value])


@evaluates(cst.IfExp)
def conditional(m: Interpreter, node: cst.IfExp) -> Value:
    decided = truthiness(m, m.value(node.test))
    if decided in (YES, NO):
        return m.value(node.body if decided is YES else node.orelse)
    aside = m.fork()
    assume(m, node.test, True, decided)
    m.push(m.value(node.body))
    first = m.state
    m.state = aside
    assume(m, node.test, False, decided)
    m.push(m.value(node.orelse))
    m.join([first, m.state])
    return m.state.stack.pop() if m.state.stack else UNKNOWN


@evaluates(cst.NamedExpr)
def walrus(m: Interpreter, node: cst.NamedExpr) -> Value:
    value = m.value(node.value)
    return assign(m, node, node.target, value)


evaluates(cst.Lambda)(lambda m, node: make_function(m, node, "<lambda>"))


evaluates(cst.Await)(lambda m, node: m.value(node.expression))


def _emit_yielded(m: Interpreter, node: cst.Yield, value: Value) -> None:
    function = m.frame.function
    modes = function is not None and function.modes
    extent = "with" if m.frame.switches else "decorator" if modes else ""
    manager = function is not None and any(one in MANAGERS for one in function.decorators)
    m.emit(events.Yielded, node, value=m.thing(value), extent=extent, function=function, manager=manager,
            switches=m.frame.switches, named=all(type(one) is cst.Name for one in elements_of(node.value)))  # fmt: skip


def _wait(m: Interpreter) -> None:
    """The generator waits, and its consumer goes on in the mode that a block around it has set."""
    frame = m.frame
    decorated = frame.function is not None and frame.function.modes  # that goes for the body alone
    on, inference = m.state.modes[:2]
    now = (on, negation(on), inference) if frame.switches and not decorated else (NO, NO, NO)
    before = frame.waits or now
    frame.waits = before[0] | now[0], before[1] | now[1], before[2] | now[2]


@evaluates(cst.Yield)
def yield_(m: Interpreter, node: cst.Yield) -> Value:
    result: Value = UNKNOWN
    if node.value is None:
        value: Value = Constant(None)
    elif type(node.value) is cst.From:
        start = m.push(m.value(node.value.item))
        value = elements(m, node, m.state.stack[start])
        inner = m.only(m.pop_from(start)[0], Iterator)
        result = UNKNOWN if inner is None else inner.returned
    else:
        value = m.value(node.value)
    _emit_yielded(m, node, value)
    if m.frame.around is not None:
        m.frame.around(value)
        return UNKNOWN
    escape_graphs(m, [value])
    m.state.names[m.frame.id, YIELDED] = one_of([m.state.names.get((m.frame.id, YIELDED), NOTHING), value], MOST_ITEMS)
    if m.frame.followed is not None:
        m.frame.followed.waits()
    m.frame.suspended = m.fork()
    _wait(m)
    if m.frame.followed is not None:
        m.frame.followed.resumes()
    return result
