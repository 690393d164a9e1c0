"""A grad mode decorates a function with or without parentheses, and methods too."""

import torch
from torch import no_grad

weight = torch.ones(3, requires_grad=True)


@torch.no_grad()
def with_parentheses(x):
    reveal(x)  # Tensor[float, requires_grad=yes, leaf=yes]
    return x * 2


@no_grad
def without(x):
    return x * 2


@torch.set_grad_enabled(False)
def set_by_value(x):
    return x * 2


@torch.inference_mode()
def inferring(x):
    return x * 2


class Scorer:
    @torch.no_grad()
    def score(self, x):
        return x.sum()

    @torch.enable_grad()
    def loss(self, x):
        return x.sum()


reveal(with_parentheses(weight))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(without(weight))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(set_by_value(weight))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(inferring(weight))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(Scorer().score(weight))  # Tensor[float, requires_grad=no, leaf=yes]
with torch.no_grad():
    reveal(Scorer().loss(weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
