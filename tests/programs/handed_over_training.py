"""Training what was handed over: how gradients stood before is not known, and they are taken to have been used up."""

import torch
import torch.nn.functional as F
from torch import nn


def with_its_optimizer(model, optimizer, criterion):
    model.train()
    for p in model.parameters():
        reveal(p, "grad")  # ?
    optimizer.zero_grad()
    for p in model.parameters():
        reveal(p, "grad")  # none
    loss = criterion(model(inputs), labels)
    for p in model.parameters():
        reveal(p, "grad")  # none
    loss.backward()
    for p in model.parameters():
        reveal(p, "grad")  # fresh
    optimizer.step()
    for p in model.parameters():
        reveal(p, "grad")  # used
    F.cross_entropy(model(inputs), labels).backward()
    for p in model.parameters():
        reveal(p, "grad")  # mixed


def with_two_optimizers(model, first, second):
    model.train()
    F.cross_entropy(model(inputs), labels).backward()
    for p in model.parameters():
        reveal(p, "grad")  # fresh
    first.step(), first.zero_grad()
    for p in model.parameters():
        reveal(p, "grad")  # none|fresh|used|lost
    second.step(), second.zero_grad()


def with_a_scaler(model, optimizer):
    model.train()
    optimizer.zero_grad()
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(F.cross_entropy(model(inputs), labels)).backward()
    for p in model.parameters():
        reveal(p, "unit")  # scaled
    scaler.unscale_(optimizer)
    for p in model.parameters():
        reveal(p, "unit")  # plain
    scaler.step(optimizer)
    scaler.update()


def with_an_optimizer_that_only_a_scaler_steps(model, optimizer):
    scaler = torch.amp.GradScaler("cpu")
    optimizer.zero_grad()
    scaler.scale(F.cross_entropy(model(inputs), labels)).backward()
    clipped = model.parameters()
    scaler.step(optimizer)
    reveal(optimizer)  # Optimizer[?]
    for p in clipped:
        reveal(p, "unit")  # plain
    scaler.update()


inputs, labels = torch.randn(4, 3), torch.tensor([0, 1, 1, 0])
given = nn.Linear(3, 2)
descent = torch.optim.SGD(given.parameters(), lr=0.1)
eval("with_its_optimizer")(given, descent, nn.CrossEntropyLoss())
descent.zero_grad()
eval("with_two_optimizers")(given, descent, torch.optim.SGD(given.parameters(), lr=0.1))
eval("with_a_scaler")(given, descent)
eval("with_an_optimizer_that_only_a_scaler_steps")(given, descent)
