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
from gradlint.frozen import replace
from gradlint.interpreter.autograd.record import apply
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import uses_of_given
from gradlint.knowledge.schema import Operation, Result

ARRIVING, ACCUMULATED = "hook", "post_accumulate_grad_hook"
BEFORE, AFTER = "forward_pre_hook", "forward_hook"
BACKWARD = ("full_backward_pre_hook", "full_backward_hook", "backward_hook")

AGAIN = "again"
"""Beside their kind the key of hooks that have been registered more than once."""

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
    if kind in (BEFORE, AFTER) and any(_may_keep(it, option) for option in alternatives(function)):
        it.seen_by_hooks |= dict.fromkeys(alternatives(owner))
    for ref, tensor in it.all(owner, Tensor):
        it.put(ref, replace(tensor, hooks=_with(tensor.hooks, kind, function)))
    for ref, module in it.all(owner, Module):
        it.put(ref, replace(module, hooks=_with(module.hooks, kind, function)))
    return HANDLE


CUTS = frozenset({"data", "detach()", "item()", "numpy()", "tolist()"})
"""How a hook lets go of the graph of what it is handed."""


def _may_keep(it: Interpreter, hook: Value) -> bool:
    """Whether a hook around the call of a module may keep the graph of what that gives."""
    called = hook.function if type(hook) is Bound else hook
    if type(called) is not Function:
        return True
    given = called.node.params.params[-1:]
    return all(CUTS.isdisjoint(uses_of_given(it.scan.scopes[called.node], one.name.value)) for one in given)


def _with(hooks: Items, kind: str, function: Value) -> Items:
    """The hooks and one more; those of one kind are alternatives, for each may be removed. What is registered once
    more is kept by itself."""
    known = dict(hooks)
    key = (kind, AGAIN) if kind in known and set(alternatives(function)) <= set(alternatives(known[kind])) else kind
    known[key] = one_of((known[key], function)) if key in known else function
    return tuple(known.items())


def _registered(thing: Any, kind: str) -> list[Value]:
    """The hooks of a kind, in the order in which they are called."""
    known = dict(thing.hooks) if thing is not None else {}
    return [option for key in (kind, (kind, AGAIN)) if key in known for option in alternatives(known[key])]


def registering(kind: str) -> Callable[..., Value]:
    """The method that registers hooks of this kind."""

    def method(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str = "") -> Value:
        return register(it, node, owner, kind, args)

    return method


def _perhaps(
    it: Interpreter,
    place: Any,
    hooks: Sequence[Value],
    args: Sequence[Value],
    mode: Truth,
    put: Callable[[Interpreter, Any, Value], Value] | None = lambda _, __, given: given,
) -> Value:
    """Run each of the hooks, or not, one after the other: what one gives instead of its last argument the next is
    handed, as `put` makes it (None: that is not what it gives). Gives what that argument is in the end."""
    start = it.hold(*hooks, *args)
    first = start + len(hooks)
    last = first + len(args) - 1
    for index in range(len(hooks)):
        aside = it.fork()
        function, *given = it.state.flight[start + index], *it.state.flight[first : last + 1]
        outer, it.state.grad_mode = it.state.grad_mode, mode
        inner = it.place_of(place, f"hook {index}")
        result = call_value(it, inner, function, Arguments(list(given)), "")
        it.state.grad_mode = outer
        if put is not None:
            instead = [put(it, inner, option) for option in alternatives(result) if option != NONE_VALUE]
            kept = [it.state.flight[last]] if NONE_VALUE in alternatives(result) else []
            it.state.flight[last] = one_of((*kept, *instead))
        it.join([it.state, aside])
    return it.land(start)[last - start]


# ---- around the call of a module


def before_call(it: Interpreter, node: Any, ref: Any, args: Arguments) -> Arguments:
    """What a module is called with after its hooks have seen it."""
    hooks = _registered(it[ref], BEFORE)
    if not hooks:
        return args
    start = it.hold(*args.keywords.values())
    handed = it.new(node, "seen before", Container("tuple", tuple(enumerate(args.positional))))
    given = _perhaps(it, it.place_of(node, BEFORE), hooks, [ref, handed], it.state.grad_mode, _as_arguments)
    keywords = dict(zip(args.keywords, it.land(start), strict=True))
    count, listed = len(args.positional), [tuple(one.items) for _, one in it.all(given, Container)]
    if len(listed) < len(alternatives(given)) or any(len(items) != count for items in listed):
        return Arguments([UNKNOWN for _ in args.positional], keywords, True)
    each = zip(*([value for _, value in items] for items in listed), strict=True)
    return replace(args, positional=[one_of(values) for values in each], keywords=keywords)


def _as_arguments(it: Interpreter, node: Any, given: Value) -> Value:
    """What a hook gives instead of the arguments: a tuple of them, or the only one."""
    thing = it.thing(given)
    if type(thing) is Container and thing.kind == "tuple":
        return given
    return it.new(node, "given", Container("tuple", ((0, given),)))


def may_see_inside(it: Interpreter, ref: Value) -> bool:
    """Whether hooks may keep what is computed inside the call of a module whose parts nobody sees."""
    return any(one != ref for one in it.seen_by_hooks)


def after_call(it: Interpreter, node: Any, ref: Any, args: Arguments, result: Value) -> Value:
    """What the call of a module gives after its hooks have seen it: what one of them gave instead, or the result."""
    result = _watched(it, node, ref, result)
    hooks = _registered(it[ref], AFTER)
    if not hooks:
        return result
    handed = it.new(node, "seen by hooks", Container("tuple", tuple(enumerate(args.positional))))
    return _perhaps(it, node, hooks, [ref, handed, result], it.state.grad_mode)


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
        for kind in (ARRIVING, *BACKWARD):
            if hooks := _registered(thing, kind):
                place = it.place_of(node, f"{index} {kind}")
                if kind == ARRIVING:
                    _perhaps(it, place, hooks, [_gradient(it, place, ref, thing, create)], create)
                else:
                    _perhaps(it, place, hooks, [ref, *_gradients(it, place, kind, create)], create, None)
    it.land(start)


def run_accumulated(it: Interpreter, node: Any, found: Sequence[Ref], create: Truth) -> None:
    """Hooks are handed the tensors whose gradients have been filled."""
    start = it.hold(*found)
    for index in range(len(found)):
        ref = it.state.flight[start + index]
        thing: Any = it.state.heap.get(ref)  # type: ignore[arg-type]
        if hooks := _registered(thing, ACCUMULATED):
            _perhaps(it, it.place_of(node, f"{index} {ACCUMULATED}"), hooks, [ref], create)
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
