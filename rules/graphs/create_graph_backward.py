"""`backward(create_graph=True)` ties each parameter and its gradient into a circle that nothing frees.

## Why it happens

With `create_graph=True` the gradient is itself computed under autograd, from the parameters. `backward()` puts it into
`parameter.grad`, so the parameter refers to its gradient and the gradient's graph to the parameter. Python's reference
counting cannot free a circle, and its collector does not see those that run through torch's C++ objects.
`torch.autograd.grad()` gives the gradients back instead of storing them, and no circle arises.

## What it costs

torch warns, and the whole graph with its activations stays alive until `.grad` is set to None.

## When it is right to ignore it

With optimizers that need it (AdaHessian, Sophia) and a `zero_grad()` after each step or before the next: code that is
seen to take the gradients off their graphs afterwards is not reported (`zero_grad()`, to None or to zeros, or
`detach_()`); `grad.zero_()` alone keeps the circle. Which gradients `torch.autograd.grad()` is to give is
the author's to say; where an optimizer of torch is all that uses them, the fix leaves `create_graph` out.
"""

from __future__ import annotations

from gradlint.domain import NO, NONE_VALUE, YES, ClearKind, Ref, Syntax, Tensor
from gradlint.events import (
    BackwardRun,
    Called,
    Event,
    GradientRead,
    GradientsCleared,
    ModuleFinished,
    OptimizerStepped,
)
from gradlint.rule import CERTAIN, POSSIBLE, Edit, Findings, Rule, Warns, only_tested

rule = Rule(
    "GRD506",
    "create-graph-backward",
    "`backward(create_graph=True)` creates reference cycles between parameters and gradients",
    help="use `torch.autograd.grad(..., create_graph=True)`, or set `.grad` to `None` after use",
    effect="memory",
    tokens=("create_graph",),
)
consequence = Warns("will create a reference cycle between the parameter and its gradient")


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    let_go, kept, freed = list[tuple[Tensor, ...]](), dict[Syntax, BackwardRun](), set[Syntax]()
    for happened in reversed(event.story):
        if isinstance(happened, BackwardRun) and _makes_a_circle(happened):
            # In a loop, the next pass clears before its own backward what the one before has left.
            kept.setdefault(happened.node, happened)
            if any(_may_share(happened.leaves, tensors) for tensors in let_go):
                freed.add(happened.node)
        elif (tensors := _taken_off_graphs(happened)) is not None:
            let_go.append(tensors)
    for node, run in kept.items():
        if node not in freed:
            draft = (
                rule.at(node)
                .resting_on(run)
                .lowered(POSSIBLE if only_tested(run, event) else CERTAIN, "only a test does it")
            )
            needless = _is_needless(run, event)
            yield draft.fix(Edit("drop keyword", node, "create_graph"), safety="unsafe") if needless else draft


def _is_needless(run: BackwardRun, end: ModuleFinished) -> bool:
    """Return whether an optimizer of torch is all that uses the gradients, and nothing else goes through the graph."""
    steps = [one for one in end.story if isinstance(one, OptimizerStepped)]
    held = {memory for step in steps for one in step.parameters for memory in one.storage}
    read = any(isinstance(one, GradientRead) for one in end.story)
    again = any(run.node in one.earlier_backwards for one in end.story if isinstance(one, BackwardRun))
    shown = (end.escaped | end.returned).isdisjoint(run.graph)
    used = all(held.issuperset(leaf.storage) for leaf in run.leaves) and all(_is_of_torch(step) for step in steps)
    return used and not read and not again and shown


def _is_of_torch(step: OptimizerStepped) -> bool:
    """Return whether a step updates by the gradients' values and does nothing else."""
    optimizer = step.optimizer
    own = not optimizer.kind or isinstance(optimizer.cls, Ref) or optimizer.differentiable is not NO
    return not own and step.closure == NONE_VALUE


def _taken_off_graphs(event: Event) -> tuple[Tensor, ...] | None:
    """The tensors whose gradients let go of their graphs, none of them where they are not known; None: no event of
    this kind. A gradient that is only filled with zeros in place keeps its graph."""
    if isinstance(event, GradientsCleared) and event.by is not ClearKind.METHOD:
        return event.parameters
    if isinstance(event, Called) and event.path == "torch.Tensor.detach_":
        return () if any(isinstance(one, Tensor) and one.grad_of for one in event.args[:1]) else None
    return None


def _may_share(leaves: tuple[Tensor, ...], tensors: tuple[Tensor, ...]) -> bool:
    """Return whether a tensor may be among these leaves; it may where nothing is known of either."""
    known = {memory for leaf in leaves for memory in leaf.storage}
    return not known or not tensors or any(not known.isdisjoint(tensor.storage) for tensor in tensors)


def _makes_a_circle(run: BackwardRun) -> bool:
    return run.create_graph <= YES and run.how == "backward"


@rule.bad
def gradient_penalty_through_grad():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.ones(3, 2, requires_grad=True)
    model(x).sum().backward(create_graph=True)  # GRD506
    penalty = x.grad.pow(2).sum()
    return penalty


@rule.good(cures=gradient_penalty_through_grad)
def gradient_penalty_through_autograd_grad():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    x = torch.ones(3, 2, requires_grad=True)
    (grad,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    penalty = grad.pow(2).sum()
    penalty.backward()
    return penalty


@rule.bad
def first_order_step_with_a_graph():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    model(torch.ones(3, 2)).sum().backward(create_graph=True)  # GRD506
    optimizer.step()
    return model


@rule.good(cures=first_order_step_with_a_graph)
def first_order_step():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad()
    model(torch.ones(3, 2)).sum().backward()
    optimizer.step()
    return model
