"""Modules as Python sees them: what calling one, a method or an attribute of one gives."""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from gradlint import events
from gradlint.domain.facts import BOOL, EVAL, INTEGER, NO, TRAIN, UNSURE, YES, Mode, Truth
from gradlint.domain.objects import Class, Module, Tensor
from gradlint.domain.provenance import Belief, Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import one_of
from gradlint.domain.values import NOTHING, Bound, Constant, ImportPath, PlainObject, PythonNumber, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import MODELS, TypeSlot, implements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.nn import module_calls, module_containers
from gradlint.interpreter.nn.module import build, emit_built
from gradlint.interpreter.nn.module_calls import as_torch, run
from gradlint.interpreter.nn.module_methods import APPLYING, METHODS
from gradlint.interpreter.nn.registration import unregistered
from gradlint.interpreter.nn.unknown_parts import replacing, unknown_module
from gradlint.interpreter.python.attribute_store import Written, emit_assigned, set_on_object
from gradlint.interpreter.python.instances import attributes_of, keep_attribute
from gradlint.interpreter.python.items import item_by_method
from gradlint.interpreter.python.mro import find_member, torch_base
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.modules.settings import MODULE_NAMES, SETTINGS, SIZES


@implements(TypeSlot.CALL, Module)
@implements(TypeSlot.CALL_ALL, Module)
def _call(m: Interpreter, node: Site, owner: Value, args: Arguments, name: str) -> Value:
    return module_calls.call(m, node, owner, args, "call", name)


@implements(TypeSlot.CALL_DEFINED, Module)
def _call_defined(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments, name: str) -> Value | None:
    applies = method in APPLYING and m.only(owner, Module) is not None
    return _applied(m, node, owner, method, args, name) if applies else None


@implements(TypeSlot.CALL_INHERITED, Module)
def _call_inherited(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments) -> Value | None:
    """Call the torch class's version of a method that a class of the program overrides."""
    if method == "forward":
        return one_of([as_torch(m, node, ref, args) for ref, _ in m.all(owner, Module)])
    if method == "__call__":
        return one_of([run(m, node, ref, args, "forward") for ref, _ in m.all(owner, Module)])
    known = METHODS.get(method)
    return None if known is None else known(m, node, owner, args)


def _applied(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments, name: str) -> Value:
    """`module.forward(x)` and `module.__call__(x)`, written so or taken off the module before."""
    func = getattr(node, "func", None)
    written = type(func) is cst.Attribute and func.attr.value == method
    how = "call" if method == "__call__" else "forward" if written else "held"
    return module_calls.call(m, node, owner, args, how, name.rpartition(".")[0] if written else name)


@implements(TypeSlot.CALL_METHOD, Module)
def _call_method(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments, name: str) -> Value | None:
    chain = name.rpartition(".")[0]
    if method in APPLYING:
        return _applied(m, node, owner, method, args, name)
    wrapper = m.only(owner, Module)
    if wrapper is not None and (special := MODELS.get(f"{wrapper.holder}.{method}")) is not None:
        return special(m, node, args.with_first(owner))
    known = METHODS.get(method)
    if known is None:
        return module_containers.call_method(m, node, owner, method, args)
    shown = m.thing(owner)
    result = known(m, node, owner, args)
    if not m.is_silent:
        m.emit(
            events.Called,
            node,
            path=f"torch.nn.Module.{method}",
            args=(shown, *(m.thing(v) for v in args.positional)),
            keywords=tuple((key, m.thing(v)) for key, v in args.keywords.items()),
            result=m.thing(result),
            name=chain,
        )
    return result


_NUMBER = re.compile(r"\d+")

REGISTRIES = frozenset({"_modules", "_parameters", "_buffers"})
"""The dicts in which a module keeps what is registered; what is put there by hand is there like what is assigned."""


@implements(TypeSlot.GET_BUILT_IN, Module)
def _built_in(m: Interpreter, node: Site, owner: Ref, name: str) -> Value | None:
    """Return an attribute that every module has, a wrapper, or a class of torch."""
    thing: Module = m[owner]
    if name in METHODS or name in APPLYING or f"{thing.holder}.{name}" in MODELS:
        return Bound(owner, name)
    if type(thing.cls) is ImportPath and f"{thing.cls.path}.{name}" in MODELS:
        return ImportPath(f"{thing.cls.path}.{name}")
    if name == "training":
        return _training(thing.mode)
    if name in REGISTRIES:
        return attributes_of(m, node, owner)
    if name in module_containers.METHODS and module_containers.base(m, thing):
        return Bound(owner, name)
    return _part_of_torch(m, node, thing, name)


def _part_of_torch(m: Interpreter, node: Site, thing: Module, name: str) -> Value | None:
    """Return an attribute that a torch class gives its modules, or one registered under a made-up name."""
    if m.may_be(thing.rest, Module):
        return thing.rest
    row = m.torch.modules.get(torch_base(m, thing.cls))
    if row is None:
        return None
    counted = _NUMBER.sub("0", name)
    if thing.rest != NOTHING and any(_NUMBER.sub("0", known) == counted for known in row.parameters):
        return thing.rest
    inner = _within(row.parameters, name)
    if inner and row.call not in ("container", "none"):
        return _inner_part(m, node, f"part {name}", inner, thing.rest)
    return PythonNumber(INTEGER) if name in SIZES else PlainObject("setting") if name in SETTINGS else None


def _within(names: Sequence[str], part: str) -> list[str]:
    """Return the names that lie in a part, as the part calls them."""
    return [name.removeprefix(f"{part}.") for name in names if name.startswith(f"{part}.")]


def _inner_part(m: Interpreter, node: Site, place: str, names: Sequence[str], parameter: Value) -> Value:
    """A part of a layer, with its parameters by name: one handle stands for all that the layer has."""
    made = unknown_module(m, node, place, Belief.FROM_USAGE, ImportPath("torch.nn.Module"))
    if parameter == NOTHING:
        return made
    for head in dict.fromkeys(name.partition(".")[0] for name in names):
        inner = _within(names, head)
        at = f"{place}.{head}"
        value = _inner_part(m, node, at, inner, parameter) if inner else _one_of_those(m, node, at, parameter)
        keep_attribute(m, made, head, value)
    return made


def _one_of_those(m: Interpreter, node: Site, place: str, parameter: Value) -> Value:
    """One of the parameters for which a handle stands: what is done to it is not done to all of them."""
    return one_of([parameter, *(m.new(node, place, tensor) for _, tensor in m.all(parameter, Tensor))])


def _training(mode: Mode) -> Value:
    return Constant(True) if mode is TRAIN else Constant(False) if mode is EVAL else PythonNumber(BOOL)


@implements(TypeSlot.HAS_ATTRIBUTE, Module)
def has_attribute(m: Interpreter, module: Module, name: str) -> Truth:
    """Return whether a module of a class of the program has an attribute, as far as that is certain."""
    if find_member(m, module.cls, "__getattr__") is not None:
        return UNSURE
    closed = module.open is NO and module.rest == NOTHING and type(module.cls) is Ref
    if name in METHODS or name in MODULE_NAMES or find_member(m, module.cls, name) is not None:
        return YES
    if any(known == name for known, _ in module.attributes):
        return UNSURE
    plain = closed and torch_base(m, module.cls) == "torch.nn.Module" and not name.startswith("_")
    return NO if plain else UNSURE


@implements(TypeSlot.UNFOLLOWED, Module)
def _unfollowed(m: Interpreter, node: Site, cls: Ref) -> Value:
    """A module of a class of the program that is not taken apart: it has some parameters and whatever else."""
    made = unknown_module(m, node, "instance", Belief.PROVEN, cls)
    m.store(made, replace(m[made], open=UNSURE, unbuilt=YES))
    return made


def built_as(m: Interpreter, node: Site, owner: Value, path: str, args: Arguments) -> None:
    """The parts that a torch class's own `__init__` gives an instance."""
    made, (owner,) = m.keeping(lambda: build(m, m.part_of(node, f"as {path}"), path, args), owner)
    parts: Module = m[made]
    for ref, module in m.all(owner, Module):
        attributes = tuple((dict(module.attributes) | dict(parts.attributes)).items())
        whole = replace(module, attributes=attributes, rest=parts.rest, certain=parts.certain, buffers=parts.buffers)
        m.store(ref, whole)


@implements(TypeSlot.NEW, Module)
def _new(m: Interpreter, thing: Class, cls: Ref, node: Site) -> Module | None:
    marks = (Cause(CauseKind.MADE, node),)
    return Module(cls=cls, mode=TRAIN, open=thing.open, initialised=NO, causes=marks) if thing.module is YES else None


@implements(TypeSlot.INITIALISE, Module)
def _initialise(m: Interpreter, node: Site, owner: Value, cls: Value, args: Arguments) -> bool:
    path = torch_base(m, cls)
    if path:
        built_as(m, node, owner, path, args)
    return bool(path)


@implements(TypeSlot.BUILT, Module)
def _built(m: Interpreter, node: Site, made: Value, given: list[Value]) -> None:
    emit_built(m, node, made, given, lambda: unregistered(m, made, given))


@implements(TypeSlot.GET_ITEM, Module)
def _get_item(m: Interpreter, node: Site, owner: Ref, index: Value) -> Value:
    found = item_by_method(m, node, owner, index)
    return module_containers.get_item(m, node, owner, index) if found is None else found


@implements(TypeSlot.SET_ITEM, Module)
def _set_item(m: Interpreter, node: cst.Subscript, owner: Value, index: Value, value: Value) -> None:
    for ref in m.one_of_these(owner, Module):
        if (path := module_containers.base(m, m[ref])) in module_containers.OF_PARAMETERS:
            value = module_containers.as_part(m, node, path, value)
        place = module_containers.name_at(m, m[ref], index)
        if place is not None and not m.is_silent:
            emit_assigned(m, node, ref, place, value, Written(spelled(node.value)))
        module_containers.set_item(m, node, ref, index, value)


@implements(TypeSlot.DELETE_ITEM, Module)
def _delete_item(m: Interpreter, owner: Value, index: Value) -> None:
    for ref in m.one_of_these(owner, Module):
        module_containers.delete_item(m, ref, index)


@implements(TypeSlot.SET_ATTRIBUTE, Module)
def _set_attribute(m: Interpreter, node: Site, ref: Ref, name: str, value: Value, sure: bool) -> None:
    """Set an attribute of a module: in the place of a part torch takes nothing else."""
    value, (ref,) = m.keeping(lambda: replacing(m, node, m[ref], name, value), ref)
    set_on_object(m, node, ref, name, value, sure)
