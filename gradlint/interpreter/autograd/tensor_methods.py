"""Methods of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import CPU, CUDA, INTEGER, NO, UNSURE, YES, Device, Dtypes, either
from gradlint.domain.objects import Array, Container, Tensor
from gradlint.domain.provenance import MOST_CAUSES, AskKind, Cause, CauseKind, ClearKind, WriteKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import NONE_VALUE, UNKNOWN, PlainObject, PythonNumber, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd import hooks
from gradlint.interpreter.autograd.backward_arguments import flag, run_backward
from gradlint.interpreter.autograd.batches import PARTS, is_batch, part
from gradlint.interpreter.autograd.casts import cast, to
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.detach import cut_off
from gradlint.interpreter.autograd.factories import run_factory
from gradlint.interpreter.autograd.grad import clear_gradients
from gradlint.interpreter.autograd.in_place import Write, gradients_written, write
from gradlint.interpreter.autograd.operations import plain_value, run_named, run_operation
from gradlint.interpreter.autograd.requires_grad import (
    Asked,
    perhaps_elsewhere,
    perhaps_given_back,
    set_requires_grad,
    show_on_views,
)
from gradlint.interpreter.autograd.results import UNKNOWN_LAYOUT, Requested
from gradlint.interpreter.autograd.tensor import KINDS_ASKED, is_of_kind
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.escape import escape_graphs
from gradlint.interpreter.engine.iteration import following
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.places import peek
from gradlint.interpreter.static.scopes import receiver, spelled
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge.shapes import Told


def call(m: Interpreter, node: Site, owner: Value, name: str, args: Arguments, chain: str) -> Value | None:
    """A method of a tensor; None for one that is not known."""
    special, path = METHODS.get(name), f"torch.Tensor.{name}"
    if special is not None and m.has(path):
        return special(m, node, owner, args, chain)
    found = run_named(m, node, path, args.with_first(owner), by=WriteKind.METHOD, name=chain)
    if found is not None:
        return found
    factory = m.torch.factories.get(path)
    if factory is not None:
        return run_factory(m, node, factory, args, like=owner)
    plain = m.torch.plain.get(path)
    if plain is not None:
        return plain_value(plain.returns)
    if name == "size":
        return PythonNumber(INTEGER) if args.positional else PlainObject("Size")
    tensor = m.only(owner, Tensor)
    if is_batch(tensor) and name in PARTS:
        return part(m, node, owner, name)
    if tensor is not None and tensor.may_be_structured:
        escape_graphs(m, [owner])
        return Unknown(tuple(ref for ref, _ in m.all(owner, Tensor)))
    return None


def is_tensor_method(m: Interpreter, name: str) -> bool:
    """Return whether tensors have a method of that name that we know."""
    path, torch = f"torch.Tensor.{name}", m.torch
    if (name in METHODS and m.has(path)) or name == "size":
        return True
    return path in torch.operations or path in torch.factories or path in torch.plain


@implements(TypeSlot.NEXT, Tensor)
def _rows(m: Interpreter, node: Site, value: Ref, thing: Tensor) -> Value:
    """Iterating over a tensor gives views of its rows."""
    if thing.is_summary and thing.may_be_structured:
        return value
    row = m.torch.operations["torch.Tensor.unbind"]
    listed = apply(m, node, row, [(row.parameters[0], value)], Requested(told=Told(), part="rows "))
    return following(m, node, listed) if m.may_be(listed, Container) else listed


# ---- those that do more than compute


def _requires_grad_(m: Interpreter, node: Site, owner: Value, args: Arguments, chain: str) -> Value:
    to = flag(args, "requires_grad", 0, default=True)
    set_requires_grad(m, owner, Asked(node, to, AskKind.METHOD, chain))
    return owner


def _retain_grad(m: Interpreter, node: Site, owner: Value, args: Arguments, chain: str) -> Value:
    found = m.all(owner, Tensor)
    for ref, tensor in found:
        if tensor.leaf is YES:
            continue
        retains = YES if tensor.leaf is NO else tensor.retains | UNSURE
        marks = (*[mark for mark in tensor.causes if mark.kind != CauseKind.RETAINED], Cause(CauseKind.RETAINED, node))[
            -MOST_CAUSES:
        ]
        m.store(ref, replace(tensor, retains=retains, causes=marks), sure=m.is_strong(found))
    if m.refuses(owner, [ref for ref, tensor in found if tensor.requires_grad is NO]):
        m.raise_certainly()
    return NONE_VALUE


def _detach_(m: Interpreter, node: Site, owner: Value, args: Arguments, chain: str) -> Value:
    found = m.all(owner, Tensor)
    for ref, tensor in found:
        idle = either([m.state.inference, tensor.inference])  # there, and to what was made there, it does nothing
        if idle is YES:
            continue
        marks = (*cut_off(m, node, "detach_", [ref]), *(mark for mark in tensor.causes if mark.kind != CauseKind.CUT))
        now = replace(tensor, requires_grad=NO, leaf=YES, node=(), causes=marks[:MOST_CAUSES])
        sure = idle is NO and m.is_strong(found)
        m.store(ref, now, sure=sure)
        show_on_views(m, ref, tensor, NO, sure=sure)
    return owner


def _numpy(m: Interpreter, node: Site, owner: Value, args: Arguments, chain: str) -> Value:
    tensor = m.only(owner, Tensor)
    if tensor is None:
        return UNKNOWN
    marks = (Cause(CauseKind.MADE, syntax(node)), *cut_off(m, node, "numpy", [owner]))[:MOST_CAUSES]
    return m.new(node, "array", Array(tensor.dtype, tensor.storage, tensor.belief, marks))


def _moving(method: str, device: Device) -> Callable[[Interpreter, Any, Value, Arguments, str], Value]:
    """`cpu()` or `cuda()`."""

    def move(m: Interpreter, node: Site, owner: Value, args: Arguments, chain: str) -> Value:
        return cast(m, node, owner, Requested(device=device), method)

    return move


def _type(m: Interpreter, node: Site, owner: Value, args: Arguments, chain: str) -> Value:
    return to(m, node, owner, args, chain) if args.values() else PlainObject("str")


def _zero_(m: Interpreter, node: Site, owner: Value, args: Arguments, chain: str) -> Value:
    """`zero_()`; on a gradient it clears the gradients of its tensor."""
    refs = _whose_gradient(m, owner) or _whose_gradient_behind(m, node)
    if refs:
        sure = all(ref in m.loops.sweeping for ref in refs) or len(refs) == 1
        clear_gradients(m, node, refs, to_none=NO, by=ClearKind.METHOD, sure=refs if sure else ())
    row = m.torch.operations.get("torch.Tensor.zero_")
    return owner if row is None else run_operation(m, node, row, Arguments([owner]), by=WriteKind.METHOD, name="")


def _whose_gradient(m: Interpreter, value: Value) -> list[Ref]:
    """The tensors in whose `.grad` a tensor is."""
    tensor = m.only(value, Tensor)
    if tensor is None:
        return []
    if tensor.made == "grad":
        return [ref for ref in tensor.grad_of if type(m.state.heap.get(ref)) is Tensor]
    return [ref for ref, thing in m.state.heap.items() if type(thing) is Tensor and thing.gradient == value]


def _whose_gradient_behind(m: Interpreter, node: Site) -> list[Ref]:
    """The tensors whose gradient is written as a whole through `.grad.data` or `.grad.detach()`."""
    place = receiver(node)
    while (type(place) is cst.Attribute and place.attr.value == "data") or _is_detaching(place):
        place = place.value if type(place) is cst.Attribute else place.func.value
    if type(place) is not cst.Attribute or place.attr.value != "grad":
        return []
    owner = peek(m, place.value)
    found = [] if owner is None else m.all(owner, Tensor)
    return [ref for ref, _ in found] if owner is not None and len(found) == len(alternatives(owner)) else []


def _is_detaching(node: Site) -> bool:
    return type(node) is cst.Call and type(node.func) is cst.Attribute and node.func.attr.value == "detach"


def _resized(m: Interpreter, node: Site, owner: Value, args: Arguments, chain: str) -> Value:
    """`resize_`: any number of elements, in memory that may be another."""
    return _in_memory(m, owner, (m.memory(node, "resized"),))


def _set_(m: Interpreter, node: Site, owner: Value, args: Arguments, chain: str) -> Value:
    """`set_`: the memory of another tensor. That is recorded as a write is, though no gradient flows."""
    given = args.values()
    write(m, owner, Write(node, "set_", WriteKind.METHOD, given, spelled(receiver(node))))
    there = [memory for value in given for _, tensor in m.all(value, Tensor) for memory in tensor.storage]
    return _in_memory(m, owner, (*dict.fromkeys(there), m.memory(node, "set")))


def _in_memory(m: Interpreter, owner: Value, memories: tuple[Ref, ...]) -> Value:
    """A tensor that may be in these memories from now on, and of any size."""
    found = m.all(owner, Tensor)
    for ref, tensor in found:
        storage = tuple(dict.fromkeys((*tensor.storage, *memories)))
        gradients_written(m, tensor.storage)
        perhaps_elsewhere(m, perhaps_given_back(m, ref, tensor), memories)
        m.store(ref, replace(tensor, storage=storage, **UNKNOWN_LAYOUT), sure=m.is_strong(found))
    return owner


def _asking(kind: Dtypes) -> Callable[[Interpreter, Any, Value, Arguments, str], Value]:
    """`is_floating_point()` or `is_complex()`."""
    return lambda m, node, owner, args, chain: is_of_kind(m, owner, kind)


METHODS: dict[str, Callable[[Interpreter, Any, Value, Arguments, str], Value]] = {
    **{name: _asking(kind) for name, kind in KINDS_ASKED.items()},
    "backward": lambda m, node, owner, args, chain: run_backward(m, node, owner, args),
    "requires_grad_": _requires_grad_,
    "retain_grad": _retain_grad,
    "detach_": _detach_,
    "register_hook": hooks.registering(hooks.ARRIVING),
    "register_post_accumulate_grad_hook": hooks.registering(hooks.ACCUMULATED),
    "numpy": _numpy,
    "to": to,
    "cpu": _moving("cpu", CPU),
    "cuda": _moving("cuda", CUDA),
    "type": _type,
    "zero_": _zero_,
    "resize_": _resized,
    "resize_as_": _resized,
    "set_": _set_,
}


@implements(TypeSlot.CALL_METHOD, Tensor)
def _call_method(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments, name: str) -> Value | None:
    chain = name.rpartition(".")[0]
    shown = m.thing(owner)
    found = call(m, node, owner, method, args, chain)
    if not m.is_silent and type(shown) is Tensor:
        start = m.push(UNKNOWN if found is None else found)
        m.emit(
            events.Called,
            node,
            path=f"torch.Tensor.{method}",
            args=(shown, *(m.thing(value) for value in args.positional)),
            keywords=tuple((key, m.thing(value)) for key, value in args.keywords.items()),
            result=m.thing(m.pop_from(start)[0]),
            name=chain,
        )
    return found
