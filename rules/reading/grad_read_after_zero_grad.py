"""After `zero_grad()` there is no gradient to read.

## Why it happens

`optimizer.zero_grad()` and `module.zero_grad()` do not write zeros: since torch 2.0 they set every `.grad` to
None unless told `set_to_none=False`, and so does `param.grad = None`. The gradients of a step have to be
read, logged or clipped between `backward()` and the line that clears them.

## What it costs

Whatever is done with the gradient raises `AttributeError` or `TypeError`, because it is done with None.
With `set_to_none=False`, and in torch before 2.0, it runs and sees zeros only: a logged norm of 0.0.

## When it is right to ignore it

Where None is what you want to see. A read that is compared with None or tested for truth is not reported;
one that is only printed, kept or returned is shown at the lowest confidence.
"""

from __future__ import annotations

from gradlint.domain import YES, CauseKind
from gradlint.events import GradientRead
from gradlint.rule import LIKELY, POSSIBLE, Findings, Raises, Rule, quoted

rule = Rule(
    "GRD203",
    "grad-read-after-zero-grad",
    "{gradient} is `None` here: gradients were cleared after the last `backward()`",
    help="move the line between `backward()` and the line that clears the gradients",
    yields_to=("GRD204",),
    tokens=("grad",),
)
consequence = Raises(AttributeError, "'NoneType' object has no attribute")

BELIEVED = {"handed": LIKELY, "": POSSIBLE}


@rule.on(GradientRead)
def check(event: GradientRead) -> Findings:
    tensor = event.tensor
    if event.guard or not (event.none <= YES and tensor.leaf <= YES and tensor.requires_grad <= YES):
        return
    if not any(mark.kind is CauseKind.CLEARED for mark in tensor.causes):
        return
    draft = rule.at(event.node, gradient=quoted(event.name and f"{event.name}.grad", "the `.grad`"))
    draft = draft.marked(tensor.causes, cleared="cleared here", backward="filled by `backward()` here")
    yield (
        draft.lowered(BELIEVED[event.use], "what is read may be looked at for being cleared")
        if event.use in BELIEVED
        else draft
    )


@rule.bad
def norm_logged_after_clearing():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
    return model.weight.grad.norm()  # GRD203


@rule.good(cures=norm_logged_after_clearing)
def norm_logged_before_clearing():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    model(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    norm = model.weight.grad.norm()
    optimizer.zero_grad()
    return norm


@rule.bad
def gradients_collected_after_each_step():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    norms = []
    for _ in range(2):
        model(torch.ones(1, 2)).sum().backward()
        model.zero_grad()
        for param in model.parameters():
            norms.append(param.grad.norm())  # GRD203
    return norms


@rule.good(cures=gradients_collected_after_each_step)
def gradients_collected_before_clearing():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    norms = []
    for _ in range(2):
        model(torch.ones(1, 2)).sum().backward()
        for param in model.parameters():
            norms.append(param.grad.norm())
        model.zero_grad()
    return norms
