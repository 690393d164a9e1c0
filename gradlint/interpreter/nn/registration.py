"""Unregistered contents of a module: parts in plain containers, tensors that are no parameters."""

from __future__ import annotations

from collections.abc import Iterator

from gradlint.domain.facts import NO, YES
from gradlint.domain.objects import Container, Module, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import NOTHING, ImportPath, Unknown, Value
from gradlint.events import Unregistered
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import parameters, walk
from gradlint.interpreter.nn.module_containers import OF_PARAMETERS
from gradlint.interpreter.python.mro import find_method

GATHERING = ("parameters", "named_parameters", "children", "named_children", "modules", "named_modules")
"""Methods by which a class can gather parts of its own that were never registered."""
DEEPEST = 3
"""The depth to which containers are looked into, one inside the other."""


def unregistered(m: Interpreter, made: Value, given: list[Value]) -> tuple[Unregistered, ...]:
    """Return the contents that a new module has not registered; `given` are the values it was made with.

    Nothing is said where the module may have parts that were not seen, or gathers its parameters itself, nor of tensors
    that it has from its parts, nor of parts whose parameters it has all registered by themselves.
    """
    owner = m.only(made, Module)
    if owner is None or owner.open.may(YES) or not any(_may_hold(m, value) for _, value in owner.attributes):
        return ()
    if any(find_method(m, owner.cls, name) is not None for name in GATHERING):
        return ()
    if any(_may_hold_any_parameters(m[ref]) for ref in walk(m, made)):
        return ()
    own = [ref for _, ref in parameters(m, made)[0]]
    known, entered = {*walk(m, made), *own}, {memory for ref in own for memory in m[ref].storage}
    handed = m.state.reach(given)
    found: list[Unregistered] = []
    listed: dict[Ref, None] = {}
    for name, value in owner.attributes:
        for part, inside in _parts(m, value, ()):
            refs = _references(part)
            listed |= dict.fromkeys(refs)
            shown, trained = m.only(part, Module) or m.only(part, Tensor), _trained(m, part)
            lacks = any(entered.isdisjoint(tensor.storage) for tensor in trained)
            if shown is not None and lacks and known.isdisjoint(refs):
                strange = not handed.keys().isdisjoint(refs) and _is_held(m, refs)
                alike = _alike(m, inside[-1], type(shown))
                found.append(Unregistered(str(name), shown, inside, strange, trained, alike, _is_read(m, name)))
    memories = {memory for ref in (*known, *_of_parts(m, made)) for memory in getattr(m[ref], "storage", ())}
    for name, value in owner.attributes:
        tensor, refs = m.only(value, Tensor), _references(value)
        plain = tensor is not None and tensor.parameter is NO and name not in dict(owner.buffers)
        if tensor is not None and plain and listed.keys().isdisjoint(refs) and memories.isdisjoint(tensor.storage):
            strange = not handed.keys().isdisjoint(refs)
            found.append(Unregistered(str(name), tensor, (), strange, (tensor,), read_elsewhere=_is_read(m, name)))
    return tuple(found)


def _is_read(m: Interpreter, name: object) -> bool:
    """Return whether another file may give what is under this name to an optimizer."""
    return m.neighbours.reads_for_an_optimizer(str(name))


def _may_hold_any_parameters(part: Module) -> bool:
    """Return whether a list or dict of parameters was filled with what is not known: with those of parts that are not
    registered, maybe."""
    holds = type(part.cls) is ImportPath and part.cls.path in OF_PARAMETERS
    return holds and any(type(option) is Unknown for option in alternatives(part.rest))


def _is_held(m: Interpreter, refs: list[Ref]) -> bool:
    """Return whether anything leads to one of these but a new module, which nothing holds yet: what was made where the
    module was given it has nobody else."""
    return not m.state.reach([*m.state.names.values(), *m.state.stack]).keys().isdisjoint(refs)


def _of_parts(m: Interpreter, made: Value) -> list[Ref]:
    """The tensors that registered parts of a module hold: whether those have registered them is their own affair."""
    parts = [m[ref] for ref in walk(m, made) if ref != made]
    return [ref for part in parts for _, value in part.attributes for ref, _ in m.all(value, Tensor)]


def _may_hold(m: Interpreter, value: Value) -> bool:
    return m.may_be(value, Container) or m.may_be(value, Tensor)


def _references(value: Value) -> list[Ref]:
    return [option for option in alternatives(value) if type(option) is Ref]


Part = tuple[Value, tuple[Container, ...]]


def _parts(m: Interpreter, value: Value, inside: tuple[Container, ...]) -> Iterator[Part]:
    """Yield the contents of a container, through containers inside it, each with those it lies in."""
    container = m.only(value, Container)
    if container is None or len(inside) >= DEEPEST:
        return
    for part in container.held:
        if m.may_be(part, Container):
            yield from _parts(m, part, (*inside, container))
        elif part != NOTHING:
            yield part, (*inside, container)


def _alike(m: Interpreter, container: Container, kind: type) -> bool:
    held = container.held
    return all(part == NOTHING or type(m.thing(part)) is kind for part in held)


def _trained(m: Interpreter, part: Value) -> tuple[Tensor, ...]:
    """The parameters of a part that is certainly a module, or certainly a parameter, as far as they require grad."""
    if m.only(part, Module) is not None:
        tensors = [m[ref] for _, ref in parameters(m, part)[0]]
    else:
        tensor = m.only(part, Tensor)
        tensors = [tensor] if tensor is not None and tensor.parameter is YES else []
    return tuple(tensor for tensor in tensors if tensor.requires_grad is YES)
