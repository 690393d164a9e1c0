"""Gradient accumulation: guards that step and clear every few batches, and the loops that clear by hand."""

import torch
from torch import nn

inputs = torch.ones(4, 2)


def every_second_batch(batches):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index in range(batches):
        loss = model(inputs).mean() / 2
        reveal(model.weight, "grad")  # none|fresh
        loss.backward()
        reveal(model.weight, "grad")  # fresh
        if (index + 1) % 2 == 0:
            optimizer.step()
            reveal(model.weight, "grad")  # used
            optimizer.zero_grad()
            reveal(model.weight, "grad")  # none
    reveal(model.weight, "grad")  # none|fresh


def never_cleared(batches):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(batches):
        reveal(model.weight, "grad")  # none|used|mixed
        model(inputs).mean().backward()
        reveal(model.weight, "grad")  # fresh|mixed
        optimizer.step()
    reveal(model.weight, "grad")  # none|used|mixed


def cleared_too_early(batches):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(batches):
        model(inputs).mean().backward()
        optimizer.zero_grad()
        reveal(model.weight, "grad")  # lost
        optimizer.step()
        reveal(model.weight, "grad")  # none


def cleared_every_batch_while_accumulating(batches):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index in range(batches):
        optimizer.zero_grad(set_to_none=False)
        reveal(model.weight, "grad")  # none|lost
        model(inputs).mean().backward()
        if index % 2:
            optimizer.step()
        reveal(model.weight, "grad")  # fresh|used


def cleared_by_hand(batches):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(batches):
        for parameter in model.parameters():
            parameter.grad = None
        model(inputs).mean().backward()
        reveal(model.bias, "grad")  # fresh
        optimizer.step()
        reveal(model.bias, "grad")  # used
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.detach_()
                parameter.grad.zero_()
        reveal(model.bias, "grad")  # none
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.zero_()
    reveal(model.weight, "grad")  # none


for count in (0, 1, 2, 3):
    every_second_batch(count)
    never_cleared(count)
    cleared_too_early(count)
    cleared_every_batch_while_accumulating(count)
    cleared_by_hand(count)
