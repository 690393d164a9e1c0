"""Hooks: functions that torch calls when a gradient arrives, or around the call of a module.

They stay where they were registered and are run where torch would run them, perhaps: the handle that removes one is
not followed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import MAYBE, NO, YES, Truth, negation
from gradlint.domain.items import Items
from gradlint.domain.objects import Container, Module, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Bound, Function, PlainObject, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import dotted, uses_of_given
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.static.tree_walk import in_order
from gradlint.knowledge.python.duck_typing_names import SHOWING, words
from gradlint.knowledge.schema import Operation, Result

ARRIVING, ACCUMULATED = "hook", "post_accumulate_grad_hook"
BEFORE, AFTER = "forward_pre_hook", "forward_hook"
BACKWARD = ("full_backward_pre_hook", "full_backward_hook", "backward_hook")

AGAIN = "again"
"""Beside their kind the key of hooks that have been registered more than once."""

HANDLE = PlainObject("RemovableHandle")


class HandedGradients(dict[object, int]):
    """Functions that are hooks of tensors, with the position of the gradient that they are passed."""


def register(m: Interpreter, node: Site, owner: Value, kind: str, args: Arguments) -> Value:
    """A hook is registered on a tensor or a module."""
    function = args.get("hook", 0, UNKNOWN)
    m.emit(events.HookRegistered, node, of=m.thing(owner), by=kind, function=m.thing(function))
    for option in alternatives(function):
        called = option.function if type(option) is Bound else option
        if type(called) is Function:
            m.defined.escaped[called.node] = None
            if kind == ARRIVING and m.may_be(owner, Tensor):
                m.notes(HandedGradients)[called.node] = int(type(option) is Bound)
    if kind in (BEFORE, AFTER) and any(_may_keep(m, option) for option in alternatives(function)):
        m.defined.hooked |= dict.fromkeys(alternatives(owner))
    for ref, tensor in m.all(owner, Tensor):
        m.store(ref, replace(tensor, hooks=_with(tensor.hooks, kind, function)))
    for ref, module in m.all(owner, Module):
        m.store(ref, replace(module, hooks=_with(module.hooks, kind, function)))
    return HANDLE


CUTS = frozenset({"data", "detach()", "item()", "numpy()", "tolist()"})
"""The ways in which a hook lets go of the graph of its arguments."""


def _may_keep(m: Interpreter, hook: Value) -> bool:
    """Return whether a hook around the call of a module may keep the graph of what that gives."""
    called = hook.function if type(hook) is Bound else hook
    if type(called) is not Function:
        return True
    if _only_shows(called.node.body):
        return False
    given = called.node.params.params[-1:]
    return all(CUTS.isdisjoint(uses_of_given(m.scan.scopes[called.node], one.name.value)) for one in given)


KEEPS = (cst.Lambda, cst.FunctionDef, cst.ClassDef, cst.Global, cst.Nonlocal, cst.Yield, cst.Await, cst.NamedExpr)
"""The syntax by which a hook may keep something, whatever it does besides."""
PLAIN = frozenset({"float", "format", "int", "isinstance", "len", "list", "repr", "str", "tuple", "type"})
LIBRARIES = frozenset({"torch", "F", "np", "math"})
"""Functions, and libraries of such, that keep nothing of what they are passed."""


def _only_shows(body: cst.BaseSuite) -> bool:
    """Return whether the text of a hook prints or logs, and neither keeps nor gives back anything."""
    return all(_keeps_nothing(node) for node in in_order(body))


def _keeps_nothing(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.AssignTarget | cst.AugAssign | cst.AnnAssign):
        return type(node.target) is cst.Name
    if type(node) is cst.Return:
        return node.value is None
    if type(node) is cst.Expr and type(node.value) is cst.Call:
        return bool(words(dotted(node.value.func).rpartition(".")[2]) & SHOWING)
    if type(node) is cst.Call:
        name, handed = (
            dotted(node.func),
            any(type(part) is cst.Name for one in node.args for part in in_order(one.value)),
        )
        root, _, rest = name.partition(".")
        plain = root in (LIBRARIES if rest else PLAIN)
        return (
            plain or (not handed and type(node.func) is cst.Attribute) or bool(words(name.rpartition(".")[2]) & SHOWING)
        )
    return not isinstance(node, KEEPS)


def _with(hooks: Items, kind: str, function: Value) -> Items:
    """The hooks and one more; those of one kind are alternatives, for each may be removed. A repeated one is kept by
    itself."""
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

    def method(m: Interpreter, node: Site, owner: Value, args: Arguments, chain: str = "") -> Value:
        return register(m, node, owner, kind, args)

    return method


def _perhaps(
    m: Interpreter,
    place: Any,
    hooks: Sequence[Value],
    args: Sequence[Value],
    mode: Truth,
    put: Callable[[Interpreter, Any, Value], Value] | None = lambda _, __, given: given,
) -> Value:
    """Run each of the hooks, or not, one after the other: what one gives instead of its last argument the next is
    passed, as `put` makes it (None: that is not what it gives). Gives what that argument is in the end."""
    start = m.push(*hooks, *args)
    first = start + len(hooks)
    last = first + len(args) - 1
    for index in range(len(hooks)):
        aside = m.fork()
        function, *given = m.state.stack[start + index], *m.state.stack[first : last + 1]
        outer, m.state.grad_mode = m.state.grad_mode, mode
        inner = m.part_of(place, f"hook {index}")
        result = call_value(m, inner, function, Arguments(list(given)), "")
        m.state.grad_mode = outer
        if put is not None:
            instead = [put(m, inner, option) for option in alternatives(result) if option != NONE_VALUE]
            kept = [m.state.stack[last]] if NONE_VALUE in alternatives(result) else []
            m.state.stack[last] = one_of((*kept, *instead))
        m.join([m.state, aside])
    return m.pop_from(start)[last - start]


# ---- around the call of a module


def before_call(m: Interpreter, node: Site, ref: Any, args: Arguments) -> Arguments:
    """Return the arguments of a module's call after its hooks have seen them."""
    hooks = _registered(m[ref], BEFORE)
    if not hooks:
        return args
    start = m.push(*args.keywords.values())
    handed = m.new(node, "seen before", Container("tuple", tuple(enumerate(args.positional))))
    given = _perhaps(m, m.part_of(node, BEFORE), hooks, [ref, handed], m.state.grad_mode, _as_arguments)
    keywords = dict(zip(args.keywords, m.pop_from(start), strict=True))
    count, listed = len(args.positional), [tuple(one.items) for _, one in m.all(given, Container)]
    if len(listed) < len(alternatives(given)) or any(len(items) != count for items in listed):
        return Arguments([UNKNOWN for _ in args.positional], keywords, True)
    each = zip(*([value for _, value in items] for items in listed), strict=True)
    return replace(args, positional=[one_of(values) for values in each], keywords=keywords)


def _as_arguments(m: Interpreter, node: Site, given: Value) -> Value:
    """Return the arguments that a hook gives in place of the old: a tuple of them, or the only one."""
    thing = m.thing(given)
    if type(thing) is Container and thing.kind == "tuple":
        return given
    return m.new(node, "given", Container("tuple", ((0, given),)))


def may_see_inside(m: Interpreter, ref: Value) -> bool:
    """Return whether hooks may keep what is computed inside the call of a module whose parts nobody sees."""
    return any(one != ref for one in m.defined.hooked)


def after_call(m: Interpreter, node: Site, ref: Any, args: Arguments, result: Value) -> Value:
    """Return the result of a module's call after its hooks have seen it: the result of one of them, or its own."""
    result = _watched(m, node, ref, result)
    hooks = _registered(m[ref], AFTER)
    if not hooks:
        return result
    handed = m.new(node, "seen by hooks", Container("tuple", tuple(enumerate(args.positional))))
    return _perhaps(m, node, hooks, [ref, handed, result], m.state.grad_mode)


WATCHED = Operation("BackwardHookFunction", (), (), (), "", results=(Result("view"),))


def _watched(m: Interpreter, node: Site, ref: Any, result: Value) -> Value:
    """Return the result of a module where a hook waits for its gradients: a leaf gets a node behind it too."""
    waits = any(kind in BACKWARD[:2] for kind, _ in m[ref].hooks)
    leaves = [leaf for leaf, one in m.all(result, Tensor) if one.leaf.may(YES) and one.requires_grad.may(YES)]
    if not waits or not leaves or m.recording is NO:
        return result
    start = m.push(result)
    place = m.part_of(node, "watched")
    seen = apply(m, place, WATCHED, [("input", one_of(leaves, len(leaves)))])
    return one_of((m.pop_from(start)[0], seen))


# ---- when a gradient arrives


def arriving(m: Interpreter, reached: set[Ref]) -> list[Ref]:
    """The tensors and modules with hooks that a backward through these nodes and leaves calls."""
    found = []
    for ref, thing in m.state.heap.items():
        if type(thing) is Tensor and thing.hooks:
            if ref in reached or not reached.isdisjoint(thing.node):
                found.append(ref)
        elif type(thing) is Module and any(kind in BACKWARD for kind, _ in thing.hooks):
            found.append(ref)
    return found


def run_arriving(m: Interpreter, node: Site, found: Sequence[Ref], create: Truth) -> None:
    """Hooks are passed the gradients; on a module those of its inputs and results."""
    start = m.push(*found)
    for index in range(len(found)):
        ref = m.state.stack[start + index]
        thing: Any = m.state.heap.get(ref) if type(ref) is Ref else None
        for kind in (ARRIVING, *BACKWARD):
            if hooks := _registered(thing, kind):
                place = m.part_of(node, f"{index} {kind}")
                if kind == ARRIVING:
                    _perhaps(m, place, hooks, [_gradient(m, place, ref, thing, create)], create)
                else:
                    _perhaps(m, place, hooks, [ref, *_gradients(m, place, kind, create)], create, None)
    m.pop_from(start)


def run_accumulated(m: Interpreter, node: Site, found: Sequence[Ref], create: Truth) -> None:
    """Hooks are passed the tensors whose gradients have been filled."""
    start = m.push(*found)
    for index in range(len(found)):
        ref = m.state.stack[start + index]
        thing: Any = m.state.heap.get(ref) if type(ref) is Ref else None
        if hooks := _registered(thing, ACCUMULATED):
            _perhaps(m, m.part_of(node, f"{index} {ACCUMULATED}"), hooks, [ref], create)
    m.pop_from(start)


def _gradient(m: Interpreter, place: Any, ref: Value, thing: Tensor, create: Truth) -> Value:
    requires = NO if create is NO else MAYBE if create is YES else NO | create
    return fresh(m, place, "gradient", dtype=thing.dtype, made=ARRIVING, grad_of=(ref,), belief=thing.belief,
                 requires_grad=requires, leaf=negation(requires))  # fmt: skip


def _gradients(m: Interpreter, place: Any, kind: str, create: Truth) -> list[Value]:
    """The gradients of a module's inputs and results; there is None for what requires none."""
    out: list[Value] = []
    for part in ("results",) if kind == BACKWARD[0] else ("inputs", "results"):
        inner = m.part_of(place, part)
        element = one_of((fresh(m, inner, "gradient", made=ARRIVING, requires_grad=NO | create), NONE_VALUE))
        out.append(m.new(inner, "gradients", Container("tuple", rest=element)))
    return out
