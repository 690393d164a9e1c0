"""Attributes: reading them off tensors, modules, instances, classes and everything else."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any

from gradlint.domain import (
    BOOL,
    EVAL,
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
    Unknown,
    Value,
    alternatives,
    number_kind,
    one_of,
    references,
    with_attribute,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd.batches import PARTS, is_batch
from gradlint.interpreter.autograd.grad import read_gradient
from gradlint.interpreter.autograd.operations import plain_result, plain_value
from gradlint.interpreter.autograd.record import apply
from gradlint.interpreter.autograd.tensor import dtype_told
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import MODELS
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import STAND_IN
from gradlint.interpreter.libraries import pack_calls, pack_results
from gradlint.interpreter.nn import module, module_containers, module_methods
from gradlint.interpreter.python import descriptors
from gradlint.interpreter.python.foreign import foreign_part
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import (
    ancestry,
    field_of,
    find_member,
    find_method,
    may_be_overridden,
    torch_base,
)
from gradlint.interpreter.torch_api import distributions
from gradlint.interpreter.training import optimizer
from gradlint.interpreter.unknown.duck_typing import by_use, told_by_use
from gradlint.knowledge.module_settings import SETTINGS, SIZES
from gradlint.knowledge.signs import METHODS_OF_TENSORS

_NUMBER = re.compile(r"\d+")
"""How the parts begin that stand for attributes nobody was seen to set; their name follows."""

LEAVING_THE_GRAPH = frozenset({"detach", "item", "tolist", "numpy", "cpu"})
"""Methods by which something unknown shows that it is a tensor and is looked at, not handed on."""


def get_attribute(it: Interpreter, node: Any, owner: Value, name: str, chain: str, *, guard: bool = False) -> Value:
    """`owner.name`; `chain` is how the owner is written, if it is a chain of names."""
    options = alternatives(owner)
    if len(options) > 1:
        options = tuple(option for option in options if not _lacks(option, name)) or options
    tensors = [option for option in options if type(option) is Ref and type(it.state.heap.get(option)) is Tensor]
    if tensors and len(tensors) == len(options):
        return _tensor_attribute(it, node, one_of(tensors, len(tensors)), name, chain, guard)
    start = it.hold(*options)
    for index in range(len(options)):
        option = it.state.flight[start + index]
        uncertain = len(options) > 1 and _asks_program(it, option, name)
        it.hold(it.perhaps(partial(_attribute, it, node, option, name, chain, guard), uncertain))
    return one_of(it.land(start)[len(options) :], max(MOST_ALTERNATIVES, len(options)))


OF_NUMBERS = frozenset(name for kind in (bool, int, float, complex) for name in dir(kind))


def _lacks(option: Value, name: str) -> bool:
    """Whether asking None or a number for an attribute raises, so that the line speaks of what else it may be."""
    return option == NONE_VALUE or (number_kind(option) is not None and name not in OF_NUMBERS)


def _asks_program(it: Interpreter, owner: Value, name: str) -> bool:
    """Whether an attribute of an object may be computed by code of the program, which may do more than that."""
    thing = it.thing(owner)
    if not isinstance(thing, (Module, Instance)) or any(known == name for known, _ in thing.attributes):
        return False
    member = find_member(it, thing.cls, name)
    return type(member) is not Named if member is not None else find_method(it, thing.cls, "__getattr__") is not None


def _attribute(it: Interpreter, node: Any, owner: Value, name: str, chain: str, guard: bool) -> Value:
    if type(owner) is Ref:
        thing = it.state.heap.get(owner)
        reader = READERS.get(type(thing))
        return reader(it, node, owner, thing, name, chain, guard) if reader else Unknown((owner,))
    if type(owner) is Named:
        return found_at(it, f"{owner.path}.{name}")
    if type(owner) is Imported:
        return it.neighbours.attribute(owner, name)
    if type(owner) is Plain and (row := it.torch.object_attributes.get(f"{owner.kind}.{name}")) is not None:
        return plain_result(it, node, row.returns)
    if type(owner) is Unknown:
        return Bound(owner, name) if name in LEAVING_THE_GRAPH or name in METHODS_OF_TENSORS else owner
    if type(owner) is Super:
        return Bound(owner, name)
    return Bound(owner, name)


ENDLESS = frozenset({"math.inf", "numpy.inf", "torch.inf"})


def found_at(it: Interpreter, path: str) -> Value:
    """What an import path names: a constant of the library, or whatever it may be."""
    if path in ENDLESS:
        return Const(inf)
    row = it.torch.constants.get(path)
    return Named(path) if row is None else plain_value(row.returns)


def _tensor_attribute(it: Interpreter, node: Any, owner: Value, name: str, chain: str, guard: bool) -> Value:
    if name == "grad":
        if it.looked is not None:
            it.looked |= {(ref, name): None for ref in references(owner)}
        return read_gradient(it, node, owner, guard=guard, name=chain)
    tensor = it.only(owner, Tensor)
    assert tensor is not None
    if name in FLAGS:
        return _flag(FLAGS[name](tensor), tensor.belief)
    row = it.torch.attributes.get(f"torch.Tensor.{name}")
    if row is not None:
        return apply(it, node, row, [(row.operands[0], owner)])
    if name == "dtype":
        return dtype_told(tensor)
    if name in PLAIN_ATTRIBUTES:
        plain = it.torch.plain.get(f"torch.Tensor.{name}")
        return plain_value(plain.returns if plain else name)
    if tensor.loose and not _is_tensor_method(it, name) and not (is_batch(tensor) and name in PARTS):
        return pack_results.output(it, node, owner, name)
    return Bound(owner, name)


def _is_tensor_method(it: Interpreter, name: str) -> bool:
    from gradlint.interpreter.autograd.tensor_methods import is_tensor_method

    return is_tensor_method(it, name)


PLAIN_ATTRIBUTES = frozenset(
    [
        "shape",
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


def _flag(fact: Truth, belief: Belief) -> Value:
    """What is likely decides no branch: a yes counts of what is known. A no comes from the mode of the place."""
    if fact is NO:
        return Const(False)
    return Const(True) if fact is YES and belief < Belief.BY_USE else Scalar(BOOL)


def _instance_attribute(
    it: Interpreter, node: Any, owner: Ref, thing: Any, name: str, chain: str, guard: bool
) -> Value:
    """Attributes of modules and instances: set on the object, defined by its class, or not seen."""
    if it.looked is not None:
        it.looked[owner, name] = None
    if name in thing.absent:
        thing = _settled(it, node, owner, thing, name)
    for known, value in thing.attributes:
        if known == name:
            if type(value) is Unknown:
                return _learn(it, node, owner, name, chain, value)
            if chain:
                return told_by_use(it, node, value, f"{chain}.{name}")
            return value  # type: ignore[no-any-return]
    if may_be_overridden(it, owner, thing, name):
        return Unknown((owner,))
    member = find_member(it, thing.cls, name)
    if member is not None:
        return _member(it, node, owner, member, name)
    if type(thing) is Module:
        if name in module_methods.METHODS or name in module_methods.APPLYING:
            return Bound(owner, name)
        if f"{thing.holder}.{name}" in MODELS:
            return Bound(owner, name)
        if name == "training":
            return _training(thing.mode)
        if name in REGISTRIES:
            return attributes_of(it, node, owner)
        if name in module_containers.METHODS and module_containers.base(it, thing):
            return Bound(owner, name)
        if (part := _part_of_torch(it, node, thing, name)) is not None:
            return part
    if name in OF_ALL_OBJECTS:
        return OF_ALL_OBJECTS[name](it, node, owner)
    method = find_method(it, thing.cls, "__getattr__")
    if method is not None:
        return _asked(it, node, owner, thing, name, method)
    if type(thing.cls) is Named and f"{thing.cls.path}.{name}" in MODELS:
        return Bound(owner, name)
    if (thing.open.may(YES) or _is_declared(it, thing.cls, name)) and not _is_method_of_library(it, thing.cls, name):
        return _learn(it, node, owner, name, chain, UNKNOWN)
    return Bound(owner, name)


def _settled(it: Interpreter, node: Any, owner: Ref, thing: Any, name: str) -> Any:
    """The object once it is told what an attribute is where it was not set on it: what its class has under the name. It
    has that all along then; else asking for it raises."""
    member, own = find_member(it, thing.cls, name), dict(thing.attributes).get(name)
    if own is None:
        return thing
    if member is not None:
        keep_attribute(it, owner, name, one_of((own, _member(it, node, owner, member, name))))
    elif find_method(it, thing.cls, "__getattr__") is not None:
        keep_attribute(it, owner, name, Unknown((owner,)))
    return it[owner]


def _asked(it: Interpreter, node: Any, owner: Ref, thing: Any, name: str, method: Function) -> Value:
    """What `__getattr__` gives; where not all that was set on the object was seen, it may not have been asked."""
    unsure = thing.open.may(YES)
    given = it.perhaps(lambda: call_function(it, node, method, Arguments([owner, Const(name)])), unsure)
    return one_of([given, Unknown((owner,))]) if unsure else given


def _is_method_of_library(it: Interpreter, cls: Value, name: str) -> bool:
    from gradlint.interpreter.torch_api.torch_paths import is_known

    return type(cls) is Named and is_known(it, f"{cls.path}.{name}")


def attributes_of(it: Interpreter, node: Any, owner: Value) -> Value:
    """`vars(x)`: what was set on an object so far. Through it others may be set, which are then not known."""
    found: list[Value] = []
    for option in alternatives(owner):
        thing = it.state.heap.get(option) if type(option) is Ref else None
        if not isinstance(thing, (Module, Instance)) or type(option) is not Ref:
            found.append(Unknown((option,) if type(option) is Ref else ()))
            continue
        rest = UNKNOWN if thing.open.may(YES) else NOTHING
        found.append(it.new(node, "attributes", Container("dict", items=thing.attributes, rest=rest)))
        it.put(option, replace(thing, open=thing.open | UNSURE))
    return one_of(found)


def _class_of(it: Interpreter, node: Any, owner: Value) -> Value:
    from gradlint.interpreter.stdlib.introspection import class_of

    return class_of(it, owner)


REGISTRIES = frozenset({"_modules", "_parameters", "_buffers"})
"""Where a module keeps what is registered; what is put there by hand is there like what is assigned."""

OF_ALL_OBJECTS: dict[str, Callable[[Interpreter, Any, Value], Value]] = {
    "__dict__": attributes_of,
    "__class__": _class_of,
}
"""Attributes that every object has."""


def _part_of_torch(it: Interpreter, node: Any, thing: Module, name: str) -> Value | None:
    """What a class of torch gives its modules, or what was registered under a name that was made up."""
    if it.may_be(thing.rest, Module):
        return thing.rest
    row = it.torch.modules.get(thing.cls.path if type(thing.cls) is Named else torch_base(it, thing.cls))
    if row is None:
        return None
    counted = _NUMBER.sub("0", name)
    if thing.rest != NOTHING and any(_NUMBER.sub("0", known) == counted for known in row.parameters):
        return thing.rest
    inner = _within(row.parameters, name)
    if inner and row.call not in ("container", "none"):
        return _inner_part(it, node, f"part {name}", inner, thing.rest)
    return Scalar(INTEGER) if name in SIZES else Plain("setting") if name in SETTINGS else None


def _within(names: Sequence[str], part: str) -> list[str]:
    """Those of these names that lie in a part, as the part calls them."""
    return [name.removeprefix(f"{part}.") for name in names if name.startswith(f"{part}.")]


def _inner_part(it: Interpreter, node: Any, place: str, names: Sequence[str], parameter: Value) -> Value:
    """A part of a layer, with its parameters by name: one handle stands for all that the layer has."""
    made = module.unknown_module(it, node, place, Belief.BY_USE, Named("torch.nn.Module"))
    if parameter == NOTHING:
        return made
    for head in dict.fromkeys(name.partition(".")[0] for name in names):
        inner = _within(names, head)
        at = f"{place}.{head}"
        value = _inner_part(it, node, at, inner, parameter) if inner else _one_of_those(it, node, at, parameter)
        keep_attribute(it, made, head, value)
    return made


def _one_of_those(it: Interpreter, node: Any, place: str, parameter: Value) -> Value:
    """One of the parameters for which a handle stands: what is done to it is not done to all of them."""
    return one_of([parameter, *(it.new(node, place, tensor) for _, tensor in it.all(parameter, Tensor))])


def _training(mode: Mode) -> Value:
    return Const(True) if mode is TRAIN else Const(False) if mode is EVAL else Scalar(BOOL)


def _learn(it: Interpreter, node: Any, owner: Ref, name: str, chain: str, value: Value) -> Value:
    """An attribute that nobody was seen to set: what its use tells it to be, or some object; the same one next time."""
    if (part := distributions.part(it, node, owner, name)) is not None:
        return part
    full = f"{chain}.{name}" if chain else ""
    found: Value | None = foreign_part(it, node, owner, name) or by_use(it, node, full, f"{STAND_IN}{name}")
    if found is None:
        found = _declared(it, node, owner, name)
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
        it.state.heap[owner] = with_attribute(thing, name, value)


def _is_declared(it: Interpreter, cls: Value, name: str) -> bool:
    things = [it.state.heap.get(one) for one in ancestry(it, cls) if type(one) is Ref]
    scopes = [it.scan.scopes.get(thing.node) for thing in things if type(thing) is Class]
    return any(scope is not None and name in scope.annotations for scope in scopes)


def _declared(it: Interpreter, node: Any, owner: Ref, name: str) -> Value | None:
    """What the classes of an object say in annotations of an attribute."""
    from gradlint.interpreter.unknown.annotations import value_of

    thing: Any = it.state.heap.get(owner)
    for one in ancestry(it, getattr(thing, "cls", UNKNOWN)):
        cls = it.state.heap.get(one) if type(one) is Ref else None
        scope = it.scan.scopes.get(cls.node) if type(cls) is Class else None
        if scope is not None and name in scope.annotations:
            return value_of(it, it.place_of(node, f"{STAND_IN}{name}"), scope.annotations[name])
    return None


def _member(it: Interpreter, node: Any, owner: Ref, member: Value, name: str) -> Value:
    if type(member) is not Function:
        known = pack_calls.looked_up(it, node, owner, member.path) if type(member) is Named else None
        known = descriptors.answered(it, node, owner, member) if known is None else known
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
        known = pack_calls.looked_up(it, node, owner, member.path) if type(member) is Named else None
        return member if known is None else known
    if name in ("__name__", "__qualname__", "__module__", "__doc__"):
        return Plain("str")
    if name in ("apply", "__init__", "_make"):
        return Bound(owner, name)
    return Unknown((owner,))


def _method_only(it: Interpreter, node: Any, owner: Ref, thing: Any, name: str, chain: str, guard: bool) -> Value:
    return Bound(owner, name)


def _container_attribute(
    it: Interpreter, node: Any, owner: Ref, thing: Container, name: str, chain: str, guard: bool
) -> Value:
    """A field of a named tuple, what its class defines, or a method that all containers have."""
    found = field_of(it, thing, name)
    if found is not None:
        return found
    if type(thing.cls) is not Ref:
        return Bound(owner, name)
    member = find_member(it, thing.cls, name)
    return Bound(owner, name) if member is None else _member(it, node, owner, member, name)


def _optimizer_attribute(
    it: Interpreter, node: Any, owner: Ref, thing: Any, name: str, chain: str, guard: bool
) -> Value:
    if thing.attributes or thing.cls != UNKNOWN:
        own = dict(thing.attributes).get(name)
        own = find_member(it, thing.cls, name) if own is None and name != "step" else own
        if own is not None:
            return _member(it, node, owner, own, name)
    reader = optimizer.ATTRIBUTES.get(name)
    return Bound(owner, name) if reader is None else reader(it, node, owner)


def _scheduler_attribute(
    it: Interpreter, node: Any, owner: Ref, thing: Any, name: str, chain: str, guard: bool
) -> Value:
    from gradlint.interpreter.training import lr_scheduler

    reader = lr_scheduler.ATTRIBUTES.get(name)
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
    Container: _container_attribute,
    Iterator: _method_only,
    Optimizer: _optimizer_attribute,
    Scaler: _method_only,
    Scheduler: _scheduler_attribute,
    Array: _array_attribute,
    Node: _method_only,
}
