"""A hook that writes the gradient it is handed changes gradients that are not its own.

## Why it happens

Backward calls the hooks of a tensor with its gradient, and that is often not a copy: the gradient of a sum is one
tensor handed to both operands, or a single number expanded over many elements. What a hook writes into it
reaches whoever else is handed the same memory. A hook changes a gradient by returning another one.

## What it costs

Other tensors silently get a changed gradient, depending on how the graph happens to be built. Where the
gradient is an expanded number, as behind `sum()` or `mean()`, writing one element writes all of them, and writing
the whole raises `RuntimeError`.

## When it is right to ignore it

Hooks registered with `register_post_accumulate_grad_hook` are handed the tensor and may write its `.grad`; they are not
reported. Neither is a write into what the hook has cloned.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradlint.domain import Bound, Function, Syntax, Tensor, WriteKind
from gradlint.events import Event, HookRegistered, ModuleFinished, Returned, Thing, WrittenInPlace
from gradlint.rule import Draft, Edit, Findings, Rule, quoted

rule = Rule(
    "GRD211",
    "mutating-hook",
    "{name} is the gradient a hook receives: writing it in place can change other gradients",
    help="return a new tensor (`return grad * 2`), or work on `grad.clone()` and return that",
    effect="wrong result",
    tokens=("hook",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """A leaf gets another gradient, even one without a hook."""
    return not returned.grad.equal(cured.grad)


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    hooks = {_code(event.function) for event in end.story if isinstance(event, HookRegistered) and event.by == "hook"}
    codes = {run.index: run.function.node for run in end.runs if run.function is not None}
    for number, event in enumerate(end.story):
        if not isinstance(event, WrittenInPlace):
            continue
        if _is_handed(event.target) or (event.base is not None and _is_handed(event.base)):
            draft = rule.at(event.node, name=quoted(event.name, "the argument")).resting_on(event)
            own = codes.get(event.run) in hooks
            yield _cured(draft, event, _returned(end.story[number:], event.run)) if own else draft


def _code(function: Thing) -> Syntax:
    """Return the syntax of a function, bound to an object or not."""
    written = function.function if isinstance(function, Bound) else function
    return written.node if isinstance(written, Function) else None


def _returned(story: Sequence[Event], run: int) -> list[Returned]:
    return [event for event in story if isinstance(event, Returned) and event.run == run]


def _cured(draft: Draft, write: WrittenInPlace, returned: Sequence[Returned]) -> Draft:
    """Write a copy, and give it back."""
    if write.by is WriteKind.METHOD and any(one.node is write.node for one in returned):
        return draft.fix(Edit("rename", write.node, f"clone().{write.op}"), safety="unsafe")
    is_argument = write.arguments == (write.name,)
    copied = Edit("insert before", write.node, f"{write.name} = {write.name}.clone()")
    if is_argument and not returned:
        return draft.fix(copied, Edit("end with", write.node, f"return {write.name}"), safety="unsafe")
    handed_back = all(one.name == write.name and one.arguments == write.arguments for one in returned)
    always = any(one.conditions == write.conditions[: len(one.conditions)] for one in returned)
    if is_argument and handed_back and always:
        return draft.fix(copied, safety="unsafe")
    return draft


def _is_handed(tensor: Tensor) -> bool:
    return tensor.made == "hook"


@rule.bad
def scaled_in_place():
    import torch

    hooked = torch.ones(2, requires_grad=True)
    other = torch.ones(2, requires_grad=True)
    total = hooked + other

    def scale(grad):
        grad.mul_(100)  # GRD211

    hooked.register_hook(scale)
    total.pow(2).sum().backward()
    return other


@rule.good(cures=scaled_in_place)
def scaled_copy_returned():
    import torch

    hooked = torch.ones(2, requires_grad=True)
    other = torch.ones(2, requires_grad=True)
    total = hooked + other

    def scale(grad):
        return grad * 100

    hooked.register_hook(scale)
    total.pow(2).sum().backward()
    return other


@rule.bad
def first_element_masked():
    import torch

    weight = torch.ones(3, requires_grad=True)

    def mask(grad):
        grad[0] = 0.0  # GRD211
        return grad

    weight.register_hook(mask)
    weight.sum().backward()
    return weight


@rule.good(cures=first_element_masked)
def first_element_of_a_copy_masked():
    import torch

    weight = torch.ones(3, requires_grad=True)

    def mask(grad):
        grad = grad.clone()
        grad[0] = 0.0
        return grad

    weight.register_hook(mask)
    weight.sum().backward()
    return weight
