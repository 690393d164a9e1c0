"""A network whose parameters are in no optimizer is differentiated and never trained.

## Why it happens

An optimizer changes the parameters it was given and no others. If a loss goes through two networks and
the optimizer was built from one of them, `backward()` fills the gradients of both, and `step()` leaves
the second as it was initialised.

## What it costs

Half of the model is random and stays so. The loss falls a little, as the other half learns to make do
with it, and nothing warns. The gradients of the second network are never cleared either, and add up.

## When it is right to ignore it

Where the second network is meant to stay as it is: a teacher, a loss network, a random target. One
that is frozen, put into eval mode, loaded from a checkpoint or written by hand is not reported; say
`requires_grad_(False)` for any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradlint.domain import EVAL, FRESH, NO, YES, Graph, Syntax
from gradlint.events import (
    BackwardRun,
    Event,
    GradientRead,
    ModeChanged,
    ModuleBuilt,
    ModuleCalled,
    ModuleFinished,
    OptimizerBuilt,
    OptimizerStepped,
    RequiresGradChanged,
    StateLoaded,
    WrittenInPlace,
)
from gradlint.rule import LIKELY, Findings, Rule, believed, quoted

from ._protocol import holds_others, made_at, memories, some

rule = Rule(
    "GRD721",
    "parameters-missing-from-optimizer",
    "`backward()` fills the gradients of {name}, whose parameters are in no optimizer",
    help="give them to the optimizer, or freeze them with `requires_grad_(False)`",
    effect="wrong result",
    yields_to=("GRD716",),
    tokens=("optim",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The parameters are as they were, though they have gradients; trained, they are others."""
    (before, after), (_, trained) = returned, cured
    return before.equal(after) and after.grad is not None and not trained.equal(after)


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    built = [one for one in event.story if type(one) is OptimizerBuilt]
    steps = [one for one in event.story if type(one) is OptimizerStepped]
    if not steps or any(holds_others(one.optimizer) for one in built):
        return
    held = memories(tensor for one in built for tensor in one.parameters)
    held |= memories(tensor for one in steps for tensor in one.parameters)
    trained = memories(tensor for one in steps if some(one.parameters, FRESH) for tensor in one.parameters)
    for one in built:
        beside = _whole_modules(event.story, one.run)
        mine = memories(one.parameters) & trained
        if not any(memories(module.parameters) <= mine for module in beside):
            continue
        for module in beside:
            filled = _filled_in_vain(event.story, module, mine, held)
            if filled is not None:
                draft = rule.at(one.node, name=quoted(_name(event.story, module), "the module built beside it"))
                draft = draft.note(module.node, "made here").note(filled, "differentiated here with the others")
                yield draft.lowered(max(LIKELY, believed(one), believed(module)))


def _filled_in_vain(
    story: Sequence[Event], module: ModuleBuilt, mine: frozenset[Graph], held: frozenset[Graph]
) -> Syntax | None:
    """Where a loop fills the gradients of a module that no optimizer holds and nothing says is to be left alone."""
    theirs = memories(module.parameters)
    if not theirs.isdisjoint(held) or any(_is_left_alone(happened, module, theirs) for happened in story):
        return None
    return _filled_together(story, mine, theirs)


def _whole_modules(story: Sequence[Event], run: int) -> list[ModuleBuilt]:
    """The modules with parameters that one run of a function has made, without those that are parts of others."""
    found: dict[Syntax, ModuleBuilt] = {}
    for one in story:
        if type(one) is ModuleBuilt and one.run == run and one.parameters:
            found.setdefault(one.node, one)
    owner: dict[Graph, int] = {}
    for one in found.values():  # a whole is made after its parts
        owner |= dict.fromkeys(memories(one.parameters), id(one))
    wholes = set(owner.values())
    return [one for one in found.values() if id(one) in wholes and one.open <= NO]


def _filled_together(story: Sequence[Event], mine: frozenset[Graph], theirs: frozenset[Graph]) -> Syntax | None:
    """Where a loop differentiates a loss that has gone through both."""
    for one in story:
        if type(one) is BackwardRun and one.how == "backward" and one.later <= YES:
            reached = memories(leaf for leaf in one.leaves if leaf.requires_grad <= YES)
            if theirs <= reached and not mine.isdisjoint(reached):
                return one.node
    return None


def _name(story: Sequence[Event], module: ModuleBuilt) -> str:
    """How the program calls the module."""
    own = set(made_at(module.module))
    called = (one for one in story if type(one) is ModuleCalled and not one.nested and one.name)
    return next((one.name for one in called if not own.isdisjoint(made_at(one.module))), "")


def _is_left_alone(event: Event, module: ModuleBuilt, theirs: frozenset[Graph]) -> bool:
    """Whether something shows that the module is not meant to be trained, or is trained by other means."""
    judge = LEAVING.get(type(event))
    return judge is not None and judge(event, module, theirs)


def _is_of(thing: Any, module: ModuleBuilt) -> bool:
    return not set(made_at(thing)).isdisjoint(made_at(module.module))


LEAVING: dict[type, Callable[[Any, ModuleBuilt, frozenset[Graph]], bool]] = {
    ModeChanged: lambda event, module, _: event.to.may(EVAL) and _is_of(event.module, module),
    StateLoaded: lambda event, module, _: _is_of(event.module, module),
    RequiresGradChanged: lambda event, _, theirs: event.to.may(NO) and not theirs.isdisjoint(memories((event.tensor,))),
    GradientRead: lambda event, _, theirs: not theirs.isdisjoint(memories((event.tensor,))),
    WrittenInPlace: lambda event, _, theirs: not event.later <= NO and not theirs.isdisjoint(memories((event.target,))),
}
"""What tells that a module is left as it is on purpose."""


@rule.bad
def only_one_of_two_networks():
    import torch
    from torch import nn

    encoder, head = nn.Linear(2, 2), nn.Linear(2, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)  # GRD721
    before = encoder.weight.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        loss = head(encoder(torch.ones(4, 2))).mean()
        loss.backward()
        optimizer.step()
    return before, encoder.weight


@rule.good(cures=only_one_of_two_networks)
def both_networks():
    import torch
    from torch import nn

    encoder, head = nn.Linear(2, 2), nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
    before = encoder.weight.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        loss = head(encoder(torch.ones(4, 2))).mean()
        loss.backward()
        optimizer.step()
    return before, encoder.weight
