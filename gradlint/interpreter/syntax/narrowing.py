"""Narrowing: what a condition proves about the values it speaks of, on either side of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Any

import libcst as cst

from gradlint.domain.facts import (
    ANY_GRAD,
    BOOL,
    COMPLEX,
    DISCRETE,
    FLOAT,
    INEXACT,
    INTEGER,
    LOST,
    NO,
    NONE,
    YES,
    Fact,
    Truth,
    truth,
)
from gradlint.domain.objects import MOST_ITEMS, Instance, Module, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Constant, ImportPath, PlainObject, Unknown, Value
from gradlint.domain.weakening import after_unseen_code
from gradlint.frozen import replace
from gradlint.interpreter.autograd.grad import is_held
from gradlint.interpreter.autograd.tensor import (
    KINDS_ASKED,
    PARAMETER_CLASSES,
    TENSOR_CLASSES,
    dtype_named,
    unknown_tensor,
)
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.places import peek, peek_class, poke
from gradlint.interpreter.libraries.pack_results import typical
from gradlint.interpreter.nn.unknown_parts import unknown_module
from gradlint.interpreter.python.isinstance_checks import is_a, is_guessed
from gradlint.interpreter.static.scopes import dotted
from gradlint.interpreter.unknown.annotations import instance_of
from gradlint.interpreter.unknown.parameters import ANY_MODULE
from gradlint.knowledge.modules.families import FAMILIES, public

TRUTH: dict[type, Callable[[Interpreter, Any], Truth]] = SLOTS[TypeSlot.TRUTH]


def truthiness(m: Interpreter, value: Value) -> Truth:
    """Return whether a value counts as true."""
    return reduce(or_, [_truthiness(m, option) for option in alternatives(value)])


def _truthiness(m: Interpreter, value: Value) -> Truth:
    if type(value) is Constant:
        return truth(bool(value.value))
    if type(value) is PlainObject and value.kind == "match":
        return YES
    thing = m.state.heap.get(value) if type(value) is Ref else None
    of_kind = TRUTH.get(type(thing))
    return Truth.unsure() if of_kind is None else of_kind(m, thing)


def narrow(m: Interpreter, test: Any, holds: bool) -> None:
    """Narrow the state by a condition that holds (or does not); a path that cannot be is ended."""
    kind = type(test)
    if kind is cst.UnaryOperation and type(test.operator) is cst.Not:
        narrow(m, test.expression, not holds)
    elif kind is cst.BooleanOperation:
        if (type(test.operator) is cst.And) == holds:
            narrow(m, test.left, holds)
            narrow(m, test.right, holds)
    elif kind is cst.Comparison and len(test.comparisons) == 1:
        _comparison(m, test, holds)
    elif kind is cst.Call:
        _call(m, test, holds)
    elif kind is cst.NamedExpr:
        _restrict(m, test.target, lambda value: _counts_as(m, value, holds))
    elif kind is cst.Attribute:
        _flag(m, test, holds)
        _restrict(m, test, lambda value: _counts_as(m, value, holds))
    elif kind in (cst.Name, cst.Subscript):
        _restrict(m, test, lambda value: _counts_as(m, value, holds))


def assume(m: Interpreter, test: Any, holds: bool, decided: Truth) -> None:
    """Go on, on one of two paths that part by a test: with what is known there, and behind it if it is open."""
    if decided not in (YES, NO):
        m.state.guards |= {(test, holds)}
    narrow(m, test, holds)


def _counts_as(m: Interpreter, value: Value, holds: bool) -> bool:
    return _truthiness(m, value).may(YES if holds else NO)


# ---- places


def _restrict(m: Interpreter, place: Any, keeps: Callable[[Value], bool]) -> None:
    """Keep only the alternatives of a place that pass; where none does, the path is dead."""
    value = peek(m, place)
    if value is None:
        return
    options = alternatives(value)
    kept = [option for option in options if keeps(option)]
    if not kept:
        m.end_path()
    elif len(kept) < len(options):
        poke(m, place, one_of(kept, len(kept)))


# ---- what single conditions prove


def _comparison(m: Interpreter, test: cst.Comparison, holds: bool) -> None:
    target = test.comparisons[0]
    right, same = target.comparator, type(target.operator)
    if same in (cst.Is, cst.IsNot, cst.Equal, cst.NotEqual) and isinstance(right, cst.Name) and right.value == "None":
        none = (same in (cst.Is, cst.Equal)) == holds
        _none(m, test.left, none)
    elif same in (cst.Equal, cst.NotEqual, cst.Is, cst.IsNot):
        equal = (same in (cst.Equal, cst.Is)) == holds
        if isinstance(test.left, cst.Attribute) and test.left.attr.value == "dtype":
            _dtype(m, test.left.value, right, equal)


def _none(m: Interpreter, place: Any, none: bool) -> None:
    if isinstance(place, cst.Attribute) and place.attr.value == "grad":
        _gradient(m, place.value, none)
        return
    if none:
        _restrict(m, place, lambda value: value == NONE_VALUE or type(value) is Unknown)
    else:
        _restrict(m, place, lambda value: value != NONE_VALUE)


def _gradient(m: Interpreter, place: Any, none: bool) -> None:
    """`x.grad is None`."""
    value = peek(m, place)
    if value is None:
        return
    for ref, tensor in m.all(value, Tensor):
        grad, gradient = tensor.grad & (NONE | LOST) if none else tensor.grad, tensor.gradient
        if type(gradient) is not Unknown:
            kept = [option for option in alternatives(gradient) if (option == NONE_VALUE) == none]
            grad, gradient = grad if kept else grad.without(grad), one_of(kept)
        elif not none and not is_held(gradient):
            grad = grad.without(NONE | LOST)
        if not grad.is_empty:
            m.store(ref, replace(tensor, grad=grad, gradient=UNKNOWN if gradient == NONE_VALUE else gradient))
        elif tensor.belief is Belief.UNTOUCHED:
            m.store(ref, replace(_touched(tensor), grad=NONE | LOST if none else ANY_GRAD.without(NONE | LOST)))
        elif len(alternatives(value)) == 1 and not tensor.is_summary:
            m.end_path()


def _dtype(m: Interpreter, place: Any, right: Any, equal: bool) -> None:
    path = dotted(right)
    found = variables.lookup(m, path.split(".")[0]) if path else None
    if type(found) is not ImportPath:
        return
    kind = dtype_named(ImportPath(".".join([found.path, *path.split(".")[1:]])))
    if kind is None:
        return
    if equal:
        _narrow_tensor(m, place, "dtype", kind)
    elif kind is BOOL:
        _narrow_tensor(m, place, "dtype", INTEGER | INEXACT)


def _narrow_tensor(m: Interpreter, place: Any, field: str, fact: Fact) -> None:
    """A fact of the tensor at a place is known to be within this set, whatever was likely before."""
    value = peek(m, place)
    if value is None:
        return
    found = m.all(value, Tensor)
    dead = 0
    for ref, tensor in found:
        now = getattr(tensor, field) & fact
        if now.is_empty and _is_doubtful(tensor, field):
            tensor, now = _touched(tensor), fact
        if now.is_empty:
            dead += 1
        elif len(found) == 1 and m.is_single(ref, tensor):
            m.state.heap[ref] = replace(tensor, **{field: now})
    if found and dead == len(alternatives(value)):
        m.end_path()
    elif dead:
        _restrict(m, place, lambda option: not _excluded(m, option, field, fact))


def _touched(tensor: Tensor) -> Tensor:
    """A tensor of which a test shows that unseen code has not left it alone, if it had it."""
    return after_unseen_code(tensor) if tensor.belief is Belief.UNTOUCHED else tensor


def _excluded(m: Interpreter, option: Value, field: str, fact: Fact) -> bool:
    thing = m.state.heap.get(option) if type(option) is Ref else None
    return type(thing) is Tensor and (getattr(thing, field) & fact).is_empty and not _is_doubtful(thing, field)


def _is_doubtful(tensor: Tensor, field: str) -> bool:
    """Return whether a fact of a tensor is likely at best: that decides no branch. That it has no flag comes from the
    mode, unless unseen code may have set it."""
    if tensor.belief is Belief.UNTOUCHED:
        return field in FLAG_FIELDS.values()
    return tensor.belief >= Belief.FROM_USAGE and getattr(tensor, field) is not NO


FLAG_FIELDS = {"requires_grad": "requires_grad", "is_leaf": "leaf", "retains_grad": "retains"}


def _flag(m: Interpreter, test: cst.Attribute, holds: bool) -> None:
    field = FLAG_FIELDS.get(test.attr.value)
    if field is not None:
        _narrow_tensor(m, test.value, field, truth(holds))


def _call(m: Interpreter, test: cst.Call, holds: bool) -> None:
    name = dotted(test.func)
    last = name.rpartition(".")[2]
    if last in KINDS_ASKED:
        place = test.func.value if isinstance(test.func, cst.Attribute) and not test.args else None
        place = test.args[0].value if place is None and test.args else place
        if place is not None:
            kind = KINDS_ASKED[last]
            others = DISCRETE | COMPLEX if kind is FLOAT else DISCRETE | FLOAT
            _narrow_tensor(m, place, "dtype", kind if holds else others)
    elif name == "isinstance" and len(test.args) == 2:
        _isinstance(m, test.args[0].value, test.args[1].value, holds)
    elif last == "is_tensor" and test.args:
        _restrict(m, test.args[0].value, lambda value: is_a(m, value, "torch.Tensor").may(truth(holds)))


def narrow_class(m: Interpreter, place: Any, cls: Any) -> None:
    """Narrow the thing at a place to an instance of a class."""
    if type(place) in (cst.Name, cst.Attribute, cst.Subscript):
        _isinstance(m, place, cls, True)


def _isinstance(m: Interpreter, place: Any, wanted: Any, holds: bool) -> None:
    names = [element.value for element in wanted.elements] if isinstance(wanted, cst.Tuple) else [wanted]
    classes = [peek_class(m, node) for node in names]
    if any(cls is None for cls in classes):
        return

    def keeps(value: Value) -> bool:
        verdicts = [is_a(m, value, cls) for cls in classes if cls is not None]
        if holds:
            return any(verdict.may(YES) for verdict in verdicts)
        return all(verdict.may(NO) for verdict in verdicts)

    _restrict(m, place, keeps)
    if holds and m.state.live:
        _learn(m, place, [cls for cls in classes if cls is not None])


def _learn(m: Interpreter, place: Any, classes: list[str | Ref]) -> None:
    """Take what nothing was known of among the alternatives to be of one of these classes: something that nobody has
    seen, or one of the objects of such a class that it may have been all along."""
    options = alternatives(value) if (value := peek(m, place)) is not None else ()
    seen = [option for option in options if not is_guessed(m.thing(option))]
    told = _told_by_class(m, place, classes) if len(seen) < len(options) else None
    if told is not None and (modules := _said_more_of(m, options, told)):
        seen, told = [option for option in options if option in seen or option in modules], modules[0]
    if told is not None:
        known = m.state.reach([option for option in options if type(option) is Unknown])
        fitting = [ref for ref in known if ref not in seen and any(is_a(m, ref, cls).may(YES) for cls in classes)]
        poke(m, place, one_of([*seen, *fitting, told], MOST_ITEMS))


def _said_more_of(m: Interpreter, options: Sequence[Value], told: Value) -> list[Value]:
    """Return the modules that their use tells of, where the class says less: it is one of a library, or any module's.
    They are what they were, wrapped or not."""
    module = m.only(told, Module)
    vague = m.only(told, Instance) is not None or (module is not None and module.cls == ANY_MODULE)
    return [option for option in options if type(m.thing(option)) is Module] if vague else []


def _told_by_class(m: Interpreter, place: Any, classes: list[str | Ref]) -> Value | None:
    """Something of one of these classes of which nothing else is known; None where that says nothing."""
    if all(cls in TENSOR_CLASSES or cls in PARAMETER_CLASSES for cls in classes):
        return unknown_tensor(m, place, "isinstance", Belief.PROVEN)
    if all(isinstance(cls, str) and (public(cls) in m.torch.modules or cls in FAMILIES) for cls in classes):
        named = one_of([ImportPath(public(cls)) for cls in classes if isinstance(cls, str)])
        return unknown_module(m, place, "isinstance", Belief.PROVEN, named)
    if len(classes) == 1 and isinstance(classes[0], str) and m.packs.cls(classes[0]) is not None:
        return typical(m, place, classes[0], "isinstance", Belief.PROVEN)
    if all(isinstance(cls, str) for cls in classes):
        told = [instance_of(m, m.part_of(place, f"class {index}"), cls) for index, cls in enumerate(classes)]
        found = [value for value in told if value is not None]
        return one_of(found) if len(found) == len(told) else None
    return None
