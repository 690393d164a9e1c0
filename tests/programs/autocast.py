"""Autocast and other managers change neither the grad mode nor the kind of a result; what they save may be a copy."""

import contextlib

import torch
from torch import nn

model = nn.Linear(2, 1)
inputs = torch.ones(4, 2)
with torch.autocast("cpu", dtype=torch.bfloat16):
    out = model(inputs)
    reveal(out)  # Tensor[float, requires_grad=yes, leaf=no]
    with torch.autocast("cpu", enabled=False):
        reveal(out.float().sum())  # Tensor[float, requires_grad=yes, leaf=no]
    with torch.no_grad():
        reveal(model(inputs))  # Tensor[float, requires_grad=no, leaf=yes]
    counts = torch.arange(3)
    reveal(counts + counts)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(model(inputs))  # Tensor[float, requires_grad=yes, leaf=no]

with torch.no_grad(), torch.amp.autocast("cpu"):
    reveal(model(inputs))  # Tensor[float, requires_grad=no, leaf=yes]


def perhaps(amp):
    context = torch.autocast("cpu") if amp else contextlib.nullcontext()
    with context:
        reveal(model(inputs))  # Tensor[float, requires_grad=yes, leaf=no]
    with torch.no_grad() if amp else contextlib.nullcontext():
        reveal(model(inputs))  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
    with contextlib.nullcontext(model) as inner:
        reveal(inner)  # Module[torch.nn.Linear, mode=train]


perhaps(True)
perhaps(False)


@torch.autocast("cpu", dtype=torch.bfloat16)
def decorated(values):
    return model(values)


reveal(decorated(inputs))  # Tensor[float, requires_grad=yes, leaf=no]

with torch.autograd.set_detect_anomaly(True):
    reveal(model(inputs))  # Tensor[float, requires_grad=yes, leaf=no]
with torch.autograd.profiler.record_function("forward"), torch.random.fork_rng():
    reveal(model(inputs))  # Tensor[float, requires_grad=yes, leaf=no]
with torch.autograd.graph.save_on_cpu():
    product = model.weight * model.weight
with torch.no_grad():
    model.weight.add_(1)
product.sum().backward()
reveal(model.weight, "grad")  # fresh
