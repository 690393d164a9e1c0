"""Freezing the parameters of a batch norm does not stop its running statistics.

## Why it happens

`requires_grad = False` concerns the scale and the shift. The running mean and variance are buffers: every
forward pass in train mode moves them towards the batch, without any gradient, and normalises with
the batch instead of with them. Only `eval()` stops both, and a later `model.train()`, which reaches
every part of the model, starts them again.

## What it costs

The "frozen" part drifts with the new data, most with small batches; results in eval mode change
although no parameter did.

## When it is right to ignore it

Where the statistics are to adapt to the new data. That may well be, and is therefore believed least and not shown by
default, unless the batch norm was put into eval mode before, by itself, and a later `train()` of the whole undoes it,
or a network with trained weights is frozen (`pretrained=True`, `weights=...`, `load_state_dict`), which were trained
with the statistics, and a `train()` of the whole reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradlint.domain import EVAL, NO, TRAIN, CauseKind, ImportPath, Memory, Module, Syntax, memories
from gradlint.events import (
    ModeChanged,
    ModuleCalled,
    ModuleFinished,
    RequiresGradChanged,
)
from gradlint.rule import LIKELY, POSSIBLE, Draft, Findings, Rule, given_weights, quoted

from ._registration import made_at

rule = Rule(
    "GRD806",
    "unfrozen-batchnorm",
    "{name} is frozen, but its batch norm still updates running statistics in train mode",
    help="call `.eval()` on the batch norm after each `train()` of the model",
    effect="wrong result",
    tokens=("BatchNorm", "pretrained", "weights", "load_state_dict"),
)
KEEPING_STATISTICS = frozenset(
    f"torch.nn.{prefix}BatchNorm{suffix}"
    for prefix, suffixes in (("", ("1d", "2d", "3d")), ("Sync", ("",)), ("Lazy", ("1d", "2d", "3d")))
    for suffix in suffixes
)
ADAPTING = "the statistics may be meant to adapt"


def consequence(returned: Any) -> bool:
    """The running mean of the frozen batch norm has moved."""
    return any(bool(mean.any()) for name, mean in returned.named_buffers() if name.endswith("running_mean"))


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """A batch norm whose parameters were asked not to require grad and that is then called in train mode."""
    began, stories, asked = _began(event), dict[int, _Story](), dict[Syntax, RequiresGradChanged]()
    trained = memories(one for happened in event.story for one in given_weights(happened))
    asked_of = _asked_of(event)
    for happened in event.story:
        story = stories.setdefault(began.get(happened.run, 0), _Story(asked))
        if isinstance(happened, RequiresGradChanged):
            story.ask(happened)
        elif isinstance(happened, ModeChanged):
            story.switch(happened)
        elif isinstance(happened, ModuleCalled):
            for norm, change in story.moving(happened):
                alone = asked_of[change.node] <= set(made_at(norm))  # the statistics may adapt where no more is frozen
                given = not alone and not trained.isdisjoint(_changed(change))
                yield _draft(change, happened, story.switches(norm), given)


@dataclass
class _Story:
    """A run that nobody in the file called, so far: what was asked at a place, of all runs, as one constructor may be
    part of several, what froze the parameters made at a place, and the last two changes of the mode of what was made
    at a place."""

    asked: dict[Syntax, RequiresGradChanged]
    frozen: dict[Syntax, RequiresGradChanged] = field(default_factory=dict)
    modes: dict[Syntax, tuple[ModeChanged, ...]] = field(default_factory=dict)

    def ask(self, change: RequiresGradChanged) -> None:
        self.asked[change.node] = change
        for made in made_at(change.tensor):
            if change.to <= NO:
                self.frozen[made] = change
            else:
                self.frozen.pop(made, None)

    def switch(self, change: ModeChanged) -> None:
        for made in (made for module in change.reached for made in made_at(module)):
            self.modes[made] = (*self.modes.get(made, ()), change)[-2:]

    def switches(self, module: Module) -> tuple[ModeChanged, ...]:
        return next((self.modes[made] for made in made_at(module) if made in self.modes), ())

    def moving(self, call: ModuleCalled) -> Iterator[tuple[Module, RequiresGradChanged]]:
        """Yield the batch norms that a call moves the statistics of, each with what froze it, which is told once: what
        is called, and what an unseen forward calls where somebody has put it into train mode."""
        for norm, weight in call.frozen_norms:
            switches = self.switches(norm)
            if _keeps_statistics(norm) and (norm == call.module or (switches and switches[-1].to <= TRAIN)):
                places = [
                    mark.node for mark in weight.causes if mark.kind is CauseKind.ASKED and mark.node in self.asked
                ]
                yield from ((norm, self.asked.pop(place)) for place in places[-1:])
        for made in made_at(call.module) if _moves(call) and call.trainable.may(NO) else ():
            if (change := self.frozen.pop(made, None)) is not None:
                yield call.module, change


def _changed(change: RequiresGradChanged) -> frozenset[Memory]:
    """Return the memories of the tensors whose flags a change sets."""
    return memories(change.each or (change.tensor,))


def _asked_of(event: ModuleFinished) -> dict[Syntax, set[Syntax]]:
    """Return the places that made what is asked not to require grad, by where it is asked."""
    found: dict[Syntax, set[Syntax]] = {}
    for change in event.story:
        if isinstance(change, RequiresGradChanged):
            for tensor in change.each or (change.tensor,):
                found.setdefault(change.node, set()).update(made_at(tensor))
    return found


def _draft(change: RequiresGradChanged, call: ModuleCalled, modes: Sequence[ModeChanged], trained: bool) -> Draft:
    """The finding: at `train()` of the whole model, if the batch norm has had its mode set by itself before."""
    name = quoted(change.name, "a parameter")
    if len(modes) < 2 or len(modes[0].reached) >= len(modes[1].reached):
        draft = rule.at(change.node, name=name)
        if not (trained and modes and modes[-1].to <= TRAIN):
            draft = draft.lowered(POSSIBLE, ADAPTING)
        draft = draft if not modes else draft.note(modes[-1].node, "put into train mode here")
    elif modes[0].to <= EVAL:
        undoing = quoted(modes[1].name and f"{modes[1].name}.train()", "the `train()`")
        draft = rule.at(modes[1].node, name=name).advising(f"call `.eval()` on the batch norm after {undoing}")
        draft = draft.note(modes[0].node, "put into eval mode here").note(change.node, "frozen here")
    else:
        draft = rule.at(modes[1].node, name=name).note(change.node, "frozen here").lowered(POSSIBLE, ADAPTING)
    return (
        draft.note(call.node, "called in train mode here")
        .resting_on(call)
        .lowered(LIKELY, "a frozen parameter says that the layer is to stay as it is")
    )


def _began(event: ModuleFinished) -> dict[int, int]:
    """Return, for each run of a function, the one that nobody in the file called and that it is part of."""
    began: dict[int, int] = {}
    for run in event.runs:
        began[run.index] = began.get(run.parent, run.index) if run.caller is not None else run.index
    return began


def _moves(call: ModuleCalled) -> bool:
    return _keeps_statistics(call.module) and call.module.mode <= TRAIN and "running_mean" in dict(call.module.buffers)


def _keeps_statistics(module: Module) -> bool:
    return isinstance(module.cls, ImportPath) and module.cls.path in KEEPING_STATISTICS


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


@rule.bad
def trained_encoder_frozen_in_train_mode():
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self, weights):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
            self.weights = weights

        def forward(self, x):
            return self.layers(x)

    encoder, head = Encoder(weights="of last year"), nn.Linear(4, 2)
    encoder.requires_grad_(False)  # GRD806
    encoder.train()
    head(encoder(torch.ones(8, 4))).mean().backward()
    return encoder


@rule.good(cures=trained_encoder_frozen_in_train_mode)
def trained_encoder_frozen_in_eval_mode():
    import torch
    from torch import nn

    class Encoder(nn.Module):
        def __init__(self, weights):
            super().__init__()
            self.layers = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
            self.weights = weights

        def forward(self, x):
            return self.layers(x)

    encoder, head = Encoder(weights="of last year"), nn.Linear(4, 2)
    encoder.requires_grad_(False)
    encoder.eval()
    head(encoder(torch.ones(8, 4))).mean().backward()
    return encoder


@rule.bad
def eval_undone_in_each_epoch():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    model[1].requires_grad_(False).eval()
    optimizer = torch.optim.SGD([*model[0].parameters(), *model[2].parameters()], lr=0.1)
    for _ in range(2):
        model.train()  # GRD806
        optimizer.zero_grad()
        model(torch.ones(8, 4)).mean().backward()
        optimizer.step()
    return model


@rule.good(cures=eval_undone_in_each_epoch)
def eval_behind_each_train():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    model[1].requires_grad_(False)
    optimizer = torch.optim.SGD([*model[0].parameters(), *model[2].parameters()], lr=0.1)
    for _ in range(2):
        model.train()
        model[1].eval()
        optimizer.zero_grad()
        model(torch.ones(8, 4)).mean().backward()
        optimizer.step()
    return model


@rule.bad
def eval_in_the_constructor():
    import torch
    from torch import nn

    class Classifier(nn.Sequential):
        def __init__(self):
            super().__init__(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
            self[1].requires_grad_(False).eval()

    model = Classifier()
    model.train()  # GRD806
    model(torch.ones(8, 4)).mean().backward()
    return model


@rule.good(cures=eval_in_the_constructor)
def eval_in_train_of_the_model():
    import torch
    from torch import nn

    class Classifier(nn.Sequential):
        def __init__(self):
            super().__init__(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
            self[1].requires_grad_(False).eval()

        def train(self, mode=True):
            super().train(mode)
            self[1].eval()
            return self

    model = Classifier()
    model.train()
    model(torch.ones(8, 4)).mean().backward()
    return model
