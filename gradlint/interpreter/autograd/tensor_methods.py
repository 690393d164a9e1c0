"""Methods of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain import (
    ANY_PRECISION,
    CPU,
    CUDA,
    INTEGER,
    MOST_MARKS,
    NO,
    NONE_VALUE,
    UNKNOWN,
    UNSURE,
    YES,
    Array,
    Container,
    Device,
    Dtypes,
    Mark,
    Plain,
    Ref,
    Scalar,
    Tensor,
    Unknown,
    Value,
    alternatives,
    either,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd import hooks, layout
from gradlint.interpreter.autograd.backward_arguments import flag, run_backward
from gradlint.interpreter.autograd.batches import PARTS, is_batch, part
from gradlint.interpreter.autograd.casts import cast, to
from gradlint.interpreter.autograd.detach import cut_off
from gradlint.interpreter.autograd.grad import clear_gradients
from gradlint.interpreter.autograd.in_place import Write, gradients_written, write
from gradlint.interpreter.autograd.operations import operation_row, plain_value, run_factory, run_operation
from gradlint.interpreter.autograd.record import apply
from gradlint.interpreter.autograd.requires_grad import set_requires_grad, show_on_views
from gradlint.interpreter.autograd.tensor import KINDS_ASKED, is_of_kind
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.iteration import following
from gradlint.interpreter.engine.machine import Interpreter, syntax
from gradlint.interpreter.engine.places import peek
from gradlint.interpreter.static.scopes import receiver, spelled
from gradlint.knowledge.shapes import Told


def call(it: Interpreter, node: Any, owner: Value, name: str, args: Arguments, chain: str) -> Value | None:
    """A method of a tensor; None for one that is not known."""
    special, path = METHODS.get(name), f"torch.Tensor.{name}"
    if special is not None and it.has(path):
        return special(it, node, owner, args, chain)
    whole = args.with_first(owner)
    row = operation_row(it, path, whole)
    if row is not None:
        return run_operation(it, node, row, whole, by="method", name=chain)
    factory = it.torch.factories.get(path)
    if factory is not None:
        return run_factory(it, node, factory, args, like=owner)
    plain = it.torch.plain.get(path)
    if plain is not None:
        return plain_value(plain.returns)
    if name == "size":
        return Scalar(INTEGER) if args.positional else Plain("Size")
    tensor = it.only(owner, Tensor)
    if is_batch(tensor) and name in PARTS:
        return part(it, node, owner, name)
    if tensor is not None and tensor.loose:
        it.escape([owner])
        return Unknown(tuple(ref for ref, _ in it.all(owner, Tensor)))
    return None


def is_tensor_method(it: Interpreter, name: str) -> bool:
    """Whether tensors have a method of that name that we know."""
    path, torch = f"torch.Tensor.{name}", it.torch
    if (name in METHODS and it.has(path)) or name == "size":
        return True
    return path in torch.operations or path in torch.factories or path in torch.plain


@implements(TypeSlot.NEXT, Tensor)
def _rows(it: Interpreter, node: Any, value: Ref, thing: Tensor) -> Value:
    """Iterating over a tensor gives views of its rows."""
    if thing.many and thing.loose:
        return value
    row = it.torch.operations["torch.Tensor.unbind"]
    listed = apply(it, node, row, [(row.parameters[0], value)], told=Told(), part="rows ")
    return following(it, node, listed) if it.may_be(listed, Container) else listed


# ---- those that do more than compute


def _backward(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str) -> Value:
    return run_backward(it, node, owner, args)


def _requires_grad_(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str) -> Value:
    set_requires_grad(it, node, owner, flag(args, "requires_grad", 0, default=True), "method", chain)
    return owner


def _retain_grad(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str) -> Value:
    found = it.all(owner, Tensor)
    for ref, tensor in found:
        if tensor.leaf is YES:
            continue
        retains = YES if tensor.leaf is NO else tensor.retains | UNSURE
        marks = (*[m for m in tensor.marks if m.how != "retained"], Mark("retained", node))[-MOST_MARKS:]
        it.put(ref, replace(tensor, retains=retains, marks=marks), sure=it.sure(found))
    if it.refuses(owner, [ref for ref, tensor in found if tensor.requires_grad is NO]):
        it.refuse()
    return NONE_VALUE


def _detach_(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str) -> Value:
    found = it.all(owner, Tensor)
    for ref, tensor in found:
        idle = either([it.state.inference, tensor.inference])  # there, and to what was made there, it does nothing
        if idle is YES:
            continue
        marks = (*cut_off(it, node, "detach_", [ref]), *(mark for mark in tensor.marks if mark.how != "cut"))
        now = replace(tensor, requires_grad=NO, leaf=YES, node=(), marks=marks[:MOST_MARKS])
        sure = idle is NO and it.sure(found)
        it.put(ref, now, sure=sure)
        show_on_views(it, ref, tensor, NO, sure=sure)
    return owner


def _numpy(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str) -> Value:
    tensor = it.only(owner, Tensor)
    if tensor is None:
        return UNKNOWN
    marks = (Mark("made", syntax(node)), *cut_off(it, node, "numpy", [owner]))[:MOST_MARKS]
    return it.new(node, "array", Array(tensor.dtype, tensor.storage, tensor.belief, marks))


def _moving(method: str, device: Device) -> Callable[[Interpreter, Any, Value, Arguments, str], Value]:
    """`cpu()` or `cuda()`."""

    def move(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str) -> Value:
        return cast(it, node, owner, None, ANY_PRECISION, device, method)

    return move


def _type(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str) -> Value:
    return to(it, node, owner, args, chain) if args.values() else Plain("str")


def _zero_(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str) -> Value:
    """`zero_()`; on a gradient it clears the gradients of its tensor."""
    refs = _whose_gradient(it, owner) or _whose_gradient_behind(it, node)
    if refs:
        sure = all(ref in it.sweeping for ref in refs) or len(refs) == 1
        clear_gradients(it, node, refs, to_none=NO, by="zero_", sure=refs if sure else ())
    row = it.torch.operations.get("torch.Tensor.zero_")
    return owner if row is None else run_operation(it, node, row, Arguments([owner]), by="method", name="")


def _whose_gradient(it: Interpreter, value: Value) -> list[Ref]:
    """The tensors in whose `.grad` a tensor is."""
    tensor = it.only(value, Tensor)
    if tensor is None:
        return []
    if tensor.made == "grad":
        return [ref for ref in tensor.grad_of if type(it.state.heap.get(ref)) is Tensor]
    return [ref for ref, thing in it.state.heap.items() if type(thing) is Tensor and thing.gradient == value]


def _whose_gradient_behind(it: Interpreter, node: Any) -> list[Ref]:
    """The tensors whose gradient is written as a whole through `.grad.data` or `.grad.detach()`."""
    place = receiver(node)
    while (type(place) is cst.Attribute and place.attr.value == "data") or _is_detaching(place):
        place = place.value if type(place) is cst.Attribute else place.func.value
    if type(place) is not cst.Attribute or place.attr.value != "grad":
        return []
    owner = peek(it, place.value)
    found = [] if owner is None else it.all(owner, Tensor)
    return [ref for ref, _ in found] if owner is not None and len(found) == len(alternatives(owner)) else []


def _is_detaching(node: Any) -> bool:
    return type(node) is cst.Call and type(node.func) is cst.Attribute and node.func.attr.value == "detach"


def _resized(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str) -> Value:
    """`resize_`: any number of elements, in memory that may be another."""
    return _in_memory(it, owner, (it.memory(node, "resized"),))


def _set_(it: Interpreter, node: Any, owner: Value, args: Arguments, chain: str) -> Value:
    """`set_`: the memory of another tensor. That is recorded as a write is, though no gradient flows."""
    given = args.values()
    write(it, owner, Write(node, "set_", "method", given, spelled(receiver(node))))
    there = [memory for value in given for _, tensor in it.all(value, Tensor) for memory in tensor.storage]
    return _in_memory(it, owner, (*dict.fromkeys(there), it.memory(node, "set")))


def _in_memory(it: Interpreter, owner: Value, memories: tuple[Ref, ...]) -> Value:
    """A tensor that may be in these memories from now on, and of any size."""
    found = it.all(owner, Tensor)
    for ref, tensor in found:
        storage = tuple(dict.fromkeys((*tensor.storage, *memories)))
        gradients_written(it, tensor.storage)
        it.put(ref, replace(tensor, storage=storage, **layout.UNKNOWN_LAYOUT), sure=it.sure(found))
    return owner


def _asking(kind: Dtypes) -> Callable[[Interpreter, Any, Value, Arguments, str], Value]:
    """`is_floating_point()` or `is_complex()`."""
    return lambda it, node, owner, args, chain: is_of_kind(it, owner, kind)


METHODS: dict[str, Callable[[Interpreter, Any, Value, Arguments, str], Value]] = {
    **{name: _asking(kind) for name, kind in KINDS_ASKED.items()},
    "backward": _backward,
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
def _call_method(it: Interpreter, node: Any, owner: Value, method: str, args: Arguments, name: str) -> Value | None:
    chain = name.rpartition(".")[0]
    shown = it.thing(owner)
    found = call(it, node, owner, method, args, chain)
    if not it.unheard and type(shown) is Tensor:
        start = it.hold(UNKNOWN if found is None else found)
        it.emit(
            events.Called,
            node,
            path=f"torch.Tensor.{method}",
            args=(shown, *(it.thing(value) for value in args.positional)),
            keywords=tuple((key, it.thing(value)) for key, value in args.keywords.items()),
            result=it.thing(it.land(start)[0]),
            name=chain,
        )
    return found
