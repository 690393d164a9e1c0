"""A generator waits inside a block, and whoever asked it goes on in the mode of that block."""

from contextvars import copy_context

import torch
from torch import nn

layer = nn.Linear(2, 1)


def batches():
    for _ in range(2):
        with torch.no_grad():
            yield torch.rand(1, 2)


def inferring():
    with torch.inference_mode():
        yield torch.rand(1, 2)
        yield torch.rand(1, 2)


for batch in batches():
    reveal(layer(batch))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(layer(torch.ones(1, 2)))  # Tensor[float, requires_grad=yes, leaf=no]
for _, batch in enumerate(inferring()):
    reveal(layer(batch))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(layer(torch.ones(1, 2)))  # Tensor[float, requires_grad=yes, leaf=no]
for batch in batches():
    reveal(layer(batch))  # Tensor[float, requires_grad=no, leaf=yes]
    break


def plain():
    for _ in range(2):
        yield torch.rand(1, 2)


optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for batch in plain():
    reveal(layer)  # Module[torch.nn.Linear, mode=train]
    reveal(layer.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
    layer(batch).sum().backward()
    optimizer.step()
    optimizer.zero_grad()
torch.set_grad_enabled(True)
for parameter in (parameter * 2 for parameter in layer.parameters()):
    reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=no]
for parameter in (parameter * 3 for parameter in layer.parameters()):
    reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=no]


def frozen_by_others(module):
    yield module
    copy_context().run(freeze, module)
    yield module


def freeze(module):
    module.requires_grad_(False)


scale = nn.Linear(2, 1)
for _ in frozen_by_others(scale):
    pass
reveal(scale.weight)  # Tensor[float, requires_grad=yes|?, leaf=yes|?]
