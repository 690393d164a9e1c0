"""What a condition tells about the values it speaks of, on either side of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from gradlint.domain import (
    BOOL,
    COMPLEX,
    DISCRETE,
    FLOAT,
    INEXACT,
    INTEGER,
    LOST,
    MOST_ITEMS,
    NO,
    NONE,
    NONE_VALUE,
    UNKNOWN,
    YES,
    Belief,
    Const,
    Fact,
    Named,
    Ref,
    Tensor,
    Truth,
    Unknown,
    Value,
    alternatives,
    one_of,
    truth,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd.grad import is_held
from gradlint.interpreter.autograd.tensor import KINDS_ASKED, dtype_named, unknown_tensor
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.places import peek, peek_class, poke
from gradlint.interpreter.libraries.pack_results import typical
from gradlint.interpreter.nn.module import unknown_module
from gradlint.interpreter.python.isinstance_checks import PARAMETER_CLASSES, TENSOR_CLASSES, is_a, is_guessed
from gradlint.interpreter.static.scopes import dotted
from gradlint.interpreter.unknown.annotations import instance_of
from gradlint.knowledge.modules.families import FAMILIES, public

TRUTH: dict[type, Callable[[Interpreter, Any], Truth]] = SLOTS[TypeSlot.TRUTH]


def truthiness(it: Interpreter, value: Value) -> Truth:
    """Whether a value counts as true."""
    out: Truth | None = None
    for option in alternatives(value):
        found = _truthiness(it, option)
        out = found if out is None else out | found
    return Truth.unsure() if out is None else out


def _truthiness(it: Interpreter, value: Value) -> Truth:
    if type(value) is Const:
        return truth(bool(value.value))
    thing = it.state.heap.get(value) if type(value) is Ref else None
    of_kind = TRUTH.get(type(thing))
    return Truth.unsure() if of_kind is None else of_kind(it, thing)


def narrow(it: Interpreter, test: Any, holds: bool) -> None:
    """Go on with what is known where a condition holds (or does not); a path that cannot be is ended."""
    kind = type(test)
    if kind is cst.UnaryOperation and type(test.operator) is cst.Not:
        narrow(it, test.expression, not holds)
    elif kind is cst.BooleanOperation:
        if (type(test.operator) is cst.And) == holds:
            narrow(it, test.left, holds)
            narrow(it, test.right, holds)
    elif kind is cst.Comparison and len(test.comparisons) == 1:
        _comparison(it, test, holds)
    elif kind is cst.Call:
        _call(it, test, holds)
    elif kind is cst.NamedExpr:
        _restrict(it, test.target, lambda value: _counts_as(it, value, holds))
    elif kind is cst.Attribute:
        _flag(it, test, holds)
        _restrict(it, test, lambda value: _counts_as(it, value, holds))
    elif kind in (cst.Name, cst.Subscript):
        _restrict(it, test, lambda value: _counts_as(it, value, holds))


def assume(it: Interpreter, test: Any, holds: bool, decided: Truth) -> None:
    """Go on, on one of two paths that part by a test: with what is known there, and behind it if it is open."""
    if decided not in (YES, NO):
        it.state.guards |= {(test, holds)}
    narrow(it, test, holds)


def _counts_as(it: Interpreter, value: Value, holds: bool) -> bool:
    return _truthiness(it, value).may(YES if holds else NO)


# ---- places


def _restrict(it: Interpreter, place: Any, keeps: Callable[[Value], bool]) -> None:
    """Keep only the alternatives of a place that pass; where none does, the path is dead."""
    value = peek(it, place)
    if value is None:
        return
    options = alternatives(value)
    kept = [option for option in options if keeps(option)]
    if not kept:
        it.end_path()
    elif len(kept) < len(options):
        poke(it, place, one_of(kept, len(kept)))


# ---- what single conditions tell


def _comparison(it: Interpreter, test: cst.Comparison, holds: bool) -> None:
    target = test.comparisons[0]
    right, same = target.comparator, type(target.operator)
    if same in (cst.Is, cst.IsNot, cst.Equal, cst.NotEqual) and isinstance(right, cst.Name) and right.value == "None":
        none = (same in (cst.Is, cst.Equal)) == holds
        _none(it, test.left, none)
    elif same in (cst.Equal, cst.NotEqual, cst.Is, cst.IsNot):
        equal = (same in (cst.Equal, cst.Is)) == holds
        if isinstance(test.left, cst.Attribute) and test.left.attr.value == "dtype":
            _dtype(it, test.left.value, right, equal)


def _none(it: Interpreter, place: Any, none: bool) -> None:
    if isinstance(place, cst.Attribute) and place.attr.value == "grad":
        _gradient(it, place.value, none)
        return
    if none:
        _restrict(it, place, lambda value: value == NONE_VALUE or type(value) is Unknown)
    else:
        _restrict(it, place, lambda value: value != NONE_VALUE)


def _gradient(it: Interpreter, place: Any, none: bool) -> None:
    """`x.grad is None`."""
    value = peek(it, place)
    for ref, tensor in it.all(value, Tensor) if value is not None else ():
        grad, gradient = tensor.grad & (NONE | LOST) if none else tensor.grad, tensor.gradient
        if type(gradient) is not Unknown:
            kept = [option for option in alternatives(gradient) if (option == NONE_VALUE) == none]
            grad, gradient = grad if kept else grad.without(grad), one_of(kept)
        elif not none and not is_held(gradient):
            grad = grad.without(NONE | LOST)
        if not grad.is_empty:
            it.put(ref, replace(tensor, grad=grad, gradient=UNKNOWN if gradient == NONE_VALUE else gradient))
        elif len(alternatives(value)) == 1 and not tensor.many:  # type: ignore[arg-type]
            it.end_path()


def _dtype(it: Interpreter, place: Any, right: Any, equal: bool) -> None:
    path = dotted(right)
    found = it.lookup(path.split(".")[0]) if path else None
    if type(found) is not Named:
        return
    kind = dtype_named(Named(".".join([found.path, *path.split(".")[1:]])))
    if kind is None:
        return
    if equal:
        _narrow_tensor(it, place, "dtype", kind)
    elif kind is BOOL:
        _narrow_tensor(it, place, "dtype", INTEGER | INEXACT)


def _narrow_tensor(it: Interpreter, place: Any, field: str, fact: Fact) -> None:
    """A fact of the tensor at a place is known to be within this set, whatever was likely before."""
    value = peek(it, place)
    if value is None:
        return
    found = it.all(value, Tensor)
    dead = 0
    for ref, tensor in found:
        now = getattr(tensor, field) & fact
        if now.is_empty and _is_doubtful(tensor, field):
            now = fact
        if now.is_empty:
            dead += 1
        elif len(found) == 1 and it.is_meant(ref, tensor):
            it.state.heap[ref] = replace(tensor, **{field: now})
    if found and dead == len(alternatives(value)):
        it.end_path()
    elif dead:
        _restrict(it, place, lambda option: not _excluded(it, option, field, fact))


def _excluded(it: Interpreter, option: Value, field: str, fact: Fact) -> bool:
    thing = it.state.heap.get(option) if type(option) is Ref else None
    return type(thing) is Tensor and (getattr(thing, field) & fact).is_empty and not _is_doubtful(thing, field)


def _is_doubtful(tensor: Tensor, field: str) -> bool:
    """Whether a fact of a tensor is likely at best: that decides no branch. That it has no flag comes from the mode."""
    return tensor.belief >= Belief.BY_USE and getattr(tensor, field) is not NO


FLAG_FIELDS = {"requires_grad": "requires_grad", "is_leaf": "leaf", "retains_grad": "retains"}


def _flag(it: Interpreter, test: cst.Attribute, holds: bool) -> None:
    field = FLAG_FIELDS.get(test.attr.value)
    if field is not None:
        _narrow_tensor(it, test.value, field, truth(holds))


def _call(it: Interpreter, test: cst.Call, holds: bool) -> None:
    name = dotted(test.func)
    last = name.rpartition(".")[2]
    if last in KINDS_ASKED:
        place = test.func.value if isinstance(test.func, cst.Attribute) and not test.args else None
        place = test.args[0].value if place is None and test.args else place
        if place is not None:
            kind = KINDS_ASKED[last]
            others = DISCRETE | COMPLEX if kind is FLOAT else DISCRETE | FLOAT
            _narrow_tensor(it, place, "dtype", kind if holds else others)
    elif name == "isinstance" and len(test.args) == 2:
        _isinstance(it, test.args[0].value, test.args[1].value, holds)
    elif last == "is_tensor" and test.args:
        _restrict(it, test.args[0].value, lambda value: is_a(it, value, "torch.Tensor").may(truth(holds)))


def narrow_class(it: Interpreter, place: Any, cls: Any) -> None:
    """Go on with what is known where the thing at a place is an instance of a class."""
    if type(place) in (cst.Name, cst.Attribute, cst.Subscript):
        _isinstance(it, place, cls, True)


def _isinstance(it: Interpreter, place: Any, wanted: Any, holds: bool) -> None:
    names = [element.value for element in wanted.elements] if isinstance(wanted, cst.Tuple) else [wanted]
    classes = [peek_class(it, node) for node in names]
    if any(cls is None for cls in classes):
        return

    def keeps(value: Value) -> bool:
        verdicts = [is_a(it, value, cls) for cls in classes if cls is not None]
        if holds:
            return any(verdict.may(YES) for verdict in verdicts)
        return all(verdict.may(NO) for verdict in verdicts)

    _restrict(it, place, keeps)
    if holds and it.state.live:
        _learn(it, place, [cls for cls in classes if cls is not None])


def _learn(it: Interpreter, place: Any, classes: list[str | Ref]) -> None:
    """What nothing was known of among the alternatives turns out to be of one of these classes: something that nobody
    has seen, or one of the objects of such a class that it may have been all along."""
    options = alternatives(value) if (value := peek(it, place)) is not None else ()
    seen = [option for option in options if not is_guessed(it.thing(option))]
    told = _told_by_class(it, place, classes) if len(seen) < len(options) else None
    if told is not None:
        known = it.state.reach([option for option in options if type(option) is Unknown])
        fitting = [ref for ref in known if ref not in seen and any(is_a(it, ref, cls).may(YES) for cls in classes)]
        poke(it, place, one_of([*seen, *fitting, told], MOST_ITEMS))


def _told_by_class(it: Interpreter, place: Any, classes: list[str | Ref]) -> Value | None:
    """Something of one of these classes of which nothing else is known; None where that says nothing."""
    if all(cls in TENSOR_CLASSES or cls in PARAMETER_CLASSES for cls in classes):
        return unknown_tensor(it, place, "isinstance", Belief.PROVEN)
    if all(isinstance(cls, str) and (public(cls) in it.torch.modules or cls in FAMILIES) for cls in classes):
        named = one_of([Named(public(cls)) for cls in classes if isinstance(cls, str)])
        return unknown_module(it, place, "isinstance", Belief.PROVEN, named)
    if len(classes) == 1 and isinstance(classes[0], str) and it.packs.cls(classes[0]) is not None:
        return typical(it, place, classes[0], "isinstance", Belief.PROVEN)
    if all(isinstance(cls, str) for cls in classes):
        told = [instance_of(it, it.place_of(place, f"class {index}"), cls) for index, cls in enumerate(classes)]
        found = [value for value in told if value is not None]
        return one_of(found) if len(found) == len(told) else None
    return None
