"""Hooks: functions that torch calls when a gradient arrives, or around the call of a module.

They stay where they were registered and are run where torch would run them, perhaps: the handle that removes one is
not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradlint import events
from gradlint.domain import (
    MAYBE,
    NO,
    NONE_VALUE,
    UNKNOWN,
    YES,
    Bound,
    Container,
    Function,
    Items,
    Module,
    Plain,
    Ref,
    Tensor,
    Truth,
    Value,
    alternatives,
    negation,
    one_of,
)
from gradlint.domain.changing import replace
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.recording import apply
from gradlint.interpreter.tensors import fresh
from gradlint.knowledge.rows import Operation, Result

ARRIVING, ACCUMULATED = "hook", "post_accumulate_grad_hook"
BEFORE, AFTER = "forward_pre_hook", "forward_hook"
BACKWARD = ("full_backward_pre_hook", "full_backward_hook", "backward_hook")

HANDLE = Plain("RemovableHandle")


def register(it: Interpreter, node: Any, owner: Value, kind: str, args: Arguments) -> Value:
    """A hook is registered on a tensor or a module."""
    function = args.get("hook", 0, UNKNOWN)
    it.emit(events.HookRegistered, node, of=it.thing(owner), by=kind, function=it.thing(function))
    for option in alternatives(function):
        called = option.function if type(option) is Bound else option
        if type(called) is Function:
            it.escaped_functions[called.node] = None
            if kind == ARRIVING and it.may_be(owner, Tensor):
                it.handed_gradients[called.node] = int(type(option) is Bound)
    for ref, tensor in it.all(owner, Tensor):
        it.put(ref, replace(tensor, hooks=_with(tensor.hooks, kind, function)))
    for ref, module in it.all(owner, Module):
        it.put(ref, replace(module, hooks=_with(module.hooks, kind, function)))
    return HANDLE


def _with(hooks: Items, kind: str, function: Value) -> Items:
    """The hooks and one more; those of one kind are alternatives, for each may be removed."""
    known = dict(hooks)
    known[kind] = one_of((known[kind], function)) if kind in known else function
    return tuple(known.items())


def registering(kind: str) -> Callable[..., Value]:
    """The method that registers hooks of this kind."""

    def method(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str = "") -> Value:
        return register(it, node, owner, kind, args)

    return method


def _perhaps(it: Interpreter, place: Any, function: Value, args: Sequence[Value], mode: Truth) -> Value:
    """Run each of the functions, or not, and give what one of them may have given."""
    from gradlint.interpreter.calls import call_value

    start = it.hold(function, *args)
    found = it.hold(NONE_VALUE)
    for index in range(len(alternatives(function))):
        aside = it.fork()
        options = alternatives(it.state.flight[start])
        given, outer = it.state.flight[start + 1 : found], it.state.grad_mode
        it.state.grad_mode = mode
        result = call_value(it, it.place_of(place, f"hook {index}"), options[index], Arguments(list(given)), "")
        it.state.grad_mode = outer
        it.state.flight[found] = one_of((it.state.flight[found], result))
        it.join([it.state, aside])
    return it.land(start)[found - start]


# ---- around the call of a module


def before_call(it: Interpreter, node: Any, ref: Any, args: Arguments) -> Arguments:
    """What a module is called with after its hooks have seen it."""
    function = dict(it[ref].hooks).get(BEFORE)
    if function is None:
        return args
    start = it.hold(ref, *args.values())
    handed = it.new(node, "seen before", Container("tuple", tuple(enumerate(args.positional))))
    given = _perhaps(it, it.place_of(node, BEFORE), function, [ref, handed], it.state.grad_mode)
    values = it.land(start)[1:]
    count = len(args.positional)
    out = Arguments(values[:count], dict(zip(args.keywords, values[count:], strict=True)), args.unknown)
    return out if given == NONE_VALUE else _replaced(it, out, given)


def _replaced(it: Interpreter, args: Arguments, given: Value) -> Arguments:
    """The arguments, or those that a hook gave instead: a tuple, or the only one."""
    thing = it.only(one_of([o for o in alternatives(given) if o != NONE_VALUE]), Container)
    new = [value for _, value in thing.items] if thing is not None else [given]
    if len(new) != len(args.positional):
        return Arguments([UNKNOWN for _ in args.positional], args.keywords, True)
    return replace(args, positional=[one_of(_without_none(pair)) for pair in zip(args.positional, new, strict=True)])


def _without_none(values: Sequence[Value]) -> list[Value]:
    return [option for value in values for option in alternatives(value) if option != NONE_VALUE] or [NONE_VALUE]


def after_call(it: Interpreter, node: Any, ref: Any, args: Arguments, result: Value) -> Value:
    """What the call of a module gives after its hooks have seen it: what one of them gave instead, or the result."""
    result = _watched(it, node, ref, result)
    function = dict(it[ref].hooks).get(AFTER)
    if function is None:
        return result
    start = it.hold(result)
    handed = it.new(node, "seen by hooks", Container("tuple", tuple(enumerate(args.positional))))
    given = _perhaps(it, node, function, [ref, handed, result], it.state.grad_mode)
    result = it.land(start)[0]
    return one_of((result, *(option for option in alternatives(given) if option != NONE_VALUE)))


WATCHED = Operation("BackwardHookFunction", (), (), (), "", results=(Result("view"),))


def _watched(it: Interpreter, node: Any, ref: Any, result: Value) -> Value:
    """What a module returns where a hook waits for its gradients: a leaf gets a node behind it too."""
    waits = any(kind in BACKWARD[:2] for kind, _ in it[ref].hooks)
    leaves = [leaf for leaf, one in it.all(result, Tensor) if one.leaf.may(YES) and one.requires_grad.may(YES)]
    if not waits or not leaves or it.recording is NO:
        return result
    start = it.hold(result)
    place = it.place_of(node, "watched")
    seen = apply(it, place, WATCHED, [("input", one_of(leaves, len(leaves)))])
    return one_of((it.land(start)[0], seen))


# ---- when a gradient arrives


def arriving(it: Interpreter, reached: set[Ref]) -> list[Ref]:
    """The tensors and modules with hooks that a backward through these nodes and leaves calls."""
    found = []
    for ref, thing in it.state.heap.items():
        if type(thing) is Tensor and thing.hooks:
            if ref in reached or not reached.isdisjoint(thing.node):
                found.append(ref)
        elif type(thing) is Module and any(kind in BACKWARD for kind, _ in thing.hooks):
            found.append(ref)
    return found


def run_arriving(it: Interpreter, node: Any, found: Sequence[Ref], create: Truth) -> None:
    """Hooks are handed the gradients; on a module those of its inputs and results."""
    start = it.hold(*found)
    for index in range(len(found)):
        ref = it.state.flight[start + index]
        thing: Any = it.state.heap.get(ref)  # type: ignore[arg-type]
        for kind, function in thing.hooks if thing is not None else ():
            place = it.place_of(node, f"{index} {kind}")
            if kind == ARRIVING:
                _perhaps(it, place, function, [_gradient(it, place, ref, thing, create)], create)
            elif kind in BACKWARD:
                _perhaps(it, place, function, [ref, *_gradients(it, place, kind, create)], create)
    it.land(start)


def run_accumulated(it: Interpreter, node: Any, found: Sequence[Ref], create: Truth) -> None:
    """Hooks are handed the tensors whose gradients have been filled."""
    start = it.hold(*found)
    for index in range(len(found)):
        ref = it.state.flight[start + index]
        thing: Any = it.state.heap.get(ref)  # type: ignore[arg-type]
        if type(thing) is Tensor and (function := dict(thing.hooks).get(ACCUMULATED)) is not None:
            _perhaps(it, it.place_of(node, f"{index} {ACCUMULATED}"), function, [ref], create)
    it.land(start)


def _gradient(it: Interpreter, place: Any, ref: Value, thing: Tensor, create: Truth) -> Value:
    requires = NO if create is NO else MAYBE if create is YES else NO | create
    return fresh(it, place, "gradient", dtype=thing.dtype, made=ARRIVING, grad_of=(ref,), belief=thing.belief,
                 requires_grad=requires, leaf=negation(requires))  # fmt: skip


def _gradients(it: Interpreter, place: Any, kind: str, create: Truth) -> list[Value]:
    """The gradients of a module's inputs and results; there is None for what requires none."""
    out: list[Value] = []
    for part in ("results",) if kind == BACKWARD[0] else ("inputs", "results"):
        inner = it.place_of(place, part)
        element = one_of((fresh(it, inner, "gradient", made=ARRIVING, requires_grad=NO | create), NONE_VALUE))
        out.append(it.new(inner, "gradients", Container("tuple", rest=element)))
    return out
