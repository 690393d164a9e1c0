"""Where paths meet: branches, loops left early, never entered or run to their end, and errors caught."""

import torch
from torch import nn


def branches(scaled):
    weight = torch.ones(3, requires_grad=True)
    if scaled:
        weight = weight * 2
    reveal(weight)  # Tensor[float, requires_grad=yes, leaf=no|yes]
    counts = torch.arange(3) if scaled else torch.ones(3)
    reveal(counts)  # Tensor[integer|float, requires_grad=no, leaf=yes]


def loop_left_early(limit):
    weight = torch.ones(3, requires_grad=True)
    result = weight.detach()
    for step in range(limit):
        result = weight * step
        if step == 1:
            result = result.sum().long()
            break
    reveal(result)  # Tensor[integer|float, requires_grad=no|yes, leaf=no|yes]


def loop_run_to_its_end(limit):
    total = torch.zeros(())
    weight = torch.ones((), requires_grad=True)
    while limit > 0:
        reveal(total)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
        total = total + weight
        limit -= 1
    else:
        total = total.double()
    reveal(total)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]


def error_caught(text):
    value = torch.zeros(1)
    try:
        value = torch.tensor([float(text)], requires_grad=True)
    except ValueError:
        value = value.bool()
    finally:
        reveal(value)  # Tensor[bool|float, requires_grad=no|yes, leaf=yes]


def modes(training):
    layer = nn.Linear(2, 2)
    reveal(layer)  # Module[torch.nn.Linear, mode=train]
    with torch.set_grad_enabled(training):
        out = layer(torch.ones(1, 2))
    reveal(out)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
    if not training:
        layer.eval()
    reveal(layer)  # Module[torch.nn.Linear, mode=train|eval]


for flag in (True, False):
    branches(flag)
    modes(flag)
for count in (0, 1, 3):
    loop_left_early(count)
    loop_run_to_its_end(count)
for word in ("1.5", "one"):
    error_caught(word)
