"""A layer that is built in `forward` has new random weights in each call.

## Why it happens

Building a layer draws its weights. In `__init__` that happens once, and assigning the layer to
an attribute registers it. In `forward` it happens again for every batch: the layer is used once,
backward fills the gradients of its weights, and both are gone.

## What it costs

The module never learns this layer, and its output is noise: two calls on the same input differ, in eval mode too.
What is saved and loaded does not have it.

## When it is right to ignore it

Where fresh random weights are wanted. A layer under a condition (`if self.proj is None`), one whose weights
are set by hand to fixed values, and modules without parameters (`nn.ReLU()`, `nn.Dropout(0.1)`) are never
reported; one that is stored on `self` is another mistake, if it is one. What it is called and which sizes
`__init__` knows the author has to say, so no fix is offered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlint.domain import YES, Module, Ref, Syntax, Tensor, Unknown
from gradlint.events import (
    AttributeAssigned,
    Called,
    ClassFinished,
    Event,
    Method,
    ModuleBuilt,
    ModuleCalled,
    OptimizerBuilt,
    RequiresGradChanged,
    StateLoaded,
    Thing,
    WrittenInPlace,
)
from gradlint.rule import Findings, Rule, quoted

from ._registration import made_at

rule = Rule(
    "GRD807",
    "layer-built-in-forward",
    "{name} is created in every call of `forward`, with random weights that are never trained",
    help="create it in `__init__`, assign it to `self`, and call it in `forward`",
    effect="wrong result",
    tokens=("forward",),
)


def consequence(returned: Any) -> bool:
    """Two calls on the same input differ."""
    first, second = returned
    return not first.equal(second)


@rule.on(ClassFinished)
def check(event: ClassFinished) -> Findings:
    if not event.cls.module <= YES:
        return
    own = {run.index for method in event.methods if _is_plain(method) for run in method.runs}
    for run in (run for method in event.methods if method.name == "forward" for run in method.runs):
        story = [happened for happened in run.story if happened.run in own]
        if any(isinstance(happened, OptimizerBuilt) for happened in run.story):
            continue  # it trains by itself what it builds
        made_here = {ref.key for one in story if isinstance(one, ModuleBuilt) for ref in _trained(one.own)}
        built = {
            happened.node: happened
            for happened in story
            if isinstance(happened, ModuleBuilt)
            and any(ref.key in made_here for ref in _trained(happened.parameters))
            and len(happened.conditions) == len(run.conditions)
        }
        for call, parts in _called(story):
            for made in made_at(call.module):
                if made in built and not _is_kept(story, made) and not _set_by_hand(story, made, call.name):
                    draft = rule.at(made, name=quoted(call.name, "the layer")).note(call.node, "used here")
                    for part in parts:
                        draft = draft.note(part, "built with it")
                    yield draft.resting_on(built[made])


def _trained(parameters: tuple[Tensor, ...]) -> Iterator[Ref]:
    """The memories of those that are certainly to be trained."""
    return (ref for tensor in parameters if tensor.requires_grad <= YES for ref in tensor.storage)


def _is_kept(story: list[Event], made: Syntax) -> bool:
    """Return whether a layer is stored: then it is registered, if too late, and may be built once."""
    return any(isinstance(event, AttributeAssigned) and _is_from(event.value, made) for event in story)


def _is_plain(method: Method) -> bool:
    """Return whether a method runs as it is whenever it is called: a decorator may keep what it gave the first time."""
    return method.name != "__init__" and not method.function.decorators


def _called(story: list[Event]) -> Iterator[tuple[ModuleCalled, list[Syntax]]]:
    """The outermost module that is applied at each place, and where the parts were made that it applies there."""
    calls: dict[Syntax, list[ModuleCalled]] = {}
    for happened in story:
        if isinstance(happened, ModuleCalled):
            calls.setdefault(happened.node, []).append(happened)
    for *parts, whole in calls.values():
        yield whole, [made for part in parts for made in made_at(part.module) if made not in made_at(whole.module)]


def _set_by_hand(story: list[Event], made: Syntax, name: str) -> bool:
    """Return whether the weights of a layer get other values, or are frozen."""
    return any(
        _is_from(thing, made) or (bool(name) and written.startswith(f"{name}."))
        for happened in story
        for thing, written in _changed(happened)
    )


def _changed(event: Event) -> Iterator[tuple[Thing, str]]:
    """Yield the things that an event changes, and the spelling of each."""
    if isinstance(event, AttributeAssigned):
        yield event.owner, f"{event.name}.{event.attr}"
    elif isinstance(event, WrittenInPlace):
        yield event.target, event.name
    elif isinstance(event, RequiresGradChanged):
        yield event.tensor, event.name
    elif isinstance(event, StateLoaded):
        yield event.module, event.name
    elif isinstance(event, Called) and event.path.startswith("torch.nn.init."):
        yield from ((argument, "") for argument in event.args)


def _is_from(thing: Thing, made: Syntax) -> bool:
    """Return whether a thing was made there; of what is not known nobody can say that it was not."""
    return isinstance(thing, Unknown) or (isinstance(thing, (Module, Tensor)) and made in made_at(thing))


@rule.bad
def head_built_for_each_batch():
    import torch
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(8, 4)

        def forward(self, x):
            hidden = torch.relu(self.body(x))
            head = nn.Linear(4, 2)  # GRD807
            return head(hidden)

    model, x = Classifier(), torch.ones(1, 8)
    return model(x), model(x)


@rule.good(cures=head_built_for_each_batch)
def head_built_once():
    import torch
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(8, 4)
            self.head = nn.Linear(4, 2)

        def forward(self, x):
            hidden = torch.relu(self.body(x))
            return self.head(hidden)

    model, x = Classifier(), torch.ones(1, 8)
    return model(x), model(x)


@rule.bad
def projection_applied_at_once():
    import torch
    from torch import nn

    class Projected(nn.Module):
        def forward(self, x):
            x = nn.Sequential(nn.Linear(8, 8), nn.GELU())(x)  # GRD807
            return x.mean(-1)

    model, x = Projected(), torch.ones(1, 8)
    return model(x), model(x)


@rule.good(cures=projection_applied_at_once)
def projection_kept():
    import torch
    from torch import nn

    class Projected(nn.Module):
        def __init__(self):
            super().__init__()
            self.proj = nn.Sequential(nn.Linear(8, 8), nn.GELU())

        def forward(self, x):
            x = self.proj(x)
            return x.mean(-1)

    model, x = Projected(), torch.ones(1, 8)
    return model(x), model(x)
