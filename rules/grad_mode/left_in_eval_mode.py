"""After an evaluation inside the training loop the model stays in eval mode until it is told otherwise.

## Why it happens

`model.eval()` sets a flag on the model and all its parts; leaving the function that called it, or its
`with torch.no_grad():` block, does not take it back. If `model.train()` is called once before the loop
and not again, only what comes before the first evaluation is trained in train mode.

The `from_pretrained()` of Hugging Face's transformers gives a model in eval mode: a training that never calls `train()`
drops nothing from its first step on.

## What it costs

From the second epoch on dropout drops nothing and batch norm normalises with the running statistics of
the first epoch and updates them no more. Training goes on, silently, as another one than was meant.

## When it is right to ignore it

Where the model is to be tuned like that from the second epoch on. A model that is put into eval mode
before the loop, parts that are (frozen batch norm), and models without dropout, batch norm or the like
are not reported.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gradlint.domain import EVAL, TRAIN, YES, Bound, Syntax, made_at, memories
from gradlint.events import (
    BackwardRun,
    Event,
    LoopFinished,
    ModeChanged,
    ModuleBuilt,
    ModuleCalled,
    ModuleFinished,
    OptimizerStepped,
    ResultDiscarded,
)
from gradlint.rule import LIKELY, Draft, Edit, Findings, Rule, quoted

rule = Rule(
    "GRD412",
    "left-in-eval-mode",
    "{name} is trained in eval mode{since}: {why}",
    help="call `train()` after each evaluation, or at the start of each epoch",
    effect="wrong result",
    tokens=("eval", "train", "from_pretrained"),
)
LEFT = {"since": " after the first iteration", "why": "`eval()` stays in effect"}
GIVEN = {"since": "", "why": "that is how it comes with its weights"}


def consequence(returned: Any) -> bool:
    """Some of the rounds that trained did so in eval mode."""
    return not all(returned)


@rule.on(LoopFinished)
def check(event: LoopFinished) -> Findings:
    switches = [one for one in event.story if isinstance(one, ModeChanged) and one.to <= EVAL]
    if not switches or not any(switch.matters for switch in switches):
        return
    if any(map(_is_uncalled_train, event.story)):
        return  # which is spoken of itself
    taken_back = any(isinstance(one, ModeChanged) and not one.to <= EVAL for one in event.story)
    first: dict[Syntax, ModuleCalled] = {}
    for index, call in enumerate(event.story):
        if not isinstance(call, ModuleCalled) or call.nested:
            continue
        before = first.setdefault(call.node, call)
        if before is call or not _may_begin_in_training(before) or not _left(call, taken_back=taken_back):
            continue
        if (switch := _switch_of(call, switches)) and _is_trained(event.story[index:]):
            draft = _draft(call, LEFT).note(switch.node, "switched to eval mode here").resting_on(call)
            yield draft.lowered(LIKELY, "a layer may be meant to stay as it is")


@rule.on(ModuleFinished)
def check_given(end: ModuleFinished) -> Findings:
    """Report a network that came in eval mode, with trained weights, and is trained although nothing switches it."""
    given = {one.node: one for one in end.story if isinstance(one, ModuleBuilt) and one.trained}
    switches = [one for one in end.story if isinstance(one, ModeChanged)] if given else []
    switched = {at for one in switches if one.to.possibly(TRAIN) for at in made_at(one.module)}
    told = set[Syntax]()
    for loop in [one for one in end.story if isinstance(one, LoopFinished)] if given else ():
        for index, call in enumerate(loop.story):
            if not isinstance(call, ModuleCalled) or call.node in told or not _is_recorded_in_eval(call):
                continue
            sites = made_at(call.module)
            made = [given[at] for at in sites if at in given and switched.isdisjoint(sites)]
            if made and _steps_its_own(call, loop.story[index:]) and not _is_switched_before(call, end.story):
                told.add(call.node)
                draft = _draft(call, GIVEN).note(made[0].node, "made here, and comes in eval mode")
                yield draft.resting_on(call).lowered(LIKELY, "it may be meant to be trained without dropout")


def _is_recorded_in_eval(call: ModuleCalled) -> bool:
    own = not call.nested and call.recorded is not None and call.grad_mode <= YES
    return own and call.module.mode <= EVAL


def _steps_its_own(call: ModuleCalled, story: Sequence[Event]) -> bool:
    """Return whether a backward, and a step of its own parameters, follow before any change of mode."""
    steps = (one for one in story if isinstance(one, OptimizerStepped))
    return _is_trained(story) and any(memories(one.parameters) & call.memories for one in steps)


def _is_switched_before(call: ModuleCalled, story: Sequence[Event]) -> bool:
    """Return whether somebody has put the network into eval mode before it is called here first."""
    first = next((at for at, one in enumerate(story) if one.node is call.node and isinstance(one, ModuleCalled)), 0)
    before = (one for one in story[:first] if isinstance(one, ModeChanged))
    return any(not set(made_at(one.module)).isdisjoint(made_at(call.module)) for one in before)


def _is_uncalled_train(event: Event) -> bool:
    return isinstance(event, ResultDiscarded) and isinstance(event.value, Bound) and event.value.name == "train"


def _may_begin_in_training(call: ModuleCalled) -> bool:
    """Return whether the first call may find its module in train mode, as whoever makes one leaves it."""
    return call.module.mode.possibly(TRAIN) or call.module.mode.is_unsure


def _left(call: ModuleCalled, *, taken_back: bool) -> bool:
    """Return whether a recorded call finds its module in eval mode; where somebody switches back, in no other."""
    if not (call.later <= YES and call.grad_mode <= YES and call.recorded is not None):
        return False
    mode = call.module.mode
    return mode <= EVAL or (mode.possibly(EVAL) and not mode.is_unsure and not taken_back)


def _switch_of(call: ModuleCalled, switches: Sequence[ModeChanged]) -> ModeChanged | None:
    same = [one for one in switches if one.module.cls == call.module.cls and one.matters]
    return same[0] if same else None


def _is_trained(story: Sequence[Event]) -> bool:
    """Return whether a backward and a step follow before any other change of mode."""
    differentiated = False
    for event in story:
        if isinstance(event, ModeChanged):
            return False
        differentiated = differentiated or isinstance(event, BackwardRun)
        if isinstance(event, OptimizerStepped):
            return differentiated
    return False


def _draft(call: ModuleCalled, said: Mapping[str, str]) -> Draft:
    draft = rule.at(call.node, name=quoted(call.name, "the model"), **said)
    if not call.name:
        return draft
    return draft.fix(Edit("insert before", call.node, f"{call.name}.train()"), safety="unsafe")


@rule.bad
def evaluated_after_each_epoch():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    in_train_mode = []
    model.train()
    for _ in range(2):
        optimizer.zero_grad()
        loss = model(torch.ones(8, 4)).pow(2).mean()  # GRD412
        in_train_mode.append(model.training)
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            print(model(torch.ones(8, 4)).mean().item())
    return in_train_mode


@rule.good(cures=evaluated_after_each_epoch)
def train_mode_at_the_head_of_each_epoch():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    in_train_mode = []
    for _ in range(2):
        model.train()
        optimizer.zero_grad()
        loss = model(torch.ones(8, 4)).pow(2).mean()
        in_train_mode.append(model.training)
        loss.backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            print(model(torch.ones(8, 4)).mean().item())
    return in_train_mode


def _statistics_stand_still(returned: Any) -> bool:
    """Batch norm updated its statistics in one round only."""
    return bool(returned[1].num_batches_tracked == 1)


@rule.bad(shows=_statistics_stand_still)
def evaluated_by_a_helper():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def evaluate(model):
        model.eval()
        with torch.no_grad():
            return model(torch.ones(8, 4)).mean().item()

    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(8, 4)).pow(2).mean().backward()  # GRD412
        optimizer.step()
        evaluate(model)
    return model


@rule.good(cures=evaluated_by_a_helper)
def helper_that_switches_back():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def evaluate(model):
        model.eval()
        with torch.no_grad():
            mean = model(torch.ones(8, 4)).mean().item()
        model.train()
        return mean

    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(8, 4)).pow(2).mean().backward()
        optimizer.step()
        evaluate(model)
    return model
