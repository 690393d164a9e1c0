"""Attributes whose names are computed: `setattr(self, f"block{i}", block)`, `getattr(self, name)`, `add_module`."""

from __future__ import annotations

from collections.abc import Iterator

from gradlint.domain.facts import UNSURE
from gradlint.domain.objects import MOST_ITEMS, Class, Instance, Module, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of, with_certain
from gradlint.domain.values import NOTHING, Constant, ImportPath, PlainObject, PythonNumber, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.attribute_store import delete_attribute, set_attribute
from gradlint.interpreter.python.mro import ancestry
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.static.string_values import beginning
from gradlint.knowledge.training.chosen import ONE_OF


def holders(m: Interpreter, value: Value) -> list[tuple[Ref, Module | Instance]]:
    """The modules and instances among the alternatives of a value: what has attributes of its own."""
    heap = m.state.heap
    found = [(option, heap.get(option)) for option in alternatives(value) if type(option) is Ref]
    return [(ref, thing) for ref, thing in found if isinstance(thing, (Module, Instance))]


def names_of(value: Value) -> list[str] | None:
    """The attributes that a computed name may mean; None where it is not one of a few constants."""
    found = [option.value for option in alternatives(value) if type(option) is Constant]
    names = [name for name in found if isinstance(name, str)]
    return names if names and len(names) == len(alternatives(value)) else None


def set_by_name(m: Interpreter, node: Site, owner: Value, name: Value, value: Value) -> None:
    """An attribute is set whose name may be computed."""
    names = names_of(name)
    if names is not None and len(names) == 1:
        set_attribute(m, node, owner, names[0], value)
    else:
        set_somewhere(m, owner, name, value)


def set_somewhere(m: Interpreter, owner: Value, name: Value, value: Value) -> None:
    """`setattr(owner, name, value)` with a name that may be many."""
    start = beginning(name)
    found = holders(m, owner)
    for ref, thing in found:
        m.store(ref, _set_somewhere(m, thing, start, value), sure=m.is_strong_update(owner, found))


def _set_somewhere(m: Interpreter, thing: Module | Instance, start: str, value: Value) -> Module | Instance:
    """The object with one more attribute, or one of those whose names begin like this replaced. A name of which nothing
    is known is that of a like thing: a part is put in the place of a part, an option in that of an option."""
    kinds = tuple(kind for kind in (Module, Tensor) if m.may_be(value, kind))

    def meant(name: object, old: Value) -> bool:
        like = any(m.may_be(old, kind) for kind in kinds) if kinds else _is_option(old)
        return str(name).startswith(start) and (bool(start) or like)

    attributes = tuple((k, one_of((v, value)) if meant(k, v) else v) for k, v in thing.attributes)
    if isinstance(thing, Module) and kinds:
        there = with_certain(thing.certain if start else (), [value])  # a name that is counted is another each time
        return replace(thing, attributes=attributes, rest=one_of((thing.rest, value), MOST_ITEMS), certain=there)
    own = {name for name, _ in attributes}
    hidden = {name: value for name, old in _of_classes(m, thing.cls) if name not in own and meant(name, old)}
    attributes += tuple(hidden.items())
    return replace(thing, attributes=attributes, open=thing.open | UNSURE, absent=thing.absent | hidden.keys())


def _is_option(value: Value) -> bool:
    """Return whether something is one of the plain values that options have."""
    return all(type(option) in OPTIONS for option in alternatives(value))


OPTIONS = (Constant, PythonNumber, PlainObject)


def _of_classes(m: Interpreter, cls: Value) -> Iterator[tuple[str, Value]]:
    """The options that a class and its bases define, which an object has until its own are set."""
    for one in ancestry(m, cls):
        thing = m.state.heap.get(one) if type(one) is Ref else None
        members = thing.members if type(thing) is Class else ()
        yield from ((str(name), value) for name, value in members if _is_option(value))


def delete_by_name(m: Interpreter, node: Site, owner: Value, name: Value, *, by_class: bool = True) -> None:
    """An attribute is deleted whose name may be computed; one of many is taken to be there still."""
    names = names_of(name)
    if names is not None and len(names) == 1:
        delete_attribute(m, node, owner, names[0], by_class=by_class)


def got_somewhere(m: Interpreter, owner: Value, name: Value) -> Value:
    """`getattr(owner, name)` with a name that may be many."""
    start = beginning(name)
    found: list[Value] = []
    for option in alternatives(owner):
        thing = m.state.heap.get(option) if type(option) is Ref else None
        if type(option) is ImportPath and (base := ONE_OF.get(option.path)) is not None:
            found.append(ImportPath(base))
            continue
        if not isinstance(thing, (Module, Instance)):
            return result_of_unknown([owner])
        found += [value for known, value in thing.attributes if start and str(known).startswith(start)]
        found.append(thing.rest if type(thing) is Module else NOTHING)
    some = one_of(found, MOST_ITEMS)
    return result_of_unknown([owner]) if some == NOTHING else some


def of_namespace(m: Interpreter, path: str, index: Value) -> Value:
    """`module.__dict__[index]` of a module that is imported."""
    owner, names = ImportPath(path.removesuffix(NAMESPACE)), names_of(index)
    if names is None:
        return got_somewhere(m, owner, index)
    return one_of([ImportPath(f"{owner.path}.{name}") for name in names])


NAMESPACE = ".__dict__"
