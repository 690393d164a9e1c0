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
a function that evaluates by its name or by a flag it is called with, or of loaded weights that nothing shown trains:
what is frozen, and what is differentiated by its input alone (a judge, an attack, a saliency map), is not trained.
Where nobody sees what a network is made of, a trained one is reported if the file puts it in train mode alone, and a
loaded one if the file sets its mode nowhere: it most likely comes back as it was trained. That is likely where its
project makes dropout or batch norms, and possible otherwise, or where it is named as a part of a network: of ten that
were looked at the six in such projects had a part that minds but for an encoder, and the four in others had none.

## When it is right to ignore it

Where dropout is wanted at prediction (Monte Carlo dropout): a function that calls `train()` itself, or has it in its
name, is not reported. Neither are sampling from a generator in train mode, as many adversarial networks are used,
batch statistics that are estimated anew, a forward that sets the mode itself (`model(x, training=False)`), and the
methods of a module that nobody shown calls: whoever uses it sets its mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradlint.domain import EVAL, NO, TRAIN, YES, Memories, Memory, Syntax, Unknown, made_at, memories, places
from gradlint.events import (
    BackwardRun,
    GradientRead,
    ModeChanged,
    ModuleBuilt,
    ModuleCalled,
    ModuleFinished,
    OptimizerBuilt,
    OptimizerStepped,
    StateLoaded,
)
from gradlint.rule import LIKELY, POSSIBLE, Draft, Edit, Findings, Question, Rule, only_tested, quoted, words

from ._in_vain import Whole, ways

rule = Rule(
    "GRD414",
    "loaded-model-in-train-mode",
    "{name} {does}",
    help="call `eval()` first, and `train()` before training again",
    effect="wrong result",
)

IN_TRAIN_MODE = "{} in train mode, in which its `{}` changes the output"
NEVER_IN_EVAL = "{} without `eval()`: any dropout or batch norm in it still trains"
ACTING = frozenset("actor agent critic dqn policy q qnet target value".split())
"""Words of networks that choose actions, and seldom have a part that behaves differently in the two modes."""
PARTS = frozenset("decoder embedder embedding embeddings encoder head".split())
"""Words of parts of networks, some of which may have no layer that minds the mode where the others do."""
DRAWS = frozenset("demo draw generate generation plot preview sample show visualise visualization visualize".split())
"""Words of functions that show what a network makes: samples are often drawn in train mode."""
ON_PURPOSE = frozenset(
    "bayes bayesian bn calibrate carlo dropout epistemic mc mcdropout monte recalibrate reestimate stochastic "
    "uncertain uncertainty".split()
)
"""Words of functions that want dropout, or estimate batch statistics."""


def consequence(returned: Any) -> bool:
    """Two predictions for one input differ."""
    first, second = returned
    return bool((first != second).any())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    whole = Whole(event)
    steps, held = _held(event, OptimizerStepped), _held(event, OptimizerBuilt, OptimizerStepped)
    switches, told, vain = _Switches.of(event), set[Syntax](), _in_vain(whole)
    for call in (call for calls in whole.places.values() for call in calls if not call.nested):
        if call.node in told or not (call.in_training or _is_never_in_eval(call, steps, switches, whole)):
            continue
        if _may_be_trained_on(call, whole) or _is_on_purpose(call, whole):
            continue
        own = places(call.memories)
        load = _loaded(call, whole) if own.isdisjoint(held) else None
        if load is not None or (
            not own.isdisjoint(steps) and (_evaluates(call, whole) or _predicts(call, vain, whole))
        ):
            told.add(call.node)
            yield _draft(call, load, whole)


def _in_vain(whole: Whole) -> set[int]:
    """The calls whose graphs nothing differentiates, by identity; not looked up where no network drops."""
    if not any(_drops(call) for calls in whole.places.values() for call in calls):
        return set()
    return {id(call) for _, found, _ in ways(whole) for calls, _ in found for call in calls}


def _drops(call: ModuleCalled) -> bool:
    """Return whether a network certainly drops at random where it is called."""
    return bool(call.in_training) and "Norm" not in call.in_training


def _predicts(call: ModuleCalled, vain: set[int], whole: Whole) -> bool:
    """Return whether a network that drops is called for nothing but the result, and not to draw samples."""
    return _drops(call) and id(call) in vain and not any(words(name) & DRAWS for name in _names(call, whole))


@dataclass
class _Switches:
    """The names and parameters of the networks whose mode a file sets, and of those that it may put in eval mode;
    `plain` are the names of those that are shown and do the same in both modes."""

    switched: set[str | Memory] = field(default_factory=set)
    to_eval: set[str | Memory] = field(default_factory=set)
    plain: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, end: ModuleFinished) -> _Switches:
        """Return those of a file."""
        found = cls()
        for one in end.story:
            if isinstance(one, ModeChanged):
                found.switched |= {one.name, *places(one.memories)}
                found.to_eval |= {one.name, *places(one.memories)} if one.to.may(EVAL) else set()
            elif isinstance(one, ModuleCalled) and not (one.in_training or isinstance(one.module.cls, Unknown)):
                found.plain |= {one.name} if one.module.mode.possibly(TRAIN) else set()
        return found


def _is_never_in_eval(call: ModuleCalled, steps: Memories, switches: _Switches, whole: Whole) -> bool:
    """Return whether nobody sees what parts a network has, and nothing where it evaluates puts it in eval mode: where
    it is trained as well, that the file puts it in train mode shows that the modes matter."""
    module, own = call.module, places(call.memories)
    if not isinstance(module.cls, Unknown) or not module.open.may(YES) or words(call.name) & ACTING:
        return False
    if module.mode.possibly(EVAL) or call.name in switches.plain or not switches.to_eval.isdisjoint({call.name, *own}):
        return False
    is_set = not switches.switched.isdisjoint({call.name, *own})
    if not own.isdisjoint(steps):
        return is_set and _evaluates(call, whole)
    return not is_set and (_evaluates(call, whole) or not any(map(whole.trains_in, whole.around(call))))


def _held(end: ModuleFinished, *kinds: type[OptimizerBuilt | OptimizerStepped]) -> Memories:
    """Return the places that made the parameters of optimizers where this happens to them."""
    return places(memories(tensor for one in end.story if isinstance(one, kinds) for tensor in one.parameters))


def _may_be_trained_on(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether the call may be there to train the network: one of its parameters differentiates its graph."""
    end = whole.end
    if call.memories and call.trainable <= NO:
        return False
    if any(whole.is_met(call, graphs) for graphs in (end.differentiated, end.escaped)):
        return True
    return whole.is_met(call, end.used) and not _asks_for_others(call, whole)


def _asks_for_others(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether gradients are computed, but none for a parameter of the network: by given tensors that are no
    such, or where nobody steps and those of other tensors alone are read."""
    own = places(call.memories)
    backwards = [one for one in whole.end.story if isinstance(one, BackwardRun)]
    reaching = [one for one in backwards if not own.isdisjoint(places(memories(one.leaves)))]
    if any(one.create_graph.possibly(YES) for one in reaching):
        return False
    asking = [one for one in reaching if one.inputs is None]
    if not asking:
        return bool(backwards) and all(own.isdisjoint(places(memories(one.inputs or ()))) for one in reaching)
    around = {run.index for run in whole.around(call)}
    stepped = any(isinstance(one, OptimizerStepped) and one.run in around for one in whole.end.story)
    return not stepped and _reads_of_others(asking, own, whole.end)


def _reads_of_others(backwards: Sequence[BackwardRun], own: frozenset[Memory], end: ModuleFinished) -> bool:
    """Return whether after each of these a gradient is read in the same run, and none in the file is this module's."""
    reads = [one for one in end.story if isinstance(one, GradientRead) and not one.guard]
    of = [places(memories([one.tensor])) for one in reads]
    known = all(some and own.isdisjoint(some) for some in of)
    return known and {one.run for one in backwards} <= {one.run for one in reads}


def _names(call: ModuleCalled, whole: Whole) -> Iterator[str]:
    """Yield the names of the network and the functions around."""
    yield call.name
    yield from (run.function.name for run in whole.around(call) if run.function is not None)


def _is_on_purpose(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether a function around says that train mode is wanted, or sets it by itself, or only tests call it; or
    it is up to others, who use the module of which this is a part."""
    if call.node in whole.switching or whole.is_offered(call):
        return True  # its forward sets the mode itself, as an argument says, or whoever calls this sets it
    switches = [one for one in whole.end.story if isinstance(one, ModeChanged) and _is_of(call, one)]
    for_training = call.on_test_data and whole.trains(call)
    set_here = not for_training and any(not one.to <= EVAL for one in switches)
    return set_here or any(words(name) & ON_PURPOSE for name in _names(call, whole)) or only_tested(call, whole.end)


def _is_of(call: ModuleCalled, switch: ModeChanged) -> bool:
    """Return whether the run of a call sets the mode of what is called, or of a part of it; what has no parameters (a
    dropout) may be one."""
    apart = switch.memories and call.memories and places(switch.memories).isdisjoint(places(call.memories))
    return switch.run == call.run and not apart


def _evaluates(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether it happens in a function that evaluates, and does not draw samples."""
    return whole.evaluates(call) and not any(words(name) & DRAWS for name in _names(call, whole))


def _loaded(call: ModuleCalled, whole: Whole) -> StateLoaded | ModuleBuilt | None:
    """Return the event that loaded the weights, or built what came with trained ones and is frozen as a whole."""
    made = set(made_at(call.module))
    loads = [one for one in whole.end.story if isinstance(one, StateLoaded)]
    load = next((one for one in loads if made.intersection(made_at(one.module))), None)
    if load is not None or call.trainable.possibly(YES):
        return load
    inside = [one for calls in whole.places.values() for one in calls if call.node in whole.callers(one)]
    made |= {at for one in (call, *inside) for _, weight in one.frozen_norms for at in made_at(weight)}
    trained = [one for one in whole.end.story if isinstance(one, ModuleBuilt) and one.trained]
    return next((one for one in trained if made.intersection(made_at(one.module))), None)


def _draft(call: ModuleCalled, load: StateLoaded | ModuleBuilt | None, whole: Whole) -> Draft:
    does = "was loaded and predicts" if load is not None else "is evaluated"
    told = IN_TRAIN_MODE.format(does, call.in_training) if call.in_training else NEVER_IN_EVAL.format(does)
    draft = rule.at(call.node, name=quoted(call.name, "the model"), does=told)
    if load is not None:
        draft = draft.note(load.node, "loaded here")
    if call.name:
        draft = draft.fix(Edit("insert before", call.node, f"{call.name}.eval()"), safety="unsafe")
    draft = draft.resting_on(call).lowered(LIKELY, "what is done with the result says that it is evaluated")
    if load is None or call.in_training or (whole.end.with_modes and not words(call.name) & PARTS):
        return draft
    return draft.lowered(POSSIBLE, "it may have no part that does anything else in train mode", Question.THING)


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
