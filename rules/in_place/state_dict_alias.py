"""A model, or its `state_dict()`, kept without a copy changes with the training.

## Why it happens

`state_dict()` gives detached handles on the model's own memory, not copies. Optimizers and
`load_state_dict()` write that memory in place, so a dict kept as "the best weights so far" holds the
weights of now. `.copy()`, `dict(...)`, `.detach()` and `.cpu()` on a model that is on the CPU copy the
dict or the handles but not the memory. `copy.deepcopy` and `.clone()` do copy it. `best = model` copies nothing at
all: it is one more name for the model that goes on training. So is `self.target = self.model`, after which the
target moves with every step. A list of the states of one model, as those of the clients that it stands for in turn,
holds the last one over and over.

## What it costs

Early stopping restores nothing, and the checkpoint or the returned weights are those of the last step
instead of the best one. Nothing warns, and the numbers look almost right.

## When it is right to ignore it

Where the live view is wanted, for example one dict saved again after every epoch. A state dict that
is used before the weights change is never reported, nor is a model that was made for the iteration that keeps it.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Any

from gradlint.domain import YES, Cause, CauseKind, Container, Module, Syntax, made_at, memories
from gradlint.events import (
    AttributeAssigned,
    Called,
    LoopFinished,
    ModuleCalled,
    ModuleFinished,
    ModuleKept,
    OptimizerStepped,
    Returned,
    StateLoaded,
    Stored,
)
from gradlint.rule import CERTAIN, LIKELY, Edit, Findings, Question, Rule, quoted, words

rule = Rule(
    "GRD310",
    "state-dict-alias",
    "{name} shares the memory of the model and changes with it",
    help="copy it: `copy.deepcopy(model.state_dict())`",
    effect="wrong result",
    tokens=("state_dict", "step"),
)


def consequence(returned: Any, cured: Any) -> bool:
    """What is kept or restored has other values than a copy would have."""
    kept, meant = (getattr(thing, "state_dict", lambda thing=thing: thing)() for thing in (returned, cured))
    return any(not kept[key].equal(meant[key]) for key in meant)


@rule.on(StateLoaded)
def check_loaded(event: StateLoaded) -> Findings:
    if event.shares <= YES and event.written.possibly(YES):
        for draft in _at_each(event.taken, event.node, event.name, "loaded here, where it already equals the model"):
            certain = LIKELY if event.written.is_unsure else CERTAIN
            yield draft.lowered(certain, "code that is not shown may have cleared what is stepped by", Question.TORCH)


@rule.on(Returned)
def check_returned(event: Returned) -> Findings:
    if event.written.possibly(YES):
        yield from _at_each(event.taken, event.node, event.name, "returned here, with the weights of now")


@rule.on(Called, "torch.save")
def check_saved(event: Called) -> Findings:
    if event.written.possibly(YES):
        for draft in _at_each(event.taken, event.node, "", "saved here, with the weights of now"):
            yield draft.lowered(LIKELY, "the state is seen to change in between on some way", Question.TORCH)


@rule.on(LoopFinished)
def check_kept(event: LoopFinished) -> Findings:
    """Judge the modules that the loop keeps as the best so far, if it trains them."""
    steps = [one for one in event.story if type(one) is OptimizerStepped]
    for kept in event.story:
        if type(kept) is not ModuleKept or kept.loop is not event.node:
            continue
        trained = [one for one in steps if not memories(one.parameters).isdisjoint(memories(kept.parameters))]
        if trained:
            draft = rule.at(kept.node, name=quoted(kept.name, "what is kept")).advising(MODULE)
            draft = draft.note(trained[0].node, "the model goes on training here")
            copied = [Edit("wrap", kept.given, "copy.deepcopy(", ")")] if kept.given is not None else []
            yield (
                draft.fix(*copied, safety="unsafe", imports=("copy",))
                .resting_on(kept)
                .lowered(LIKELY, "the module that is kept may be meant to be the one that is trained")
            )


@rule.on(LoopFinished)
def check_collected(event: LoopFinished) -> Findings:
    """Report a list of what is one state or model, over and over, if the loop trains it."""
    steps = [one for one in event.story if type(one) is OptimizerStepped]
    told = set[Syntax]()
    for one in event.story if steps else ():
        if type(one) is not Stored or not one.again or one.node in told:
            continue
        trained = [step for step in steps if not memories(step.parameters).isdisjoint(memories(one.again))]
        if not trained:
            continue
        told.add(one.node)
        if isinstance(one.value, Container) and one.value.origin:
            taken = tuple(mark for mark in one.value.causes if mark.kind is CauseKind.MADE)
            found = [*_at_each(taken, one.node, one.name, "added here to others, which are the same")]
        else:
            found = [rule.at(one.node, name=quoted(one.name, "the list")).advising(COLLECTED)]
        for draft in found:
            draft = draft.note(trained[0].node, "trained here, which changes all that the list holds").resting_on(one)
            yield draft.lowered(LIKELY, "the list may be meant to hold the same over and over")


@rule.on(ModuleFinished)
def check_target(end: ModuleFinished) -> Findings:
    """Report a target network that becomes the one that is trained, where it was one of its own."""
    steps = [one for one in end.story if type(one) is OptimizerStepped]
    calls = [one for one in end.story if type(one) is ModuleCalled] if steps else []
    sets = [one for one in end.story if type(one) is AttributeAssigned and isinstance(one.old, Module)] if calls else []
    told = set[Syntax]()
    for event in sets:
        if event.node in told or not (words(event.attr) & STANDING_STILL and _made(event.value)):
            continue
        mine = set(_made(event.value))
        own = frozenset(one for call in calls if mine & set(made_at(call.module)) for one in call.memories)
        trained = [one for one in steps if not own.isdisjoint(memories(one.parameters))]
        if trained and not mine.issuperset(_made(event.old)) and not _is_followed(event, sets, mine):
            told.add(event.node)
            draft = rule.at(event.node, name=quoted(event.attr, "the target")).advising(TARGET)
            draft = draft.note(trained[0].node, "the model goes on training here").resting_on(event)
            yield draft.lowered(LIKELY, "a network by such a name is to stay as it is for a while")


def _is_followed(event: AttributeAssigned, sets: Sequence[AttributeAssigned], mine: Set[Syntax]) -> bool:
    """Return whether the same run sets another attribute that held the network: a new one takes its place."""
    others = (one for one in sets if one.run == event.run and one.attr != event.attr)
    return any(not mine.isdisjoint(_made(one.old)) for one in others)


def _made(thing: object) -> list[Syntax]:
    return made_at(thing) if isinstance(thing, Module) else []


STANDING_STILL = frozenset("ema fixed frozen lagged old previous prev ref reference target targ teacher tgt".split())
"""Words of networks that stay as they are while another is trained."""
TARGET = "copy the weights: `target.load_state_dict(model.state_dict())`"
COLLECTED = "copy each: `copy.deepcopy(...)`, or what is added is one and the same"
MODULE = "copy it: `copy.deepcopy(model)`"


def _at_each(taken: tuple[Cause, ...], used: Syntax, name: str, how: str) -> Findings:
    """A finding wherever the dict was taken, pointing at its use; at the use if that is all we know."""
    subject = quoted(name, "the `state_dict()`")
    if not taken:
        yield rule.at(used, name=subject)
    for mark in taken:
        copied = Edit("wrap", mark.node, "copy.deepcopy(", ")")
        yield rule.at(mark.node, name=subject).note(used, how).fix(copied, safety="safe", imports=("copy",))


@rule.bad
def best_weights_restored():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    best = None
    for epoch in range(3):
        loss = model(torch.ones(1, 2)).sum()
        if epoch == 0:
            best = model.state_dict()  # GRD310
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.load_state_dict(best)
    return model


@rule.good(cures=best_weights_restored)
def best_weights_copied_deeply():
    import copy

    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    best = None
    for epoch in range(3):
        loss = model(torch.ones(1, 2)).sum()
        if epoch == 0:
            best = copy.deepcopy(model.state_dict())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.load_state_dict(best)
    return model


@rule.bad
def initial_weights_returned():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    initial = model.state_dict().copy()  # GRD310
    for _ in range(5):
        optimizer.zero_grad()
        model(torch.randn(8, 4)).pow(2).mean().backward()
        optimizer.step()
    return initial


@rule.good(cures=initial_weights_returned)
def initial_weights_cloned():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    initial = {name: value.clone() for name, value in model.state_dict().items()}
    for _ in range(5):
        optimizer.zero_grad()
        model(torch.randn(8, 4)).pow(2).mean().backward()
        optimizer.step()
    return initial


@rule.bad
def best_model_is_the_model():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    best, most = None, float("-inf")
    for _ in range(3):
        loss = model(torch.ones(1, 2)).sum()
        if loss.item() > most:
            most = loss.item()
            best = model  # GRD310
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return best


@rule.good(cures=best_model_is_the_model)
def best_model_copied_deeply():
    import copy

    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    best, most = None, float("-inf")
    for _ in range(3):
        loss = model(torch.ones(1, 2)).sum()
        if loss.item() > most:
            most = loss.item()
            best = copy.deepcopy(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return best


@rule.bad
def target_is_the_model():
    import torch
    from torch import nn

    class Agent:
        def __init__(self):
            self.model, self.target = nn.Linear(2, 1), nn.Linear(2, 1)
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

        def follow(self):
            self.target = self.model  # GRD310

        def learn(self, x):
            with torch.no_grad():
                goal = self.target(x)
            loss = (self.model(x) - 0.9 * goal).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    torch.manual_seed(0)
    agent = Agent()
    agent.follow()
    agent.learn(torch.ones(4, 2))
    return agent.target


@rule.good(cures=target_is_the_model)
def target_has_the_weights_of_the_model():
    import torch
    from torch import nn

    class Agent:
        def __init__(self):
            self.model, self.target = nn.Linear(2, 1), nn.Linear(2, 1)
            self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

        def follow(self):
            self.target.load_state_dict(self.model.state_dict())

        def learn(self, x):
            with torch.no_grad():
                goal = self.target(x)
            loss = (self.model(x) - 0.9 * goal).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    torch.manual_seed(0)
    agent = Agent()
    agent.follow()
    agent.learn(torch.ones(4, 2))
    return agent.target


@rule.bad
def mean_of_what_one_model_was():
    import torch
    from torch import nn

    model, states = nn.Linear(2, 1), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for part in torch.eye(2):
        optimizer.zero_grad()
        model(part).sum().backward()
        optimizer.step()
        states.append(model.state_dict())  # GRD310
    return {key: (states[0][key] + states[1][key]) / 2 for key in states[0]}


@rule.good(cures=mean_of_what_one_model_was)
def mean_of_copies():
    import copy

    import torch
    from torch import nn

    model, states = nn.Linear(2, 1), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for part in torch.eye(2):
        optimizer.zero_grad()
        model(part).sum().backward()
        optimizer.step()
        states.append(copy.deepcopy(model.state_dict()))
    return {key: (states[0][key] + states[1][key]) / 2 for key in states[0]}
