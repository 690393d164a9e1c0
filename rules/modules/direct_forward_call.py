"""Calling `forward` directly passes by all hooks of the module.

## Why it happens

`forward` is what a module computes. Calling the module itself runs that and, around it, every hook:
those registered on the module or on all modules, before and behind `forward` and on the gradients
that pass in backward. Weight and spectral normalisation of the older kind, pruning, quantization, feature
extractors, profilers and sharded training all work by hooks. `module.forward(x)` runs none of them.

## What it costs

Nothing as long as there is no hook; then features are not captured, gradients are not seen or
changed, a pruned weight is not computed anew, and nothing says so.

## When it is right to ignore it

Where no hook is ever put on the module: it is reported without being asked for only where the program is seen to put
one there, else as `possible`, for much code that nobody watches is written that way and works. And
where the hooks must not run: in a hook that calls its own module, in a wrapper that replaced
`forward` and hands on to what was there before. `super().forward(x)`, `self.forward(x)`, a `forward` held
under another name and classes with a `__call__` of their own are never reported.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import Belief
from gradlint.events import ModuleCalled
from gradlint.rule import POSSIBLE, Edit, Findings, Rule, quoted

rule = Rule(
    "GRD804",
    "direct-forward-call",
    "calling `forward` of {name} directly skips its hooks",
    help="call {name} itself",
    effect="wrong result",
    yields_to=("GRD913",),
    tokens=("forward",),
)


def consequence(returned: Any) -> bool:
    """The hooks have captured nothing."""
    return not returned


@rule.on(ModuleCalled)
def check(event: ModuleCalled) -> Findings:
    if event.how != "forward" or event.name in ITSELF or event.own_call:
        return
    name = quoted(event.name, "the module")
    draft = rule.at(event.node, name=name)
    if not event.module.hooks or event.module.belief > Belief.PROVEN:  # of what others made, not all hooks are known
        draft = draft.lowered(POSSIBLE, "no hook is seen that the call leaves out")
    if event.name:
        draft = draft.fix(Edit("replace", event.callee, event.name), safety="safe")
    yield draft


ITSELF = ("self", "super()")
"""The spellings of a module that applies itself: whoever called it has run the hooks."""


@rule.bad
def gradients_watched():
    import torch
    from torch import nn

    layer = nn.Linear(4, 2)
    seen = []
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append(grad_output[0]))
    loss = layer.forward(torch.ones(3, 4)).sum()  # GRD804
    loss.backward()
    return seen


@rule.good(cures=gradients_watched)
def gradients_watched_through_a_call():
    import torch
    from torch import nn

    layer = nn.Linear(4, 2)
    seen = []
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: seen.append(grad_output[0]))
    loss = layer(torch.ones(3, 4)).sum()
    loss.backward()
    return seen


@rule.bad
def features_captured():
    import torch
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
            self.head = nn.Linear(4, 2)

        def forward(self, x):
            features = self.encoder.forward(x)  # GRD804
            return self.head(features)

    model = Classifier()
    captured = []
    model.encoder.register_forward_hook(lambda module, args, output: captured.append(output))
    model(torch.ones(3, 8))
    return captured


@rule.good(cures=features_captured)
def features_captured_through_a_call():
    import torch
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Linear(8, 4), nn.ReLU())
            self.head = nn.Linear(4, 2)

        def forward(self, x):
            features = self.encoder(x)
            return self.head(features)

    model = Classifier()
    captured = []
    model.encoder.register_forward_hook(lambda module, args, output: captured.append(output))
    model(torch.ones(3, 8))
    return captured
