"""Instances: calling them, their methods, their attributes and their items."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gradlint.domain.facts import NO, UNSURE, YES, Truth
from gradlint.domain.items import place_of
from gradlint.domain.objects import Class, Container, Instance, Module, with_attribute
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import NOTHING, UNKNOWN, Bound, Constant, Function, ImportPath, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_named, call_value, is_known, plain_method
from gradlint.interpreter.engine.dispatch import ATTRIBUTES_OF, CALLED, ITEMS_OF, MODELS, SLOTS, TypeSlot, implements
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.recursion import MOST_CALLS_DEEP
from gradlint.interpreter.engine.steps import STEPS
from gradlint.interpreter.engine.unseen import STAND_IN, call_unknown, learned
from gradlint.interpreter.python.descriptors import member_of
from gradlint.interpreter.python.foreign import foreign_made, foreign_part
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.items import item_by_method
from gradlint.interpreter.python.mro import ancestry, class_of, find_member, find_method, may_be_overridden
from gradlint.interpreter.static.sites import Site

BUILT_IN: dict[type, Callable[..., Value | None]] = SLOTS[TypeSlot.GET_BUILT_IN]


@implements(TypeSlot.CALL, Instance)
def _call(m: Interpreter, node: Site, ref: Ref, args: Arguments, name: str) -> Value | None:
    """An object is called: by the method of its class, or as its library says."""
    thing: Instance = m[ref]
    called = CALLED.get(thing.cls.path) if type(thing.cls) is ImportPath else None
    if called is not None:
        otherwise = partial(call_unknown, m, node, [ref, *args.values()])
        return _call_known(m, ref, lambda: called(m, node, thing, args), otherwise)
    method = find_member(m, thing.cls, "__call__")
    if method is None:
        found: Value | None = SLOTS[TypeSlot.CALL_INHERITED][Class](m, node, ref, "__call__", args)
        return foreign_made(m, node, ref) if found is None else found
    return call_value(m, node, method, args.with_first(ref), name)


def _call_known(m: Interpreter, ref: Value, run: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
    """Return the result of an object that may call what it holds; one that was wrapped in a loop holds itself."""
    m.steps.left -= 1
    if len(m.calls.running) >= MOST_CALLS_DEEP or m.steps.left <= 0:
        m.log.exceeded("depth of calls" if m.steps.left > 0 else STEPS)
        return otherwise()
    return m.once(ref, run, otherwise)


@implements(TypeSlot.CALL_METHOD, Instance)
def _call_method(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments, name: str) -> Value:
    """A method of an object whose class is known by its import path."""
    instance = m.only(owner, Instance)
    if instance is None or type(instance.cls) is not ImportPath:
        return plain_method(m, node, owner, method, args)
    return call_named(m, node, ImportPath(f"{instance.cls.path}.{method}"), args.with_first(owner), name)


@implements(TypeSlot.GET_ATTRIBUTE, Module, Instance)
def _get_attribute(m: Interpreter, node: Site, owner: Ref, name: str, chain: str, guard: bool) -> Value:
    """Attributes of modules and instances: set on the object, defined by its class, or not seen."""
    thing: Any = m[owner]
    if m.effects.looked is not None:
        m.effects.looked[owner, name] = None
    if name in thing.absent:
        thing = _settled(m, node, owner, thing, name)
    place = place_of(thing.attributes, name)
    if place is not None:
        value = thing.attributes[place][1]
        if (hiding := _hiding(m, node, owner, thing, name, value)) is not None:
            return hiding
        if type(value) is Unknown:
            return _learn(m, node, owner, name, chain, value)
        return learned(m, node, value, f"{chain}.{name}") if chain else value
    if may_be_overridden(m, owner, thing, name):
        return Unknown((owner,))
    if (found := _of_class(m, node, owner, thing, name)) is not None:
        return found
    if type(thing.cls) is ImportPath and f"{thing.cls.path}.{name}" in MODELS:
        return Bound(owner, name)
    if (thing.open.may(YES) or _is_declared(m, thing.cls, name)) and not _is_method_of_library(m, thing.cls, name):
        return _learn(m, node, owner, name, chain, UNKNOWN)
    return Bound(owner, name)


def _hiding(m: Interpreter, node: Site, owner: Ref, thing: Any, name: str, value: Value) -> Value | None:
    """The attribute of a module's class that hides a module registered under its name: `__getattr__` gives what is
    registered, and is asked last."""
    if type(thing) is not Module or not all(type(m.thing(one)) is Module for one in alternatives(value)):
        return None
    if (member := find_member(m, thing.cls, name)) is not None:
        return member_of(m, node, owner, member, name)
    found = BUILT_IN[Module](m, node, owner, name)
    return found if type(found) is Bound else None


def _of_class(m: Interpreter, node: Site, owner: Ref, thing: Any, name: str) -> Value | None:
    """An attribute that was not set on an object but is defined by its class, by the kind of object, or for all."""
    member = find_member(m, thing.cls, name)
    if member is not None:
        return member_of(m, node, owner, member, name)
    built_in = BUILT_IN.get(type(thing))
    if built_in is not None and (found := built_in(m, node, owner, name)) is not None:
        return found
    if name in OF_ALL_OBJECTS:
        return OF_ALL_OBJECTS[name](m, node, owner)
    method = find_method(m, thing.cls, "__getattr__")
    return None if method is None else _asked(m, node, owner, thing, name, method)


def _settled(m: Interpreter, node: Site, owner: Ref, thing: Any, name: str) -> Any:
    """The object once it is told what an attribute is where it was not set on it: what its class has under the name. It
    has that all along then; else reading it raises."""
    member, own = find_member(m, thing.cls, name), dict(thing.attributes).get(name)
    if own is None:
        return thing
    if member is not None:
        keep_attribute(m, owner, name, one_of((own, member_of(m, node, owner, member, name))))
    elif find_method(m, thing.cls, "__getattr__") is not None:
        keep_attribute(m, owner, name, Unknown((owner,)))
    return m[owner]


def _asked(m: Interpreter, node: Site, owner: Ref, thing: Any, name: str, method: Function) -> Value:
    """Return the result of `__getattr__`; where not all that was set on the object was seen, it may not be called."""
    unsure = thing.open.may(YES)
    given = m.maybe(lambda: call_function(m, node, method, Arguments([owner, Constant(name)])), unsure)
    return one_of([given, Unknown((owner,))]) if unsure else given


def attributes_of(m: Interpreter, node: Site, owner: Value) -> Value:
    """`vars(x)`: what was set on an object so far. Through it others may be set, elsewhere than here as well."""
    found: list[Value] = []
    for option in alternatives(owner):
        thing = m.state.heap.get(option) if type(option) is Ref else None
        if not isinstance(thing, (Module, Instance)) or type(option) is not Ref:
            found.append(Unknown((option,) if type(option) is Ref else ()))
            continue
        rest = UNKNOWN if thing.open.may(YES) else NOTHING
        found.append(
            m.new(node, "attributes", Container("dict", items=thing.attributes, rest=rest, attributes_of=(option,)))
        )
        m.store(option, replace(thing, open=thing.open | UNSURE))
    return one_of(found)


def _is_method_of_library(m: Interpreter, cls: Value, name: str) -> bool:
    return type(cls) is ImportPath and is_known(m, f"{cls.path}.{name}")


OF_ALL_OBJECTS: dict[str, Callable[[Interpreter, Any, Value], Value]] = {
    "__dict__": attributes_of,
    "__class__": lambda m, node, owner: class_of(m, owner),
}
"""Attributes that every object has."""


def _learn(m: Interpreter, node: Site, owner: Ref, name: str, chain: str, value: Value) -> Value:
    """An attribute that nobody was seen to set: what its use tells it to be, or some object; the same one next time."""
    cls = m[owner].cls
    computed = ATTRIBUTES_OF.get(cls.path) if type(cls) is ImportPath else None
    if computed is not None and (part := computed(m, node, owner, name)) is not None:
        return part
    full = f"{chain}.{name}" if chain else ""
    found: Value | None = foreign_part(m, node, owner, name)
    if found is None:
        reach = value.reach if type(value) is Unknown else ()
        found = SLOTS[TypeSlot.LEARN_ATTRIBUTE][Instance](m, node, owner, name, full, reach)
    if found is None:
        if type(value) is Unknown and value.reach:
            return value
        found = m.new(node, f"{STAND_IN}{name}", Instance(belief=Belief.FROM_NAME))
    keep_attribute(m, owner, name, found)
    return found


def keep_attribute(m: Interpreter, owner: Ref, name: str, value: Value) -> None:
    """An object has had this attribute all along, though nobody was seen to set it."""
    thing: Any = m.state.heap.get(owner)
    if isinstance(thing, (Module, Instance)):
        m.state.heap[owner] = with_attribute(thing, name, value)


def _is_declared(m: Interpreter, cls: Value, name: str) -> bool:
    things = [m.state.heap.get(one) for one in ancestry(m, cls) if type(one) is Ref]
    scopes = [m.scan.scopes.get(thing.node) for thing in things if type(thing) is Class]
    return any(scope is not None and name in scope.annotations for scope in scopes)


@implements(TypeSlot.GET_ITEM, Instance)
def _get_item(m: Interpreter, node: Site, owner: Ref, index: Value) -> Value:
    found, thing = item_by_method(m, node, owner, index), m[owner]
    if found is not None:
        return found
    known = ITEMS_OF.get(thing.cls.path) if type(thing.cls) is ImportPath else None
    if known is not None:
        return known(m, node, thing, index)
    return foreign_made(m, node, owner) or result_of_unknown([owner])


@implements(TypeSlot.HAS_ATTRIBUTE, Instance)
def _has_attribute(m: Interpreter, thing: Instance, name: str) -> Truth:
    if find_member(m, thing.cls, name) is not None:
        return YES
    missing = thing.open is NO and all(known != name for known, _ in thing.attributes)
    return NO if missing and find_member(m, thing.cls, "__getattr__") is None else Truth.unsure()


@implements(TypeSlot.TYPE_OF, Module, Instance)
def _type_of(thing: Module | Instance) -> Value:
    return thing.cls
