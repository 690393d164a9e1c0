"""A model that was just loaded is in train mode.

## Why it happens

Every module is made in train mode, and `load_state_dict()` fills in weights and statistics without
touching the mode. A script that builds a model, loads a checkpoint and predicts needs an `eval()` in
between.

## What it costs

Dropout drops at random, so that two predictions for one input differ; batch norm normalises each batch
by itself and overwrites the statistics that were loaded. The predictions are silently worse.

## When it is right to ignore it

Where the mode is set in code that the file does not show, where dropout is wanted at prediction (Monte
Carlo dropout), and where training goes on from the checkpoint. A file that builds an optimizer is not
looked at, and neither are models without dropout, batch norm or the like.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import TRAIN, Graph, Module, Ref, Syntax
from gradlint.events import ModeChanged, ModuleCalled, ModuleFinished, OptimizerBuilt, StateLoaded
from gradlint.rule import Draft, Edit, Findings, Rule, believed, quoted

rule = Rule(
    "GRD414",
    "loaded-model-in-train-mode",
    "{name} was loaded and predicts in train mode, in which dropout and batch norm change what it gives; "
    "call `eval()` first",
    help="`load_state_dict()` leaves the mode as it is: call `model.eval()` before predicting",
    effect="silently wrong",
    default=False,
    tokens=("load_state_dict",),
)


def consequence(returned: Any) -> bool:
    """Two predictions for one input differ."""
    first, second = returned
    return bool((first != second).any())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    if any(isinstance(happened, OptimizerBuilt) for happened in event.story):
        return
    loaded: dict[Parts, StateLoaded] = {}
    switched: set[Parts] = set()
    calls: dict[Syntax, tuple[ModuleCalled, StateLoaded]] = {}
    for happened in event.story:
        if isinstance(happened, StateLoaded) and happened.matters:
            loaded[_parts(happened.module)] = happened
        elif isinstance(happened, ModeChanged):
            switched.add(_parts(happened.module))
        elif isinstance(happened, ModuleCalled) and not happened.nested and happened.module.mode <= TRAIN:
            load = loaded.get(_parts(happened.module))
            if load is not None and not any(one in event.used or one in event.escaped for one in happened.graph):
                calls.setdefault(happened.node, (happened, load))
    for call, load in calls.values():
        if _parts(call.module) not in switched:
            yield _draft(call, load)


Parts = tuple[Graph, ...]


def _parts(module: Module) -> Parts:
    """Where the parts of a module were made, which tells it from others."""
    return tuple(value.key for _, value in module.attributes if isinstance(value, Ref))


def _draft(call: ModuleCalled, load: StateLoaded) -> Draft:
    draft = rule.at(call.node, name=quoted(call.name, "this model")).note(load.node, "loaded here")
    if call.name:
        draft = draft.fix(Edit("insert before", call.node, f"{call.name}.eval()"), safety="unsafe")
    return draft.lowered(max(believed(call), believed(load)))


@rule.bad
def prediction_after_loading():
    import torch
    from torch import nn

    trained = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5))
    model = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5))
    model.load_state_dict(trained.state_dict())
    predictions = []
    with torch.no_grad():
        for _ in range(2):
            predictions.append(model(torch.ones(1, 4)))  # GRD414
    return predictions


@rule.good(cures=prediction_after_loading)
def prediction_in_eval_mode():
    import torch
    from torch import nn

    trained = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5))
    model = nn.Sequential(nn.Linear(4, 64), nn.Dropout(0.5))
    model.load_state_dict(trained.state_dict())
    model.eval()
    predictions = []
    with torch.no_grad():
        for _ in range(2):
            predictions.append(model(torch.ones(1, 4)))
    return predictions
