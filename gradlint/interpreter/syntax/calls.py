"""Calls: whatever stands before the parentheses decides what happens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain import (
    NO,
    NONE_VALUE,
    NOTHING,
    UNKNOWN,
    UNSURE,
    YES,
    Belief,
    Bound,
    Class,
    Container,
    Context,
    Function,
    Instance,
    Iterator,
    Module,
    Named,
    Optimizer,
    Ref,
    Scaler,
    Scheduler,
    State,
    Super,
    Tensor,
    Truth,
    Unknown,
    Value,
    alternatives,
    cuts_of_numbers,
    number_kind,
    one_of,
    with_certain,
)
from gradlint.events import Thing
from gradlint.interpreter import receivers
from gradlint.interpreter.autograd import custom_function, tensor_methods
from gradlint.interpreter.engine import cannot_raise
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.escape import havoc, result_of_unknown
from gradlint.interpreter.engine.machine import MOST_CALLS_DEEP, STEPS, Interpreter, expression, syntax
from gradlint.interpreter.libraries import pack_results
from gradlint.interpreter.nn import module_calls, module_containers, module_methods
from gradlint.interpreter.python import container_methods, containers
from gradlint.interpreter.python.attribute_load import FLAGS, get_attribute
from gradlint.interpreter.python.attribute_store import read_by_class
from gradlint.interpreter.python.classes import call_super, instantiate, perhaps_initialised
from gradlint.interpreter.python.functions import call_bound, call_function, written_since
from gradlint.interpreter.python.mro import find_member
from gradlint.interpreter.roles import escape_by
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.stdlib import builtins
from gradlint.interpreter.syntax.narrowing import peek
from gradlint.interpreter.torch_api import torch_paths
from gradlint.interpreter.training import grad_scaler, lr_scheduler, optimizer
from gradlint.interpreter.unknown.assumed_optimizer import entrust
from gradlint.interpreter.unknown.duck_typing import note_options, owner_by_method


@expression(cst.Call)
def call(it: Interpreter, node: cst.Call) -> Value:
    """Evaluate callee and arguments, then call."""
    if type(node.func) is cst.Attribute and node.func.attr.value in FLAGS:
        return _call_flag(it, node, node.func)
    start = it.hold(it.value(node.func))
    callee, args = _given(it, node, start)
    return call_value(it, node, callee, args, spelled(node.func))


def _given(it: Interpreter, node: cst.Call, start: int) -> tuple[Value, Arguments]:
    """The arguments of a call, and the last value that was held before them as it is then."""
    held = len(it.state.flight) - start
    it.hold(*it.values([argument.value for argument in node.args]))
    values = it.land(start)
    args = Arguments()
    for argument, value in zip(node.args, values[held:], strict=True):
        _add_argument(it, node, args, argument, value)
    return values[held - 1], args


def _call_flag(it: Interpreter, node: cst.Call, func: cst.Attribute) -> Value:
    """`x.requires_grad(True)`: a flag is no method, and a module has none of that name, unless its class says so."""
    owner = it.value(func.value)
    receivers.note(it, func, owner)
    flag, name, shown = func.attr.value, spelled(func.value), it.thing(owner)
    callee, args = _given(it, node, it.hold(get_attribute(it, func, owner, flag, name)))
    missing = _lacks(it, shown, callee, flag)
    result = UNKNOWN if missing is YES else call_value(it, node, callee, args, spelled(func))
    it.emit(events.Called, node, path=flag, args=(shown,), result=it.thing(result), name=name, missing=missing)
    return result


def _lacks(it: Interpreter, owner: Thing, callee: Value, method: str) -> Truth:
    """Whether an object has no method of that name; what was looked up in vain is a method nobody defines.

    What only its use tells to be a tensor may have been told so by this very name.
    """
    if type(owner) is Tensor:
        return UNSURE if owner.loose or owner.belief > Belief.ANNOTATED else YES
    in_vain = all(type(option) is Bound and option.function is None for option in alternatives(callee))
    if type(owner) is not Module or not in_vain:
        return UNSURE if type(callee) is Unknown else NO
    known = all(type(cls) is Ref or _is_of_torch(cls) for cls in alternatives(owner.cls))
    return YES if known and read_by_class(it, owner, method) is NO else UNSURE


def _is_of_torch(cls: Value) -> bool:
    return type(cls) is Named and cls.path.startswith("torch.")


def _add_argument(it: Interpreter, node: cst.Call, args: Arguments, argument: cst.Arg, value: Value) -> None:
    if argument.keyword is not None:
        args.keywords[argument.keyword.value] = value
    elif argument.star == "*":
        listing = containers.listing(it, value)
        if listing is not None:
            args.positional += listing
        else:
            before = args.certain if args.unknown else args.positional
            args.certain = with_certain((), [*before, *containers.certain(it, value)])
            args.positional.append(containers.elements(it, node, value))
            containers.consume(it, node, value, "*")
            args.unknown = True
    elif argument.star == "**":
        thing = it.only(value, Container)
        args.unknown = args.unknown or thing is None or thing.rest != NOTHING
        args.keywords |= {str(key): v for key, v in thing.items} if thing is not None else {}
        if thing is None:
            args.keywords.setdefault("**", value)
    else:
        args.positional.append(value)
        if args.unknown:
            args.certain = with_certain(args.certain, [value])


def call_value(it: Interpreter, node: Any, callee: Value, args: Arguments, name: str) -> Value:
    """Call any value; where it has alternatives, each in turn, and the paths join. What torch refuses of a tensor's
    method then is refused only if it is that tensor."""
    options = [option for option in alternatives(callee) if option != NONE_VALUE] or [callee]
    if len(options) == 1:
        return _call(it, node, options[0], args, name)
    modules_only = [o for o in options if type(o) is Ref and type(it.state.heap.get(o)) is Module]
    if len(modules_only) == len(options):
        return module_calls.call(it, node, callee, args, "call", name)
    before = it.fork()
    after: list[State] = []
    results: list[Value] = []
    for option in options:
        it.state = before.copy()
        perhaps = type(option) is Bound and option.function is None
        it.expected += perhaps
        result = _call(it, it.place_of(node, f"option {len(results)}"), option, args, name)
        it.expected -= perhaps
        it.hold(result)
        after.append(it.state)
        results.append(result)
    if all(state.live for state in after):
        for option, state in zip(options, after, strict=True):
            state.part(one for one in (option, getattr(option, "owner", None)) if type(one) is Ref)
    it.join(after)
    return it.state.flight.pop() if it.state.live else one_of(results)


def _call(it: Interpreter, node: Any, callee: Value, args: Arguments, name: str) -> Value:
    kind = type(callee)
    if kind is Named:
        return call_named(it, node, callee.path, args, name)  # type: ignore[union-attr]
    if kind is Function:
        return call_function(it, node, callee, args)  # type: ignore[arg-type]
    if kind is Bound:
        return _call_bound(it, node, callee, args, name)  # type: ignore[arg-type]
    if kind is Ref:
        thing = it.state.heap.get(callee)  # type: ignore[arg-type]
        if type(thing) is Module:
            return module_calls.call(it, node, callee, args, "call", name)
        if type(thing) is Class:
            return instantiate(it, node, callee, args)  # type: ignore[arg-type]
        if type(thing) is Instance and (found := _call_instance(it, node, callee, thing, args, name)) is not None:
            return found
    note_options(it, node, args)
    return call_unknown(it, node, [callee, *_owner_of_method(it, node), *args.values()], callee)


def _owner_of_method(it: Interpreter, node: Any) -> list[Value]:
    """The object whose method is called, if its class is not known whole: nobody can say what that does to it."""
    func = getattr(syntax(node), "func", None)
    owner = peek(it, func.value) if type(func) is cst.Attribute else None
    return [owner] if owner is not None and any(_has_unseen_methods(it, one) for one in alternatives(owner)) else []


def _has_unseen_methods(it: Interpreter, owner: Value) -> bool:
    thing = it.state.heap.get(owner) if type(owner) is Ref else None
    if type(thing) is Module and thing.cls == UNKNOWN:
        return True
    cls = it.only(thing.cls, Class) if isinstance(thing, (Module, Instance)) else None
    return cls is not None and cls.open is not NO


def _call_instance(it: Interpreter, node: Any, ref: Value, thing: Instance, args: Arguments, name: str) -> Value | None:
    """An object is called: by the method of its class, or as its library says."""
    called = torch_paths.CALLED.get(thing.cls.path) if type(thing.cls) is Named else None
    if called is not None:
        otherwise = partial(call_unknown, it, node, [ref, *args.values()])
        return _call_known(it, ref, lambda: called(it, node, thing, args), otherwise)
    method = find_member(it, thing.cls, "__call__")
    if method is None and type(thing.cls) is Ref and custom_function.is_function(it, thing.cls):
        return call_named(it, node, custom_function.CALLED, args.with_first(ref), name)
    if method is None:
        return pack_results.foreign_made(it, node, ref)
    return _call(it, node, method, args.with_first(ref), name)


def _call_known(it: Interpreter, ref: Value, run: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
    """What an object gives that may call what it holds; one that was wrapped in a loop holds itself."""
    it.steps.left -= 1
    if len(it.running) >= MOST_CALLS_DEEP or it.steps.left <= 0:
        it.hit("depth of calls" if it.steps.left > 0 else STEPS)
        return otherwise()
    return it.once(ref, run, otherwise)


def call_unknown(it: Interpreter, node: Any, values: list[Value], callee: Value = UNKNOWN) -> Value:
    """Code that the file does not show is handed these values, and is called by the name of a callee or as it is
    written; a grad mode among them it may enter."""
    it.counts["unknown calls"] += not it.muted
    if any(type(option) is Context for value in values for option in alternatives(value)):
        it.state.grad_mode = it.state.grad_mode | UNSURE
    containers.tell_handed(it, node, values)
    havoc(it, values, escape_by(it, node, callee))
    return result_of_unknown(values)


def call_named(it: Interpreter, node: Any, path: str, args: Arguments, name: str) -> Value:
    """Something known by its import path is called."""
    start = it.hold(*args.values())
    before = _written(it, args) if not it.unheard else {}
    found = torch_paths.call(it, node, path, args, name)
    note_options(it, node, args)
    result = call_unknown(it, node, args.values(), Named(path)) if found is None else found
    cannot_raise.for_showing(it, node, path, args.values())
    it.hold(result)
    *values, result = it.land(start)
    if not it.unheard:
        tell_called(it, node, path, values, args, result, name, before)
    return result


def _written(it: Interpreter, args: Arguments) -> dict[str, Any]:
    return written_since(it, args.values())


def tell_called(
    it: Interpreter,
    node: Any,
    path: str,
    values: list[Value],
    args: Arguments,
    result: Value,
    name: str,
    more: dict[str, Any],
) -> None:
    """Emit `Called`."""
    count = len(args.positional)
    it.emit(
        events.Called,
        node,
        path=path,
        args=tuple(it.thing(value) for value in values[:count]),
        keywords=tuple((key, it.thing(value)) for key, value in zip(args.keywords, values[count:], strict=False)),
        result=it.thing(result),
        callee=getattr(node, "func", None),
        name=name,
        **more,
    )


# ---- methods, by what owns them


def _call_bound(it: Interpreter, node: Any, bound: Bound, args: Arguments, name: str) -> Value:
    owner = bound.owner
    if type(owner) is Super:
        return call_super(it, node, owner, bound.name, args)
    if type(bound.function) is Named:
        return call_named(it, node, bound.function.path, args.with_first(owner), name)
    if bound.function is not None:
        if bound.name in module_methods.APPLYING and it.only(owner, Module) is not None:
            return _applied(it, node, owner, bound.name, args, name)
        return call_bound(it, node, bound, args)
    things = {type(it.state.heap.get(option)) for option in alternatives(owner) if type(option) is Ref}
    if len(things) == 1:
        handler = OWNERS.get(next(iter(things)))
        if handler is not None:
            return handler(it, node, owner, bound.name, args, name)
    return _plain_method(it, node, owner, bound.name, args)


def _plain_method(it: Interpreter, node: Any, owner: Value, name: str, args: Arguments) -> Value:
    if name == "__init__":  # of a class that is not shown
        perhaps_initialised(it, args.get("self", 0, UNKNOWN))
    if type(owner) is Unknown:
        given = args.unknown or bool(args.positional or args.keywords)
        tensor = owner_by_method(it, node, owner, name, given=given)
        if tensor is not None:
            return _of_tensor(it, node, tensor, name, args, "")
    known = builtins.plain_method(it, node, owner, name, args)
    if not it.unheard and cuts_of_numbers(alternatives(owner)) and _is_number(owner):
        tell_called(it, node, f"builtins.float.{name}", [owner], Arguments([owner]), UNKNOWN, "", {})
    return call_unknown(it, node, [owner, *args.values()]) if known is None else known


def _is_number(value: Value) -> bool:
    return all(number_kind(option) is not None for option in alternatives(value))


def _of_tensor(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value:
    chain = name.rpartition(".")[0]
    shown = it.thing(owner)
    found = tensor_methods.call(it, node, owner, method, args, chain)
    if not it.unheard and type(shown) is Tensor:
        start = it.hold(UNKNOWN if found is None else found)
        it.emit(
            events.Called,
            node,
            path=f"torch.Tensor.{method}",
            args=(shown, *(it.thing(value) for value in args.positional)),
            keywords=tuple((key, it.thing(value)) for key, value in args.keywords.items()),
            result=it.thing(it.land(start)[0]),
            name=chain,
        )
    return call_unknown(it, node, [owner, *args.values()]) if found is None else found


def _applied(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value:
    """`module.forward(x)` and `module.__call__(x)`, written so or taken off the module before."""
    func = getattr(node, "func", None)
    written = type(func) is cst.Attribute and func.attr.value == method
    how = "call" if method == "__call__" else "forward" if written else "held"
    return module_calls.call(it, node, owner, args, how, name.rpartition(".")[0] if written else name)


def _of_module(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value:
    chain = name.rpartition(".")[0]
    if method in module_methods.APPLYING:
        return _applied(it, node, owner, method, args, name)
    wrapper = it.only(owner, Module)
    if wrapper is not None and (special := torch_paths.SPECIAL.get(f"{wrapper.holder}.{method}")) is not None:
        return special(it, node, args.with_first(owner))
    known = module_methods.METHODS.get(method)
    if known is None and (found := module_containers.call_method(it, node, owner, method, args)) is not None:
        return found
    if known is None:
        return call_unknown(it, node, [owner, *args.values()])
    shown = it.thing(owner)
    result = known(it, node, owner, args)
    if not it.unheard:
        it.emit(
            events.Called,
            node,
            path=f"torch.nn.Module.{method}",
            args=(shown, *(it.thing(v) for v in args.positional)),
            keywords=tuple((key, it.thing(v)) for key, v in args.keywords.items()),
            result=it.thing(result),
            name=chain,
        )
    return result


def _of_optimizer(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value:
    known = optimizer.METHODS.get(method)
    if known is None:
        return call_unknown(it, node, [owner, *args.values()])
    entrust(it, owner)
    if method in ("step", "zero_grad") and any(thing.held_back.may(YES) for _, thing in it.all(owner, Optimizer)):
        return it.perhaps(lambda: known(it, node, owner, args))
    return known(it, node, owner, args)


def _by_method(known: Methods) -> Callable[..., Value]:
    """How a method is called on objects whose methods are all in one table."""

    def call(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value:
        found = known.get(method)
        return found(it, node, owner, args) if found else call_unknown(it, node, [owner, *args.values()])

    return call


Methods = Mapping[str, Callable[[Interpreter, Any, Value, Arguments], Value]]


def _of_container(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value:
    results: list[Value] = []
    for ref in it.one_of_these(owner, Container):
        start = it.hold(ref, *results)
        result = container_methods.call(it, node, ref, method, args)
        results = [*it.land(start)[1:], result]
    return one_of(results)


def _of_instance(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value:
    """A method of an object whose class is known by its import path."""
    instance = it.only(owner, Instance)
    if instance is None or type(instance.cls) is not Named:
        return _plain_method(it, node, owner, method, args)
    return call_named(it, node, f"{instance.cls.path}.{method}", args.with_first(owner), name)


def _of_class(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value:
    """A method that a class has without defining it."""
    refs = [ref for ref, _ in it.all(owner, Class)]
    if method == "apply" and len(refs) == 1 and (found := custom_function.call(it, node, refs[0], args)) is not None:
        return found
    cls = it.only(owner, Class)
    if cls is not None and cls.kind == "named tuple" and method == "_make" and type(owner) is Ref:
        listing = containers.listing(it, args.get("iterable", 0, UNKNOWN))
        if listing is not None:
            return instantiate(it, node, owner, Arguments(listing))
    return _plain_method(it, node, owner, method, args)


def _of_iterator(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value:
    if method in ("__next__", "send"):
        return containers.elements(it, node, owner)
    return Unknown(tuple(ref for ref, _ in it.all(owner, Iterator)))


OWNERS: dict[type, Callable[..., Value]] = {
    Tensor: _of_tensor,
    Module: _of_module,
    Optimizer: _of_optimizer,
    Scaler: _by_method(grad_scaler.METHODS),
    Scheduler: _by_method(lr_scheduler.METHODS),
    Container: _of_container,
    Instance: _of_instance,
    Class: _of_class,
    Iterator: _of_iterator,
}
