"""Descriptions of values in words: they are read off the state as it is, so that asking changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import libcst as cst

from gradlint.domain.facts import CPU, NO, PLAIN, YES, Fact, Grad
from gradlint.domain.fields import Aspect, names_of
from gradlint.domain.ground import Name
from gradlint.domain.objects import Class, Container, Instance, Module, Node, Object, Optimizer, Tensor
from gradlint.domain.objects import Iterator as IteratorObject
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.spelling import spell
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, Function, Imported, ImportPath, Value
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.frames import Frame
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.places import key_of
from gradlint.interpreter.static.sites import Site

MOST_INSIDE = 4
"""The most elements of a container that are described one by one."""
DEEPEST = 2
"""The depth to which containers in containers are described."""
LONGEST = 60
"""The most characters of a constant that are shown."""
MOST_IMPORTS = 8
"""The most files through which a name is followed that each import it from the next."""
BELIEFS = {
    Belief.ANNOTATED: "annotated",
    Belief.UNTOUCHED: "if untouched",
    Belief.FROM_USAGE: "by use",
    Belief.FROM_NAME: "by name",
}


# ---- what is there


def thing_of(m: Interpreter, ref: Ref) -> Object | None:
    """An object, whether the state has taken it over yet or not."""
    found = m.state.heap.get(ref)
    if found is None and (part := m.state.ground.of_ref.get(ref)) is not None:
        found = m.state.ground.parts[part].heap.get(ref)
    return found


def variable(m: Interpreter, name: Name) -> Value | None:
    """Return the value of a variable."""
    found = m.state.names.get(name)
    if found is None and (part := m.state.ground.of_name.get(name)) is not None:
        found = m.state.ground.parts[part].names.get(name)
    if found is None and (file := m.frames[name[0]].file).frame == name[0]:
        found = file.names.get(name[1])
    return found


def held_by(m: Interpreter, node: Site) -> Value | None:
    """Return the value of a name, a chain of attributes or a constant subscript; None where nothing shows it."""
    if type(node) is cst.Name:
        return _named(m, node.value)
    if type(node) is cst.Attribute:
        return dict(getattr(_owner(m, node.value), "attributes", ())).get(node.attr.value)
    if type(node) is cst.Subscript and (key := key_of(node)) is not None:
        owner = _owner(m, node.value)
        return dict(owner.items).get(key) if isinstance(owner, Container) else None
    return None


def _owner(m: Interpreter, node: Site) -> Object | None:
    owner = held_by(m, node)
    return thing_of(m, owner) if type(owner) is Ref else None


def _named(m: Interpreter, name: str) -> Value | None:
    """Return the value of a name where the program is: in its scope, in those around it."""
    frame: Frame | None = m.frame.declared.get(name, m.frame)
    inner: Frame | None = None
    while frame is not None:
        place = variables.variable(m, frame, name, inner)
        if place is not None and (found := variable(m, place)) is not None:
            return _loaded(m, found)
        inner, frame = frame, frame.parent
    return None


def _loaded(m: Interpreter, value: Value) -> Value:
    """Return the value of an import, if the file it comes from has been looked at."""
    for _ in range(MOST_IMPORTS):
        if type(value) is not Imported or not value.name or m.neighbours.project is None:
            break
        place = m.neighbours.project.find(value.module)
        file = m.neighbours.files.get(place.path) if place is not None else None
        found = variable(m, (file.frame, value.name)) if file is not None and file.frame else None
        if found is None:
            break
        value = found
    return value


# ---- what is known of it


def described(m: Interpreter, value: Value, deep: int = DEEPEST) -> str:
    """Return the description of a value, each alternative once."""
    return " or ".join(dict.fromkeys(_described(m, option, deep) for option in alternatives(value)))


def _described(m: Interpreter, value: Value, deep: int) -> str:
    if type(value) is Ref:
        thing = thing_of(m, value)
        return "unknown" if thing is None else object_described(m, thing, deep)
    if type(value) is Constant:
        text = repr(value.value)
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."
    if type(value) is Function:
        file = m.frames[value.frame].file.name if value.frame in m.frames else ""
        return f"function {value.name}" + (f" of {file}" if file and file != m.frame.file.name else "")
    return spell(value)


def object_described(m: Interpreter, thing: Object, deep: int) -> str:
    """Return the description of an object."""
    if type(thing) is Instance and thing.cls == UNKNOWN:
        return "some object"
    belief = BELIEFS.get(getattr(thing, "belief", Belief.PROVEN), "")
    return _shown_object(m, thing, deep) + (f" ({belief})" if belief else "")


def _shown_object(m: Interpreter, thing: Object, deep: int) -> str:
    if type(thing) not in _FACTS:
        return str(thing)
    facts = [text for text in _FACTS[type(thing)](m, thing, deep) if text]
    kind = str(thing) if type(thing) is Container else type(thing).__name__
    return kind + (f"[{', '.join(facts)}]" if facts else "")


def _fact(name: str, fact: Fact) -> str:
    return f"{name}={fact}"


def _shown(name: str, fact: Fact, usual: Fact) -> str:
    """A fact where something is known of it that is not the usual."""
    return "" if fact <= usual | type(fact).unsure() else _fact(name, fact)


def _tensor(m: Interpreter, thing: Tensor, deep: int) -> Iterator[str]:
    yield str(thing.dtype)
    yield _fact("requires_grad", thing.requires_grad)
    yield _fact("leaf", thing.leaf)
    if thing.leaf.possibly(YES) and thing.requires_grad.may(YES):
        yield _shown("grad", thing.grad, Grad.unsure())
    yield _shown("unit", thing.unit, PLAIN) if thing.leaf.possibly(YES) else ""
    yield _shown("retains_grad", thing.retains, NO)
    yield _shown("parameter", thing.parameter, NO)
    yield _shown("inference", thing.inference, NO)
    yield _shown("overwritten", thing.overwritten, NO)
    yield _shown("device", thing.device, CPU)
    yield from _graph(m, thing)
    if thing.size is not None:
        yield f"size={thing.size}"
    yield "several" if thing.is_summary else ""
    yield "or a structure of tensors" if thing.may_be_structured else ""


def _graph(m: Interpreter, thing: Tensor) -> Iterator[str]:
    """Yield the states of the graph nodes that made a tensor, beyond their being there."""
    nodes = [node for ref in thing.node if ref is not None and type(node := thing_of(m, ref)) is Node]
    for name in names_of(Node, Aspect.LACKING):
        facts = [getattr(node, name) for node in nodes]
        if any(fact.possibly(YES) for fact in facts):
            yield f"graph {name}" if all(fact is YES for fact in facts) else f"graph perhaps {name}"


def _module(m: Interpreter, thing: Module, deep: int) -> Iterator[str]:
    yield class_of(m, thing.cls)
    yield _fact("mode", thing.mode)
    yield from _parameters(m, _parameters_of(m, thing))


def _parameters_of(m: Interpreter, module: Module) -> list[Tensor]:
    """The parameters of a module and its parts that are seen."""
    found: dict[Ref, Tensor] = {}
    met: set[Ref] = set()
    waiting: list[Any] = [module]
    while waiting:
        owner = waiting.pop()
        for value in (*(value for _, value in owner.attributes), owner.rest):
            for ref in alternatives(value):
                if type(ref) is not Ref or ref in met:
                    continue
                met.add(ref)
                part = thing_of(m, ref)
                if type(part) is Module:
                    waiting.append(part)
                elif type(part) is Tensor and part.parameter.may(YES):
                    found[ref] = part
    return list(found.values())


def _parameters(m: Interpreter, tensors: list[Tensor]) -> Iterator[str]:
    """Yield the number of the parameters, and the facts that hold of all of them together."""
    if not tensors:
        return
    yield f"parameters={'some' if any(tensor.is_summary for tensor in tensors) else len(tensors)}"
    asked, grad = tensors[0].requires_grad, tensors[0].grad
    for tensor in tensors[1:]:
        asked, grad = asked | tensor.requires_grad, grad | tensor.grad
    yield _fact("requires_grad", asked)
    yield _shown("grad", grad, Grad.unsure())


def _optimizer(m: Interpreter, thing: Optimizer, deep: int) -> Iterator[str]:
    yield thing.kind
    refs = dict.fromkeys(ref for group in thing.groups for ref in group if ref is not None)
    tensors = [tensor for ref in refs if type(tensor := thing_of(m, ref)) is Tensor]
    yield from _parameters(m, tensors)
    yield "perhaps others" if tensors and thing.open.may(YES) else ""
    yield "" if tensors else "parameters=?"


def _container(m: Interpreter, thing: Container, deep: int) -> Iterator[str]:
    if deep <= 0:
        return
    for key, value in thing.items[:MOST_INSIDE]:
        name = f"{key!r}: " if thing.kind in ("dict", "state_dict") or isinstance(key, str) else ""
        yield name + described(m, value, deep - 1)
    more = len(thing.items) - MOST_INSIDE
    yield f"{more} more" if more > 0 else ""
    yield "" if thing.rest == NOTHING else f"any number of {described(m, thing.rest, deep - 1)}"


def _iterator(m: Interpreter, thing: IteratorObject, deep: int) -> Iterator[str]:
    yield thing.by
    yield _shown("used", thing.used, NO)
    yield f"of {described(m, thing.element, deep - 1)}" if deep > 0 else ""


def class_of(m: Interpreter, value: Value) -> str:
    """The name of a class."""
    found = [thing_of(m, one) if type(one) is Ref else one for one in alternatives(value)]
    names = [one.path if type(one) is ImportPath else getattr(one, "name", "?") for one in found]
    return " or ".join(dict.fromkeys(names))


_FACTS: dict[type, Callable[[Interpreter, Any, int], Iterable[str]]] = {
    Tensor: _tensor,
    Module: _module,
    Optimizer: _optimizer,
    Container: _container,
    IteratorObject: _iterator,
    Instance: lambda m, thing, deep: [class_of(m, thing.cls)],
}
"""The facts that are told of an object beyond its own description."""


def is_obvious(m: Interpreter, value: Value, name: str) -> bool:
    """Return whether a name says itself what it holds: a library, a definition of that name, or an import that was not
    followed."""
    if type(value) is ImportPath:
        return value.path.partition(".")[0] in OBVIOUS
    if type(value) is Imported:
        return True
    thing = thing_of(m, value) if type(value) is Ref else value
    return type(thing) in (Function, Class) and getattr(thing, "name", "") == name.rpartition(".")[2]


OBVIOUS = frozenset({"builtins", "torch"})


# ---- what events show


def in_short(m: Interpreter, thing: Any) -> str:
    """Return a short description of a value in an event, by its main facts."""
    options = [thing] if isinstance(thing, Object) else list(alternatives(thing))
    found = [thing_of(m, one) if type(one) is Ref else one for one in options]
    return " or ".join(dict.fromkeys(_in_short(m, one) for one in found if one is not None))


def _in_short(m: Interpreter, thing: Any) -> str:
    if type(thing) is Module:
        return f"Module[{class_of(m, thing.cls)}, mode={thing.mode}]"
    if type(thing) is Instance:
        return "some object" if thing.cls == UNKNOWN else f"Instance[{class_of(m, thing.cls)}]"
    return spell(thing) if isinstance(thing, Object) else _described(m, thing, 0)


def is_value(thing: Any) -> bool:
    """Return whether something is a value or an object."""
    return isinstance(thing, Object | Value)
