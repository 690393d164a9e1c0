"""A graph that was recorded before `optimizer.step()` cannot be differentiated after it.

## Why it happens

A matrix product, a convolution or a linear layer saves its weights, because the gradient with respect to its input is
computed from them. `step()` writes the weights in place. A loss whose graph was recorded before holds weights that
are no longer what they were, and torch refuses to go on with the wrong ones. This is how alternating updates go wrong
(discriminator and generator, actor and critic): both losses come from one forward pass, the first is differentiated
with `retain_graph=True`, its optimizer steps, then the second is differentiated.

## What it costs

The second `backward()` raises `RuntimeError`.

## When it is right to ignore it

Never where it is reported: a saved weight was certainly stepped before this backward.
"""

from __future__ import annotations

from gradlint.domain import CauseKind
from gradlint.events import BackwardRun
from gradlint.rule import Findings, Raises, Rule

from ._spoiling import CALLS, explained, operation, written_marks

rule = Rule(
    "GRD305",
    "step-between-forward-and-backward",
    "{call} raises: `optimizer.step()` modified weights that {op} saved for backward",
    help="call every `backward()` of the graph before `step()`, or recompute the loss from the new weights",
    yields_to=("GRD505",),
    tokens=("step",),
)
consequence = Raises(RuntimeError, "has been modified by an inplace operation")


@rule.on(BackwardRun)
def check(event: BackwardRun) -> Findings:
    for node, mark in written_marks(event, CauseKind.STEPPED):
        draft = rule.at(event.node, call=CALLS[event.how], op=operation(node))
        yield explained(draft, node, mark, "the weights were stepped here")
        return


@rule.bad
def two_losses_of_one_forward_pass():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    out = model(torch.ones(3, 2))
    first, second = out[:, 0].mean(), out[:, 1].pow(2).mean()
    first.backward(retain_graph=True)
    optimizer.step()
    second.backward()  # GRD305
    optimizer.step()
    return model


@rule.good(cures=two_losses_of_one_forward_pass)
def both_losses_before_the_step():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    out = model(torch.ones(3, 2))
    first, second = out[:, 0].mean(), out[:, 1].pow(2).mean()
    first.backward(retain_graph=True)
    second.backward()
    optimizer.step()
    return model


@rule.bad
def generator_judged_by_the_old_discriminator():
    import torch
    from torch import nn

    generator = nn.Linear(2, 4)
    discriminator = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    of_generator = torch.optim.Adam(generator.parameters(), lr=1e-3)
    of_discriminator = torch.optim.Adam(discriminator.parameters(), lr=1e-3)

    judged = discriminator(generator(torch.ones(5, 2)))  # GRD617
    of_discriminator.zero_grad()
    judged.mean().backward(retain_graph=True)
    of_discriminator.step()
    of_generator.zero_grad()
    (-judged.mean()).backward()  # GRD305
    of_generator.step()
    return generator


@rule.good(cures=generator_judged_by_the_old_discriminator)
def generator_judged_anew():
    import torch
    from torch import nn

    generator = nn.Linear(2, 4)
    discriminator = nn.Sequential(nn.Linear(4, 8), nn.LeakyReLU(0.2), nn.Linear(8, 1))
    of_generator = torch.optim.Adam(generator.parameters(), lr=1e-3)
    of_discriminator = torch.optim.Adam(discriminator.parameters(), lr=1e-3)

    fake = generator(torch.ones(5, 2))
    of_discriminator.zero_grad()
    discriminator(fake.detach()).mean().backward()
    of_discriminator.step()
    of_generator.zero_grad()
    (-discriminator(fake).mean()).backward()
    of_generator.step()
    return generator
