"""Unfreezing the whole after freezing a part undoes the freeze.

## Why it happens

`requires_grad` is one flag on each parameter, and the last one to set it wins. A backbone that is frozen stays
frozen until something goes over all parameters and asks them to require grad: a loop over
`model.parameters()`, or `model.requires_grad_(True)` in a helper that prepares the model for training.

## What it costs

The layers that were to be kept go on training, with gradients and optimizer state for each of them. Nothing
warns; a small data set then spoils the weights that it was to build on.

## When it is right to ignore it

In a test or a demonstration that freezes and unfreezes to show that both work. Where anything uses the model in
between, an optimizer is built or the unfreezing depends on a condition, as in schedules that unfreeze layer by
layer, nothing is reported. Freezing all and then unfreezing the head is the usual way and right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from gradlint.domain import NO, YES, AskKind, CauseKind, Ref, Syntax, Tensor
from gradlint.events import (
    BackwardRun,
    ModuleCalled,
    ModuleFinished,
    OptimizerBuilt,
    RequiresGradChanged,
    Run,
    Yielded,
)
from gradlint.rule import CERTAIN, POSSIBLE, Findings, Rule

rule = Rule(
    "GRD114",
    "overwritten-freeze",
    "parameters frozen before require grad again here, so the freeze has no effect",
    help="unfreeze the whole first, then freeze the part",
    effect="no effect",
    tokens=("requires_grad", "requires_grad_"),
)
BY_HAND = frozenset({AskKind.ASSIGNMENT, AskKind.METHOD, AskKind.MODULE})
USES = (BackwardRun, ModuleCalled, OptimizerBuilt, Yielded)
"""The events that may have been meant to find the parameters frozen."""


def consequence(returned: Any, cured: Any) -> bool:
    """More parameters are trained than where the freeze comes last."""
    return _trained(returned) > _trained(cured)


def _trained(model: Any) -> int:
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """Remember where parameters were frozen until something could have used them like this.

    A place that asked before the freeze does so again because a loop or a second call goes round, for others.
    """
    runs = {run.index: run for run in event.runs}
    frozen: dict[Syntax, list[RequiresGradChanged]] = {}
    asked, again = dict[Syntax, set[Ref]](), set[Syntax]()
    for happened in event.story:
        if isinstance(happened, USES):
            frozen.clear()
        elif isinstance(happened, RequiresGradChanged) and happened.by in BY_HAND:
            if happened.to <= NO:
                frozen.setdefault(happened.node, []).append(happened)
                again |= asked.keys()
                asked.clear()
            elif happened.to <= YES and happened.node not in again:
                yield from _undone(happened, asked.setdefault(happened.node, set()), frozen, runs)


def _undone(
    asked: RequiresGradChanged,
    reached: set[Ref],
    frozen: Mapping[Syntax, Sequence[RequiresGradChanged]],
    runs: Mapping[int, Run],
) -> Findings:
    """The freezes that are undone by this request as a whole and whatever led to them; `reached` are the memories that
    its place has asked for so far."""
    known = [one for one in asked.each if not one.requires_grad.is_unsure and asked.node not in _places_asked(one)]
    reached.update(memory for tensor in known for memory in tensor.storage)
    places = dict.fromkeys(place for tensor in known for place in _places_asked(tensor))
    for freezes in [frozen[place] for place in places if place in frozen]:
        freeze = freezes[-1]
        whole = _is_all_of(freezes, asked, reached)
        unconditional = asked.conditions == freeze.conditions[: len(asked.conditions)]
        if whole and unconditional and _outermost(asked, runs) == (root := _outermost(freeze, runs)):
            draft = rule.at(asked.node).note(freeze.node, "frozen here")
            tested = _is_test(runs.get(root))
            yield draft.resting_on(asked, freeze).lowered(POSSIBLE if tested else CERTAIN, "only a test does it")


def _places_asked(tensor: Tensor) -> list[Syntax]:
    """Return the places that set the flag of a tensor; the place at hand is among them where a loop is there again."""
    return [mark.node for mark in tensor.causes if mark.kind == CauseKind.ASKED]


def _is_all_of(frozen: Sequence[RequiresGradChanged], asked: RequiresGradChanged, reached: Set[Ref]) -> bool:
    """Return whether a request of parameters is one of all that were frozen: where one stands for many, of a network
    whose parts nobody shows, only what asks a network as a whole, or for more than were frozen, asks each; a loop over
    no more may go over its last layers alone."""
    before = {memory for one in frozen for memory in one.tensor.storage}
    if not reached >= before:
        return False
    return not any(one.tensor.is_summary for one in frozen) or asked.by is AskKind.MODULE or reached > before


def _outermost(event: RequiresGradChanged, runs: Mapping[int, Run]) -> int:
    """The run that nobody called in which it happened."""
    run = runs.get(event.run)
    while run is not None and run.caller is not None and run.parent in runs:
        run = runs[run.parent]
    return run.index if run is not None else 0


def _is_test(run: Run | None) -> bool:
    return run is not None and run.function is not None and run.function.name.startswith("test_")


@rule.bad
def backbone_unfrozen_by_the_loop_over_all():
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.backbone = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
            self.head = nn.Linear(4, 2)

        def forward(self, x):
            return self.head(self.backbone(x))

    model = Classifier()
    for param in model.backbone.parameters():
        param.requires_grad = False
    for param in model.parameters():
        param.requires_grad = True  # GRD114
    return model


@rule.good(cures=backbone_unfrozen_by_the_loop_over_all)
def backbone_frozen_after_the_loop_over_all():
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.backbone = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4))
            self.head = nn.Linear(4, 2)

        def forward(self, x):
            return self.head(self.backbone(x))

    model = Classifier()
    for param in model.parameters():
        param.requires_grad = True
    for param in model.backbone.parameters():
        param.requires_grad = False
    return model


@rule.bad
def embedding_unfrozen_by_a_helper():
    from torch import nn

    def ready_to_train(model):
        model.train()
        model.requires_grad_(True)  # GRD114
        return model

    model = nn.Sequential(nn.Embedding(100, 8), nn.Linear(8, 2))
    model[0].weight.requires_grad = False
    return ready_to_train(model)


@rule.good(cures=embedding_unfrozen_by_a_helper)
def embedding_frozen_after_the_helper():
    from torch import nn

    def ready_to_train(model):
        model.train()
        model.requires_grad_(True)
        return model

    model = nn.Sequential(nn.Embedding(100, 8), nn.Linear(8, 2))
    ready_to_train(model)
    model[0].weight.requires_grad = False
    return model
