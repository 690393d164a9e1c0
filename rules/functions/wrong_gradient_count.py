"""`backward` returns one gradient for each argument of `forward`.

## Why it happens

Autograd calls `backward` with the gradients of what `forward` returned and expects those of what it
was given, in the same order: one for each argument of `apply`, `None` where there is none to give (numbers, flags,
tensors that need none). `ctx` does not count; with `setup_context` the arguments of `forward` are just
the inputs. Further `None`s at the end are accepted; a list counts as one value.

## What it costs

Backward raises `returned an incorrect number of gradients` as soon as it comes by.

## When it is right to ignore it

Where `forward` is never differentiated. An argument with a default counts where a call of `apply` in the file hands it
over. A `forward` that takes `*args`, and results whose length is not known, are never reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NOTHING, Constant, Container, Ref, Tensor
from gradlint.events import ClassFinished, Returned, Thing
from gradlint.rule import Edit, Findings, Rule

from ._custom import TOKENS, custom_function, happened_in

rule = Rule(
    "GRD901",
    "wrong-gradient-count",
    "`backward` returns {given} where `forward` takes {taken}",
    help="return one for each of {names}, `None` where there is no gradient",
    effect="error later",
    tokens=TOKENS,
)


def consequence(returned: Any) -> bool:
    """Backward raised, so no gradient arrived."""
    return returned.grad is None


@rule.on(ClassFinished)
def check(event: ClassFinished) -> Findings:
    methods = custom_function(event) or {}
    forward, backward = methods.get("forward"), methods.get("backward") or methods.get("vjp")
    if forward is None or backward is None or forward.starred or forward.function.kind == "class":
        return
    inputs = forward.parameters[0 if "setup_context" in methods else 1 :]
    required = forward.required - (len(forward.parameters) - len(inputs))
    results = [one for one in happened_in(backward) if isinstance(one, Returned)]
    handed = min(forward.given, len(inputs))
    if handed > required and all(_wrong_count(one.value, handed, len(inputs)) is not None for one in results):
        required = handed  # one that is long enough shows that `backward` tells the calls apart
    for returned in results:
        if (wrong := _wrong_count(returned.value, required, len(inputs))) is not None:
            names = ", ".join(f"`{name}`" for name in inputs)
            given, taken = _counted(wrong, "gradient"), _counted(len(inputs), "input")
            draft = rule.at(returned.node, given=given, taken=taken, names=names)
            if isinstance(returned.value, Tensor) and required == len(inputs):
                draft = draft.fix(Edit("wrap", returned.node, "", ", None" * (required - 1)), safety="unsafe")
            yield draft.resting_on(returned)


def _wrong_count(value: Thing, required: int, taken: int) -> int | None:
    """Return the number of gradients that are returned, if it is certainly too small or too large."""
    if isinstance(value, Container) and value.kind == "tuple":
        if value.rest != NOTHING:
            return None
        count = len(value.items)
        extra = [inner for _, inner in value.items[taken:]]
        return count if count < required or any(type(inner) is Ref for inner in extra) else None
    return 1 if required > 1 and _counts_as_one(value) else None


def _counts_as_one(value: Thing) -> bool:
    """A list is no tuple: torch takes it for the only gradient."""
    if isinstance(value, Container):
        return value.kind == "list"
    return isinstance(value, Constant) or (isinstance(value, Tensor) and not value.may_be_structured)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


@rule.bad
def factor_without_a_place():
    import contextlib

    import torch

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor  # GRD901

    x = torch.ones(3, requires_grad=True)
    with contextlib.suppress(RuntimeError):
        Scale.apply(x, 2.0).sum().backward()
    return x


@rule.good(cures=factor_without_a_place)
def factor_without_a_gradient():
    import contextlib

    import torch

    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    x = torch.ones(3, requires_grad=True)
    with contextlib.suppress(RuntimeError):
        Scale.apply(x, 2.0).sum().backward()
    return x


@rule.bad
def gradient_for_the_context():
    import contextlib

    import torch

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return None, grad * 2  # GRD901

    x = torch.ones(3, requires_grad=True)
    with contextlib.suppress(RuntimeError):
        Double.apply(x).sum().backward()
    return x


@rule.good(cures=gradient_for_the_context)
def gradients_for_the_inputs_alone():
    import contextlib

    import torch

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch.ones(3, requires_grad=True)
    with contextlib.suppress(RuntimeError):
        Double.apply(x).sum().backward()
    return x


@rule.bad
def default_that_is_handed_over():
    import contextlib

    import torch

    class Limit(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, most=1.0):
            return x.clamp(-most, most)

        @staticmethod
        def backward(ctx, grad):
            return grad  # GRD901

    x = torch.ones(3, requires_grad=True)
    with contextlib.suppress(RuntimeError):
        Limit.apply(x, 2.0).sum().backward()
    return x


@rule.good(cures=default_that_is_handed_over)
def default_that_is_left():
    import contextlib

    import torch

    class Limit(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, most=1.0):
            return x.clamp(-most, most)

        @staticmethod
        def backward(ctx, grad):
            return grad

    x = torch.ones(3, requires_grad=True)
    with contextlib.suppress(RuntimeError):
        Limit.apply(x).sum().backward()
    return x
