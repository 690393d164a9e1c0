"""`detach()`, `.data` and `state_dict()` share the parameter's memory, so they are no snapshot of it.

## Why it happens

`param.detach()`, `param.data` and what `state_dict()` holds are new handles on the memory of the parameter. They leave
the graph, not the memory: an optimizer step, or any other in-place update of the parameter, shows in them at once.
What was kept as the old weights always equals the new ones.

## What it costs

Nothing raises. Differences are zero, "did the weights change?" is always answered no, and a penalty on the distance
from the old weights vanishes.

## When it is right to ignore it

Where the two are compared to see that they share memory. A copy that was not written since, and one whose
parameter was given other memory (`param.data = new`), is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlint.domain import YES, CauseKind, Tensor
from gradlint.events import Called, Event, Recorded
from gradlint.rule import LIKELY, Edit, Findings, Question, Rule

rule = Rule(
    "GRD210",
    "aliased-parameter-snapshot",
    "the snapshot aliases the parameter and changes with it: comparing them shows no change",
    help="keep a copy: `param.detach().clone()`",
    effect="wrong result",
    tokens=("detach", "data", "state_dict"),
)


WHOLE = "keep a copy: `copy.deepcopy(model.state_dict())`"


def consequence(returned: Any) -> bool:
    """No difference is seen although the parameter has changed."""
    return bool((returned == 0).all())


@rule.on(Recorded, "sub", "eq", "ne", "isclose", "dist", "mse_loss", "l1_loss", "cosine_similarity")
def computed(event: Recorded) -> Findings:
    yield from _compared(event, event.operands)


@rule.on(
    Called,
    "torch.equal",
    "torch.allclose",
    "torch.Tensor.equal",
    "torch.Tensor.allclose",
    "torch.testing.assert_close",
)
def called(event: Called) -> Findings:
    yield from _compared(event, [thing for thing in event.args if isinstance(thing, Tensor)])


def _compared(event: Event, operands: Any) -> Iterator[Any]:
    pairs = [(kept, now) for kept in operands for now in operands if kept is not now]
    for kept, now in pairs:
        if _is_alias(kept) and not _is_alias(now) and set(kept.storage) == set(now.storage):
            made = next((mark.node for mark in kept.causes if mark.kind is CauseKind.MADE), event.node)
            whole = kept.made == "state_dict"
            draft = rule.at(made)
            draft = draft.advising(WHOLE) if whole else draft
            if made is not event.node:
                draft = draft if whole else draft.fix(Edit("wrap", made, after=".clone()"), safety="unsafe")
                draft = draft.note(event.node, "compared with the parameter here, after it has changed")
            yield (
                draft
                if kept.overwritten <= YES
                else draft.lowered(LIKELY, "not every parameter is seen to change in between", Question.TORCH)
            )


def _is_alias(tensor: Tensor) -> bool:
    """Return whether this is a second handle on memory that was written since it was made."""
    return tensor.made in ("detach", "data", "state_dict") and bool(tensor.storage) and tensor.overwritten.possibly(YES)


@rule.bad
def change_of_a_layer():
    import torch
    from torch import nn

    layer = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    before = layer.weight.detach()  # GRD210
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return layer.weight - before


@rule.good(cures=change_of_a_layer)
def change_of_a_layer_against_a_copy():
    import torch
    from torch import nn

    layer = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    before = layer.weight.detach().clone()
    layer(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return layer.weight - before


@rule.bad
def distance_from_the_old_weights():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    old = {name: param.data for name, param in model.named_parameters()}  # GRD210
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return sum((param - old[name]).abs().sum() for name, param in model.named_parameters())


@rule.good(cures=distance_from_the_old_weights)
def distance_from_a_copy_of_the_old_weights():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    old = {name: param.data.clone() for name, param in model.named_parameters()}
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return sum((param - old[name]).abs().sum() for name, param in model.named_parameters())


@rule.bad
def test_that_a_step_changes_the_model():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = model.state_dict()  # GRD210
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return model.state_dict()["1.weight"] - before["1.weight"]


@rule.good(cures=test_that_a_step_changes_the_model)
def test_against_a_copy_of_the_state():
    import copy

    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    before = copy.deepcopy(model.state_dict())
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    return model.state_dict()["1.weight"] - before["1.weight"]
