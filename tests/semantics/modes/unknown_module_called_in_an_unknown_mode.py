# What an operation made of an unknown module's output, perhaps without gradients, is no leaf that was handed over.
import random

import torch
from torch import nn

for _ in range(6):
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(2, 1, 2), 1)
    with torch.set_grad_enabled(random.random() < 0.5):
        out = decoder(torch.rand(2, 2), torch.rand(2, 2))
    unit = nn.functional.normalize(out)
    layer = nn.Linear(2, 2)
    total = torch.sum(unit * 0.5) + sum(p.sum() for p in layer.parameters())
    total.backward()
    reveal(unit, out, layer.bias)
