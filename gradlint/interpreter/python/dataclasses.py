"""Classes that are mostly fields: dataclasses, named tuples and typed dictionaries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from gradlint.domain.facts import NO
from gradlint.domain.objects import Class, Container, Instance
from gradlint.domain.provenance import Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, ImportPath, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.dispatch import models
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.attribute_store import set_attribute
from gradlint.interpreter.python.classes import COMPLETED, FILLED, MAKERS
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import ancestry, find_method
from gradlint.interpreter.static.scopes import dotted
from gradlint.interpreter.static.sites import Site

# ---- the fields of a class


def _annotated(node: Site) -> list[str]:
    """The names that the body of a class annotates, in order, without those that are the class's own."""
    found = []
    for line in node.body.body if type(node) is cst.ClassDef else ():
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            if type(small) is cst.AnnAssign and type(small.target) is cst.Name and not _of_class(small.annotation):
                found.append(small.target.value)
    return found


def _of_class(annotation: cst.Annotation) -> bool:
    told: Any = annotation.annotation
    told = told.value if type(told) is cst.Subscript else told
    return dotted(told).rpartition(".")[2] in ("ClassVar", "KW_ONLY")


def _complete(m: Interpreter, node: Site, ref: Ref, thing: Class) -> None:
    """Fields and their defaults are taken out of the members: instances have them, the class only some defaults."""
    fields: dict[object, Value] = {}
    for base in reversed([m.thing(one) for one in ancestry(m, ref)]):
        fields |= dict(base.fields) if type(base) is Class else {}
    members = dict(thing.members)
    for name in _annotated(node):
        fields[name] = members.pop(name, NOTHING)
        if thing.kind == "dataclass" and (default := _default(m, fields[name])) is not None:
            members[name] = default
    m.store(ref, replace(thing, members=tuple(members.items()), fields=tuple(fields.items())))


FIELD = ImportPath("dataclasses.field")


def _described(m: Interpreter, default: Value) -> dict[object, Value] | None:
    """Return the description of a field by `field(...)`; None where that is not how it is described."""
    thing = m.thing(default)
    return dict(thing.attributes) if type(thing) is Instance and thing.cls == FIELD else None


def _default(m: Interpreter, default: Value) -> Value | None:
    """The default that all instances share, if there is one."""
    told = _described(m, default)
    found = default if told is None else told.get("default", NOTHING)
    return None if found == NOTHING else found


def _made(m: Interpreter, node: Site, name: str, default: Value) -> Value | None:
    """Return the value of a field that nobody gave: its default, or what its factory makes."""
    told = _described(m, default)
    if told is None or "default_factory" not in told:
        return _default(m, default)
    return call_value(m, m.part_of(node, f"field {name}"), told["default_factory"], Arguments(), "")


def _taken(m: Interpreter, thing: Class) -> list[str]:
    """The names of the fields that calling the class takes, in order."""
    told = [(str(name), _described(m, default)) for name, default in thing.fields]
    return [name for name, about in told if about is None or about.get("init") != Constant(False)]


def _given(m: Interpreter, thing: Class, args: Arguments) -> dict[str, Value]:
    """The arguments of a call by the names of the fields; where others may have been given, nothing is certain."""
    given = dict(zip(_taken(m, thing), args.positional, strict=False)) | args.keywords
    if thing.open is not NO and args.positional:
        given = dict.fromkeys(given, result_of_unknown(args.values()))
    return given


models("dataclasses.field", "dataclasses.InitVar")(
    lambda m, node, args: m.new(node, "field", Instance(cls=FIELD, attributes=tuple(args.keywords.items()), open=NO))
)


# ---- dataclasses


def _fill(m: Interpreter, node: Site, owner: Value, thing: Class, args: Arguments) -> None:
    """Do what the `__init__` of a dataclass does."""
    given = _given(m, thing, args)
    start = m.push(owner, *given.values())
    places = {name: start + 1 + index for index, name in enumerate(given)}
    for name, default in thing.fields:
        found = m.state.stack[places[name]] if name in places else _made(m, node, str(name), default)
        if args.unknown and name not in places:
            found = UNKNOWN
        if found is not None:
            set_attribute(m, node, m.state.stack[start], str(name), found)
    cls: Any = m.thing(m.state.stack[start])
    method = find_method(m, getattr(cls, "cls", UNKNOWN), "__post_init__")
    if method is not None:
        call_function(m, node, method, Arguments([m.state.stack[start]], unknown=True))
    m.pop_from(start)


@models("dataclasses.replace", "copy.replace")
def _replace(m: Interpreter, node: Site, args: Arguments) -> Value:
    """Another instance with some fields changed: made anew, so that `__post_init__` runs."""
    owner = args.first
    instance = m.only(owner, Instance)
    thing = m.thing(instance.cls) if instance is not None else None
    if instance is None or type(thing) is not Class or type(instance.cls) is not Ref:
        return result_of_unknown(args.values())
    known = dict(instance.attributes)
    kept = {name: known[name] for name in _taken(m, thing) if name in known}
    return call_value(m, node, instance.cls, Arguments([], kept | args.keywords), "")


@models("dataclasses.asdict")
def _asdict(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A dictionary of copies of the fields."""
    return _copied(m, node, args, lambda fields: Container("dict", items=tuple(fields.items())))


@models("dataclasses.astuple")
def _astuple(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A tuple of copies of the fields."""
    return _copied(m, node, args, lambda fields: Container("tuple", items=tuple(enumerate(fields.values()))))


def _copied(m: Interpreter, node: Site, args: Arguments, made: Callable[[dict[object, Value]], Container]) -> Value:
    instance = m.only(args.positional[0], Instance) if args.positional else None
    thing = m.thing(instance.cls) if instance is not None else None
    if instance is None or type(thing) is not Class or thing.kind != "dataclass":
        return result_of_unknown(args.values())
    known = dict(instance.attributes)
    shown = m.new(node, "fields", made({name: known.get(name, UNKNOWN) for name, _ in thing.fields}))
    return call_value(m, m.part_of(node, "copy"), ImportPath("copy.deepcopy"), Arguments([shown]), "")


# ---- named tuples


@models("collections.namedtuple")
def _named_tuple_class(m: Interpreter, node: Site, args: Arguments) -> Value:
    """`namedtuple("Point", "x y")` makes a class."""
    names = _names_of(m, args.get("field_names", 1, UNKNOWN))
    if names is None:
        return UNKNOWN
    defaults = m.only(args.keywords["defaults"], Container) if "defaults" in args.keywords else None
    last = [value for _, value in defaults.items] if defaults is not None else []
    values = [*[NOTHING] * (len(names) - len(last)), *last]
    cls = Class(node, "namedtuple", (ImportPath("typing.NamedTuple"),), module=NO, open=NO, kind="named tuple",
                fields=tuple(zip(names, values, strict=False)))  # fmt: skip
    return m.new(node, "class", cls)


def _names_of(m: Interpreter, value: Value) -> list[str] | None:
    thing = m.only(value, Container)
    if type(value) is Constant and isinstance(value.value, str):
        return value.value.replace(",", " ").split()
    if thing is None or thing.rest != NOTHING:
        return None
    found = [name.value for _, name in thing.items if type(name) is Constant and isinstance(name.value, str)]
    return found if len(found) == len(thing.items) else None


def _named_tuple(m: Interpreter, node: Site, cls: Ref, thing: Class, args: Arguments) -> Value:
    given = _given(m, thing, args)
    missing = UNKNOWN if args.unknown else NOTHING
    values = [given.get(str(name), default if missing == NOTHING else missing) for name, default in thing.fields]
    marks = (Cause(CauseKind.MADE, node),)
    return m.new(node, "instance", Container("tuple", items=tuple(enumerate(values)), cls=cls, causes=marks))


# ---- typed dictionaries


def _typed_dict(m: Interpreter, node: Site, cls: Ref, thing: Class, args: Arguments) -> Value:
    return call_value(m, node, ImportPath("builtins.dict"), args, "")


COMPLETED |= {"dataclass": _complete, "named tuple": _complete, "typed dict": _complete}
FILLED["dataclass"] = _fill
MAKERS |= {"named tuple": _named_tuple, "typed dict": _typed_dict}
