"""A custom function is applied by `apply`; its instances cannot be called.

## Why it happens

Before torch 0.4 a custom function was an object: made with its settings, called with tensors, its
state on `self`. Since then `forward` and `backward` are static, state lives on the context that they are
handed, and the class is applied with `apply`. Calling an instance has been an error since torch 1.5,
whether or not its methods are static.

## What it costs

The call raises `Legacy autograd function with non-static forward method`.

## When it is right to ignore it

A `forward` without `@staticmethod` works as long as nobody but `apply` calls it, because the first
argument, whatever its name, is then the context; that alone is reported on request only.
"""

from __future__ import annotations

from gradlint.events import Called, ClassFinished
from gradlint.rule import POSSIBLE, Edit, Findings, Question, Raises, Rule

from ._custom import TOKENS, custom_function

rule = Rule(
    "GRD902",
    "non-static-function",
    "{what}",
    help="make `forward` and `backward` static, and call `apply` of the class",
    tokens=TOKENS,
)
consequence = Raises(RuntimeError, "Legacy autograd function with non-static forward method")


@rule.on(Called, "torch.autograd.Function.__call__")
def check_call(event: Called) -> Findings:
    draft = rule.at(event.node, what="instances of a custom function cannot be called").advising(
        "call `apply` of the class"
    )
    if event.callee is not None:
        draft = draft.fix(Edit("wrap", event.callee, "", ".apply"), safety="unsafe")
    yield draft


@rule.on(ClassFinished)
def check_definition(event: ClassFinished) -> Findings:
    forward = (custom_function(event) or {}).get("forward")
    if forward is not None and forward.function.kind == "function":
        draft = rule.at(forward.function.node, what="`forward` of a custom function is not a static method")
        draft = draft.advising("decorate it with `@staticmethod`")
        yield draft.doing("error later").lowered(POSSIBLE, "nobody is seen to call `apply`", Question.TORCH)


@rule.bad
def instance_called():
    import torch

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch.ones(3, requires_grad=True)
    y = Double()(x)  # GRD902
    return y.sum()


@rule.good(cures=instance_called)
def class_applied():
    import torch

    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch.ones(3, requires_grad=True)
    y = Double.apply(x)
    return y.sum()
