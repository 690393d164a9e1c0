"""An optimizer that is made anew in each iteration forgets its momentum.

## Why it happens

An optimizer remembers something of each parameter from one step to the next: momentum buffers, moment
estimates, how many steps there were. That is in its `state`, and begins empty. Building another one over
the same parameters in each epoch, in the loop or in a function that runs one epoch, throws it away. Often
that is done to lower the learning rate by hand; `param_groups` and schedulers do so without that.

## What it costs

Silently, each epoch begins without momentum, and the first steps of Adam are as large as those of a new
network: its estimates and their bias correction begin anew. A scheduler that is built with it never gets on.

## When it is right to ignore it

Where the state is to be forgotten, as at the start of a new task or after a warm restart. One that is built
under a condition, and none else in its place, for a stage of several epochs, over parameters that are new,
loaded or initialised again in each iteration, or that is given its old state is never reported. SGD has no
state without momentum; where nobody knows whether it is passed one, or whether that is zero as by default, it
is reported as possible, and so is one whose steps are counted (`for _ in range(steps)`): they may be the epochs
of a stage.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, NamedTuple

from gradlint.domain import YES, CauseKind, Optimizer, Ref, Syntax, Tensor, memories
from gradlint.domain.provenance import WriteKind
from gradlint.events import (
    AttributeAssigned,
    Called,
    Event,
    LoopFinished,
    ModuleFinished,
    OptimizerBuilt,
    OptimizerStepped,
    Run,
    WrittenInPlace,
)
from gradlint.rule import LIKELY, POSSIBLE, Draft, Findings, Rule, calls_between

rule = Rule(
    "GRD724",
    "rebuilt-optimizer",
    "`{kind}` is built again in each iteration, and forgets its {state} of the same parameters",
    help="build it once before the loop; set the rate in `param_groups` or by a scheduler",
    effect="wrong result",
    tokens=("optim",),
)

SOLVERS = frozenset({"LBFGS"})
"""Optimizers of which a single step may be all that is wanted."""
OLDEST = 2
"""The age from which one memory stands for several."""
LOADING = "torch.optim.Optimizer.load_state_dict"
RESETTING = frozenset({"copy_", "fill_", "zero_", "normal_", "uniform_", "setitem"})
"""Writes in place that leave nothing of what was there."""


def consequence(returned: Any) -> bool:
    """What it remembers at the end is of the steps of the last iteration alone."""
    optimizer, steps = returned
    return all(state["step"] < steps for state in optimizer.state.values())


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    runs = {run.index: run for run in end.runs}
    for event in end.story:
        if type(event) is LoopFinished:
            yield from _of_loop(event, runs)


def _of_loop(event: LoopFinished, runs: Mapping[int, Run]) -> Findings:
    found = {one.node: one for one in event.story if isinstance(one, OptimizerBuilt) and _goes_on(one)}
    if not found or event.listed or event.over_parts:
        return  # what is gone over one by one are stages, or parts with an optimizer each
    inner = {one.node: one.story for one in event.story if isinstance(one, LoopFinished) and one.node is not event.node}
    within = {one.node for story in inner.values() for one in story if isinstance(one, OptimizerBuilt)}
    deep = Counter(place for story in inner.values() for place in _steps(story))
    steps, renewals = _steps(event.story), _renewals(event.story)
    counted = {one.node for one in event.story if isinstance(one, LoopFinished) and one.counted}
    stages = {place for node in counted & inner.keys() for place in _steps(inner[node])}
    for built in found.values():
        (place, *_) = _built_at(built.optimizer)
        if built.node in within or place not in steps or deep[place] > 1:
            continue
        if not _is_in_each_iteration(built, found.values(), event):
            continue
        if not renewals.concern(built):
            draft = _draft(built, steps[place], event)
            for call in calls_between(built, event, runs):
                draft = draft.note(call, "called here to build it")
            yield draft.lowered(POSSIBLE, "what is counted may be the epochs of a stage") if place in stages else draft


def _is_in_each_iteration(built: OptimizerBuilt, found: Iterable[OptimizerBuilt], loop: LoopFinished) -> bool:
    """Return whether no condition decides whether this is built, or others of the parameters are where it is not."""
    if built.guards <= loop.guards:
        return True
    own = memories(built.parameters)
    return _leaves_none_out([one.guards - loop.guards for one in found if memories(one.parameters) == own])


def _leaves_none_out(guards: Sequence[Set[tuple[Syntax, bool]]]) -> bool:
    """Return whether on each path one of these sets of tests holds."""
    if not guards or not all(guards):
        return bool(guards)
    test, _ = next(iter(guards[0]))
    return all(
        _leaves_none_out([one - {(test, held)} for one in guards if (test, not held) not in one])
        for held in (True, False)
    )


def _draft(built: OptimizerBuilt, step: OptimizerStepped, loop: LoopFinished) -> Draft:
    kind, state = built.optimizer.kind, "momentum" if built.optimizer.kind == "SGD" else "state"
    draft = rule.at(built.node, kind=kind, state=state).note(loop.node, "this loop builds it again")
    draft = draft if step.guards <= built.guards else draft.lowered(LIKELY, "a condition decides whether it steps")
    if not built.remembers <= YES:  # who passes a momentum most likely wants some
        draft = draft.lowered(POSSIBLE if built.remembers.is_unsure else LIKELY, "its momentum is not known")
    return draft.resting_on(built, step)


def _goes_on(built: OptimizerBuilt) -> bool:
    """Return whether one that was built at this place before has stepped all that this one is given, and left state."""
    if not built.remembers.possibly(YES) or built.optimizer.kind in SOLVERS | {""} or not built.later.possibly(YES):
        return False
    return any(map(_is_one, built.parameters)) and all(_is_of_before(tensor, built) for tensor in built.parameters)


def _is_one(tensor: Tensor) -> bool:
    """Return whether its memory is that of one parameter: of many equal layers each iteration may take another."""
    return all(memory.recency < OLDEST for memory in tensor.storage)


def _is_of_before(tensor: Tensor, built: OptimizerBuilt) -> bool:
    return None not in tensor.trained_by and not tensor.trained_by.isdisjoint(_built_at(built.optimizer))


def _steps(story: Iterable[Event]) -> dict[Syntax, OptimizerStepped]:
    """The first steps, by the places at which their optimizers were built."""
    found: dict[Syntax, OptimizerStepped] = {}
    for one in story:
        if isinstance(one, OptimizerStepped):
            for place in _built_at(one.optimizer):
                found.setdefault(place, one)
    return found


class Renewals(NamedTuple):
    """The memories of which nothing is left, whether one of them may be that of any parameter that nobody was seen to
    make, and the places that built optimizers which are given the state of earlier ones."""

    memories: set[Ref]
    strange: bool
    loaded: set[Syntax]

    def concern(self, built: OptimizerBuilt) -> bool:
        """Return whether the parameters of an optimizer begin anew, or it goes on from a state that was kept."""
        if not self.loaded.isdisjoint(_built_at(built.optimizer)):
            return True
        return any(
            not self.memories.isdisjoint(one.storage) or (self.strange and not one.belief.seen_made)
            for one in built.parameters
        )


def _renewals(story: Iterable[Event]) -> Renewals:
    memories: set[Ref] = set()
    loaded: set[Syntax] = set()
    strange = False
    for one in story:
        if isinstance(one, WrittenInPlace) and _resets(one):
            memories |= {*one.target.storage}
            strange = strange or not (one.target.belief.seen_made or one.target.grad_of)
        elif isinstance(one, AttributeAssigned) and one.attr == "data" and isinstance(one.owner, Tensor):
            memories |= {*one.owner.storage}
        elif isinstance(one, Called) and one.path == LOADING and isinstance(one.args[0], Optimizer):
            loaded |= _built_at(one.args[0])
    return Renewals(memories, strange, loaded)


def _resets(event: WrittenInPlace) -> bool:
    return event.by is WriteKind.LOAD or event.op in RESETTING or event.op.startswith("init ")


def _built_at(optimizer: Optimizer) -> set[Syntax]:
    return {mark.node for mark in optimizer.causes if mark.kind == CauseKind.MADE}


@rule.bad
def rate_lowered_by_hand(epochs=3, batches=2):
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    for epoch in range(epochs):
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1 / (epoch + 1))  # GRD724
        for x in torch.ones(batches, 4, 2):
            optimizer.zero_grad()
            model(x).pow(2).mean().backward()
            optimizer.step()
    return optimizer, epochs * batches


@rule.good(cures=rate_lowered_by_hand)
def rate_lowered_in_the_groups(epochs=3, batches=2):
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for epoch in range(epochs):
        for group in optimizer.param_groups:
            group["lr"] = 0.1 / (epoch + 1)
        for x in torch.ones(batches, 4, 2):
            optimizer.zero_grad()
            model(x).pow(2).mean().backward()
            optimizer.step()
    return optimizer, epochs * batches


def without_momentum(returned: Any) -> bool:
    """The last step went where its own gradient says, and no further: nothing of the earlier ones was left."""
    before, after, grad = returned
    return bool((before - after).allclose(0.1 * grad))


@rule.bad(shows=without_momentum)
def built_by_what_runs_an_epoch(epochs=3):
    import torch
    from torch import nn

    def train_epoch(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)  # GRD724
        before = model.weight.detach().clone()
        optimizer.zero_grad()
        model(torch.ones(4, 2)).pow(2).mean().backward()
        optimizer.step()
        return before, model.weight.detach().clone(), model.weight.grad

    model = nn.Linear(2, 1)
    for _ in range(epochs):
        last = train_epoch(model)
    return last


@rule.good(cures=built_by_what_runs_an_epoch)
def handed_to_what_runs_an_epoch(epochs=3):
    import torch
    from torch import nn

    def train_epoch(model, optimizer):
        before = model.weight.detach().clone()
        optimizer.zero_grad()
        model(torch.ones(4, 2)).pow(2).mean().backward()
        optimizer.step()
        return before, model.weight.detach().clone(), model.weight.grad

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for _ in range(epochs):
        last = train_epoch(model, optimizer)
    return last
