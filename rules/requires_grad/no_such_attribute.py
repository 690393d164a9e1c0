"""Tensors have `.grad` and `backward()`; `.gradient` and `backwards()` raise.

## Why it happens

What autograd keeps on a tensor has short names (`grad`, `grad_fn`, `is_leaf`), and other libraries have others: a
gradient is asked of a tape or a session there. What clears gradients belongs to modules and optimizers: a tensor has no
`zero_grad()`, its gradient is cleared by `w.grad = None`. A name that a tensor does not have is no error before
the line runs.

## What it costs

The line raises `AttributeError` whenever it is reached, often after a long computation.

## When it is right to ignore it

Where a class of your own derives from `torch.Tensor` and has the name. A name that the file itself sets on
tensors, or asks for by `hasattr`, is not reported.
"""

from __future__ import annotations

from gradlint.domain import Constant, Tensor, Unknown
from gradlint.events import AttributeAssigned, AttributeMissing, Called, Event, ModuleFinished
from gradlint.rule import Draft, Edit, Findings, Raises, Rule, quoted

READ = {
    "grad": "gradient gradients grads gradiant gradeint",
    "grad_fn": "grad_function grad_func gradient_fn gradfn",
    "is_leaf": "isleaf isLeaf is_a_leaf",
    "requires_grad": "require_grad require_grads required_grad requires_grads requires_gradient requires_gard",
}
CALLED = {
    "backward": "backwards backprop back_propagate backpropagate back_prop",
    "detach": "detatch dettach deatch deattach detech",
    "retain_grad": "retain_grads retain_gradient retains_gradient",
    "requires_grad_": "require_grad_ require_grads_ requires_grads_ requires_gradient_ set_requires_grad",
    "": "zero_grad zero_grads zero_gradient zero_gradients",
}
"""The attributes of tensors, and the names under which people look for them."""
MEANT = {wrong: right for table in (READ, CALLED) for right, names in table.items() for wrong in names.split()}

rule = Rule(
    "GRD118",
    "no-such-attribute",
    "{name} is a tensor, and tensors have no `{attr}`",
    help="use `{right}`",
    tokens=tuple(MEANT),
)
consequence = Raises(AttributeError, "'Tensor' object has no attribute")


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    known = {name for event in end.story if (name := _known_by(event))}
    for event in end.story:
        if isinstance(event, AttributeMissing) and event.attr in MEANT.keys() - known and not event.expected:
            yield _draft(event)


def _known_by(event: Event) -> str:
    """The name that the file sets on tensors, or asks for."""
    if isinstance(event, AttributeAssigned) and isinstance(event.owner, Tensor | Unknown):
        return event.attr
    if isinstance(event, Called) and event.path == "builtins.hasattr" and len(event.args) > 1:
        return str(event.args[1].value) if isinstance(event.args[1], Constant) else ""
    return ""


def _draft(event: AttributeMissing) -> Draft:
    right = MEANT[event.attr] or f"{event.name or 'x'}.grad = None"
    draft = rule.at(event.node, name=quoted(event.name, "the result"), attr=event.attr, right=right).resting_on(event)
    return draft.fix(Edit("rename", event.node, right), safety="unsafe") if MEANT[event.attr] else draft


@rule.bad
def gradient_by_its_full_name():
    import torch

    weight = torch.ones(2, requires_grad=True)
    weight.prod().backward()
    return weight.gradient  # GRD118


@rule.good(cures=gradient_by_its_full_name)
def gradient_by_its_name():
    import torch

    weight = torch.ones(2, requires_grad=True)
    weight.prod().backward()
    return weight.grad


@rule.bad
def leaf_cleared_like_a_module():
    import torch

    weight = torch.ones(2, requires_grad=True)
    for _ in range(2):
        weight.prod().backward()
        weight.data -= 0.1 * weight.grad
        weight.zero_grad()  # GRD118
    return weight


@rule.good(cures=leaf_cleared_like_a_module)
def leaf_cleared_by_hand():
    import torch

    weight = torch.ones(2, requires_grad=True)
    for _ in range(2):
        weight.prod().backward()
        weight.data -= 0.1 * weight.grad
        weight.grad = None
    return weight
