"""Inputs and outputs of a custom function belong into `save_for_backward`, not on attributes of `ctx`.

## Why it happens

`ctx` is an ordinary object and takes any attribute. `save_for_backward` does more than keep a
tensor: it notes the version, so that backward notices an in-place change; it lets the memory go
when backward has run; and an output is kept without a reference to the node that holds it. An attribute does none
of this.

## What it costs

If the tensor is changed in place before backward, the gradient is silently wrong where torch would
have raised. The memory stays as long as the graph node does, after backward too; an output kept on
`ctx` is a cycle that only the garbage collector can break, and on a GPU that may be much too late.

## When it is right to ignore it

Numbers, flags, shapes and what `forward` computed on the way may be attributes. What no gradient is seen to flow to
(masks and indices, inputs that nobody shows to require grad) and what only its use tells to be a tensor are reported on
request only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradlint.domain import DISCRETE, YES, Belief, Tensor
from gradlint.events import AttributeAssigned, ClassFinished, Method, Returned, Thing
from gradlint.rule import CERTAIN, POSSIBLE, Confidence, Draft, Edit, Findings, Question, Rule

from ._custom import TOKENS, custom_function, happened_in

rule = Rule(
    "GRD903",
    "tensor-on-ctx",
    "`{place}` keeps an {role} of `forward` past the checks of `save_for_backward()`",
    help="use `{ctx}.save_for_backward(...)`, and read `{ctx}.saved_tensors` in `backward`",
    effect="wrong result",
    tokens=TOKENS,
)
SAVES = "save_for_backward"
FORWARD = ("forward", "setup_context")


def consequence(returned: Any) -> bool:
    """After backward the node of the function still holds a tensor."""
    import torch

    return any(isinstance(held, torch.Tensor) for held in vars(returned.grad_fn).values())


@rule.on(ClassFinished)
def check(event: ClassFinished) -> Findings:
    methods = custom_function(event) or {}
    keeping = [(one, methods[name]) for name in FORWARD if name in methods for one in _kept(methods[name])]
    for kept, method in keeping:
        of_input = bool(kept.arguments) and kept.arguments != ("output",)
        place, role = f"{kept.name}.{kept.attr}", "input" if of_input else "output"
        draft = rule.at(kept.node, place=place, role=role, ctx=kept.name)
        if len({one.node for one, _ in keeping}) == 1 and _is_always_kept(kept, method):
            draft = _cured(draft, kept, methods)
        yield draft.resting_on(kept).lowered(
            _confidence(kept.value, of_input), "it may be no tensor of the graph", Question.TORCH
        )


def _kept(method: Method) -> list[AttributeAssigned]:
    """Return the places that keep a tensor that the function was given, or gives back."""
    outputs = _outputs(method)
    kept = [event for event in happened_in(method) if isinstance(event, AttributeAssigned)]
    return [one for one in kept if isinstance(one.value, Tensor) and (one.arguments or one.value in outputs)]


def _is_always_kept(kept: AttributeAssigned, method: Method) -> bool:
    """Return whether it is all that a statement does, under no condition."""
    return kept.statement is not None and all(
        run.conditions == kept.conditions for run in method.runs if run.index == kept.run
    )


def _cured(draft: Draft, kept: AttributeAssigned, methods: Mapping[str, Method]) -> Draft:
    """Save it, and get it back wherever `backward` reads it, if nothing else knows of it."""
    mentions = {name: [one for one in method.mentions if one[0] == kept.attr] for name, method in methods.items()}
    back = mentions.pop("backward", [])
    elsewhere = [one for found in mentions.values() for one in found]
    known = any(SAVES in method.reads or method.hands_on for method in methods.values())
    if known or len(elsewhere) != 1 or not all(is_read for _, _, is_read in back):
        return draft
    saved = Edit("give to", kept.statement, f"{kept.name}.{SAVES}(", ")")
    owner = methods["backward"].parameters[0] if back else ""
    read = (Edit("replace", place, f"{owner}.saved_tensors[0]") for _, place, _ in back)
    return draft.fix(saved, *read, safety="unsafe")


def _outputs(method: Method) -> list[Tensor]:
    """The tensors that a method returned."""
    returned = (event.value for event in happened_in(method) if isinstance(event, Returned))
    return [value for value in returned if isinstance(value, Tensor)]


def _confidence(tensor: Thing, of_input: bool) -> Confidence:
    """A gradient flows to no whole numbers, and to inputs only where they are seen to require grad."""
    if not isinstance(tensor, Tensor):
        return POSSIBLE
    constant = tensor.dtype <= DISCRETE or (of_input and not tensor.requires_grad.possibly(YES))
    return POSSIBLE if constant or tensor.belief > Belief.ANNOTATED else CERTAIN


@rule.bad
def input_kept_as_an_attribute():
    import torch

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x = x  # GRD903
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.x * grad

    x = torch.ones(3, requires_grad=True)
    y = Square.apply(x)
    y.sum().backward()
    return y


@rule.good(cures=input_kept_as_an_attribute)
def input_saved_for_backward():
    import torch

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return 2 * x * grad

    x = torch.ones(3, requires_grad=True)
    y = Square.apply(x)
    y.sum().backward()
    return y


@rule.bad
def output_kept_as_an_attribute():
    import torch

    class Exponential(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x.exp()
            ctx.result = result  # GRD903
            return result

        @staticmethod
        def backward(ctx, grad):
            return ctx.result * grad

    x = torch.ones(3, requires_grad=True)
    y = Exponential.apply(x)
    y.sum().backward()
    return y


@rule.good(cures=output_kept_as_an_attribute)
def output_saved_for_backward():
    import torch

    class Exponential(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            result = x.exp()
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, grad):
            (result,) = ctx.saved_tensors
            return result * grad

    x = torch.ones(3, requires_grad=True)
    y = Exponential.apply(x)
    y.sum().backward()
    return y
