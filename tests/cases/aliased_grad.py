"""Cases for GRD209: gradients kept as they are while backward goes on, and gradients that stay."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class PCGrad:
    def __init__(self):
        self.model = nn.Linear(4, 2)
        self.kept = []

    def collect(self, batch, targets):
        for target in targets:
            F.mse_loss(self.model(batch), target).backward()  # GRD209
            self.kept.append([param.grad for param in self.model.parameters()])

    def collect_copied(self, batch, targets):
        copied = []
        for target in targets:
            (F.l1_loss(self.model(batch), target) * 2).backward()  # ok: copied
            copied.append([param.grad.clone() for param in self.model.parameters()])
        return copied

    def collect_cleared(self, batch, targets):
        out = []
        for target in targets:
            F.huber_loss(self.model(batch), target, delta=2.0).backward()  # ok: cleared to None each time
            out.append([param.grad for param in self.model.parameters()])
            self.model.zero_grad(set_to_none=True)
        return out

    def collect_zeroed(self, batch, target):
        kept = {}
        for name in ("left", "right"):
            loss = F.smooth_l1_loss(self.model(batch), target)
            loss.backward()  # GRD209
            kept[name] = self.model.weight.grad
            self.model.zero_grad(set_to_none=False)
        return kept


def descend(steps=10):
    weight = torch.zeros(3, requires_grad=True)
    for _ in range(steps):
        (weight - 1).pow(2).sum().backward()  # ok: the name is bound anew before it is looked at again
        gradient = weight.grad
        weight.data -= 0.1 * gradient
        weight.grad.zero_()


def penalty():
    weight = torch.ones(3, requires_grad=True)
    weight.pow(3).sum().backward()
    first = weight.grad
    weight.pow(2).sum().backward(create_graph=True)  # GRD506
    return first


def returned():
    weight = torch.ones(3, requires_grad=True)
    (first,) = torch.autograd.grad(weight.exp().sum(), weight)
    weight.exp().sum().backward()  # ok: what autograd.grad returns is nobody's `.grad`
    return first


def other_leaf():
    one, two = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    one.sum().backward()
    kept = one.grad
    (two * two).sum().backward()  # ok: the gradient of another tensor
    return kept


def norms(model: nn.Linear, batch):
    history = []
    for _ in range(3):
        model(batch).mean().backward()  # ok: norms are numbers of their own
        history.append(model.weight.grad.norm())
    return history


def twice(loss_of):
    weight = torch.ones(3, requires_grad=True)
    weight.sin().sum().backward()
    before = {"weight": weight.grad}
    torch.autograd.backward([weight.cos().sum()])  # GRD209
    return before
