"""The flag of a computed tensor cannot be set.

## Why it happens

Only leaves, the starting points of the graph, have a flag of their own. What was computed from a tensor that
requires grad requires grad because of it, and torch refuses to say otherwise: the graph behind it would
contradict the flag. `requires_grad_()`, which asks it *to* require grad, is a legal no-op; setting the flag to True
is refused all the same. The way out of the graph is another handle on the same numbers, `detach()`.

## What it costs

The line raises `RuntimeError` whenever it is reached with gradients on.

## When it is right to ignore it

In a test that expects the error. Results that may have been computed with gradients off, where they are
leaves, are not reported.
"""

from __future__ import annotations

from gradlint.domain import NO, YES, Tensor
from gradlint.events import RequiresGradChanged
from gradlint.rule import Draft, Edit, Findings, Raises, Rule, quoted

rule = Rule(
    "GRD113",
    "non-leaf-requires-grad-false",
    "{name} was computed from what requires grad, so torch refuses to change its flag; use `{cure}`",
    help="only leaves have a flag of their own; `detach()` gives the same numbers without the graph",
    yields_to=("GRD122",),
    tokens=("requires_grad", "requires_grad_"),
)
consequence = Raises(RuntimeError, "you can only change requires_grad flags of leaf variables")


@rule.on(RequiresGradChanged)
def check(event: RequiresGradChanged) -> Findings:
    tensor = event.tensor
    if not (tensor.leaf <= NO and tensor.requires_grad <= YES):
        return
    if event.by == "assign" and event.to <= YES:
        draft = rule.at(event.node, name=quoted(event.name, "this tensor"), cure=f"{event.name or 'x'}.retain_grad()")
        yield draft.marked(tensor.marks, made="computed here", asked="from what is asked to require grad here")
    elif event.to <= NO:
        yield _frozen(event, tensor)


def _frozen(event: RequiresGradChanged, tensor: Tensor) -> Draft:
    cure = f"{event.name} = {event.name}.detach()" if event.name else "detach()"
    draft = rule.at(event.node, name=quoted(event.name, "this tensor"), cure=cure)
    draft = draft.marked(tensor.marks, made="computed here", asked="from what is asked to require grad here")
    if event.name and event.statement is not None:
        draft = draft.fix(Edit("replace", event.statement, cure), safety="unsafe")
    return draft


@rule.bad
def features_frozen_by_the_flag():
    import torch
    from torch import nn

    backbone, head = nn.Linear(4, 4), nn.Linear(4, 2)
    features = backbone(torch.ones(1, 4))
    features.requires_grad = False  # GRD113
    return head(features)


@rule.good(cures=features_frozen_by_the_flag)
def features_detached():
    import torch
    from torch import nn

    backbone, head = nn.Linear(4, 4), nn.Linear(4, 2)
    features = backbone(torch.ones(1, 4))
    features = features.detach()
    return head(features)


@rule.bad
def target_of_a_value_function():
    import torch
    from torch import nn

    class Critic(nn.Module):
        def __init__(self):
            super().__init__()
            self.value = nn.Linear(3, 1)

        def loss(self, state, reward, following):
            target = (reward + 0.9 * self.value(following)).requires_grad_(False)  # GRD113
            return (self.value(state) - target).pow(2).mean()

    critic = Critic()
    return critic.loss(torch.ones(2, 3), torch.ones(2, 1), torch.zeros(2, 3))


@rule.good(cures=target_of_a_value_function)
def target_cut_off_the_graph():
    import torch
    from torch import nn

    class Critic(nn.Module):
        def __init__(self):
            super().__init__()
            self.value = nn.Linear(3, 1)

        def loss(self, state, reward, following):
            target = (reward + 0.9 * self.value(following)).detach()
            return (self.value(state) - target).pow(2).mean()

    critic = Critic()
    return critic.loss(torch.ones(2, 3), torch.ones(2, 1), torch.zeros(2, 3))


@rule.bad
def asked_for_the_gradient_of_a_result():
    import torch
    from torch import nn

    embedding, head = nn.Embedding(3, 4), nn.Linear(4, 1)
    features = embedding(torch.tensor([1]))
    features.requires_grad = True  # GRD113
    head(features).sum().backward()
    return features


@rule.good(cures=asked_for_the_gradient_of_a_result)
def gradient_of_a_result_retained():
    import torch
    from torch import nn

    embedding, head = nn.Embedding(3, 4), nn.Linear(4, 1)
    features = embedding(torch.tensor([1]))
    features.retain_grad()
    head(features).sum().backward()
    return features
