"""`with` needs an instance of a grad mode, not the class.

## Why it happens

`torch.no_grad` is a class; `torch.no_grad()` is the context manager that `with` can enter. As a
decorator torch accepts both spellings, `@torch.no_grad` and `@torch.no_grad()`, which makes the
parentheses look optional. In a `with` statement they are not.

## What it costs

The line raises `TypeError` whenever it is reached, usually not before the first validation, after an
epoch of training.

## When it is right to ignore it

Never known to be.
"""

from __future__ import annotations

from gradlint.domain import ImportPath
from gradlint.events import ContextEntered
from gradlint.rule import Edit, Findings, Raises, Rule

MODES = ("no_grad", "enable_grad", "inference_mode", "set_grad_enabled")
CLASSES = frozenset(
    f"{home}.{mode}" for home in ("torch", "torch.autograd", "torch.autograd.grad_mode") for mode in MODES
)

rule = Rule(
    "GRD403",
    "uncalled-grad-mode",
    "`{path}` is a class, which `with` cannot enter",
    help="call it: `with {path}({argument}):`",
    tokens=MODES,
)
consequence = Raises(TypeError, "object does not support the context manager protocol")


@rule.on(ContextEntered)
def check(event: ContextEntered) -> Findings:
    if isinstance(event.manager, ImportPath) and event.manager.path in CLASSES:
        argument = "False" if event.manager.path.endswith("set_grad_enabled") else ""
        draft = rule.at(event.node, path=event.manager.path, argument=argument)
        yield draft.fix(Edit("wrap", event.node, after=f"({argument})"), safety="safe")


@rule.bad
def no_grad_without_parentheses():
    import torch

    weight = torch.ones(2, requires_grad=True)
    with torch.no_grad:  # GRD403
        total = weight.sum()
    return total


@rule.good(cures=no_grad_without_parentheses)
def no_grad_with_parentheses():
    import torch

    weight = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        total = weight.sum()
    return total


@rule.bad
def inference_mode_without_parentheses():
    import torch
    from torch import inference_mode, nn

    model = nn.Linear(4, 2)
    with inference_mode:  # GRD403
        logits = model(torch.ones(3, 4))
    return logits


@rule.good(cures=inference_mode_without_parentheses)
def inference_mode_with_parentheses():
    import torch
    from torch import inference_mode, nn

    model = nn.Linear(4, 2)
    with inference_mode():
        logits = model(torch.ones(3, 4))
    return logits
