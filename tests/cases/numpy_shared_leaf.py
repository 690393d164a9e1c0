"""Cases for GRD109: arrays written between forward and backward, and arrays written when nobody minds."""

import argparse

import numpy as np
import torch
import torch.nn as nn
from numpy import asarray


class Calibration:
    """Fits a few numbers that the rest of the program keeps in an array."""

    def __init__(self, size=3):
        self.numbers = np.ones(size)

    def loss(self, leaf):
        return (leaf * leaf).sum()

    def fit(self):
        leaf = torch.from_numpy(self.numbers).requires_grad_()
        loss = self.loss(leaf)
        self.numbers *= 0.5  # GRD109
        loss.backward()
        return leaf.grad

    def fit_by_hand(self, steps=10, lr=0.1):
        leaf = torch.from_numpy(self.numbers).requires_grad_()
        for _ in range(steps):
            self.loss(leaf).backward()
            self.numbers -= lr * leaf.grad.numpy()  # ok: updated after backward
            leaf.grad = None
        return leaf


def perturbed(noise):
    image = np.zeros((8, 8))
    tensor = torch.as_tensor(image)
    tensor.requires_grad = True
    loss = tensor.pow(2).mean()
    image[0, :] += 1.0  # GRD109
    (loss + noise).backward()
    return tensor.grad


def clipped_view():
    start = np.full(4, 2.0)
    tail = start[1:]
    leaf = torch.from_numpy(tail).requires_grad_(True)
    energy = (leaf.exp() * leaf).sum()
    tail.fill(0.0)  # GRD109
    energy.backward()
    return leaf


def sorted_before_backward():
    values = np.linspace(0, 1, 5)
    leaf = torch.from_numpy(values).requires_grad_(True)
    total = leaf.prod()
    values.sort()  # GRD109
    total.backward()


def copied():
    start = np.ones(3)
    leaf = torch.tensor(start, requires_grad=True)
    loss = (leaf * leaf).sum()
    start += 1.0
    loss.backward(None)  # ok: the tensor has memory of its own
    other = torch.from_numpy(start.copy()).requires_grad_()
    loss = other.pow(3).sum()
    start[:] = 0.0
    loss.backward(retain_graph=False)  # ok: so has the copy
    return leaf, other


def cast():
    start = np.ones(3)
    leaf = torch.from_numpy(start).float().requires_grad_()
    loss = (leaf * leaf).sum()
    start -= 1.0  # ok: another precision is other memory
    loss.backward()
    return leaf


def bound_anew():
    start = np.ones(3)
    leaf = torch.from_numpy(start).requires_grad_()
    loss = (leaf * leaf).sum()
    start = start + 1.0
    (loss * 1).backward()  # ok: another array was made
    return start, leaf


def data_only(model: nn.Linear):
    batch = np.zeros((4, 8))
    for row in range(4):
        batch[row] = row / 4
    loss = model(torch.from_numpy(batch).float()).sum()  # ok: filled before anything is computed
    batch.fill(0)  # ok: the batch does not require grad
    loss.backward()
    return model


def nothing_saved():
    start = np.ones(3)
    leaf = torch.as_tensor(start).requires_grad_()
    loss = leaf.sum()
    start /= 2  # ok: a sum saves nothing, so its gradient is the same
    loss.backward()
    return leaf


def evaluated_only(leaf_of=asarray):
    start = np.ones(3)
    leaf = torch.from_numpy(start).requires_grad_()
    energy = (leaf * leaf).sum()
    start.put([0], [9.0])  # ok: nobody differentiates
    return energy.item(), leaf_of


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default=3)
    calibration = Calibration(parser.parse_args().size)
    calibration.fit()
    calibration.fit_by_hand()
    data_only(nn.Linear(8, 1))
    perturbed(torch.zeros(1))
