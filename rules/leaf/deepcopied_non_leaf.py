"""`copy.deepcopy` refuses tensors that are results in a graph, and the generators that modules give.

## Why it happens

A deep copy of a leaf is another leaf with memory of its own. A tensor that an operation recorded hangs on
the graph that made it, and torch does not copy graphs: `copy.deepcopy` raises, whether it is given the
tensor or meets it inside a list, a dict, an object or a module that keeps one as an attribute. What
`module.parameters()` gives is no list but a generator, and Python copies no code that waits.

## What it costs

The call raises `RuntimeError`, for a generator `TypeError`. In a module it is often an activation or a loss that
`forward` left on `self`, so that copying the model works until it has been called once.

## When it is right to ignore it

In a test that expects the error. What a class with a `__deepcopy__` of its own holds is not looked at. The weight that
`torch.nn.utils.weight_norm` computes makes a module fail as well; torch's message says so, and
`torch.nn.utils.parametrizations.weight_norm` does not.
"""

from __future__ import annotations

from gradlint.domain import NO, YES, Iterator, IteratorKind, Tensor
from gradlint.events import Copied
from gradlint.rule import Edit, Findings, Raises, Rule, quoted

rule = Rule(
    "GRD125",
    "deepcopied-non-leaf",
    "{what}, which `copy.deepcopy` cannot copy",
    help="copy the tensor with `.detach().clone()`",
    tokens=("deepcopy",),
)
consequence = Raises(RuntimeError, "Only Tensors created explicitly by the user")

GENERATORS = frozenset(
    {IteratorKind.PARAMETERS, IteratorKind.NAMED_PARAMETERS, IteratorKind.BUFFERS, IteratorKind.NAMED_BUFFERS}
)
"""The calls that make iterators which are generators of modules."""


@rule.on(Copied)
def check(event: Copied) -> Findings:
    if isinstance(event.value, Iterator) and event.value.by in GENERATORS:
        what = f"`{event.value.by}` gives a generator"
        yield rule.at(event.node, what=what).advising("copy the module, or `list(module.parameters())`")
    refused = next((t for t in event.tensors if t.leaf <= NO and t.requires_grad <= YES), None)
    if refused is None:
        return
    itself = isinstance(event.value, Tensor)
    name = quoted(event.name, "a tensor" if itself else "an object")
    if not itself:
        draft = rule.at(event.node, what=f"{name} holds a non-leaf").advising("detach the tensor that it holds")
    else:
        draft = rule.at(event.node, what=f"{name} is a non-leaf")
        if event.name:
            draft = draft.fix(Edit("wrap", event.of, after=".detach()"), safety="unsafe")
    yield draft.marked(refused.causes, made="recorded here", asked="asked to require grad here")


@rule.bad
def features_copied():
    import copy

    import torch
    from torch import nn

    encoder = nn.Linear(4, 2)
    features = encoder(torch.ones(1, 4))
    kept = copy.deepcopy(features)  # GRD125
    return kept


@rule.good(cures=features_copied)
def features_detached_and_copied():
    import torch
    from torch import nn

    encoder = nn.Linear(4, 2)
    features = encoder(torch.ones(1, 4))
    kept = features.detach().clone()
    return kept


@rule.bad
def model_copied_with_its_last_loss():
    from copy import deepcopy

    import torch
    from torch import nn

    class Regressor(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 1)
            self.loss = None

        def forward(self, inputs):
            out = self.layer(inputs)
            self.loss = out.pow(2).mean()  # GRD507
            return out

    model = Regressor()
    model(torch.ones(2, 4))
    best = deepcopy(model)  # GRD125
    return best


@rule.good(cures=model_copied_with_its_last_loss)
def model_copied_with_a_number():
    from copy import deepcopy

    import torch
    from torch import nn

    class Regressor(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 1)
            self.loss = None

        def forward(self, inputs):
            out = self.layer(inputs)
            self.loss = out.pow(2).mean().item()
            return out

    model = Regressor()
    model(torch.ones(2, 4))
    best = deepcopy(model)
    return best


@rule.bad(shows=Raises(TypeError, "cannot pickle 'generator' object"))
def parameters_copied():
    import copy

    from torch import nn

    model = nn.Linear(4, 2)
    return copy.deepcopy(model.parameters())  # GRD125


@rule.good(cures=parameters_copied)
def list_of_parameters_copied():
    import copy

    from torch import nn

    model = nn.Linear(4, 2)
    return copy.deepcopy(list(model.parameters()))
