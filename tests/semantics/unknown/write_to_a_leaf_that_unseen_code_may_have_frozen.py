# harmful: a write to a leaf that unseen code has had goes well if that froze it: what is behind it is run.
import torch
from torch import nn

visit = eval("lambda one: one.requires_grad_(False)")
layer = nn.Linear(2, 1)


def batches():
    yield torch.rand(1, 2)


for _batch in batches():
    visit(layer.bias)
    layer.bias.add_(1.0)
reveal(layer.bias)
