"""Cases for GRD207: leaves told to keep what they keep anyway, and tensors that have to be told."""

import torch
import torch.nn as nn


class SaliencyMap:
    def __init__(self, model: nn.Sequential):
        self.model = model
        self.mask = nn.Parameter(torch.ones(1, 1, 8, 8))
        self.mask.retain_grad()  # GRD207

    def explain(self, images: torch.Tensor):
        images = images.detach().clone().requires_grad_()
        images.retain_grad()  # GRD207
        self.model(images).max().backward()
        return images.grad

    def explain_masked(self, images: torch.Tensor):
        masked = images * self.mask
        masked.retain_grad(), masked.register_hook(print)
        (images * self.mask).retain_grad()  # ok: computed, so it has to be told
        self.model(masked).max().backward()
        return masked.grad

    def explain_given(self, images: dict[str, torch.Tensor]):
        images["left"].retain_grad()  # ok: nobody knows whether it is a leaf
        self.model(images).max().backward()


def retain_all(model: nn.Module):
    for param in model.parameters(): param.retain_grad()  # GRD207


def retain(tensors: list):
    for tensor in tensors:
        if tensor.requires_grad and not tensor.is_leaf: tensor.retain_grad()  # ok: asked whether it is a leaf


def moved(device):
    weight = torch.randn(3, requires_grad=True).to(device)
    weight.sum().backward(); weight.retain_grad()  # ok: no leaf where the device is another
    return weight


def helper(x):
    if x.ndim > 0: x.retain_grad()  # ok: a leaf for one caller, a result for the other
    return x.sum()


def two_callers(flag: bool):
    start = torch.ones(2, requires_grad=True)
    return helper(start * 2 if flag else start)


def activations(layers: nn.ModuleList, batch: torch.Tensor):
    batch.requires_grad_(True)
    outputs = [batch]
    for layer in layers:
        outputs.append(layer(outputs[-1]))
        outputs[-1].retain_grad()  # ok: the result of a layer
    outputs[0].mean().backward()
    return outputs


def views():
    table = torch.zeros(4, 2, requires_grad=True)
    row = table[0]
    table[1:].retain_grad()  # ok: a view is a result
    table.data.requires_grad_().retain_grad()  # GRD207
    return row
