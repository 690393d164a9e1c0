"""Cases for GRD613: gradients by tensors that are not in the graph, and by those that are."""

import pytest
import torch
from torch import autograd, nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))

    def forward(self, x):
        return self.net(x)


def penalty(critic, real, fake):
    mixed = 0.5 * real + 0.5 * fake
    score = critic(mixed)
    (gradient,) = autograd.grad(score.sum(), mixed, create_graph=True)  # GRD613
    return gradient.norm()


def right_penalty(critic, real, fake):
    mixed = (0.5 * real + 0.5 * fake).requires_grad_()
    score = critic(mixed)
    return autograd.grad(score.sum(), mixed, create_graph=True)[0].norm()  # ok: asked before the forward


def saliency(model: nn.Linear, image: torch.Tensor):
    return autograd.grad(model(image).max(), [image])[0]  # ok: nobody knows whether the argument requires grad


def asked_too_late():
    model = nn.Linear(2, 1)
    x = torch.rand(4, 2)
    score = model(x).sum()
    x.requires_grad_()
    return torch.autograd.grad(score, inputs=x)  # GRD613


def viewed():
    x = torch.ones(6, requires_grad=True)
    loss = x.pow(2).sum()
    flat = x.view(2, 3)
    return autograd.grad(loss, (x, flat))  # GRD613


def view_that_was_used(model: nn.Linear):
    x = torch.ones(6, requires_grad=True)
    rows = x.view(3, 2)
    return autograd.grad(model(rows).sum(), (x, rows))  # ok: both are on the way


def by_two(model: nn.Linear, other: nn.Linear, x):
    loss = model(x).sum()
    wanted = [model.weight, other.weight]
    autograd.grad(loss, wanted, retain_graph=True, allow_unused=True)  # ok: may be unused
    autograd.grad(2 * loss, wanted, materialize_grads=True, retain_graph=True)  # ok: zeros are wanted
    return autograd.grad(loss, list(model.parameters()))  # ok: all of them were used


def detached(model: nn.Linear):
    x = torch.rand(1, 2, requires_grad=True)
    start = x.detach()
    score = model(x).sigmoid().sum()
    return autograd.grad(outputs=score, inputs=[start])[0]  # GRD613


def whole_numbers(table: nn.Embedding):
    tokens = torch.tensor([1, 2])
    return torch.autograd.grad(table(tokens).sum(), tokens, allow_unused=True)  # GRD613


def frozen(flag):
    weight = torch.ones(2, requires_grad=flag)
    factor = torch.ones(2, requires_grad=True)
    return autograd.grad((weight * factor).sum(), weight, None)  # ok: as the flag says


def weights_of(count, trained):
    if not trained:
        return torch.ones(count)
    return torch.ones(count).requires_grad_(bool(trained))


def on_one_of_two_ways(count, trained):
    weights, factor = weights_of(count, trained), torch.ones(count, requires_grad=True)
    loss = (weights * factor).sum()
    if trained:
        return autograd.grad(loss, [factor, weights])  # ok: one of the two that it may be requires grad
    return autograd.grad(loss, [factor, factor.detach()])  # GRD613


def on_none_of_two_ways(count, wide):
    weights, factor = torch.ones(count) if wide else torch.zeros(2), torch.ones(2, requires_grad=True)
    return autograd.grad((weights * factor).sum(), (factor, weights))  # GRD613


def test_refused():
    w = torch.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError):
        autograd.grad((w * 2).sum(), torch.ones(1))  # ok: the program waits for the error


def without_graph():
    w = torch.rand(3, requires_grad=True)
    return autograd.grad((w > 0).float().sum(), w)  # GRD604


critic = Critic()
penalty(critic, torch.rand(4, 2), torch.rand(4, 2))
right_penalty(critic, torch.rand(4, 2), torch.rand(4, 2))


def norms(net, other):
    net.eval()
    other.train()
    wanted = [p for p in other.parameters() if p.requires_grad]
    loss = net(torch.ones(2, 3)).sum()
    return [one.norm() for one in torch.autograd.grad(loss, wanted)]  # ok: the two may be one, or one a part of the other
