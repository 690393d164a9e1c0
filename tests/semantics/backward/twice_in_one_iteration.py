# Nothing behind a backward through a spent graph is run, also where it ran in an iteration before.
import torch
from torch import nn

hidden = torch.zeros(1, 2)
layer = nn.Linear(2, 2)
for _ in range(3):
    hidden = layer(hidden)
    hidden.sum().backward()
    hidden.sum().backward()
