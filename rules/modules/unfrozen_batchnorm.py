"""Freezing the parameters of a batch norm does not stop its running statistics.

## Why it happens

`requires_grad = False` concerns the scale and the shift. The running mean and variance are buffers: every
forward pass in train mode moves them towards the batch, without any gradient, and normalises with
the batch instead of with them. Only `eval()` stops both, and a later `model.train()` starts them again.

## What it costs

The "frozen" part drifts with the new data, most with small batches; results in eval mode change
although no parameter did.

## When it is right to ignore it

Where the statistics are to adapt to the new data. This rule is off unless asked for.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, TRAIN, Named, Syntax
from gradlint.events import ModuleCalled, ModuleFinished, RequiresGradChanged
from gradlint.rule import Findings, Rule, believed, quoted

from ._registration import made_at

rule = Rule(
    "GRD806",
    "unfrozen-batchnorm",
    "{name} is frozen, but the batch norm goes on updating its running statistics in train mode; call `.eval()` on it",
    help="override `train()` to keep frozen batch norms in eval mode",
    effect="silently wrong",
    default=False,
    tokens=("BatchNorm",),
)
KEEPING_STATISTICS = frozenset(
    f"torch.nn.{prefix}BatchNorm{suffix}"
    for prefix, suffixes in (("", ("1d", "2d", "3d")), ("Sync", ("",)), ("Lazy", ("1d", "2d", "3d")))
    for suffix in suffixes
)


def consequence(returned: Any) -> bool:
    """The running mean of the frozen batch norm has moved."""
    return any(bool(mean.any()) for name, mean in returned.named_buffers() if name.endswith("running_mean"))


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """A batch norm whose parameters were asked not to require grad and that is then called in train mode."""
    began = _began(event)
    frozen: dict[tuple[int, Syntax], RequiresGradChanged] = {}
    for happened in event.story:
        story = began.get(happened.run, 0)
        if isinstance(happened, RequiresGradChanged):
            for made in made_at(happened.tensor):
                if happened.to <= NO:
                    frozen[story, made] = happened
                else:
                    frozen.pop((story, made), None)
        elif isinstance(happened, ModuleCalled) and _moves(happened):
            for made in made_at(happened.module):
                if (change := frozen.pop((story, made), None)) is not None:
                    draft = rule.at(change.node, name=quoted(change.name, "a parameter"))
                    yield draft.note(happened.node, "called in train mode here").lowered(believed(happened))


def _began(event: ModuleFinished) -> dict[int, int]:
    """For each run of a function the one that nobody in the file called and that it is part of."""
    began: dict[int, int] = {}
    for run in event.runs:
        began[run.index] = began.get(run.parent, run.index) if run.caller is not None else run.index
    return began


def _moves(call: ModuleCalled) -> bool:
    cls = call.module.cls
    keeps = isinstance(cls, Named) and cls.path in KEEPING_STATISTICS
    return keeps and call.module.mode <= TRAIN and "running_mean" in dict(call.module.buffers)


@rule.bad
def backbone_frozen_in_train_mode():
    import torch
    from torch import nn

    backbone = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    for parameter in backbone.parameters():
        parameter.requires_grad = False  # GRD806
    backbone(torch.ones(8, 4))
    return backbone


@rule.good(cures=backbone_frozen_in_train_mode)
def backbone_frozen_in_eval_mode():
    import torch
    from torch import nn

    backbone = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    for parameter in backbone.parameters():
        parameter.requires_grad = False
    backbone.eval()
    backbone(torch.ones(8, 4))
    return backbone
