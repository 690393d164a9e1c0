"""The flag of a computed tensor cannot be set.

## Why it happens

Only leaves, the starting points of the graph, have a flag of their own. What was computed from a tensor that
requires grad requires grad because of it, and torch refuses to say otherwise: the graph behind it would
contradict the flag. `requires_grad_()`, which asks it *to* require grad, is a legal no-op; setting the flag to True
is refused all the same. The way out of the graph is another handle on the same numbers, `detach()`, which is a leaf
and may be asked. Freezing takes whole tensors: a row of a parameter is a result as well.

## What it costs

The line raises `RuntimeError` whenever it is reached with gradients on.

## When it is right to ignore it

In a test that expects the error. Results that may have been computed with gradients off, where they are
leaves, are not reported.
"""

from __future__ import annotations

from gradlint.domain import NO, YES, AskKind
from gradlint.events import RequiresGradChanged
from gradlint.rule import Draft, Edit, Findings, Raises, Rule, quoted

rule = Rule(
    "GRD113",
    "non-leaf-requires-grad-false",
    "{name} is a non-leaf, so its `requires_grad` cannot be changed",
    help="use `.detach()` for the same values without the graph",
    yields_to=("GRD122",),
    tokens=("requires_grad", "requires_grad_"),
)
consequence = Raises(RuntimeError, "you can only change requires_grad flags of leaf variables")


PART = "freeze the whole tensor it is a part of, or zero a part of the gradient in a hook"


@rule.on(RequiresGradChanged)
def check(event: RequiresGradChanged) -> Findings:
    tensor = event.tensor
    if not (tensor.leaf <= NO and tensor.requires_grad <= YES):
        return
    if event.to <= NO and event.by is AskKind.ASSIGNMENT and not event.held:
        yield _draft(event, PART)
    elif event.to <= NO:
        yield _detached(event, ".detach()")
    elif event.by is AskKind.ASSIGNMENT and event.to <= YES and tensor.grad_of:
        yield _detached(event, ".detach().requires_grad_()")
    elif event.by is AskKind.ASSIGNMENT and event.to <= YES:
        cure = "call `{0}.retain_grad()` to read its gradient, or `{0}.detach().requires_grad_()` for a new leaf"
        yield _draft(event, cure.format(event.name or "x"))


def _detached(event: RequiresGradChanged, handle: str) -> Draft:
    """The finding where another handle is the cure: under the same name, if nothing else holds the tensor."""
    if event.held == 1 and event.name:
        instead = f"{event.name} = {event.name}{handle}"
        edits = [Edit("replace", event.statement, instead)] if event.statement is not None else []
        return _draft(event, f"write `{instead}`").fix(*edits, safety="unsafe")
    return _draft(event, f"use `{handle}` {'where it is computed' if event.held else 'instead'}")


def _draft(event: RequiresGradChanged, cure: str) -> Draft:
    draft = rule.at(event.node, name=quoted(event.name, "the tensor")).advising(cure)
    return draft.marked(event.tensor.causes, made="computed here", asked="from a tensor that requires grad since here")


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


@rule.bad
def attack_that_asks_the_moved_input():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)).requires_grad_(False)
    image = torch.ones(1, 4, requires_grad=True)
    for _ in range(3):
        model(image).sum().backward()
        image = (image + 0.1 * image.grad.sign()).clamp(0, 1)  # GRD308
        image.requires_grad = True  # GRD113
    return image


@rule.good(cures=attack_that_asks_the_moved_input)
def attack_on_a_new_leaf():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)).requires_grad_(False)
    image = torch.ones(1, 4, requires_grad=True)
    for _ in range(3):
        model(image).sum().backward()
        image = (image + 0.1 * image.grad.sign()).clamp(0, 1)
        image = image.detach().requires_grad_()
    return image


@rule.bad
def states_frozen_in_a_loop():
    import torch
    from torch import nn

    cell = nn.Linear(2, 2)
    states = [cell(torch.ones(1, 2)), cell(torch.zeros(1, 2))]
    for state in states:
        state.requires_grad = False  # GRD113
    return torch.cat(states)


@rule.good(cures=states_frozen_in_a_loop)
def states_detached_where_they_are_computed():
    import torch
    from torch import nn

    cell = nn.Linear(2, 2)
    states = [cell(torch.ones(1, 2)).detach(), cell(torch.zeros(1, 2)).detach()]
    return torch.cat(states)


@rule.bad
def row_of_a_parameter_frozen():
    import torch
    from torch import nn

    table = nn.Embedding(3, 2)
    table.weight[0].requires_grad = False  # GRD113
    table(torch.tensor([0, 1])).sum().backward()
    return table


@rule.good(cures=row_of_a_parameter_frozen)
def row_of_a_gradient_zeroed():
    import torch
    from torch import nn

    table = nn.Embedding(3, 2)
    table.weight.register_hook(lambda grad: grad * torch.tensor([[0.0], [1.0], [1.0]]))
    table(torch.tensor([0, 1])).sum().backward()
    return table
