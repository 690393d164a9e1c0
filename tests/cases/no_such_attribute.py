"""Cases for GRD118: names that tensors do not have, and those that something else has."""

import torch
import torch.nn as nn


def descent(target: torch.Tensor, steps: int):
    guess = torch.zeros_like(target, requires_grad=True)
    for _ in range(steps):
        loss = (guess - target).pow(2).mean()
        loss.backwards()  # GRD118
        with torch.no_grad():
            guess -= 0.1 * guess.gradient  # GRD118
        guess[:1].zero_grad()  # GRD118
    return guess, loss.grad_function  # GRD118


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(3))
        self.gradients = []

    def forward(self, x: torch.Tensor):
        if self.scale.is_leaf and not x.isleaf:  # GRD118
            x = x.detatch()  # GRD118
        out = (self.scale * x).sum()
        (out + 1).retain_gradient()  # GRD118
        return out

    def backprop(self, x):
        self(x).backward()
        self.gradients.append(self.scale.grad)  # ok: a list of the module
        return [one for one in self.gradients]  # ok: the same list


def right_owners(net: Net, optimizer: torch.optim.SGD, tape):
    optimizer.zero_grad(set_to_none=True)  # ok: optimizers have it
    net.zero_grad(False)  # ok: modules have it
    net.backprop(torch.ones(3))  # ok: its class has it
    kept = list(net.gradients)
    print(net.scale.grad_fn, net.scale.is_leaf)  # ok: tensors have both
    return tape.gradient(kept[0], net.scale)  # ok: a tape of another library has it


def kept_on_tensors(weights: dict[str, torch.Tensor], first: torch.Tensor):
    for weight in weights.values():
        weight.grads = []
        weight.grads.append(weight.grad)  # ok: the file sets it
    first.grads = weights
    if hasattr(first, "backprop"):
        return first.backprop(1.0)  # ok: the file asks whether it is there
    return first.grads["a"]  # ok: set above


def other_names(x: torch.Tensor, image):
    x.requires_grad_()
    x.mean().back_propagate(retain_graph=True)  # GRD118
    image.zero_grad()
    print(x.gradiant if x is not None else 0)  # GRD118
    return torch.autograd.grad(x.sum(), x)[0].require_grad  # GRD118
