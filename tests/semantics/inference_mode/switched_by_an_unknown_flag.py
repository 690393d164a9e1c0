# A flag nobody knows may well have switched inference mode on: what was made there may not be recorded later.
import random

import torch
from torch import nn

for _ in range(6):
    with torch.inference_mode(random.random() < 0.5):
        norm = nn.BatchNorm1d(2)
        weight = torch.rand(2, 2, requires_grad=True)
        half = weight * 0.5
    product = norm.running_mean * norm.bias
    squared = weight.exp()
    reveal(product, squared, half, norm.bias)
    if not weight.is_inference():
        squared.sum().backward()
        reveal(weight, squared)
