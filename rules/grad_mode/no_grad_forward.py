"""A decorator that switches gradients off holds for all that the function computes, its loss included.

## Why it happens

`@torch.no_grad()` and `@torch.inference_mode()` wrap the whole function: no operation in it, or in what
it calls, is recorded. On a training step, put there for the sake of the update of the weights at its
end or copied from the validation function next to it, that leaves the loss without a graph. On the
`forward()` of a module it leaves every result without one, whoever calls the module.

## What it costs

`backward()` inside the function raises `RuntimeError`. Outside, parameters that only such a `forward()`
uses are never trained, without any sign if the rest of the loss has a graph.

## When it is right to ignore it

A `forward()` that is there to be free of gradients: an averaged copy of a model, a metric, an
augmentation, a frozen feature extractor. It is therefore believed least; a backward in the function
itself, on what was computed in it, is an error whenever it is reached.
"""

from __future__ import annotations

from collections.abc import Iterator

from gradlint.domain import NO, YES, Context, CutKind, Function
from gradlint.events import BackwardRun, FunctionFinished, Recorded, Run
from gradlint.rule import POSSIBLE, Findings, Raises, Rule, quoted

from ._without_graph import MODE_WORDS, SAYING, reasons, switches

rule = Rule(
    "GRD409",
    "no-grad-forward",
    "`@{mode}` makes `{function}()` compute {what} without a graph",
    help="remove the decorator, and wrap the lines that need it in `with torch.no_grad():`",
    tokens=MODE_WORDS,
)
consequence = Raises(RuntimeError, SAYING)


@rule.on(FunctionFinished)
def differentiated_inside(event: FunctionFinished) -> Findings:
    """A backward in a decorated function, on what its decorator kept out of the graph."""
    for mode in event.function.modes:
        for backward in (one for run in event.runs for one in _in_vain(run, mode)):
            name = quoted(backward.name, "the output")
            draft = rule.at(backward.node, mode=mode.path, function=event.function.name, what=name)
            yield draft.note(mode.at, "gradients are off in the whole function").resting_on(backward)


def _in_vain(run: Run, mode: Context) -> Iterator[BackwardRun]:
    """Yield the backwards of the run whose root is not in the graph because of this mode."""
    for event in run.story:
        if (
            isinstance(event, BackwardRun)
            and reasons(event) == {CutKind.MODE}
            and mode.at in switches(event, CutKind.MODE)
        ):
            yield event


@rule.on(FunctionFinished)
def trainable_forward(event: FunctionFinished) -> Findings:
    """A `forward()` that computes with parameters that require grad, all of it without gradients."""
    mode = _switched_off(event.function)
    if mode is not None and any(_uses_parameters(part) for run in event.runs for part in run.story):
        draft = rule.at(mode.at, mode=mode.path, function="forward", what="the results of its parameters")
        yield draft.doing("error later").lowered(POSSIBLE, "what it computes may be meant to be a constant")


def _switched_off(function: Function) -> Context | None:
    """The decorator of a `forward()` that switches gradients off; None where there is none."""
    if function.name != "forward" or function.owner is None or not function.modes:
        return None
    return function.modes[-1] if function.modes[-1].to <= NO and function.modes[-1].at is not None else None


def _uses_parameters(event: object) -> bool:
    """Return whether something is computed from a parameter that requires grad, and not recorded."""
    if not isinstance(event, Recorded) or not (event.grad_mode <= NO and event.result.requires_grad <= NO):
        return False
    return any(operand.parameter <= YES and operand.requires_grad <= YES for operand in event.operands)


@rule.bad
def training_step_without_gradients():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    @torch.no_grad()
    def train_step(batch):
        loss = model(batch).sum()
        loss.backward()  # GRD409
        optimizer.step()

    train_step(torch.ones(1, 2))
    return model


@rule.good(cures=training_step_without_gradients)
def training_step_with_gradients():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train_step(batch):
        loss = model(batch).sum()
        loss.backward()
        optimizer.step()

    train_step(torch.ones(1, 2))
    return model


def _has_no_graph(returned: object) -> bool:
    """Return whether the module's result cannot be differentiated."""
    return not getattr(returned, "requires_grad", True)


@rule.bad(shows=_has_no_graph)
def forward_without_gradients():
    import torch
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(4, 2)

        @torch.no_grad()  # GRD409
        def forward(self, x):
            return self.body(x).log_softmax(-1)

    return Classifier()(torch.ones(3, 4))


@rule.good(cures=forward_without_gradients)
def forward_with_gradients():
    import torch
    from torch import nn

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(4, 2)

        def forward(self, x):
            return self.body(x).log_softmax(-1)

    return Classifier()(torch.ones(3, 4))
