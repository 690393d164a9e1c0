"""A grad mode that stands alone as a statement changes nothing.

## Why it happens

`torch.no_grad()`, `torch.enable_grad()` and `torch.inference_mode()` only make a context manager. The
mode changes when the manager is entered, by `with` or as a decorator; made and dropped, it was never
entered. The likeness to `torch.set_grad_enabled(False)`, which does change the mode at once, makes the
mistake.

## What it costs

Everything after the line is recorded as before. Inference holds its graphs and uses several times the
memory that it needs; what was meant to stay out of the graph is in it.

## When it is right to ignore it

Never known to be. A manager that is kept, entered later or given to an `ExitStack` is not reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import Context, OneOf
from gradlint.events import ResultDiscarded, Thing
from gradlint.rule import Edit, Findings, Rule

rule = Rule(
    "GRD402",
    "discarded-grad-mode",
    "`{path}()` as a statement does not change the grad mode",
    help="write `with {path}():` around the code, or use `@{path}()` as a decorator",
    effect="no effect",
    tokens=("no_grad", "enable_grad", "inference_mode"),
)

AT_ONCE = "set_grad_enabled"
"""The one that changes the mode when it is called."""


def consequence(returned: Any) -> bool:
    """The result was recorded."""
    return bool(returned.requires_grad)


@rule.on(ResultDiscarded)
def check(event: ResultDiscarded) -> Findings:
    dropped = [value for value in shown(event.value) if isinstance(value, Context)]
    if len(dropped) == len(shown(event.value)) and not any(mode.path.endswith(AT_ONCE) for mode in dropped):
        path = dropped[0].path
        draft = rule.at(event.node, path=path)
        yield draft.fix(Edit("put rest under", event.node, f"with {path}():"), safety="unsafe", imports=("torch",))


def shown(value: Thing) -> tuple[Thing, ...]:
    """Return the values that a statement may have, one by one."""
    return value.values if isinstance(value, OneOf) else (value,)


@rule.bad
def no_grad_as_a_statement():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    torch.no_grad()  # GRD402
    prediction = model(torch.ones(1, 2))
    return prediction


@rule.good(cures=no_grad_as_a_statement)
def no_grad_as_a_context():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    with torch.no_grad():
        prediction = model(torch.ones(1, 2))
    return prediction


@rule.bad
def inference_mode_at_the_head_of_a_function():
    import torch
    from torch import nn

    layer = nn.Linear(4, 2)

    def embed(batch):
        torch.inference_mode()  # GRD402
        return layer(batch)

    return embed(torch.ones(3, 4))


@rule.good(cures=inference_mode_at_the_head_of_a_function)
def inference_mode_as_a_decorator():
    import torch
    from torch import nn

    layer = nn.Linear(4, 2)

    @torch.inference_mode()
    def embed(batch):
        return layer(batch)

    return embed(torch.ones(3, 4))


@rule.bad
def no_grad_before_a_weight_is_used():
    import torch

    weight = torch.ones(3, requires_grad=True)
    torch.autograd.no_grad()  # GRD402
    snapshot = weight * 1.0
    return snapshot


@rule.good(cures=no_grad_before_a_weight_is_used)
def grad_switched_off_at_once():
    import torch

    weight = torch.ones(3, requires_grad=True)
    torch.set_grad_enabled(False)
    snapshot = weight * 1.0
    torch.set_grad_enabled(True)
    return snapshot
