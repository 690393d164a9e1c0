"""Cases for GRD611: results of several elements that are differentiated, and those that are reduced or weighed."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self, model: nn.Module, weights: torch.Tensor):
        self.model = model
        self.criterion = nn.CrossEntropyLoss(reduction="none")
        self.mean = nn.CrossEntropyLoss()
        self.weights = weights

    def step(self, x, y):
        loss = self.criterion(self.model(x), y)
        loss.backward()  # GRD611

    def weighted(self, x, y):
        loss = self.criterion(self.model(x), y) * self.weights
        (loss / 4).backward()  # GRD611
        return loss

    def reduced(self, x, y):
        loss = self.criterion(self.model(x), y)
        loss.sum().backward()  # ok: summed
        self.mean(self.model(x), y).backward()  # ok: the mean is the default

    def hardest(self, x, y):
        losses, _ = self.criterion(self.model(x), y).topk(1)
        losses[0].squeeze().backward()  # ok: shapes are not followed


def reduce(loss, how):
    return loss.mean() if how == "mean" else loss


def by_name(model: nn.Linear, x, y, how="none"):
    loss = F.binary_cross_entropy_with_logits(model(x), y, reduction=how)
    loss.backward(retain_graph=True)  # ok: whatever the caller asked for
    reduce(F.l1_loss(model(x), y, reduction="none"), how).backward()  # ok: reduced on one path


def jacobian(x):
    out = torch.sin(torch.rand(4, requires_grad=True))
    out.backward(gradient=torch.ones_like(out))  # ok: a gradient is given
    torch.autograd.grad(out + x, [x], grad_outputs=torch.ones(4))  # ok: and here
    return torch.autograd.grad(out.exp(), [out])  # GRD611


def slope():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (3 * x**2).tanh().backward()  # GRD611
    torch.autograd.backward([x.relu()])  # GRD611
    torch.autograd.backward([x.relu()], [torch.ones(3)])  # ok: weighed


def one_element():
    x = torch.ones((1,), requires_grad=True)
    torch.sigmoid(x * 2)[0].backward()  # ok: one element
    x.log().exp().neg().backward()  # ok: one element in a dimension
    return x.grad


def test_refused():
    x = torch.zeros(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="scalar outputs"):
        torch.abs(x - 1, out=None).backward()  # ok: the program waits for the error


def old_spelling(model: nn.Linear, x, y):
    F.mse_loss(model(x), y, reduce=False).mean(dim=(0, 1)).backward()  # ok: reduced over all dimensions
    nn.MSELoss(reduction="none")(model(x), y).neg().backward(None)  # GRD611


def without_graph():
    out = torch.rand(3, requires_grad=True).exp()
    (torch.ones(3) * out.detach()).backward()  # GRD602
    (torch.ones(3) * (out > 0)).backward()  # GRD604
    (torch.ones(3) * out.sum().item()).backward()  # GRD601
