"""`backward()` inside a compiled function breaks the graph that is compiled.

## Why it happens

`torch.compile` traces a function and compiles what it sees as one graph. A backward pass is not traced: the
compiler stops at `.backward()`, compiles what stood before it, runs the call as usual and starts
anew behind it. The backward of a compiled forward is compiled anyway, wherever it is called.

## What it costs

Speed, not results: the function runs in pieces, and with `fullgraph=True` it raises.

## When it is right to ignore it

Where the forward is expensive and the step is not; or with `torch._dynamo.config.trace_autograd_ops`, which
traces it. This rule is off unless asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradlint.domain import Function, ImportPath, Syntax
from gradlint.events import BackwardRun, Called, ModuleFinished
from gradlint.rule import Findings, Rule

rule = Rule(
    "GRD914",
    "compiled-backward",
    "`backward()` inside the compiled function `{name}` breaks its graph",
    help="return the loss, and call `backward()` outside the compiled function",
    effect="slow",
    default=False,
    tokens=("compile",),
    since=(2, 0),
    source="documentation of 2.0",
)
COMPILE = "torch.compile"


def consequence(returned: Any) -> bool:
    """The compiler says where it broke off."""
    import torch

    function, *arguments = returned
    return bool(torch._dynamo.explain(function)(*arguments).break_reasons)


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    compiled = dict(_compiled(event))
    for run in event.runs:
        if run.function is None or run.function.node not in compiled:
            continue
        for happened in run.story:
            if isinstance(happened, BackwardRun) and happened.how == "backward":
                draft = rule.at(happened.node, name=run.function.name)
                if (place := compiled[run.function.node]) is not None:
                    draft = draft.note(place, "compiled here")
                yield draft.resting_on(happened)


def _compiled(event: ModuleFinished) -> Iterator[tuple[Syntax, Syntax]]:
    """The functions that are compiled, by decorator or by call, and where the call is."""
    for run in event.runs:
        if run.function is not None and ImportPath(COMPILE) in run.function.decorators:
            yield run.function.node, None
    for happened in event.story:
        if isinstance(happened, Called) and happened.path == COMPILE:
            yield from ((given.node, happened.node) for given in happened.args[:1] if isinstance(given, Function))


@rule.bad
def whole_step_compiled():
    import torch
    from torch import nn

    @torch.compile(backend="eager")
    def step(model, x):
        loss = model(x).pow(2).mean()
        loss.backward()  # GRD914
        return loss

    model, x = nn.Linear(4, 1), torch.ones(2, 4)
    step(model, x)
    return step, model, x


@rule.good(cures=whole_step_compiled)
def forward_compiled():
    import torch
    from torch import nn

    @torch.compile(backend="eager")
    def step(model, x):
        loss = model(x).pow(2).mean()
        return loss

    model, x = nn.Linear(4, 1), torch.ones(2, 4)
    step(model, x).backward()
    return step, model, x
