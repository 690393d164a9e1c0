"""A layer that is put into a model after its optimizer was built is not trained.

## Why it happens

An optimizer keeps the parameters it was given, not the model. Put a new layer in the place of an old
one afterwards, and the model computes with the new parameters while the optimizer goes on holding the
old ones, which nothing uses any more. Replacing the head for fine-tuning, growing a model or wrapping
a part belongs before the optimizer. (`model.to(...)` is no such case: in torch 2.13 the parameters stay
the same objects.)

## What it costs

Silently, the new layer keeps its random values; all other layers are trained around it.

## When it is right to ignore it

Where another optimizer, or `add_param_group()`, gets the new parameters in code that the file does not
show. A method that puts a new layer in, of a class whose `__init__` builds the optimizer and another method of
which steps it, is reported as likely: in which order they are called is not shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradlint.domain import NO, YES, CauseKind, Graph, Optimizer, Syntax, Tensor
from gradlint.events import (
    AttributeAssigned,
    Called,
    Event,
    ModuleBuilt,
    ModuleFinished,
    OptimizerBuilt,
    OptimizerStepped,
    Run,
    StateLoaded,
)
from gradlint.rule import LIKELY, Draft, Findings, Rule

rule = Rule(
    "GRD716",
    "layer-replaced-after-optimizer",
    "{name} is replaced after the optimizer was built, which keeps the old parameters",
    help="build the optimizer after the replacement, or call `add_param_group()` for the new parameters",
    effect="wrong result",
    tokens=("optim",),
)


def consequence(returned: Any) -> bool:
    """After the step the new layer is as it was made."""
    before, after = returned
    return bool((before == after).all())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """Go backwards: of a replacement it is then known what is stepped, and what optimizers were given, afterwards. What
    is run on its own, for callers that are not shown, comes after nothing."""
    given: set[Graph] = set()
    steps: dict[tuple[int, Syntax], OptimizerStepped] = {}
    runs = {run.index: run for run in event.runs}
    for happened in reversed(event.story):
        if isinstance(happened, OptimizerBuilt | OptimizerStepped):
            given |= _memories(happened.parameters)
        if isinstance(happened, OptimizerStepped):
            alone = _begun_by(happened, runs)
            steps |= {(alone, place): happened for place in _built_at(happened.optimizer)}
        elif isinstance(happened, AttributeAssigned) and _is_replaced(happened):
            places = [place for holder in happened.holders for place in _built_at(holder)]
            alone = _begun_by(happened, runs)
            step = next((steps[alone, place] for place in places if (alone, place) in steps), None)
            if step is not None and step.optimizer.open <= NO and given.isdisjoint(_memories(happened.parameters)):
                yield _draft(happened, places[0]).resting_on(happened, step)
    yield from _between_methods(event, given, runs)


def _between_methods(event: ModuleFinished, given: set[Graph], runs: Mapping[int, Run]) -> Findings:
    """Report a layer that one function puts in after the file or an `__init__` built the optimizer, which another
    steps: who calls them is not shown. A layer from elsewhere may be one that was trained, and is put in to be used."""
    first = {built.node for built in event.story if isinstance(built, OptimizerBuilt) and _is_first(built, runs)}
    given_more = {place for one in event.story for place in _given_more(one)}
    steps = {
        place: one
        for one in event.story
        if isinstance(one, OptimizerStepped) and one.optimizer.open <= NO
        for place in _built_at(one.optimizer)
        if place in first - given_more
    }
    loaded = {one.run for one in event.story if isinstance(one, StateLoaded)}
    new: set[tuple[int, Graph]] = set()
    for happened in event.story:
        if isinstance(happened, ModuleBuilt):
            new |= {(happened.run, memory) for memory in _memories(happened.own)}
        elif isinstance(happened, AttributeAssigned) and _is_replaced(happened) and happened.run not in loaded:
            memories, alone = _memories(happened.parameters), _begun_by(happened, runs)
            places = [place for holder in happened.holders for place in _built_at(holder)]
            step = next((steps[place] for place in places if place in steps), None)
            if step is None or runs[alone].function is None or alone == _begun_by(step, runs):
                continue
            if given.isdisjoint(memories) and new.issuperset((happened.run, memory) for memory in memories):
                draft = _draft(happened, places[0]).note(step.node, "it is stepped here")
                yield draft.resting_on(happened, step).lowered(LIKELY, "another function steps it")


def _given_more(event: Event) -> list[Syntax]:
    """Return the places that built an optimizer that is given more parameters here."""
    if not isinstance(event, Called) or event.path != "torch.optim.Optimizer.add_param_group":
        return []
    return _built_at(event.args[0]) if isinstance(event.args[0], Optimizer) else []


def _is_first(built: OptimizerBuilt, runs: Mapping[int, Run]) -> bool:
    """Return whether an optimizer is built before any other function of its class, or of the file, can run."""
    function = runs[built.run].function if built.run in runs else None
    return function is None or function.name == "__init__"


def _draft(event: AttributeAssigned, built: Syntax) -> Draft:
    return rule.at(event.node, name=_named(event)).note(built, "the optimizer was built here")


def _begun_by(event: Event, runs: Mapping[int, Run]) -> int:
    """The run of a function that nobody is seen to call, or of the file, in which something happened."""
    run = runs.get(event.run)
    while run is not None and run.caller is not None and run.parent in runs:
        run = runs[run.parent]
    return event.run if run is None else run.index


def _built_at(optimizer: Optimizer) -> list[Syntax]:
    return [mark.node for mark in optimizer.causes if mark.kind == CauseKind.MADE]


def _is_replaced(event: AttributeAssigned) -> bool:
    """Return whether parameters that are to be trained take the place of some that an optimizer holds."""
    return bool(event.holders) and any(tensor.requires_grad.possibly(YES) for tensor in event.parameters)


def _memories(tensors: tuple[Tensor, ...]) -> set[Graph]:
    """Return the origins of the memory of these tensors, whatever its age."""
    return {ref.key for tensor in tensors for ref in tensor.storage}


def _named(event: AttributeAssigned) -> str:
    if event.attr.isdecimal():
        return f"`{event.name}[{event.attr}]`" if event.name else "the part"
    return f"`{event.name}.{event.attr}`" if event.name else f"`{event.attr}`"


@rule.bad
def head_replaced_for_other_classes():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model[1] = nn.Linear(2, 3)  # GRD716
    before = model[1].weight.detach().clone()
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return before, model[1].weight


@rule.good(cures=head_replaced_for_other_classes)
def head_replaced_before_the_optimizer():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model[1] = nn.Linear(2, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model[1].weight.detach().clone()
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return before, model[1].weight


@rule.bad
def new_parameter_under_the_old_name():
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.gain = nn.Parameter(torch.ones(1))

        def forward(self, x):
            return self.gain * x

    model = Scale()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model.gain = nn.Parameter(torch.full((1,), 2.0))  # GRD716
    before = model.gain.detach().clone()
    model(torch.ones(3)).sum().backward()
    optimizer.step()
    return before, model.gain


@rule.good(cures=new_parameter_under_the_old_name)
def new_parameter_given_to_the_optimizer():
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.gain = nn.Parameter(torch.ones(1))

        def forward(self, x):
            return self.gain * x

    model = Scale()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    model.gain = nn.Parameter(torch.full((1,), 2.0))
    optimizer.add_param_group({"params": [model.gain]})
    before = model.gain.detach().clone()
    model(torch.ones(3)).sum().backward()
    optimizer.step()
    return before, model.gain
