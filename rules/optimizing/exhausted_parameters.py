"""`parameters()` gives an iterator that can be gone through only once.

## Why it happens

`model.parameters()` and `model.named_parameters()` are generators, and so is what `filter()` or a
generator expression makes of them. Whoever goes through one first, an optimizer, a loop, a sum, uses it
up; for all others it is empty. Kept in a variable it looks like a list.

## What it costs

The second use does nothing: no gradient is clipped, nothing is frozen, nothing is regularised, without
any error. In torch 2.13 `clip_grad_norm_` at least warns that its generator is empty and
`clip_grad_value_` raises `RuntimeError`; an optimizer raises `ValueError` because it gets an empty list.

## When it is right to ignore it

Never known to be. A `list(...)` can be gone through as often as one likes.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import YES, CauseKind, Iterator, IteratorKind, Tensor
from gradlint.events import IteratorConsumed
from gradlint.rule import Draft, Edit, Findings, Raises, Rule, Warns

rule = Rule(
    "GRD712",
    "exhausted-parameters",
    "{what} is exhausted and yields no parameters here",
    help="keep a list: `params = list(model.parameters())`",
    effect="wrong result",
    tokens=("parameters",),
)

WHAT = {kind: f"the generator `{kind}`" for kind in (IteratorKind.PARAMETERS, IteratorKind.NAMED_PARAMETERS)}


def consequence(returned: Any) -> bool:
    """The second use found no parameter."""
    return len(returned) == 0


@rule.on(IteratorConsumed)
def check(event: IteratorConsumed) -> Findings:
    iterator = event.iterator
    if iterator.used <= YES and _gives_parameters(event):
        draft = rule.at(event.node, what=WHAT.get(iterator.by, f"the {iterator.by} of parameters"))
        draft = draft.doing("error") if event.by == "optimizer" else draft
        yield _cured(draft, iterator).marked(iterator.causes, made="made here", used="used up here")


def _gives_parameters(event: IteratorConsumed) -> bool:
    tensor = event.element
    return event.iterator.by in WHAT or (isinstance(tensor, Tensor) and tensor.parameter <= YES)


def _cured(draft: Draft, iterator: Iterator) -> Draft:
    made = [mark.node for mark in iterator.causes if mark.kind == CauseKind.MADE]
    return draft.fix(Edit("wrap", made[0], "list(", ")"), safety="safe") if len(made) == 1 else draft


def _weights_jump(returned: Any, cured: Any) -> bool:
    """The step was not clipped, and went further than it was to go."""
    return bool(returned.weight.abs().max() > 10 * cured.weight.abs().max())


@rule.bad(shows=_weights_jump)
def clipping_after_the_optimizer():
    import torch
    from torch import nn

    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    parameters = model.parameters()
    optimizer = torch.optim.SGD(parameters, lr=1.0)
    (100 * model(torch.ones(1, 1))).sum().backward()
    nn.utils.clip_grad_norm_(parameters, 1.0)  # GRD712
    optimizer.step()
    return model


@rule.good(cures=clipping_after_the_optimizer)
def clipping_a_list():
    import torch
    from torch import nn

    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    parameters = list(model.parameters())
    optimizer = torch.optim.SGD(parameters, lr=1.0)
    (100 * model(torch.ones(1, 1))).sum().backward()
    nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    return model


@rule.bad(shows=Warns("`parameters` is an empty generator"))
def clipping_that_warns():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    trained = (parameter for parameter in model.parameters() if parameter.requires_grad)
    optimizer = torch.optim.Adam(trained)
    model(torch.ones(1, 2)).sum().backward()
    nn.utils.clip_grad_norm_(trained, max_norm=0.5)  # GRD712
    optimizer.step()
    return model


@rule.good(cures=clipping_that_warns)
def clipping_a_list_of_trained_parameters():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(trained)
    model(torch.ones(1, 2)).sum().backward()
    nn.utils.clip_grad_norm_(trained, max_norm=0.5)
    optimizer.step()
    return model


@rule.bad(shows=Raises(ValueError, "optimizer got an empty parameter list"))
def counted_before_the_optimizer():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    parameters = model.parameters()
    print(sum(parameter.numel() for parameter in parameters))
    return torch.optim.SGD(parameters, lr=0.1)  # GRD712


@rule.good(cures=counted_before_the_optimizer)
def counted_in_a_list():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    parameters = list(model.parameters())
    print(sum(parameter.numel() for parameter in parameters))
    return torch.optim.SGD(parameters, lr=0.1)


@rule.bad
def norms_after_freezing():
    from torch import nn

    model = nn.Linear(2, 1)
    named = model.named_parameters()
    for name, parameter in named:
        parameter.requires_grad = name != "bias"
    norms = {name: parameter.norm() for name, parameter in named}  # GRD712
    return norms


@rule.good(cures=norms_after_freezing)
def norms_of_a_list():
    from torch import nn

    model = nn.Linear(2, 1)
    named = list(model.named_parameters())
    for name, parameter in named:
        parameter.requires_grad = name != "bias"
    norms = {name: parameter.norm() for name, parameter in named}
    return norms
