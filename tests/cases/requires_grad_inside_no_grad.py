"""Cases for GRD111: leaves made with gradients off, and what is right to make there."""

import torch
import torch.nn as nn
from torch import Tensor


class Evaluator:
    def __init__(self, model: nn.Module):
        self.model = model

    @torch.no_grad()
    def average(self, batches: list[Tensor]):
        total = torch.zeros(1, requires_grad=True)  # GRD111
        for batch in batches:
            total = total + self.model(batch).mean()
        return total / len(batches)

    @torch.inference_mode()
    def worst(self, batches: list[Tensor]):
        losses = [torch.tensor(0.0, requires_grad=True)]  # GRD111
        return max([*losses, *(self.model(batch).sum() for batch in batches)])


def interpolate(generator: nn.Module, steps: int):
    torch.set_grad_enabled(False)
    start = torch.randn((1, 8), requires_grad=True)  # GRD111
    points = torch.stack([start * step for step in torch.linspace(0, 1, steps)])
    torch.set_grad_enabled(True)  # GRD406
    end = torch.randn((1, 16), requires_grad=True)  # ok: gradients are on again
    return generator(points), end


def latent_code(image: Tensor):
    with torch.no_grad():
        code = torch.empty(8, requires_grad=image.ndim > 0)
        code = torch.full((8,), 0.5, dtype=torch.float64, requires_grad=not False)  # GRD111
        with torch.enable_grad():
            noise = torch.rand(8, requires_grad=True)  # ok: switched on in an inner block
    return code * noise


def built_without_initialisation():
    with torch.no_grad():
        layer = nn.Linear(4, 4)
        layer.scale = nn.Parameter(torch.ones(4))  # ok: a parameter is meant to require grad
        layer.scale.requires_grad_(True)  # ok: asked by a method, not made by a factory
        layer.weight.requires_grad = True  # ok: nor is this
    return layer


def exported(model: nn.Module, flag: bool):
    with torch.no_grad():
        example = torch.zeros(1, 3, 8, 8, requires_grad=False)  # ok: asked not to
        perhaps = torch.ones(1, requires_grad=flag)  # ok: whether it is asked is not known
        return model(example * perhaps)


def mode_of_the_caller(train: bool):
    with torch.set_grad_enabled(train):
        bias = torch.zeros(4, requires_grad=True)  # ok: the mode is not known
    return bias


def target_network(net: nn.Linear):
    with torch.no_grad():
        weight = net.weight.clone().requires_grad_()  # ok: the usual way to make a leaf of a copy
    return weight


def after_the_block(x: Tensor):
    with torch.no_grad():
        mean = x.mean()
    shift = torch.tensor([1.0, 2.0], requires_grad=True)  # ok: outside of the block
    return mean + shift
