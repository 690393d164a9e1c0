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
        losses[0].squeeze().backward()  # ok: nobody tells how many are given


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


def sizes_that_are_written_down(batch):
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
    net(torch.randn(8, 3)).backward()  # GRD611
    net(batch).backward()  # ok: it may be a batch of one
    net(torch.randn(1, 3)).backward()  # ok: a batch of one
    weights = torch.randn(3, 2, requires_grad=True)
    mixed = torch.eye(3) @ weights
    torch.autograd.backward(mixed.max(dim=1)[0], retain_graph=True)  # GRD611
    mixed.view(-1).sum(axis=0, keepdims=True).backward()  # ok: all are in the one dimension
    torch.cat([weights, weights.flip(0)]).mean(axis=0).backward()  # GRD611
    return weights[2, 0].backward()  # ok: one of them


def sizes_that_change(count):
    turned = torch.ones(1, 2, requires_grad=True) * 2
    for _ in range(count):
        turned = torch.stack([turned, turned]).sum(0)
    turned.t()[0].backward()  # ok: one column is left


def each_row(rows: torch.Tensor, weight: nn.Parameter):
    picked = torch.vmap(lambda row: (row * weight).sum())(torch.ones(3, 2))
    (picked.prod() + picked[0]).backward()  # ok: a product, and one of three
    torch.stack([row.sum() for row in rows])[0].backward()  # ok: one of nobody knows how many
