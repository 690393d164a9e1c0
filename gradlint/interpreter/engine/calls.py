"""Calls of any value: each alternative in turn, by the table of its kind, and the paths join."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import NO, YES, Truth, either
from gradlint.domain.objects import Class, Container, Instance, Module, Tensor
from gradlint.domain.provenance import Cause
from gradlint.domain.refs import Ref
from gradlint.domain.state import State
from gradlint.domain.value_sets import alternatives, cuts_of_numbers, number_kind, one_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Bound, Function, ImportPath, PlainObject, Value
from gradlint.interpreter.engine import cannot_raise
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import MODELS, SLOTS, Method, TypeSlot, implements, kind_of
from gradlint.interpreter.engine.history import read_at
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.places import peek
from gradlint.interpreter.engine.unseen import call_unknown, maybe_initialised, note_options
from gradlint.interpreter.static.sites import Site, syntax

Calls = Mapping[type, Callable[..., Value | None]]
CALL: Calls = SLOTS[TypeSlot.CALL]
METHOD: Calls = SLOTS[TypeSlot.CALL_METHOD]
NAMED: Calls = SLOTS[TypeSlot.CALL_NAMED]
UNSEEN: Calls = SLOTS[TypeSlot.CALL_UNSEEN]
DEFINED: Calls = SLOTS[TypeSlot.CALL_DEFINED]
CALL_ALL: Mapping[type, Callable[..., Value]] = SLOTS[TypeSlot.CALL_ALL]


def call_value(m: Interpreter, node: Site, callee: Value, args: Arguments, name: str) -> Value:
    """Call any value as its kind is called; where it has alternatives, each in turn, and the paths join."""
    options = [option for option in alternatives(callee) if option != NONE_VALUE] or [callee]
    if len(options) > 1:
        return _call_each(m, node, callee, options, args, name)
    handler = CALL.get(kind_of(m, options[0]))
    found = None if handler is None else handler(m, node, options[0], args, name)
    if found is None and (unseen := UNSEEN.get(kind_of(m, options[0]))) is not None:
        found = unseen(m, node, options[0], args)
    if found is not None:
        return found
    note_options(m, node, args)
    return call_unknown(m, node, [*options, *_owner_of_method(m, node), *args.values()], options[0])


def _call_each(
    m: Interpreter, node: Site, callee: Value, options: Sequence[Value], args: Arguments, name: str
) -> Value:
    """Call each of the values that a callee may be. What torch refuses of a tensor's method is then refused for it
    only."""
    kinds = {kind_of(m, option) for option in options}
    if len(kinds) == 1 and (call_all := CALL_ALL.get(*kinds)) is not None:
        return call_all(m, node, callee, args, name)
    before = m.fork()
    after: list[State] = []
    results: list[Value] = []
    for option in options:
        m.state = before.copy()
        perhaps = type(option) is Bound and option.function is None
        m.calls.expected += perhaps
        result = call_value(m, m.part_of(node, f"option {len(results)}"), option, args, name)
        m.calls.expected -= perhaps
        m.push(result)
        after.append(m.state)
        results.append(result)
    if all(state.live for state in after):
        for option, state in zip(options, after, strict=True):
            state.part(one for one in (option, getattr(option, "owner", None)) if type(one) is Ref)
    m.join(after)
    return m.state.stack.pop() if m.state.live else one_of(results)


def _owner_of_method(m: Interpreter, node: Site) -> list[Value]:
    """The object whose method is called, if its class is not known whole: nobody can say what that does to it."""
    func = getattr(syntax(node), "func", None)
    owner = peek(m, func.value) if type(func) is cst.Attribute else None
    return [owner] if owner is not None and any(_has_unseen_methods(m, one) for one in alternatives(owner)) else []


def _has_unseen_methods(m: Interpreter, owner: Value) -> bool:
    thing = m.state.heap.get(owner) if type(owner) is Ref else None
    if type(thing) is Module and thing.cls == UNKNOWN:
        return True
    cls = m.only(thing.cls, Class) if isinstance(thing, (Module, Instance)) else None
    return cls is not None and cls.open is not NO


@implements(TypeSlot.CALL, ImportPath)
def call_named(m: Interpreter, node: Site, named: ImportPath, args: Arguments, name: str) -> Value:
    """Call something known by its import path, and emit that."""
    start = m.push(*args.values())
    before = written_since(m, args.values()) if not m.is_silent else {}
    found = NAMED[ImportPath](m, node, named, args, name)
    note_options(m, node, args)
    result = call_unknown(m, node, args.values(), named) if found is None else found
    cannot_raise.for_showing(m, node, named.path, args.values())
    gives_nothing = found == NONE_VALUE or type(found) is PlainObject
    if found is not None and gives_nothing and named.path != cannot_raise.REVEAL:
        read_at(m, args.values())  # what it is passed has not changed, and nothing is computed from it
    m.push(result)
    *values, result = m.pop_from(start)
    if not m.is_silent:
        count = len(args.positional)
        now = Arguments(values[:count], dict(zip(args.keywords, values[count:], strict=False)))
        emit_called(m, node, named.path, now, result, name, **before)
    return result


def results_of_each(
    m: Interpreter, owner: Value, kind: type[Container] | type[Module], run: Callable[[Ref], Value]
) -> list[Value]:
    """Run something on one of the objects of a kind, and return what it gives for each that it may be."""
    results: list[Value] = []
    for ref in m.one_of_these(owner, kind):
        start = m.push(ref, *results)
        result = run(ref)
        results = [*m.pop_from(start)[1:], result]
    return results


def emit_called(
    m: Interpreter, node: Site, path: str, args: Arguments, result: Value, name: str = "", **more: Any
) -> None:
    """Emit `Called`."""
    m.emit(
        events.Called,
        node,
        path=path,
        args=tuple([m.thing(value) for value in args.positional]),
        keywords=tuple([(key, m.thing(value)) for key, value in args.keywords.items()]),
        result=m.thing(result),
        callee=getattr(node, "func", None),
        name=name,
        **more,
    )


@implements(TypeSlot.CALL, Bound)
def _call_bound(m: Interpreter, node: Site, bound: Bound, args: Arguments, name: str) -> Value:
    owner, function = bound.owner, bound.function
    if type(function) is ImportPath:
        return call_named(m, node, function, args.with_first(owner), name)
    if type(function) is not Function:
        return call_method(m, node, owner, bound.name, args, name)
    found: Value | None = None
    if (handler := _handler(m, DEFINED, owner)) is not None:
        found = handler(m, node, owner, bound.name, args, name)
    given = args if function.kind == "static" else args.with_first(owner)
    return call_value(m, node, function, given, name) if found is None else found


def call_method(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments, name: str) -> Value:
    """`owner.method(...)`, where no class of the program defines the method; `name` is how it is written."""
    handler = _handler(m, METHOD, owner)
    if handler is None:
        return plain_method(m, node, owner, method, args)
    found = handler(m, node, owner, method, args, name)
    return call_unknown(m, node, [owner, *args.values()]) if found is None else found


def _handler(m: Interpreter, table: Calls, owner: Value) -> Callable[..., Value | None] | None:
    """Return a table's entry for the objects among the alternatives of a value, if they are all of one kind."""
    kinds = {kind_of(m, option) for option in alternatives(owner) if type(option) is Ref} or {type(owner)}
    return table.get(*kinds) if len(kinds) == 1 else None


def by_name(
    methods: Mapping[str, Method],
) -> Callable[..., Value | None]:
    """Return a call of methods that looks each up in one table."""

    def call(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments, name: str) -> Value | None:
        found = methods.get(method)
        return None if found is None else found(m, node, owner, args)

    return call


def plain_method(m: Interpreter, node: Site, owner: Value, name: str, args: Arguments) -> Value:
    """A method of what has no table of its own: of Python's own values, or of unseen code."""
    if name == "__init__":  # of a class that is not shown
        maybe_initialised(m, args.get("self", 0, UNKNOWN))
    known = METHOD[object](m, node, owner, name, args, "")
    is_number = all(number_kind(option) is not None for option in alternatives(owner))
    if not m.is_silent and is_number and cuts_of_numbers(alternatives(owner)):
        emit_called(m, node, f"builtins.float.{name}", Arguments([owner]), UNKNOWN)
    return call_unknown(m, node, [owner, *args.values()]) if known is None else known


def written_since(m: Interpreter, values: Sequence[Value]) -> dict[str, Any]:
    """Return whether the memory of state dictionaries was written since they were made, and the places that made those.

    A checkpoint, a dictionary with a state dictionary in it, counts like what it holds.
    """
    marks: list[Cause] = []
    written: list[Truth] = []
    for thing in [found for value in values for found in _state_dicts(m, value, DEEPEST_CHECKPOINT)]:
        inside = thing.held
        facts = [tensor.overwritten for v in inside for _, tensor in m.all(v, Tensor)]
        marks += thing.causes if either(facts).possibly(YES) else ()
        written += facts
    return {"written": either(written), "taken": tuple(dict.fromkeys(marks))}


def _state_dicts(m: Interpreter, value: Value, depth: int) -> list[Container]:
    """The state dictionaries that a value is or holds."""
    found: list[Container] = []
    for _, thing in m.all(value, Container):
        if thing.origin:
            found.append(thing)
        elif depth:
            for inner in thing.held:
                found += _state_dicts(m, inner, depth - 1)
    return found


DEEPEST_CHECKPOINT = 2


def is_known(m: Interpreter, path: str) -> bool:
    """Return whether it is known what calling something at an import path does."""
    torch = m.torch
    tables = (torch.contexts, torch.operations, torch.factories, torch.modules, torch.optimizers, torch.harmless)
    return (path in MODELS and m.has(path)) or any(path in table for table in tables)
