"""Calling the module inside DistributedDataParallel leaves the gradients of each process to itself.

## Why it happens

The wrapper's own `forward` prepares a reducer for the backward pass: which gradients to wait
for, and when to average them over all processes. `ddp.module(x)` runs the same layers past it. Backward then
fills the gradients of this process alone, and nothing is averaged.

## What it costs

Every process takes another step. The replicas drift apart, silently: nothing is ever compared again after the
start, and a checkpoint is that of one process.

## When it is right to ignore it

In evaluation, for `state_dict()`, for attributes; none of that is reported, nor a result that no backward
reaches. Where the program averages the gradients itself, nothing is reported in that file.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import TRAIN, YES
from gradlint.events import Called, ModuleCalled, ModuleFinished
from gradlint.rule import Edit, Findings, Rule, quoted

rule = Rule(
    "GRD913",
    "bypassed-ddp",
    "`{name}(...)` bypasses `DistributedDataParallel`, so gradients are not averaged",
    help="call {wrapper}",
    effect="wrong result",
    tokens=("DistributedDataParallel",),
)
WRAPPER = "torch.nn.parallel.DistributedDataParallel"
BY_HAND = frozenset({"torch.distributed.all_reduce", "torch.distributed.reduce", "torch.distributed.all_gather"})


def consequence(returned: Any) -> bool:
    """The wrapper has reduced nothing: after the first pass that it takes part in it orders its buckets anew."""
    return not returned._has_rebuilt_buckets


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    if any(isinstance(happened, Called) and happened.path in BY_HAND for happened in event.story):
        return
    for call in event.story:
        if not isinstance(call, ModuleCalled) or call.taken_from != WRAPPER or not call.module.mode.possibly(TRAIN):
            continue
        if call.grad_mode <= YES and any(graph in event.used for graph in call.graph):
            wrapper = call.name.removesuffix(".module")
            draft = rule.at(call.node, name=call.name or "ddp.module", wrapper=quoted(wrapper, "the wrapper"))
            if call.name:
                draft = draft.fix(Edit("replace", call.callee, wrapper), safety="unsafe")
            yield draft.resting_on(call)


@rule.bad
def steps_past_the_wrapper():
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model.module(torch.ones(2, 4)).mean()  # GRD913
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()
    return model


@rule.good(cures=steps_past_the_wrapper)
def steps_through_the_wrapper():
    import torch
    import torch.distributed as dist
    from torch import nn
    from torch.nn.parallel import DistributedDataParallel

    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    model = DistributedDataParallel(nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        loss = model(torch.ones(2, 4)).mean()
        loss.backward()
        optimizer.step()
    dist.destroy_process_group()
    return model
