"""Asking a loss to require grad silences the error and trains nothing.

## Why it happens

"element 0 of tensors does not require grad" says that the loss was computed without a graph: through `argmax`,
`.item()`, NumPy, `.detach()` or with gradients off. Asking such a loss to require grad makes it a leaf, a
starting point of its own. Backward then has somewhere to stop, and stops at once: it computes the derivative of
the loss by itself, which is one, and no parameter is reached. `Variable(loss, requires_grad=True)` and
`torch.tensor(loss, requires_grad=True)` do the same even to a loss that has a graph, because they cut it off.

## What it costs

Backward runs, every parameter's gradient stays None, the optimizer has nothing to do, and the loss goes up and
down with the batches. Nothing warns.

## When it is right to ignore it

Not where backward starts at that very tensor. A tensor that is asked and then used in further operations
(a fresh leaf for meta-learning, a placeholder of zeros to which losses are added) is not reported. One that is made
anew from a number is reported where that was taken off a graph, or where an optimizer of other tensors steps after its
backward.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradlint.domain import YES, CauseKind, Syntax, Tensor
from gradlint.events import BackwardRun, Event, ModuleFinished, OptimizerStepped, Recorded
from gradlint.rule import CERTAIN, LIKELY, Findings, Rule

rule = Rule(
    "GRD112",
    "requires-grad-on-loss",
    "the loss is made a leaf that requires grad, so `backward()` reaches no parameter",
    help="remove the line, and find where the graph is cut: the loss was computed without one",
    effect="wrong result",
    yields_to=("GRD123",),
    tokens=("requires_grad", "requires_grad_"),
)


def consequence(returned: Any) -> bool:
    """No parameter has a gradient."""
    return all(parameter.grad is None for parameter in returned.parameters())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """Report a computed tensor, which is no leaf to start from; what a factory made is none if its number was taken off
    a graph, or if somebody steps after it."""
    computed = {happened.node for happened in event.story if isinstance(happened, Recorded) and happened.operands}
    for index, happened in enumerate(event.story):
        if not (isinstance(happened, BackwardRun) and _is_a_leaf_by_hand(happened.root)):
            continue
        asked, made = (_place(happened.root, how) for how in (CauseKind.ASKED, CauseKind.MADE))
        step = None if made in computed else _step_after(event.story[index:], happened)
        cut = any(mark.kind == CauseKind.CUT for mark in happened.root.causes)
        if asked is None or (made not in computed and step is None and not cut):
            continue
        draft = rule.at(asked).marked(happened.root.causes, cut="the graph is cut here")
        draft = draft.note(happened.node, "`backward()` starts here")
        if step is not None:
            draft = draft.note(step.node, "stepped here without a gradient")
        yield draft.resting_on(happened).lowered(
            CERTAIN if made in computed else LIKELY, "what the loss was cut from is not seen to be trained"
        )


def _step_after(story: Sequence[Event], backward: BackwardRun) -> OptimizerStepped | None:
    """The step behind a backward, in the same run, of an optimizer that does not hold what that started from."""
    made = _place(backward.root, CauseKind.MADE)
    for event in story:
        if isinstance(event, OptimizerStepped) and event.run == backward.run:
            own = {_place(tensor, CauseKind.MADE) for tensor in event.parameters}
            return None if made in own else event
    return None


def _is_a_leaf_by_hand(root: Tensor) -> bool:
    return root.leaf <= YES and root.requires_grad <= YES and not root.parameter.may(YES)


def _place(tensor: Tensor, kind: CauseKind) -> Syntax | None:
    return next((mark.node for mark in tensor.causes if mark.kind is kind), None)


@rule.bad
def accuracy_made_differentiable_by_force():
    import torch
    from torch import nn

    model = nn.Linear(4, 3)
    predicted = model(torch.ones(8, 4)).argmax(dim=1).float()
    loss = (predicted - 1).pow(2).mean()
    loss.requires_grad_(True)  # GRD112
    loss.backward()
    return model


@rule.good(cures=accuracy_made_differentiable_by_force)
def cross_entropy_of_the_scores():
    import torch
    from torch import nn

    model = nn.Linear(4, 3)
    scores = model(torch.ones(8, 4))
    loss = nn.functional.cross_entropy(scores, torch.ones(8, dtype=torch.long))
    loss.backward()
    return model


@rule.bad
def loss_wrapped_in_a_variable():
    import torch
    from torch import nn
    from torch.autograd import Variable

    model = nn.Linear(4, 1)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = criterion(model(torch.ones(8, 4)), torch.ones(8, 1))
        loss = Variable(loss, requires_grad=True)  # GRD112
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


@rule.good(cures=loss_wrapped_in_a_variable)
def loss_as_it_is():
    import torch
    from torch import nn

    model = nn.Linear(4, 1)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = criterion(model(torch.ones(8, 4)), torch.ones(8, 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


@rule.bad
def loss_of_a_forward_pass_without_gradients():
    import torch
    from torch import nn

    class Trainer:
        def __init__(self):
            self.model = nn.Linear(4, 1)

        @torch.no_grad()
        def predict(self, x):
            return self.model(x)

        def step(self, x, y):
            loss = nn.functional.mse_loss(self.predict(x), y)
            loss.requires_grad = True  # GRD112
            loss.backward()

    trainer = Trainer()
    trainer.step(torch.ones(8, 4), torch.ones(8, 1))
    return trainer.model


@rule.good(cures=loss_of_a_forward_pass_without_gradients)
def loss_of_a_forward_pass_with_gradients():
    import torch
    from torch import nn

    class Trainer:
        def __init__(self):
            self.model = nn.Linear(4, 1)

        def predict(self, x):
            return self.model(x)

        def step(self, x, y):
            loss = nn.functional.mse_loss(self.predict(x), y)
            loss.backward()

    trainer = Trainer()
    trainer.step(torch.ones(8, 4), torch.ones(8, 1))
    return trainer.model


@rule.bad
def reward_made_differentiable_by_force():
    import torch
    from torch import nn

    def play(action):
        return action.item() - 1.0

    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        reward = play(model(torch.ones(4)))
        loss = torch.tensor(-reward, requires_grad=True)  # GRD112
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


@rule.good(cures=reward_made_differentiable_by_force)
def probability_weighted_by_the_reward():
    import torch
    from torch import nn

    def play(action):
        return action.item() - 1.0

    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        choice = torch.distributions.Normal(model(torch.ones(4)), 1.0)
        action = choice.sample()
        loss = -choice.log_prob(action) * play(action)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model
