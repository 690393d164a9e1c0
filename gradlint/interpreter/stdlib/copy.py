"""Copying objects: the handle alone, or all that hangs on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from gradlint import events
from gradlint.domain.facts import NO, NONE, PLAIN, YES, truth
from gradlint.domain.mentions import object_renamed
from gradlint.domain.objects import MAPPINGS, Class, Container, Instance, Module, Object, Tensor
from gradlint.domain.provenance import MOST_CAUSES, Cause, CauseKind
from gradlint.domain.refs import Alternatives, Ref
from gradlint.domain.value_sets import alternatives, one_of, renamed
from gradlint.domain.values import UNKNOWN, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.tensor import own_count
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import models
from gradlint.interpreter.engine.escape import result_of_unknown
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.containers import copied
from gradlint.interpreter.python.mro import find_member
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site


@models("copy.copy")
def _shallow_copy(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A copy of the object alone: what it holds, and its memory, is shared."""
    value = args.get("x", 0, UNKNOWN)
    return one_of([_copied(m, node, o) if type(o) is Ref and o in m.state.heap else o for o in alternatives(value)])


def _copied(m: Interpreter, node: Site, ref: Ref) -> Ref:
    place = m.copy_site(node, ref)
    return m.new(place, "copy", _shallow(m, node, m[ref], own_count(m.memory(place, "copy"))))


def _shallow(m: Interpreter, node: Site, thing: Object, count: Alternatives) -> Object:
    """The copy of a tensor is a leaf on its memory that requires grad as it does, whatever recorded it."""
    if type(thing) is Container and thing.kind in MAPPINGS:
        return copied(m, node, thing)
    if type(thing) is not Tensor:
        return thing
    marks = (Cause(CauseKind.MADE, node), *thing.causes)[:MOST_CAUSES]
    return replace(thing, leaf=YES, node=(), base=(), unwritable=NO, showing=NO, retains=NO, grad=NONE, unit=PLAIN,
                   gradient=UNKNOWN, inference=m.state.inference, made="copy", alone=YES, count=count,
                   trained_by=frozenset(), causes=marks)  # fmt: skip


@models("copy.deepcopy")
def _copy(m: Interpreter, node: Site, args: Arguments) -> Value:
    """A copy has objects of its own all the way down; leaves stay leaves, state dictionaries own their memory."""
    value = args.get("x", 0, UNKNOWN)
    if not m.is_silent:
        of = _argument(node)
        m.emit(events.Copied, node, value=m.thing(value), tensors=tuple(_tensors_in(m, value)), of=of,
                name=spelled(of))  # fmt: skip
    found = m.state.reach([value])
    if len(found) > 400:
        return result_of_unknown([value])
    now = {ref: Ref(m.allocations.site(m.copy_site(node, ref)), "copy", m.frame.id) for ref in found}
    memories = Counter(memory for ref in found for memory in getattr(m[ref], "storage", ()))
    now |= {memory: m.memory(m.copy_site(node, memory), "copy") for memory in memories}
    for ref in found:
        alone = truth(any(memories[memory] > 1 for memory in getattr(m[ref], "storage", ())))
        thing = object_renamed(m[ref], now)
        if type(thing) is Container:
            thing = replace(thing, origin=())
        if type(thing) is Tensor:
            inference = m.state.inference  # of where it is copied, whatever it was
            marks = (Cause(CauseKind.MADE, node), *thing.causes)[:MOST_CAUSES]
            count = own_count(m.memory(m.copy_site(node, ref), "copy"))
            thing = replace(thing, overwritten=NO, base=(), unwritable=NO, showing=NO, alone=alone, count=count,
                            inference=inference, trained_by=frozenset(), causes=marks)  # fmt: skip
            if thing.parameter.may(YES):  # parameters are copied without their gradients
                now_none = NONE if thing.parameter is YES else thing.grad | NONE
                thing = replace(thing, grad=now_none, unit=PLAIN, gradient=UNKNOWN)
        m.new(m.copy_site(node, ref), "copy", thing)
    return renamed(value, now)


def _argument(node: Site) -> Any:
    """The expression that is copied, where it is written in the call."""
    args = getattr(getattr(node, "node", node), "args", ())
    return next((one.value for one in args if len(args) == 1 and not one.star), None)


def _tensors_in(m: Interpreter, value: Value) -> Iterator[Tensor]:
    """The tensors that a value certainly is or holds, by whatever way; what copies itself is not looked into."""
    seen: set[Ref] = set()
    todo = [value]
    while todo:
        value = todo.pop()
        if (tensor := m.only(value, Tensor)) is not None:
            yield tensor
        elif type(value) is Ref and value not in seen:
            seen.add(value)
            todo += _parts(m, m.state.heap.get(value))


def _parts(m: Interpreter, thing: Any) -> list[Value]:
    if isinstance(thing, Container):
        inside = [part for _, part in thing.items]
        return inside if thing.kind in MAPPINGS else [*inside, thing.rest]  # a dict may well be empty by now
    known = type(thing) is Module or (type(thing) is Instance and type(m.thing(thing.cls)) is Class)
    if known and find_member(m, thing.cls, "__deepcopy__") is None:
        return [part for _, part in thing.attributes]
    return []
