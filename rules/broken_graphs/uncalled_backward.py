"""A method that is named but not called does nothing.

## Why it happens

`loss.backward` without parentheses looks the method up and drops it. Python allows any expression as
a statement, so nothing is raised: no gradient is computed, no weight moves, no gradient is cleared.

## What it costs

Without `backward()` gradients stay None and optimizers skip their parameters, without `step()` the
weights never change, without `zero_grad()` every step uses the sum of all gradients so far. The loss is
printed all the same and merely fails to go down.

## When it is right to ignore it

Never known to be. A method that is stored, handed on or compared is used, and so is one that is
looked up where the program waits for an error.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import Bound, Module, Optimizer, Scaler, Scheduler, Tensor
from gradlint.events import ResultDiscarded
from gradlint.rule import Edit, Findings, Rule, quoted

rule = Rule(
    "GRD606",
    "uncalled-backward",
    "{name} is not called, so it has no effect",
    help="add the parentheses: `{method}()`",
    effect="no effect",
    tokens=("backward", "step", "zero_grad", "update", "unscale_", "train", "eval"),
)

METHODS: dict[type, frozenset[str]] = {
    Tensor: frozenset({"backward"}),
    Optimizer: frozenset({"step", "zero_grad"}),
    Scheduler: frozenset({"step"}),
    Scaler: frozenset({"step", "unscale_", "update"}),
    Module: frozenset({"zero_grad", "train", "eval"}),
}
"""The methods whose whole point is what they do, by what has them."""
NEED_ARGUMENTS = frozenset({(Scaler, "step"), (Scaler, "unscale_")})


def consequence(returned: Any, cured: Any) -> bool:
    """Not what it is where the method is called: a parameter after training, or a module in its mode."""
    if hasattr(returned, "training"):
        return bool(returned.training != cured.training)
    return not returned.equal(cured)


@rule.on(ResultDiscarded)
def check(event: ResultDiscarded) -> Findings:
    if not isinstance(event.value, Bound) or event.expected:
        return
    kind, method = type(event.of), event.value.name
    if method not in METHODS.get(kind, ()):
        return
    draft = rule.at(event.node, name=quoted(event.name and f"{event.name}.{method}", f"`{method}`"), method=method)
    takes_nothing = (kind, method) not in NEED_ARGUMENTS and getattr(event.of, "kind", "") != "LBFGS"
    yield draft.fix(Edit("wrap", event.node, "", "()"), safety="safe") if takes_nothing else draft


@rule.bad
def backward_without_parentheses():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(1, 2)).sum()
    optimizer.zero_grad()
    loss.backward  # GRD606
    optimizer.step()
    return model.weight


@rule.good(cures=backward_without_parentheses)
def backward_with_parentheses():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss = model(torch.ones(1, 2)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return model.weight


@rule.bad
def zero_grad_without_parentheses():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad  # GRD606
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    return model.weight


@rule.good(cures=zero_grad_without_parentheses)
def zero_grad_with_parentheses():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    return model.weight


@rule.bad
def eval_without_parentheses():
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
    model.eval  # GRD606
    return model


@rule.good(cures=eval_without_parentheses)
def eval_with_parentheses():
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
    model.eval()
    return model
