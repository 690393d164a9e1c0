"""`Variable(x)` is a detached second handle on `x`, and that is all it has been since torch 0.4.

## Why it happens

Before 0.4 a tensor had no history and had to be wrapped in a `Variable` to get one. Since then every tensor
carries its own flag and graph, and the wrapper is kept for old programs: it gives a plain tensor that shares the
memory of its argument, does not require grad unless asked to, and is a leaf. That is what `x.detach()` gives. So
what is wrapped loses its graph, a parameter is no longer one, and a gradient that arrives at one handle is not
found on the other.

## What it costs

Around fresh data nothing. Around anything computed from parameters (features, a loss, the output of another
network) it cuts the graph without a word, and what lies behind gets no gradient.

## When it is right to ignore it

In code that still has to run on torch 0.3. `isinstance(x, Variable)` is true of every tensor and is not reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, Constant, Tensor
from gradlint.events import Called
from gradlint.rule import Draft, Edit, Findings, Rule

rule = Rule(
    "GRD116",
    "legacy-variable",
    "`Variable(...)` {what} since torch 0.4",
    help="use the tensor itself, or `.detach()` where the graph is to be cut",
    effect="no effect",
    default=False,
    yields_to=("GRD112", "GRD115"),
    tokens=("Variable",),
)


def consequence(returned: Any) -> bool:
    """What was wrapped and what came out are two handles on one memory, and the second has no graph."""
    wrapped, given = returned
    return given is not wrapped and given.data_ptr() == wrapped.data_ptr() and given.grad_fn is None


@rule.on(Called)
def check(event: Called) -> Findings:
    """Report a wrapping: to ask whether something is a `Variable`, or what other libraries call so, is none."""
    if event.path != "torch.autograd.Variable":
        return
    data = event.args[0] if event.args else None
    cuts = isinstance(data, Tensor) and data.requires_grad <= YES
    draft = rule.at(
        event.node,
        what="detaches a tensor from its graph" if cuts else "only returns a detached handle on the tensor",
    )
    draft = draft if cuts else draft.of_text()
    if isinstance(data, Tensor):
        draft = draft.marked(data.causes, asked="its argument requires grad since here") if cuts else draft
        draft = _fixed(draft, event, data)
    yield draft


def _fixed(draft: Draft, event: Called, data: Tensor) -> Draft:
    """The argument alone, in brackets; one that is asked to require grad must stay another handle."""
    asked = dict(event.keywords)
    if len(event.args) > 1 or "." in event.name or not event.name or not asked.keys() <= {"requires_grad"}:
        return draft
    if asked and asked["requires_grad"] not in (Constant(True), Constant(False)):
        return draft
    dropped = [Edit("drop keyword", event.node, name) for name in asked]
    wanted = asked.get("requires_grad") == Constant(True)
    behind = [Edit("wrap", event.node, "", ".detach().requires_grad_()")] if wanted else []
    same = data.requires_grad <= NO
    return draft.fix(Edit("rename", event.node), *dropped, *behind, safety="safe" if same else "unsafe")


@rule.bad
def features_wrapped_between_two_networks():
    import torch
    from torch import nn
    from torch.autograd import Variable

    encoder, head = nn.Linear(4, 4), nn.Linear(4, 2)
    features = encoder(torch.ones(8, 4))
    inputs = Variable(features)  # GRD116
    head(inputs).sum().backward()
    return features, inputs


@rule.good(cures=features_wrapped_between_two_networks)
def features_handed_on():
    import torch
    from torch import nn

    encoder, head = nn.Linear(4, 4), nn.Linear(4, 2)
    features = encoder(torch.ones(8, 4))
    inputs = features
    head(inputs).sum().backward()
    return features, inputs


@rule.bad
def batch_wrapped_before_the_model():
    import torch
    from torch import nn
    from torch.autograd import Variable

    model = nn.Linear(4, 2)
    images = torch.ones(8, 4)
    batch = Variable(images)  # GRD116
    model(batch).sum().backward()
    return images, batch


@rule.good(cures=batch_wrapped_before_the_model)
def batch_as_it_is():
    import torch
    from torch import nn

    model = nn.Linear(4, 2)
    images = torch.ones(8, 4)
    batch = images
    model(batch).sum().backward()
    return images, batch
