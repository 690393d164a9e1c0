# A layer saves its input for the gradient of its weight, whatever gave that, and a bilinear one both.
import pickle

import torch
from torch import nn

layer, frozen, pair = nn.Linear(2, 2), nn.Linear(2, 2), nn.Bilinear(2, 2, 1)
frozen.weight.requires_grad_(False)
given = pickle.loads(pickle.dumps(torch.rand(3, 2)))
hidden = layer(given)
hidden.sum().backward()
try:
    hidden.mean().backward()
    reveal(layer.weight)
except RuntimeError:
    reveal(layer.bias)
both = pair(given, given)
both.sum().backward()
try:
    both.mean().backward()
    reveal(pair.weight)
except RuntimeError:
    reveal(pair.bias)
shifted = frozen(given)
shifted.sum().backward()
shifted.mean().backward()
reveal(frozen.weight, frozen.bias, hidden, both, shifted)
hidden.sum().backward()
