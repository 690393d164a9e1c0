"""A model predicts in train mode.

## Why it happens

Every module is made in train mode, and `load_state_dict()` fills in weights and statistics without
touching the mode. A script that builds a model, loads a checkpoint and predicts needs an `eval()` in
between, and so does an evaluation between the epochs of a training.

## What it costs

Dropout drops at random, so that two predictions for one input differ; batch norm normalises each batch
by itself and overwrites the statistics that were loaded or learned. The predictions are silently worse.

## What is reported

A forward of a network that certainly is in train mode, with a part that certainly computes something else then, in
a function that evaluates by its name or by a flag it is called with, or of loaded weights that nothing shown trains.

## When it is right to ignore it

Where dropout is wanted at prediction (Monte Carlo dropout): a function that calls `train()` itself, or has it in its
name, is not reported. Neither are sampling from a generator in train mode, as many adversarial networks are used, and
batch statistics that are estimated anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlint.domain import EVAL, Syntax
from gradlint.events import ModeChanged, ModuleCalled, ModuleFinished, OptimizerBuilt, OptimizerStepped, StateLoaded
from gradlint.knowledge.signs import words
from gradlint.rule import LIKELY, Draft, Edit, Findings, Rule, believed, only_tested, quoted

from ._in_vain import Whole, is_tried

rule = Rule(
    "GRD414",
    "loaded-model-in-train-mode",
    "{name} {does} in train mode, in which its {part} changes what it gives; call `eval()` first",
    help="the mode stays until it is set: call `model.eval()` before predicting, and `model.train()` to train again",
    effect="silently wrong",
)

EVALUATIONS = frozenset(
    "eval evaluate evaluation evaluator infer inference predict prediction predictor test tester testing val valid "
    "validate validating validation validator".split()
)
"""Words of functions in which a network is to be used as it will be later; samples are often drawn in train mode."""
ON_PURPOSE = frozenset(
    "bayes bayesian bn calibrate carlo dropout epistemic mc mcdropout monte recalibrate restimate stochastic uncertain "
    "uncertainty".split()
)
"""Words of functions that want dropout, or estimate batch statistics."""


def consequence(returned: Any) -> bool:
    """Two predictions for one input differ."""
    first, second = returned
    return bool((first != second).any())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    whole = Whole(event)
    told = set[Syntax]()
    for call in (call for calls in whole.places.values() for call in calls if call.in_training and not call.nested):
        if call.node in told or _may_be_trained_on(call, whole) or _is_on_purpose(call, whole):
            continue
        load = _loaded(call, event)
        if load is None and not _evaluates(call, whole):
            continue
        told.add(call.node)
        yield _draft(call, load, whole)


def _may_be_trained_on(call: ModuleCalled, whole: Whole) -> bool:
    end = whole.end
    return any(whole.is_met(call, graphs) for graphs in (end.used, end.differentiated, end.escaped))


def _names(call: ModuleCalled, whole: Whole) -> Iterator[str]:
    """What the network and the functions around are called."""
    yield call.name
    yield from (run.function.name for run in whole.around(call) if run.function is not None)


def _is_on_purpose(call: ModuleCalled, whole: Whole) -> bool:
    """Whether a function around says that train mode is wanted, or sets it by itself, or it is only tried."""
    runs = {run.index for run in whole.around(call)}
    switches = [one for one in whole.end.story if isinstance(one, ModeChanged) and one.run in runs]
    set_here = any(not one.to <= EVAL and one.run == call.run for one in switches)
    named = any(words(name) & ON_PURPOSE for name in _names(call, whole))
    return named or set_here or only_tested(call, whole.end) or is_tried(call, whole)


def _evaluates(call: ModuleCalled, whole: Whole) -> bool:
    """Whether it happens in an evaluation of a network that is trained: one that is new is only tried."""
    trained = {memory for one in whole.end.story if isinstance(one, OptimizerBuilt | OptimizerStepped)
               for memory in (tensor.storage for tensor in one.parameters)}  # fmt: skip
    named = any(words(name) & EVALUATIONS for name in _names(call, whole))
    return whole.evaluates(call) and named and not call.memories.isdisjoint(trained)


def _loaded(call: ModuleCalled, end: ModuleFinished) -> StateLoaded | None:
    """Where the weights were loaded, if the program that is shown trains nothing."""
    if any(isinstance(one, OptimizerBuilt | OptimizerStepped) for one in end.story):
        return None
    made = {mark.node for mark in call.module.marks if mark.how == "made"}
    loads = [one for one in end.story if isinstance(one, StateLoaded)]
    return next((one for one in loads if made.intersection(mark.node for mark in one.module.marks)), None)


def _draft(call: ModuleCalled, load: StateLoaded | None, whole: Whole) -> Draft:
    does = "was loaded and predicts" if load is not None else "is evaluated"
    draft = rule.at(call.node, name=quoted(call.name, "this model"), does=does, part=f"`{call.in_training}`")
    if load is not None:
        draft = draft.note(load.node, "loaded here")
    if call.name:
        draft = draft.fix(Edit("insert before", call.node, f"{call.name}.eval()"), safety="unsafe")
    return draft.lowered(max(LIKELY, believed(call)))


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
