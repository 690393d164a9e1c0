"""Clipping after the step clips gradients that have been used.

## Why it happens

`clip_grad_norm_` and `clip_grad_value_` change `.grad` in place, and `step()` reads `.grad`. After the
step nobody looks at these gradients any more: they are cleared before the next backward.

## What it costs

Training runs unclipped. The line costs time, prints a plausible norm, and the one large gradient that
it was written for goes through in full.

## When it is right to ignore it

Where only the norm is wanted, clip to infinity: that is never reported. Where gradients are not
cleared but carried over to the next step, clipping changes what is carried and is not reported either.
The weights themselves may be clipped after a step (`p.clamp_()` in a Wasserstein GAN).
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import MIXED, USED
from gradlint.events import GradientsClipped, ModuleFinished, OptimizerStepped
from gradlint.rule import Draft, Edit, Findings, Rule

from ._protocol import GONE, memories, places

rule = Rule(
    "GRD705",
    "clip-after-step",
    "gradients are clipped after the step that used them",
    help="clip between `backward()` and `step()`",
    effect="no effect",
    tokens=("clip_grad",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights moved further than clipped gradients let them."""
    return bool(returned.abs().sum() > cured.abs().sum())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    clippings = places(event.story, GradientsClipped)
    steps = [one for one in event.story if type(one) is OptimizerStepped] if clippings else []
    for node, found in clippings.items():
        if all(_is_late(one) for one in found) and not any(_uses_them(step, found) for step in steps):
            draft = rule.at(node).resting_on(*found)
            mine = memories(found[0].parameters)
            used = (step for step in steps if not mine.isdisjoint(memories(step.parameters)))
            first = next(used, None)
            yield draft if first is None else _placed(draft, first)


def _placed(draft: Draft, step: OptimizerStepped) -> Draft:
    draft = draft.note(step.node, "the step that used them")
    return draft.fix(Edit("move before", draft.node, to=step.node), safety="unsafe")


def _is_late(clipping: GradientsClipped) -> bool:
    """Return whether there is no gradient that was not used, and a step may have used one."""
    return clipping.grad <= GONE | USED and any(one.grad.possibly(USED) for one in clipping.parameters)


def _uses_them(step: OptimizerStepped, clippings: list[GradientsClipped]) -> bool:
    """Return whether a step may use what was left of clipped gradients."""
    if not (step.grad.may(USED) or step.grad.may(MIXED)):
        return False
    if not step.parameters:
        return any(one.run == step.run for one in clippings)
    mine = memories(step.parameters)
    return any(not mine.isdisjoint(memories(one.parameters)) for one in clippings)


@rule.bad
def clipped_after_the_step():
    import torch
    from torch import nn

    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(2):
        optimizer.zero_grad()
        loss = 100 * model(torch.ones(1, 1)).sum()
        loss.backward()
        optimizer.step()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # GRD705
    return model.weight.detach()


@rule.good(cures=clipped_after_the_step)
def clipped_before_the_step():
    import torch
    from torch import nn

    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(2):
        optimizer.zero_grad()
        loss = 100 * model(torch.ones(1, 1)).sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    return model.weight.detach()
