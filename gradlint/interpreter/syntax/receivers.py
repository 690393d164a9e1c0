"""The receivers of autograd's vocabulary, as known to the interpreter or not.

A receiver is known where its kind is: a tensor, a module, an optimizer, a container, a function, a class
or an instance of one that is resolved, a constant, something in a library named by its import path. It is
not where nothing is known, where it is just some object, and where its name alone showed its kind.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import libcst as cst

from gradlint.domain.facts import NO
from gradlint.domain.objects import Class, Instance, Node, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import (
    NOTHING,
    Bound,
    Constant,
    Context,
    Function,
    Imported,
    ImportPath,
    PlainObject,
    PythonNumber,
    Super,
    Value,
)
from gradlint.interpreter.autograd.batches import is_batch
from gradlint.interpreter.autograd.tensor_attributes import PART
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.unseen import STAND_IN
from gradlint.interpreter.python.mro import ancestry, find_member
from gradlint.knowledge import DTYPES
from gradlint.knowledge.torch.autograd_names import NAMESPACES, OF_TENSORS, VOCABULARY

UNCLEAR = ""
"""The kind of what is not known."""
APART = "none"
"""The kind of what is no receiver: nothing at all, and the namespaces and dtypes of torch."""
LIBRARY = "library "
"""The prefix of the kinds that a library names; the library follows."""
PYTHON = frozenset(dir(builtins))


def note(m: Interpreter, node: cst.Attribute, owner: Value) -> None:
    """Keep the worst that was known of a receiver, over all runs of its place."""
    if node.attr.value in VOCABULARY and m.state.live and m.receivers.get(node) != UNCLEAR:
        m.receivers[node] = kind_of(m, owner, node.attr.value)


def kind_of(m: Interpreter, value: Value, name: str) -> str:
    """The kind of a receiver of which `name` is read; one whose alternatives are of several kinds has them all."""
    kinds = dict.fromkeys(_kind(m, option, name) for option in alternatives(value))
    return UNCLEAR if UNCLEAR in kinds else " or ".join(kinds)


def _kind(m: Interpreter, value: Value, name: str) -> str:
    if type(value) is not Ref:
        of_value = OF_VALUES.get(type(value))
        return UNCLEAR if of_value is None else of_value(m, value, name)
    thing = m.state.heap.get(value)
    if thing is None or type(thing) is Node or getattr(thing, "belief", Belief.PROVEN) is Belief.FROM_NAME:
        return UNCLEAR
    of_object = OF_OBJECTS.get(type(thing))
    return type(thing).__name__.lower() if of_object is None else of_object(m, value, thing, name)


def _of_library(m: Interpreter, value: ImportPath, name: str) -> str:
    """Return the kind of a path: absolute ones only, and of Python itself only what there is."""
    root, _, rest = value.path.partition(".")
    if not root or (root == "builtins" and rest.partition(".")[0] not in PYTHON):
        return UNCLEAR
    path = f"{value.path}.{name}"
    return APART if path in NAMESPACES or path in DTYPES else LIBRARY + root


OF_VALUES: dict[type, Callable[[Interpreter, Any, str], str]] = {
    ImportPath: _of_library,
    Bound: lambda m, value, name: "function" if value.function is not None else UNCLEAR,
    Super: lambda m, value, name: kind_of(m, value.owner, name),
    Function: lambda m, value, name: "function",
    Constant: lambda m, value, name: "constant",
    PythonNumber: lambda m, value, name: "constant",
    PlainObject: lambda m, value, name: APART if value == NOTHING else "constant",
    Context: lambda m, value, name: "grad mode",
    Imported: lambda m, value, name: "file",
}


def _of_tensor(m: Interpreter, ref: Ref, thing: Tensor, name: str) -> str:
    """Return the kind of a tensor: one that may be a tuple, a dict or an object is one if asked for what only tensors
    have; what a loader gathers is no object. A part of a result that is known by its name alone is not known."""
    if ref.part.startswith(PART):
        return UNCLEAR
    return "tensor" if not thing.may_be_structured or name in OF_TENSORS or is_batch(thing) else UNCLEAR


def _of_instance(m: Interpreter, ref: Ref, thing: Instance, name: str) -> str:
    """Instances of classes of the program, of library classes, and managers written as generators."""
    if type(thing.cls) is ImportPath:
        return _of_library(m, thing.cls, name)
    if type(thing.cls) is Function:
        return "instance"
    set_here = dict(thing.attributes).get(name)
    if set_here is not None and not (type(set_here) is Ref and set_here.part.startswith(STAND_IN)):
        return "instance" if all(type(m.thing(one)) is Class for one in alternatives(thing.cls)) else UNCLEAR
    return "instance" if _is_resolved(m, thing.cls, name) else UNCLEAR


def _is_resolved(m: Interpreter, cls: Value, name: str) -> bool:
    """Return whether a class of the program defines the name, or has no base that could and is not known."""
    for one in alternatives(cls):
        thing = m.thing(one)
        if type(thing) is not Class:
            return False
        if thing.open is not NO and find_member(m, one, name) is None and not _is_of_known_bases(m, one):
            return False
    return True


def _is_of_known_bases(m: Interpreter, cls: Value) -> bool:
    """Return whether a class derives from nothing but the program, Python, torch and look-alikes of it."""
    return all(type(m.thing(one)) is Class or _is_known_base(m, one) for one in ancestry(m, cls))


def _is_known_base(m: Interpreter, base: Value) -> bool:
    if type(base) is not ImportPath:
        return False
    return m.packs.is_foreign(base.path) or _of_library(m, base, "") in KNOWN_BASES


KNOWN_BASES = frozenset(LIBRARY + root for root in ("torch", "builtins", "abc", "typing", "typing_extensions"))


OF_OBJECTS: dict[type, Callable[[Interpreter, Ref, Any, str], str]] = {
    Tensor: _of_tensor,
    Class: lambda m, ref, thing, name: "class" if _is_resolved(m, ref, name) else UNCLEAR,
    Instance: _of_instance,
}
"""The kinds of objects that are not always known; the others are called as their type is."""
