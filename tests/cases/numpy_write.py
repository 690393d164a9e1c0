"""Cases for GRD312: arrays that are tensors in disguise."""

import numpy as np
import torch
from torch import nn


class Plotter:
    def __init__(self):
        self.layer = nn.Linear(3, 3)

    def histogram(self):
        weights = self.layer.weight.detach().numpy()
        weights -= weights.mean()  # GRD312
        return np.histogram(weights)

    def histogram_of_copy(self):
        weights = self.layer.weight.detach().numpy().copy()
        weights -= 1.0
        bias = torch.zeros(3).numpy()
        bias -= 1  # ok: of a tensor that requires no grad
        return np.histogram(weights), bias


def data_array():
    image = torch.rand(4, 4, requires_grad=True)
    pixels = image.data.cpu().numpy()
    pixels[pixels < 0.5] = 0  # GRD312
    batch = torch.rand(4, 4)
    array = batch.numpy()
    array[0] = 1.0  # ok: data, no gradient is asked for
    return image, batch


def rows(model: nn.Linear):
    table = torch.ones(3, 2, requires_grad=True)
    view = table.detach().numpy().reshape(-1)
    view[1:] *= 2.0  # todo GRD312
    fresh = np.zeros((3, 2))
    source = torch.from_numpy(fresh)
    fresh += 3  # ok: made by NumPy, the tensor over it requires no grad
    return table, source


def tensors():
    weight = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        weight *= 2  # ok: a tensor, and gradients are off
    weight.data[0] = 5.0  # ok: through .data, not NumPy
    copy = weight.detach().clone().numpy()
    copy[2] = 0.5  # ok: a clone
    return weight, copy


def between_the_passes():
    weight = torch.ones(3, requires_grad=True)
    loss = weight.exp().mul(weight).sum()
    array = weight.detach().numpy()
    array += 2  # GRD312
    loss.backward()
    return weight


def attribute(model: nn.Linear):
    grid = np.asarray(torch.ones(2, 2))
    grid[:, 0] = 2.0
    scores = model(torch.ones(1, model.in_features)).detach().numpy()
    scores[0, 0] = 1.0
    units = model(torch.eye(model.in_features)).detach().numpy()  # GRD401
    units[0, 0] = 2.0
    order = torch.rand(5).numpy()
    order.sort()  # ok: data, sorted in place
    order[::2] -= order.mean()  # ok: likewise
    return grid, scores, order


Plotter().histogram_of_copy()
