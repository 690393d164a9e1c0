"""Attributes: reading and setting them on tensors, modules, instances, classes and everything else."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from gradlint import events
from gradlint.domain import (
    ANY_PRECISION,
    BOOL,
    EVAL,
    FRESH,
    INTEGER,
    MOST_ALTERNATIVES,
    NO,
    NONE_VALUE,
    NOTHING,
    TRAIN,
    UNKNOWN,
    UNSURE,
    YES,
    Array,
    Belief,
    Bound,
    Class,
    Const,
    Container,
    Function,
    Imported,
    Instance,
    Iterator,
    Mode,
    Module,
    Named,
    Node,
    Optimizer,
    Plain,
    Ref,
    Scalar,
    Scaler,
    Scheduler,
    Super,
    Tensor,
    Truth,
    Unit,
    Unknown,
    Value,
    alternatives,
    one_of,
)
from gradlint.domain.changing import replace
from gradlint.interpreter import gifts, libraries, library, module_containers, module_methods, modules, optimizers
from gradlint.interpreter.arguments import Arguments
from gradlint.interpreter.asking import set_requires_grad
from gradlint.interpreter.batches import PARTS, is_batch
from gradlint.interpreter.classes import find_member, find_method
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.gradients import clear_gradients, read_gradient
from gradlint.interpreter.operations import plain_value
from gradlint.interpreter.recording import apply
from gradlint.interpreter.tensors import truth_of
from gradlint.interpreter.uses import by_use, told_by_use
from gradlint.knowledge import ATTRIBUTES, MODULES, PLAIN
from gradlint.knowledge.module_settings import SETTINGS, SIZES

STAND_IN = "attribute "
"""How the parts begin that stand for attributes nobody was seen to set; their name follows."""

LEAVING_THE_GRAPH = frozenset({"detach", "item", "tolist", "numpy", "cpu"})
"""Methods by which something unknown shows that it is a tensor and is looked at, not handed on."""

# ---- reading


def get_attribute(it: Interpreter, node: Any, owner: Value, name: str, chain: str, *, guard: bool = False) -> Value:
    """`owner.name`; `chain` is how the owner is written, if it is a chain of names."""
    options = alternatives(owner)
    if len(options) > 1:
        options = tuple(option for option in options if option != NONE_VALUE)
    tensors = [option for option in options if type(option) is Ref and type(it.state.heap.get(option)) is Tensor]
    if tensors and len(tensors) == len(options):
        return _tensor_attribute(it, node, one_of(tensors, len(tensors)), name, chain, guard)
    start = it.hold(*options)
    found = []
    for index in range(len(options)):
        option = it.state.flight[start + index]
        found.append(_attribute(it, node, option, name, chain, guard))
        it.hold(found[-1])
    return one_of(it.land(start)[len(options) :], max(MOST_ALTERNATIVES, len(options)))


def _attribute(it: Interpreter, node: Any, owner: Value, name: str, chain: str, guard: bool) -> Value:
    if type(owner) is Ref:
        thing = it.state.heap.get(owner)
        reader = READERS.get(type(thing))
        return reader(it, node, owner, thing, name, chain, guard) if reader else Unknown((owner,))
    if type(owner) is Named:
        return Named(f"{owner.path}.{name}")
    if type(owner) is Imported:
        return it.neighbours.attribute(owner, name)
    if type(owner) is Unknown:
        return Bound(owner, name) if name in LEAVING_THE_GRAPH or name == "backward" else owner
    if type(owner) is Super:
        return Bound(owner, name)
    return Bound(owner, name)


def _tensor_attribute(it: Interpreter, node: Any, owner: Value, name: str, chain: str, guard: bool) -> Value:
    if name == "grad":
        return read_gradient(it, node, owner, guard=guard, name=chain)
    tensor = it.only(owner, Tensor)
    assert tensor is not None
    if name in FLAGS:
        return _flag(FLAGS[name](tensor))
    row = ATTRIBUTES.get(f"torch.Tensor.{name}")
    if row is not None:
        return apply(it, node, row, [(row.operands[0], owner)])
    if name in PLAIN_ATTRIBUTES:
        plain = PLAIN.get(f"torch.Tensor.{name}")
        return plain_value(plain.returns if plain else name)
    if tensor.loose and not _is_tensor_method(name) and not (is_batch(tensor) and name in PARTS):
        known = gifts.output(it, node, owner, name)
        return Unknown(tuple(ref for ref, _ in it.all(owner, Tensor))) if known is None else known
    return Bound(owner, name)


def _is_tensor_method(name: str) -> bool:
    from gradlint.interpreter.methods import is_tensor_method

    return is_tensor_method(name)


PLAIN_ATTRIBUTES = frozenset(
    [
        "shape",
        "dtype",
        "device",
        "layout",
        "ndim",
        "nbytes",
        "itemsize",
        "output_nr",
        "is_cuda",
        "is_cpu",
        "is_sparse",
        "is_quantized",
        "is_meta",
        "is_mps",
        "is_xpu",
        "is_nested",
        "is_mkldnn",
        "is_sparse_csr",
        "is_xla",
        "grad_fn",
        "names",
        "_version",
    ]
)
"""Attributes (not methods) of tensors that are no tensors."""

FLAGS: dict[str, Callable[[Tensor], Truth]] = {
    "requires_grad": lambda tensor: tensor.requires_grad,
    "is_leaf": lambda tensor: tensor.leaf,
    "retains_grad": lambda tensor: tensor.retains,
}


def _flag(fact: Truth) -> Value:
    return Const(True) if fact is YES else Const(False) if fact is NO else Scalar(BOOL)


def _instance_attribute(
    it: Interpreter, node: Any, owner: Ref, thing: Any, name: str, chain: str, guard: bool
) -> Value:
    """Attributes of modules and instances: set on the object, defined by its class, or not seen."""
    for known, value in thing.attributes:
        if known == name:
            if type(value) is Unknown:
                return _learn(it, node, owner, name, chain, value)
            if chain:
                return told_by_use(it, node, value, f"{chain}.{name}")
            return value  # type: ignore[no-any-return]
    member = find_member(it, thing.cls, name)
    if member is not None:
        return _member(it, node, owner, member, name)
    if type(thing) is Module:
        if name in module_methods.METHODS:
            return Bound(owner, name)
        if name == "training":
            return _training(thing.mode)
        if name in module_containers.METHODS and module_containers.base(it, thing):
            return Bound(owner, name)
        if (part := _part_of_torch(it, node, thing, name)) is not None:
            return part
    if type(thing.cls) is Named and f"{thing.cls.path}.{name}" in library.SPECIAL:
        return Bound(owner, name)
    if thing.open.may(YES):
        return _learn(it, node, owner, name, chain, UNKNOWN)
    return Bound(owner, name) if find_method(it, thing.cls, "__getattr__") is None else Unknown((owner,))


def _part_of_torch(it: Interpreter, node: Any, thing: Module, name: str) -> Value | None:
    """What a class of torch gives its modules, or what was registered under a name that was made up."""
    from gradlint.interpreter.classes import torch_base

    if it.may_be(thing.rest, Module):
        return thing.rest
    row = MODULES.get(thing.cls.path if type(thing.cls) is Named else torch_base(it, thing.cls))
    if row is None:
        return None
    counted = re.sub(r"\d+", "0", name)
    if thing.rest != NOTHING and any(re.sub(r"\d+", "0", known) == counted for known in row.parameters):
        return thing.rest
    if any(known.startswith(f"{name}.") for known in row.parameters) and row.call not in ("container", "none"):
        return modules.unknown_module(it, node, f"part {name}", Belief.BY_USE, Named("torch.nn.Module"))
    return Scalar(INTEGER) if name in SIZES else Plain("setting") if name in SETTINGS else None


def _training(mode: Mode) -> Value:
    return Const(True) if mode is TRAIN else Const(False) if mode is EVAL else Scalar(BOOL)


def _learn(it: Interpreter, node: Any, owner: Ref, name: str, chain: str, value: Value) -> Value:
    """An attribute that nobody was seen to set: what its use tells it to be, or some object; the same one next time."""
    full = f"{chain}.{name}" if chain else ""
    found = gifts.foreign_part(it, node, owner, name) or by_use(it, node, full, f"{STAND_IN}{name}")
    if found is None:
        if type(value) is Unknown and value.reach:
            return value
        found = it.new(node, f"{STAND_IN}{name}", Instance(belief=Belief.BY_NAME))
    keep_attribute(it, owner, name, found)
    return found


def keep_attribute(it: Interpreter, owner: Ref, name: str, value: Value) -> None:
    """An object has had this attribute all along, though nobody was seen to set it."""
    thing: Any = it.state.heap.get(owner)
    if isinstance(thing, (Module, Instance)):
        attributes = dict(thing.attributes) | {name: value}
        it.state.heap[owner] = replace(thing, attributes=tuple(attributes.items()))


def _member(it: Interpreter, node: Any, owner: Ref, member: Value, name: str) -> Value:
    from gradlint.interpreter.functions import call_function

    if type(member) is not Function:
        known = libraries.looked_up(it, node, owner, member.path) if type(member) is Named else None
        return member if known is None else known
    if member.kind == "property":
        return call_function(it, node, member, Arguments([owner]))
    if member.kind == "static":
        return member
    return Bound(owner, name, member)


def _class_attribute(it: Interpreter, node: Any, owner: Ref, thing: Class, name: str, chain: str, guard: bool) -> Value:
    member = find_member(it, owner, name)
    if type(member) is Function and member.kind == "class":
        return Bound(owner, name, member)
    if member is not None:
        known = libraries.looked_up(it, node, owner, member.path) if type(member) is Named else None
        return member if known is None else known
    if name in ("apply", "__name__", "__init__"):
        return Bound(owner, name)
    return Unknown((owner,))


def _method_only(it: Interpreter, node: Any, owner: Ref, thing: Any, name: str, chain: str, guard: bool) -> Value:
    return Bound(owner, name)


def _optimizer_attribute(
    it: Interpreter, node: Any, owner: Ref, thing: Any, name: str, chain: str, guard: bool
) -> Value:
    if thing.attributes or thing.cls != UNKNOWN:
        own = dict(thing.attributes).get(name)
        own = find_member(it, thing.cls, name) if own is None and name != "step" else own
        if own is not None:
            return _member(it, node, owner, own, name)
    reader = optimizers.ATTRIBUTES.get(name)
    return Bound(owner, name) if reader is None else reader(it, node, owner)


def _scheduler_attribute(
    it: Interpreter, node: Any, owner: Ref, thing: Any, name: str, chain: str, guard: bool
) -> Value:
    from gradlint.interpreter import scheduling

    reader = scheduling.ATTRIBUTES.get(name)
    return Bound(owner, name) if reader is None else reader(it, node, owner)


def _array_attribute(it: Interpreter, node: Any, owner: Ref, thing: Array, name: str, chain: str, guard: bool) -> Value:
    return Plain("Size") if name in ("shape", "strides") else Bound(owner, name)


def _single_tensor(it: Interpreter, node: Any, owner: Ref, thing: Tensor, name: str, chain: str, guard: bool) -> Value:
    return _tensor_attribute(it, node, owner, name, chain, guard)


READERS: dict[type, Callable[..., Value]] = {
    Tensor: _single_tensor,
    Module: _instance_attribute,
    Instance: _instance_attribute,
    Class: _class_attribute,
    Container: _method_only,
    Iterator: _method_only,
    Optimizer: _optimizer_attribute,
    Scaler: _method_only,
    Scheduler: _scheduler_attribute,
    Array: _array_attribute,
    Node: _method_only,
}


# ---- setting


def set_attribute(it: Interpreter, node: Any, owner: Value, name: str, value: Value, chain: str, *, own: bool) -> None:
    """`owner.name = value`."""
    shown = it.thing(owner)
    if not it.muted:
        old = _old(shown, name)
        it.emit(
            events.AttributeAssigned,
            node,
            owner=shown,
            attr=name,
            value=it.thing(value),
            old=it.thing(old),
            holders=optimizers.holding(it, old),
            name=chain,
            own=own,
            read_by_class=_read_by_class(it, shown, name).may(YES),
        )
    found = [(option, it.state.heap.get(option)) for option in alternatives(owner) if type(option) is Ref]
    sure = len(found) == len(alternatives(owner)) and it.sure(found)
    for ref, thing in found:
        if type(thing) is Tensor and name == "requires_grad":
            set_requires_grad(it, node, ref, truth_of(value), "assign", chain, sure=sure)
        elif (setter := SETTERS.get(type(thing))) is not None:
            setter(it, node, ref, thing, name, value, sure)
    for option in alternatives(owner):
        if type(option) is Imported:
            it.neighbours.set(option.module, name, value)
    if not found and type(owner) is Unknown:
        it.escape([value])


def _old(shown: Any, name: str) -> Value:
    known: dict[object, Value] = dict(getattr(shown, "attributes", ()))
    return known.get(name, UNKNOWN)


def _read_by_class(it: Interpreter, shown: Any, name: str) -> Truth:
    """Whether the class of a module or instance reads or defines an attribute, so that setting it has a meaning."""
    if not isinstance(shown, (Module, Instance)):
        return NO
    verdict = NO if shown.belief is not Belief.BY_NAME else UNSURE
    for cls in alternatives(shown.cls):
        thing = it.thing(cls)
        if type(thing) is Class:
            todo: list[Any] = [thing]
            while todo:
                one = todo.pop()
                if type(one) is Class:
                    if name in one.reads:
                        return YES
                    todo += [it.thing(base) for base in one.bases]
            if thing.open is not NO:
                verdict = verdict | UNSURE
        elif type(thing) is not Named:
            verdict = verdict | UNSURE
    return verdict


def _set_on_tensor(it: Interpreter, node: Any, ref: Ref, thing: Tensor, name: str, value: Value, sure: bool) -> None:
    if name == "grad" and value == NONE_VALUE:
        clear_gradients(it, node, [ref], to_none=YES, sure=sure)
    elif name == "grad":
        it.put(ref, replace(thing, grad=FRESH, unit=Unit.unsure(), gradient=value), sure=sure)
    elif name == "data":
        other = it.only(value, Tensor)
        memory = other.storage if other else (it.memory(node, "data"),)
        facts = {"dtype": other.dtype, "precision": other.precision} if other else {"precision": ANY_PRECISION}
        it.put(ref, replace(thing, storage=memory, **facts), sure=sure)


def setter_of(name: str) -> str:
    """The name under which a class keeps the setter of a property; no attribute can be called so."""
    return f"{name} setter"


def _set_on_object(it: Interpreter, node: Any, ref: Ref, thing: Any, name: str, value: Value, sure: bool) -> None:
    from gradlint.interpreter.functions import call_function

    setter = find_member(it, thing.cls, setter_of(name))
    if type(setter) is Function:
        call_function(it, node, setter, Arguments([ref, value]))
        return
    attributes = dict(thing.attributes) | {name: value}
    it.put(ref, replace(thing, attributes=tuple(attributes.items())), sure=sure)
    if type(thing) is Instance and thing.cls == UNKNOWN:
        it.escape([value])


def _set_on_class(it: Interpreter, node: Any, ref: Ref, thing: Class, name: str, value: Value, sure: bool) -> None:
    members = dict(thing.members) | {name: value}
    it.put(ref, replace(thing, members=tuple(members.items())), sure=sure)


SETTERS: dict[type, Callable[..., None]] = {
    Tensor: _set_on_tensor,
    Module: _set_on_object,
    Instance: _set_on_object,
    Optimizer: _set_on_object,
    Class: _set_on_class,
}
