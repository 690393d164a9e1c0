"""`.grad` takes a tensor of the same dtype, device and shape, or None.

## Why it happens

The gradient of a tensor has one number for each of its elements, of the same kind and in the same place, and
torch holds whoever assigns `.grad` to that. A number, a list or an array is refused, so is a tensor of
another dtype, precision, shape or device. A gradient is cleared with `None` or written with `zero_()`, never with 0.

## What it costs

The line raises `TypeError` or `RuntimeError` whenever it is reached.

## When it is right to ignore it

In a test that expects the error. torch 2.10 and later let a tensor's `grad_dtype` allow gradients of another
dtype.
"""

from __future__ import annotations

from gradlint.domain import Array, Constant, Container, PlainObject, PythonNumber, Tensor
from gradlint.events import AttributeAssigned
from gradlint.rule import Edit, Findings, Raises, Rule, quoted

rule = Rule(
    "GRD208",
    "mismatched-grad-assignment",
    "`.grad` of {name} cannot be {what}",
    help="assign `None` to clear it, or a tensor created with `torch.zeros_like()`",
    tokens=("grad",),
)
consequence = Raises(TypeError, "assigned grad expected to be a Tensor or None")
OTHER_DTYPE = Raises(RuntimeError, "attempting to assign a gradient with dtype")
OTHER_SHAPE = Raises(RuntimeError, "attempting to assign a gradient of size")
OTHER_DEVICE = Raises(RuntimeError, "attempting to assign a gradient with device type")

KINDS = {Array: "a NumPy array", PythonNumber: "a number"}
LITERALS = {int: "a number", float: "a number", bool: "a boolean", complex: "a number", str: "a string"}
NO_TENSORS = {"str": "a string", "tuple": "a tuple", "list": "a list", "Size": "a shape"}
CLEAR = "assign `None` to clear the gradient"
LIKE = "create it with `torch.zeros_like()`, or convert it"


@rule.on(AttributeAssigned, "grad")
def check(event: AttributeAssigned) -> Findings:
    owner, value = event.owner, event.value
    if not isinstance(owner, Tensor):
        return
    name = quoted(event.name, "a tensor")
    if isinstance(value, Tensor):
        if differs := _difference(owner, value):
            yield rule.at(event.node, name=name, what=f"a tensor of another {differs}").advising(LIKE)
    elif what := _no_tensor(value):
        draft = rule.at(event.node, name=name, what=what).advising(CLEAR)
        is_zero = isinstance(value, Constant) and value.value == 0 and event.given is not None
        yield draft.fix(Edit("replace", event.given, "None"), safety="safe") if is_zero else draft


def _difference(owner: Tensor, value: Tensor) -> str:
    """Return the property in which the two certainly differ."""
    for what in ("dtype", "precision", "device"):
        mine, its = getattr(owner, what), getattr(value, what)
        if not (mine.is_unsure or its.is_unsure or mine.may(its)):
            return what
    return "shape" if value.size is not None and owner.size not in (None, value.size) else ""


def _no_tensor(value: object) -> str:
    """Return the name of a value that is certainly no tensor."""
    if isinstance(value, Constant):
        return LITERALS.get(type(value.value), "")
    if isinstance(value, Container):
        return f"a {value.kind}"
    if isinstance(value, PlainObject):
        return NO_TENSORS.get(value.kind, "")
    return KINDS.get(type(value), "")


@rule.bad
def gradient_cleared_with_a_number():
    import torch

    weight = torch.ones(3, requires_grad=True)
    weight.sum().backward()
    weight.grad = 0  # GRD208
    return weight


@rule.good(cures=gradient_cleared_with_a_number)
def gradient_cleared_with_none():
    import torch

    weight = torch.ones(3, requires_grad=True)
    weight.sum().backward()
    weight.grad = None
    return weight


@rule.bad(shows=OTHER_DTYPE)
def mask_as_a_gradient():
    import torch

    weight = torch.tensor([1.0, -1.0], requires_grad=True)
    weight.grad = weight > 0  # GRD208
    return weight


@rule.good(cures=mask_as_a_gradient)
def mask_converted():
    import torch

    weight = torch.tensor([1.0, -1.0], requires_grad=True)
    weight.grad = (weight > 0).float()
    return weight


@rule.bad(shows=OTHER_DEVICE)
def gradient_from_another_device():
    import torch

    weight = torch.ones(3, requires_grad=True)
    weight.grad = torch.zeros(3, device="meta")  # GRD208
    return weight


@rule.good(cures=gradient_from_another_device)
def gradient_on_the_same_device():
    import torch

    weight = torch.ones(3, requires_grad=True)
    weight.grad = torch.zeros(3, device=weight.device)
    return weight


@rule.bad(shows=OTHER_SHAPE)
def one_gradient_for_each_row():
    import torch
    from torch import nn

    layer = nn.Linear(2, 3)
    layer.weight.grad = torch.ones(3)  # GRD208
    return layer


@rule.good(cures=one_gradient_for_each_row)
def the_gradient_of_each_element():
    import torch
    from torch import nn

    layer = nn.Linear(2, 3)
    layer.weight.grad = torch.ones(3).unsqueeze(1).expand(3, 2)
    return layer
