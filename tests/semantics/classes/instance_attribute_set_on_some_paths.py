# Where an attribute was not set on the object, the class has what it has under the name.
import random

import torch
from torch import nn

weight = torch.rand(2, requires_grad=True)
plain = torch.rand(2)


class Holder:
    shared = weight

    def __init__(self):
        if random.random() < 0.5:
            self.shared = plain

    def get(self):
        return self.shared

    def __enter__(self):
        return self.shared

    def __exit__(self, *error):
        Holder.shared = plain


class Asking:
    def __init__(self):
        if random.random() < 0.5:
            self.shared = plain

    def __getattr__(self, name):
        return weight


class Net(nn.Module):
    norm = None
    scale = weight

    def __init__(self):
        super().__init__()
        if random.random() < 0.5:
            self.norm = nn.LayerNorm(2)
        if random.random() < 0.5:
            self.scale = plain

    def forward(self, x):
        if self.norm is not None:
            x = self.norm(x)
        reveal(x)
        return x * self.scale


for _ in range(8):
    Holder.shared = weight
    holder = Holder()
    first = holder.shared
    reveal(first, holder.get())
    with holder as inside:
        reveal(inside)
    reveal(holder.shared)
    asked = Asking().shared * 1
    reveal(asked)
    out = Net()(plain)
    reveal(out)
