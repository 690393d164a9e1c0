"""A flag set on `x.data` or `x.detach()` goes with the handle that nobody keeps.

## Why it happens

`.data` and `detach()` give a new tensor each time. It shares the numbers of the one it comes from, but not the flag: it
starts without `requires_grad`, and what is asked of it is asked of it alone. Where the line that asks is all that ever
sees it (`layer.weight.data.requires_grad = False`), the flag is gone with it. The same holds of rows and other views of
such a handle.

## What it costs

Nothing is frozen, or nothing learns: the parameter goes on as before, and nothing warns. An input that was to
get a gradient has none.

## When it is right to ignore it

Where the flag of the tensor itself is set as well, the line is harmless and can be taken away; where it stood so
before, it is reported on request.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, AskKind, Belief, Syntax
from gradlint.events import ModuleFinished, RequiresGradChanged, ResultDiscarded
from gradlint.rule import POSSIBLE, Draft, Findings, Rule, quoted

rule = Rule(
    "GRD117",
    "flag-on-passing-view",
    "{name} is a new tensor that nothing keeps, so its flag has no effect",
    help="set the flag of the tensor itself, not of its `.data` or of a view",
    effect="no effect",
    tokens=("requires_grad", "requires_grad_"),
)

PASSING = frozenset({"data", "detach"})
VIEWS = frozenset({"getitem", "select", "narrow", "view", "reshape", "flatten", "squeeze", "unsqueeze", "t"})
"""The operations that take a view of those: it is a new tensor as well."""


def consequence(returned: Any, cured: Any) -> bool:
    """The tensor that was meant has another flag than where it was asked itself."""
    return bool(returned.requires_grad != cured.requires_grad)


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """A flag that is assigned is all that the line does; a method gives the tensor back, which may be kept then."""
    asked: dict[Syntax, RequiresGradChanged] = {}
    for happened in event.story:
        if isinstance(happened, RequiresGradChanged) and _is_passing(happened):
            if happened.by is AskKind.ASSIGNMENT:
                yield _draft(happened)
            elif happened.by is AskKind.METHOD:
                asked[happened.node] = happened
        elif isinstance(happened, ResultDiscarded) and happened.node in asked:
            yield _draft(asked.pop(happened.node))


def _is_passing(event: RequiresGradChanged) -> bool:
    tensor = event.tensor
    if event.repeats is None or not (tensor.leaf <= YES and tensor.requires_grad <= NO):
        return False
    return tensor.made in PASSING | VIEWS and (event.to <= NO or event.to <= YES)


def _draft(event: RequiresGradChanged) -> Draft:
    draft = rule.at(event.node, name=quoted(event.name, "the handle")).resting_on(event)
    if event.repeats:
        return draft.lowered(POSSIBLE, "the tensor itself has this flag")
    if event.tensor.belief >= Belief.FROM_USAGE and event.to <= YES and event.tensor.made != "detach":
        return draft.lowered(POSSIBLE, "objects of other libraries keep a tensor under this name")
    return draft


@rule.bad
def embedding_frozen_by_its_data():
    from torch import nn

    embedding = nn.Embedding(5, 3)
    embedding.weight.data.requires_grad = False  # GRD117
    return embedding.weight


@rule.good(cures=embedding_frozen_by_its_data)
def embedding_frozen():
    from torch import nn

    embedding = nn.Embedding(5, 3)
    embedding.weight.requires_grad = False
    return embedding.weight


@rule.bad
def image_asked_through_a_detached_handle():
    import torch

    image = torch.rand(1, 3, 4, 4)
    image.detach().requires_grad_()  # GRD117
    return image


@rule.good(cures=image_asked_through_a_detached_handle)
def image_asked_itself():
    import torch

    image = torch.rand(1, 3, 4, 4)
    image.requires_grad_()
    return image
