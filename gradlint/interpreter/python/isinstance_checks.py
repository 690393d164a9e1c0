"""`isinstance(value, cls)`, as far as it is known."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

from gradlint.domain.facts import NO, YES, Truth, truth
from gradlint.domain.objects import Array, Container, Instance, Module, Object, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import NOTHING, Bound, Constant, ImportPath, Unknown, Value
from gradlint.interpreter.autograd.tensor import PARAMETER_CLASSES, TENSOR_CLASSES
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.mro import ancestry
from gradlint.knowledge.modules.families import FAMILIES, LAZY, public
from gradlint.knowledge.python.duck_typing_names import TENSOR_ATTRIBUTES

PYTHON_CLASSES: dict[str, tuple[type, ...]] = {
    "int": (int,), "float": (float,), "bool": (bool,), "str": (str,), "complex": (complex,), "bytes": (bytes,),
}  # fmt: skip
_DICTS = frozenset({"dict", "OrderedDict", "defaultdict", "Counter", "state_dict"})
_SEQUENCES = frozenset({"list", "tuple", "deque", "bounded deque"})
CONTAINER_CLASSES: dict[str, frozenset[str]] = {
    "dict": _DICTS, "list": frozenset({"list"}), "tuple": frozenset({"tuple"}), "set": frozenset({"set"}),
    "collections.OrderedDict": frozenset({"OrderedDict", "state_dict"}),
    "collections.defaultdict": frozenset({"defaultdict"}), "collections.deque": frozenset({"deque", "bounded deque"}),
    "collections.abc.Mapping": _DICTS, "typing.Mapping": _DICTS, "typing.Dict": _DICTS, "typing.Sequence": _SEQUENCES,
    "collections.abc.Sequence": _SEQUENCES, "typing.List": frozenset({"list"}),
    "collections.abc.Iterable": _DICTS | _SEQUENCES | {"set"}, "typing.Iterable": _DICTS | _SEQUENCES | {"set"},
}  # fmt: skip
KNOWN_KINDS = frozenset().union(*CONTAINER_CLASSES.values())
"""Kinds of containers that say which class it is; an annotation may name a protocol only."""


def is_a(m: Interpreter, value: Value, cls: str | Ref) -> Truth:
    """Return whether a value is an instance of a class."""
    thing: Any = m.state.heap.get(value) if type(value) is Ref else value
    if is_guessed(thing):
        return Truth.unsure()
    if type(cls) is Ref:
        return _descends(m, thing, cls)
    if cls in TENSOR_CLASSES:
        return Truth.unsure() if getattr(thing, "may_be_structured", False) else truth(type(thing) is Tensor)
    if cls in PARAMETER_CLASSES:
        return thing.parameter if type(thing) is Tensor else NO
    assert isinstance(cls, str)
    if cls in PYTHON_CLASSES:
        if type(thing) is Constant:
            return truth(type(thing.value) in PYTHON_CLASSES[cls])
        return NO if type(value) is Ref and type(thing) is not Instance else Truth.unsure()
    if cls in CONTAINER_CLASSES:
        if type(thing) is Container:
            return Truth.unsure() if thing.kind not in KNOWN_KINDS else truth(thing.kind in CONTAINER_CLASSES[cls])
        return NO if _is_of_torch(thing) or type(thing) is Constant else Truth.unsure()
    if cls.startswith("torch.nn.") or cls == "torch.nn.Module":
        return _is_module(m, thing, cls)
    if type(thing) in (Tensor, Constant) and not cls.startswith("torch."):
        return NO if cls.startswith("numpy.") else Truth.unsure()
    return Truth.unsure()


def is_instance(m: Interpreter, value: Value, wanted: Value) -> Truth:
    """`isinstance(value, wanted)`, as far as it is known."""
    thing = m.thing(wanted)
    if type(thing) is Container:
        found = [is_instance(m, value, one) for _, one in thing.items]
        return YES if YES in found else NO if found and all(one is NO for one in found) else Truth.unsure()
    cls = (
        wanted.path.removeprefix("builtins.") if type(wanted) is ImportPath else wanted if type(wanted) is Ref else None
    )
    if cls is None:
        return Truth.unsure()
    return reduce(or_, [is_a(m, option, cls) for option in alternatives(value)])


def is_guessed(thing: Any) -> bool:
    """Return whether nothing proves an object's kind: an attribute that is no tensor method may have been set on it."""
    if type(thing) is Bound and thing.function is None and thing.name not in TENSOR_ATTRIBUTES:
        return True
    unclear = type(thing) is Unknown or (type(thing) is Instance and type(thing.cls) in (Unknown, ImportPath))
    return unclear or getattr(thing, "belief", Belief.PROVEN) >= Belief.FROM_USAGE


def _is_of_torch(thing: Any) -> bool:
    return isinstance(thing, Object) and thing.of_torch


def _descends(m: Interpreter, thing: Any, cls: Ref) -> Truth:
    if not isinstance(thing, (Module, Instance, Container)):
        return NO if _is_of_torch(thing) or type(thing) is Constant else Truth.unsure()
    found = list(ancestry(m, thing.cls))
    if cls in found:
        return YES
    if not thing.belief.seen_made:
        return Truth.unsure()
    return NO if all(type(one) is Ref or type(one) is ImportPath or one == NOTHING for one in found) else Truth.unsure()


def _is_module(m: Interpreter, thing: Any, cls: str) -> Truth:
    if type(thing) is not Module:
        return NO if _is_of_torch(thing) or type(thing) in (Constant, Container, Array) else Truth.unsure()
    cls = public(cls)
    found = list(ancestry(m, thing.cls))
    if cls == "torch.nn.Module":
        return YES
    below = FAMILIES.get(cls, frozenset())
    verdicts = {_of_torch(one.path, cls, below) for one in found if type(one) is ImportPath}
    if YES in verdicts or not thing.belief.seen_made or not (cls in m.torch.modules or cls in FAMILIES):
        return YES if YES in verdicts else Truth.unsure()
    sure = all(type(one) is Ref or type(one) is ImportPath for one in found) and verdicts <= {NO}
    return NO if sure else Truth.unsure()


def _of_torch(path: str, cls: str, below: frozenset[str]) -> Truth:
    """Return whether a torch class is or derives from another; a lazy module changes class in its first call."""
    if path == cls:
        return Truth.unsure() if path.startswith(LAZY) else YES
    return truth(path in below)
