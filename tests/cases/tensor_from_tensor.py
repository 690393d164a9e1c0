"""Cases for GRD123: tensors made from tensors that require grad, and from everything else."""

import argparse

import numpy as np
import torch
import torch.nn as nn
from torch import tensor


class Policy(nn.Module):
    def __init__(self, scale: float):
        super().__init__()
        self.net = nn.Linear(4, 2)
        self.scale = torch.tensor(scale)  # ok: a number
        self.limits = torch.tensor([-1.0, scale], requires_grad=True)  # GRD802

    def forward(self, state):
        logits = self.net(state)
        return torch.tensor(logits, dtype=torch.float32)  # GRD123

    def act(self, state):
        with torch.no_grad():
            action = torch.tensor(self.net(state))  # ok: under no_grad there is no graph to cut
        return action

    def snapshot(self):
        return tensor(data=self.net.weight)  # GRD123


def train(args: argparse.Namespace, model: nn.Module, batches):
    history = []
    model.train()
    for inputs, labels in batches:
        inputs, labels = torch.tensor(inputs), torch.tensor(labels)  # ok: nobody knows what the batches are made of
        loss = nn.functional.cross_entropy(model(inputs), labels)
        loss.backward()
        history.append(torch.tensor(loss.item()))  # ok: a number
        history.append(torch.tensor(loss.detach(), device="cpu"))  # ok: cut off on purpose, no graph is lost
        loss = torch.tensor(loss, requires_grad=True)  # GRD123
    return history


def leaf_again(values: np.ndarray):
    weight = torch.tensor(values, dtype=torch.float32, requires_grad=True)  # ok: an array
    total = (weight * 2).sum()
    total.backward()
    best = torch.tensor(total > 0)  # ok: a comparison is in no graph
    return best, torch.tensor(weight.grad)  # ok: a gradient is in no graph


def perhaps(flag: bool):
    start = torch.zeros(2, requires_grad=flag)
    return (start, torch.tensor(start))  # ok: requires grad for some callers only


def gathered(rows: int):
    parts = [nn.Parameter(torch.ones(2)) for _ in range(rows)]
    return {0: torch.tensor(part.sum()) for part in parts}  # GRD123
