"""What a layer has pooled views hidden memory, so that a view of it does not show what is asked of it later."""

import torch

pooled = torch.nn.AdaptiveMaxPool1d(1)(torch.rand(2, 2, 4))
first, second = pooled.unbind()


def ask():
    pooled.requires_grad_()


ask()
second.mul_(torch.rand(2, 1))
scores = torch.einsum("ij,kj->ik", torch.rand(2, 2), torch.rand(2, 2))
row = scores[0]
scores.requires_grad_()
row.add_(1)
other = scores[1]
try:
    other.add_(1)
except RuntimeError:
    print(other)
with torch.no_grad():
    third = scores[1]
third.add_(1)
