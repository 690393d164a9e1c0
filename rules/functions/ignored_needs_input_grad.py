"""`backward` computes gradients that nobody asked for.

## Why it happens

Autograd needs gradients only of inputs that require grad. Which these are stands in
`ctx.needs_input_grad`, one flag for each input. A `backward` that does not look at it computes all of them, and
autograd throws away what it has no use for.

## What it costs

Time and memory in each backward pass: the gradient of a layer with respect to its data costs as much as that
with respect to its weights, and the first layer of a network, or one behind a frozen part, has no use for the first.

## When it is right to ignore it

Where the gradients are cheap, or all inputs always require grad. This rule is off unless asked for.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import Container, Ref
from gradlint.events import ClassFinished, Returned
from gradlint.rule import Findings, Rule

from ._custom import TOKENS, custom_function, happened_in

rule = Rule(
    "GRD905",
    "ignored-needs-input-grad",
    "`backward` computes the gradients of {count} inputs even where they are not needed",
    help="compute each gradient under `if {ctx}.needs_input_grad[i]:`",
    effect="slow",
    default=False,
    tokens=TOKENS,
)
FLAGS = "needs_input_grad"


def consequence(returned: Any) -> bool:
    """The gradient of the input that requires none was computed as well."""
    return len(returned) > 1


@rule.on(ClassFinished)
def check(event: ClassFinished) -> Findings:
    methods = custom_function(event) or {}
    backward = methods.get("backward") or methods.get("vjp")
    if backward is None or backward.hands_on or any(FLAGS in method.reads for method in methods.values()):
        return
    for returned in happened_in(backward):
        if isinstance(returned, Returned) and isinstance(returned.value, Container) and returned.value.kind == "tuple":
            count = len({inner for _, inner in returned.value.items if type(inner) is Ref})
            if count > 1:
                draft = rule.at(returned.node, count=count, ctx=backward.parameters[0])
                yield draft.resting_on(returned)


@rule.bad
def gradient_of_the_data_computed():
    import torch

    computed = []

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight):
            ctx.save_for_backward(x, weight)
            return x @ weight

        @staticmethod
        def backward(ctx, grad):
            x, weight = ctx.saved_tensors
            grad_weight = x.t() @ grad
            computed.append(grad_weight)
            grad_x = grad @ weight.t()
            computed.append(grad_x)
            return grad_x, grad_weight  # GRD905

    weight = torch.ones(3, 2, requires_grad=True)
    Product.apply(torch.ones(4, 3), weight).sum().backward()
    return computed


@rule.good(cures=gradient_of_the_data_computed)
def gradient_of_the_data_left_out():
    import torch

    computed = []

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, weight):
            ctx.save_for_backward(x, weight)
            return x @ weight

        @staticmethod
        def backward(ctx, grad):
            x, weight = ctx.saved_tensors
            grad_weight = x.t() @ grad
            computed.append(grad_weight)
            grad_x = None
            if ctx.needs_input_grad[0]:
                grad_x = grad @ weight.t()
                computed.append(grad_x)
            return grad_x, grad_weight

    weight = torch.ones(3, 2, requires_grad=True)
    Product.apply(torch.ones(4, 3), weight).sum().backward()
    return computed
