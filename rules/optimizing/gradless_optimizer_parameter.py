"""An optimizer never moves a tensor that does not require grad.

## Why it happens

A tensor made by `torch.zeros`, `torch.randn` or a computation on such does not require grad unless it is
told to. Optimizers accept it without a word: they look only at `.grad`, which stays None, and skip it at
each step. (`nn.Parameter` requires grad by itself.)

## What it costs

The value stays what it was. The loss still goes down where other parameters are trained, so that
nothing is seen.

## When it is right to ignore it

Where the program fills `.grad` itself or asks the tensor to require grad later, which is not reported
if the file shows it, and where parameters are frozen on purpose. What is given by way of
`parameters()` is never reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradlint.domain import NO, NONE, YES, Belief, CauseKind, Tensor, Unknown
from gradlint.events import AttributeAssigned, Event, ModuleFinished, OptimizerBuilt, RequiresGradChanged, Thing
from gradlint.rule import LIKELY, Draft, Edit, Findings, Question, Rule, believed

rule = Rule(
    "GRD715",
    "gradless-optimizer-parameter",
    "the optimizer is given the result of `{op}`, which does not require grad",
    help="create it with `requires_grad=True`, or call `requires_grad_()` on it first",
    effect="no effect",
    tokens=("optim",),
)

FACTORIES = frozenset(
    ("empty", "eye", "full", "linspace", "ones", "ones_like", "rand", "rand_like", "randn", "randn_like", "tensor")
) | {"zeros", "zeros_like"}
"""The factories that take `requires_grad=True`."""


def consequence(returned: Any) -> bool:
    """The step left the value as it was: it has no gradient."""
    return returned.grad is None


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """Look at what each optimizer of torch was given, and then at what is done with it afterwards; what those of a
    class of the program do with it, that class says."""
    later: dict[object, None] = {}
    found: list[tuple[OptimizerBuilt, Tensor]] = []
    for happened in reversed(event.story):
        if isinstance(happened, OptimizerBuilt) and isinstance(happened.optimizer.cls, Unknown):
            given = [tensor for part in happened.elements for tensor in part if _stays_put(tensor)]
            found += [(happened, tensor) for tensor in given if not any(ref in later for ref in tensor.storage)]
        elif isinstance(thing := _given_a_gradient(happened), Tensor):
            later |= dict.fromkeys(thing.storage)
        elif isinstance(thing, Unknown):
            return  # whose gradient is set, nobody knows
    for built, tensor in found:
        draft = _draft(built, tensor).lowered(
            LIKELY if tensor.belief is Belief.FROM_USAGE else believed(built),
            "taken for a parameter for how it is used",
            Question.THING,
        )
        yield draft.lowered(LIKELY, "unseen code gets it") if _is_handed_on(built, tensor, event) else draft


def _is_handed_on(built: OptimizerBuilt, tensor: Tensor, end: ModuleFinished) -> bool:
    """Return whether unseen code had the tensor or the optimizer, and may have given it a gradient."""
    handed = end.escaped | end.read_by_name
    return built.graph in handed or any(memory.key in handed for memory in tensor.storage)


def _stays_put(tensor: Tensor) -> bool:
    """Return whether it is certainly a tensor of the program that nothing asked to require grad or gave a gradient; no
    frozen parameter."""
    if not (tensor.requires_grad <= NO and tensor.leaf <= YES and tensor.parameter <= NO and tensor.grad <= NONE):
        return False
    return tensor.belief < Belief.FROM_NAME and not tensor.is_summary and bool(tensor.made) and bool(tensor.storage)


def _given_a_gradient(event: Event) -> Thing | None:
    """Return the tensor that the event asks to require grad, or whose gradient the program sets."""
    if isinstance(event, RequiresGradChanged) and event.to.may(YES):
        return event.tensor
    return event.owner if isinstance(event, AttributeAssigned) and event.attr == "grad" else None


def _draft(built: OptimizerBuilt, tensor: Tensor) -> Draft:
    draft = rule.at(built.node, op=tensor.made).marked(tensor.causes, made="made here, without asking for gradients")
    made: Sequence[Any] = [mark.node for mark in tensor.causes if mark.kind == CauseKind.MADE]
    if tensor.made not in FACTORIES or len(made) != 1:
        return draft
    return draft.fix(Edit("set keyword", made[0], "requires_grad", "True"), safety="unsafe")


@rule.bad
def offset_without_gradients():
    import torch
    from torch import nn

    offset, model = torch.zeros(2), nn.Linear(2, 1)
    optimizer = torch.optim.SGD([offset, model.weight, model.bias], lr=0.1)  # GRD715
    model(torch.ones(1, 2) + offset).sum().backward()
    optimizer.step()
    return offset


@rule.good(cures=offset_without_gradients)
def offset_with_gradients():
    import torch
    from torch import nn

    offset, model = torch.zeros(2, requires_grad=True), nn.Linear(2, 1)
    optimizer = torch.optim.SGD([offset, model.weight, model.bias], lr=0.1)
    model(torch.ones(1, 2) + offset).sum().backward()
    optimizer.step()
    return offset


@rule.bad
def temperature_in_a_group_of_its_own():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    temperature = torch.tensor(1.0)
    optimizer = torch.optim.Adam([{"params": model.parameters()}, {"params": [temperature], "lr": 0.1}])  # GRD715
    (model(torch.ones(1, 4)) / temperature).sum().backward()
    optimizer.step()
    return temperature


@rule.good(cures=temperature_in_a_group_of_its_own)
def temperature_as_a_parameter():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    temperature = nn.Parameter(torch.tensor(1.0))
    optimizer = torch.optim.Adam([{"params": model.parameters()}, {"params": [temperature], "lr": 0.1}])
    (model(torch.ones(1, 4)) / temperature).sum().backward()
    optimizer.step()
    return temperature
