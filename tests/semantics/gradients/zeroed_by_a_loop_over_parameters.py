# A gradient of zeros that a loop over all parameters has left is there for the next loop.
import torch
from torch import nn

model = nn.Linear(2, 1)
model(torch.ones(4, 2)).mean().backward()
for parameter in model.parameters():
    if parameter.grad is not None:
        parameter.grad.zero_()
for parameter in model.parameters():
    if parameter.grad is not None:
        reveal(parameter)
