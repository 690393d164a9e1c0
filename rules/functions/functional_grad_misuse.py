"""Functional transforms trace a function: it may not leave the graph or run backward itself.

## Why it happens

`torch.func.grad`, `vmap`, `jacrev` and their kin call the function on tensors of their own that stand for
a whole batch or remember how they were computed. A number taken out of such a tensor (`.item()`, `float()`) is
one number where `vmap` needs many, and has no derivative where `grad` needs one; `backward()` and
`requires_grad_()` belong to the other way of differentiating and are refused inside.

## What it costs

The line raises when the transformed function is called; a returned number raises in the transform.

## When it is right to ignore it

Where the function is also called without the transform, and only then comes to this line. Numbers logged under
`grad` are fine and never reported. This rule is off unless asked for.
"""

from __future__ import annotations

from gradlint.domain import NO, Constant, Function, PythonNumber, Tensor
from gradlint.events import BackwardRun, Called, Event, ModuleFinished, Returned
from gradlint.rule import Findings, Raises, Rule

rule = Rule(
    "GRD910",
    "functional-grad-misuse",
    "`{name}` is transformed by `{transform}`, {what}",
    help="return tensors that are computed from tensors alone",
    default=False,
    tokens=("func", "vmap"),
    since=(2, 0),
    source="documentation of 2.0",
)
consequence = Raises(RuntimeError, "calling .item() on a Tensor")

VMAP = frozenset({"torch.vmap", "torch.func.vmap"})
OF_SCALARS = frozenset({"torch.func.grad", "torch.func.grad_and_value"})
DIFFERENTIATING = OF_SCALARS | frozenset(f"torch.func.{name}" for name in ("vjp", "jvp", "jacrev", "jacfwd", "hessian"))
NUMBERS = frozenset({"torch.Tensor.item", "torch.Tensor.__float__", "torch.Tensor.__int__"})


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    transformed = {
        function.node: happened
        for happened in event.story
        if isinstance(happened, Called) and happened.path in VMAP | DIFFERENTIATING
        for function in happened.args[:1]
        if isinstance(function, Function)
    }
    for run in event.runs:
        function = run.function
        if function is None or (call := transformed.get(function.node)) is None:
            continue
        for happened in run.story:
            if (fault := _fault(happened, call.path, of_itself=happened.run == run.index)) is not None:
                what, cure = fault
                transform = call.path.rpartition(".")[2]
                draft = rule.at(happened.node, name=function.name, transform=transform, what=what).advising(cure)
                yield draft.note(call.node, "transformed here").resting_on(happened)


def _fault(event: Event, path: str, *, of_itself: bool) -> tuple[str, str] | None:
    """Return the misuse that a transform does not allow, and the cure."""
    if isinstance(event, BackwardRun) and event.how == "backward":
        return "which does not allow `backward()`", "return the value and let the transform differentiate it"
    if isinstance(event, Called) and event.path in NUMBERS and path in VMAP:
        return "which cannot convert a tensor to a number", "compute with the tensor itself"
    if isinstance(event, Returned) and of_itself and path in DIFFERENTIATING:
        if _is_number(event.value):
            return "but returns a number, which has no derivative", "return the tensor"
        if path in OF_SCALARS and isinstance(event.value, Tensor) and event.value.scalar <= NO:
            return "which needs a scalar result", "reduce the result, or use `jacrev`"
    return None


def _is_number(value: object) -> bool:
    if isinstance(value, Constant):
        return type(value.value) in (int, float)
    return isinstance(value, PythonNumber)


@rule.bad
def samples_scaled_by_a_number():
    import torch

    def scaled(x):
        factor = x.sum().item()  # GRD910
        return x * factor

    return torch.vmap(scaled)(torch.ones(3, 2))


@rule.good(cures=samples_scaled_by_a_number)
def samples_scaled_by_a_tensor():
    import torch

    def scaled(x):
        factor = x.sum()
        return x * factor

    return torch.vmap(scaled)(torch.ones(3, 2))
