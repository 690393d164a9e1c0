"""A custom function that writes an input in place has to say so with `mark_dirty`.

## Why it happens

`forward` runs without recording, so nothing notes that the input has another value now.
`ctx.mark_dirty(x)` tells autograd: the result then is the input itself, and the history of the input continues
with this function. Without it a returned input comes back as another tensor, and whoever goes on using
the input uses its new value with its old history. What is marked has to be returned.

## What it costs

Every later use of the input contributes a gradient as if the function had never been applied.
A leaf that requires grad is overwritten without the error that torch has for that.

## When it is right to ignore it

Where the input is a buffer to write results to, which requires no grad: an input that is not returned is
reported only where the file shows that it may require grad.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradlint.domain import YES
from gradlint.events import Called, ClassFinished, Method, Returned, WrittenInPlace
from gradlint.rule import CERTAIN, LIKELY, Edit, Findings, Question, Rule

from ._custom import TOKENS, custom_function, happened_in

rule = Rule(
    "GRD904",
    "unmarked-dirty-input",
    "`forward` writes its input `{name}` in place, unseen by autograd",
    help="call `ctx.mark_dirty(...)` on an input that is returned, or write into a copy",
    effect="wrong result",
    tokens=TOKENS,
)
MARK = "torch.autograd.function.FunctionCtx.mark_dirty"


def consequence(returned: Any, cured: Any) -> bool:
    """The gradient is another one than with the mark, or without the write."""
    return not returned.equal(cured)


@rule.on(ClassFinished)
def check(event: ClassFinished) -> Findings:
    methods = custom_function(event) or {}
    forward = methods.get("forward")
    if forward is None or _marks(methods):
        return
    context = forward.parameters[0] if "setup_context" not in methods and forward.parameters else ""
    handed_back = {
        name for happened in happened_in(forward) if isinstance(happened, Returned) for name in happened.arguments
    }
    for written in happened_in(forward):
        if not isinstance(written, WrittenInPlace) or not written.arguments:
            continue
        name, wanted = written.arguments[0], written.target.requires_grad
        back = name in handed_back
        if not (back or wanted.possibly(YES)):
            continue
        cure = f"call `{context or 'ctx'}.mark_dirty({name})`" if back else "write into a copy of it"
        draft = rule.at(written.node, name=name).advising(cure)
        if back and context:
            draft = draft.fix(Edit("insert after", written.node, f"{context}.mark_dirty({name})"), safety="unsafe")
        yield draft.resting_on(written).lowered(
            CERTAIN if wanted <= YES else LIKELY, "nobody sees that a gradient is wanted", Question.TORCH
        )


def _marks(methods: Mapping[str, Method]) -> bool:
    """Return whether the class marks anything as dirty."""
    return any(
        isinstance(happened, Called) and happened.path == MARK
        for name in ("forward", "setup_context")
        if name in methods
        for happened in happened_in(methods[name])
    )


@rule.bad
def input_doubled_and_returned():
    import torch

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)  # GRD904
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    weight = torch.ones(3, requires_grad=True)
    x = weight * 1
    y = Double.apply(x)
    return torch.autograd.grad((y + x).sum(), weight)[0]


@rule.good(cures=input_doubled_and_returned)
def input_doubled_and_marked():
    import torch

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    weight = torch.ones(3, requires_grad=True)
    x = weight * 1
    y = Double.apply(x)
    return torch.autograd.grad((y + x).sum(), weight)[0]


@rule.bad
def input_clipped_on_the_way():
    import torch

    class Straight(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x[x > 1] = 1.0  # GRD904
            return x.round()

        @staticmethod
        def backward(ctx, grad):
            return grad

    weight = torch.full((3,), 2.0, requires_grad=True)
    x = weight * 1
    y = Straight.apply(x)
    return torch.autograd.grad((y + x * x).sum(), weight)[0]


@rule.good(cures=input_clipped_on_the_way)
def copy_clipped_on_the_way():
    import torch

    class Straight(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x = x.clone()
            x[x > 1] = 1.0
            return x.round()

        @staticmethod
        def backward(ctx, grad):
            return grad

    weight = torch.full((3,), 2.0, requires_grad=True)
    x = weight * 1
    y = Straight.apply(x)
    return torch.autograd.grad((y + x * x).sum(), weight)[0]
