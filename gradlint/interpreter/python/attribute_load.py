"""Attributes: reading them off tensors, modules, instances, classes and everything else."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf

from gradlint.domain.objects import Container, Instance, Iterator, Module, Node, Scaler, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import MOST_ALTERNATIVES, alternatives, number_kind, one_of
from gradlint.domain.values import (
    NONE_VALUE,
    NOTHING,
    Bound,
    Constant,
    Imported,
    ImportPath,
    PlainObject,
    Unknown,
    Value,
)
from gradlint.interpreter.autograd.operations import plain_result, plain_value
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, implements
from gradlint.interpreter.engine.iteration import each
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.mro import find_member, find_method
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.python.duck_typing_names import METHODS_OF_TENSORS

GET: dict[type, Callable[..., Value]] = SLOTS[TypeSlot.GET_ATTRIBUTE]

LEAVING_THE_GRAPH = frozenset({"detach", "item", "tolist", "numpy", "cpu"})
"""Methods by which something unknown shows that it is a tensor and is looked at, not passed on."""
OF_SHAPES = frozenset({"size", "dim", "ndimension", "numel", "nelement", "is_contiguous", "get_device"})
"""Methods that say something of a tensor in numbers, and give nobody the tensor."""

OF_ANYTHING = LEAVING_THE_GRAPH | OF_SHAPES | METHODS_OF_TENSORS
"""Methods by which something unknown shows that it is a tensor."""


def get_attribute(m: Interpreter, node: Site, owner: Value, name: str, chain: str, *, guard: bool = False) -> Value:
    """`owner.name`; `chain` is how the owner is written, if it is a chain of names."""
    options = alternatives(owner)
    if len(options) > 1:
        options = tuple(option for option in options if not _lacks(m, option, name)) or options
    tensors = [option for option in options if type(option) is Ref and type(m.state.heap.get(option)) is Tensor]
    if tensors and len(tensors) == len(options):
        return GET[Tensor](m, node, one_of(tensors, len(tensors)), name, chain, guard)

    def asked(option: Value) -> Value:
        uncertain = len(options) > 1 and _asks_program(m, option, name)
        return m.maybe(partial(_attribute, m, node, option, name, chain, guard), uncertain)

    return one_of(each(m, options, asked), max(MOST_ALTERNATIVES, len(options)))


OF_NUMBERS = frozenset(name for kind in (bool, int, float, complex) for name in dir(kind))


OF_CONTAINERS = {kind.__name__: frozenset(dir(kind)) for kind in (list, tuple, dict, set)}
"""The attributes of containers that have no others than Python gives them."""


def _lacks(m: Interpreter, option: Value, name: str) -> bool:
    """Return whether None, a number or a container lacks an attribute: then the line raises, or speaks of another
    alternative."""
    if type(option) is not Ref:
        return option == NONE_VALUE or (number_kind(option) is not None and name not in OF_NUMBERS)
    thing = m.state.heap.get(option)
    if type(thing) is not Container or thing.cls != NOTHING or not thing.belief.seen_made:
        return False
    known = OF_CONTAINERS.get(thing.kind)
    return known is not None and name not in known


def _asks_program(m: Interpreter, owner: Value, name: str) -> bool:
    """Return whether an attribute of an object may be computed by code of the program, which may do more than that."""
    thing = m.thing(owner)
    if not isinstance(thing, (Module, Instance)) or any(known == name for known, _ in thing.attributes):
        return False
    member = find_member(m, thing.cls, name)
    return (
        type(member) is not ImportPath if member is not None else find_method(m, thing.cls, "__getattr__") is not None
    )


def _attribute(m: Interpreter, node: Site, owner: Value, name: str, chain: str, guard: bool) -> Value:
    if type(owner) is Ref:
        reader = GET.get(type(m.state.heap.get(owner)))
        return reader(m, node, owner, name, chain, guard) if reader else Unknown((owner,))
    if type(owner) is ImportPath:
        return found_at(m, f"{owner.path}.{name}")
    if type(owner) is Imported:
        return m.neighbours.attribute(owner, name)
    if type(owner) is PlainObject and (row := m.torch.object_attributes.get(f"{owner.kind}.{name}")) is not None:
        return plain_result(m, node, row.returns)
    if type(owner) is Unknown:
        return Bound(owner, name) if name in OF_ANYTHING else owner
    return Bound(owner, name)


ENDLESS = frozenset({"math.inf", "numpy.inf", "torch.inf"})


def found_at(m: Interpreter, path: str) -> Value:
    """Return the value at an import path: a constant of the library, or whatever it may be."""
    if path in ENDLESS:
        return Constant(inf)
    row = m.torch.constants.get(path)
    return ImportPath(path) if row is None else plain_value(row.returns)


@implements(TypeSlot.GET_ATTRIBUTE, Iterator, Scaler, Node)
def _method_only(m: Interpreter, node: Site, owner: Ref, name: str, chain: str, guard: bool) -> Value:
    return Bound(owner, name)
