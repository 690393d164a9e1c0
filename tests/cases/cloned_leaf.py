"""Cases for GRD122: clones that were meant to be leaves of their own, and clones that are."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


def attack(model: nn.Module, epsilon=0.1):
    image = torch.rand(1, 3, 8, 8, requires_grad=True)
    adversary = torch.clone(image).requires_grad_(True)  # GRD122
    F.cross_entropy(model(adversary), torch.tensor([1])).backward()
    return adversary + epsilon * adversary.grad.sign()


def attack_data(model: nn.Module, images):
    for image in images:
        batch = torch.as_tensor(image).float().clone()
        batch.requires_grad_(True)  # ok: nobody knows whether the images require grad
        model(batch).sum().backward()
        yield batch.grad


def fresh_copy():
    start = torch.ones(3, requires_grad=True).clone().requires_grad_()  # GRD122
    start.sum().backward()
    return start.grad


class LineSearch:
    def __init__(self, features: int):
        self.weight = torch.zeros(features, requires_grad=True)
        self.best = None

    def trial(self, rate: float):
        candidate = self.weight.clone()
        candidate.requires_grad = True  # GRD122
        return candidate - rate

    def restart(self):
        with torch.no_grad():
            candidate = self.weight.clone()
        candidate.requires_grad_()  # ok: cloned without the graph, so it is a leaf
        return candidate

    def keep(self):
        self.best = copy.deepcopy(self.weight)
        self.best.requires_grad_(requires_grad=True)  # ok: a deep copy of a leaf is a leaf


def perturbed(steps=3):
    delta = torch.zeros(4, requires_grad=True)
    for _ in range(steps):
        delta.pow(2).sum().backward()
        shifted = delta.clone()
        [shifted.requires_grad_()]  # GRD122
        delta = (delta - delta.grad).detach().clone().requires_grad_()  # ok: detached before it was cloned


def weights_by_layer(layers, x):
    weight, seen = torch.ones(4), []
    for layer in layers:
        weight = weight.clone().requires_grad_()  # ok: the first of them is a leaf and has to be asked
        seen.append(weight)
        x = layer(x * weight)
    return torch.autograd.grad(x.sum(), seen)


def inputs_for(kind: str):
    noise = torch.randn(2, 4).clone().requires_grad_()  # ok: nothing that was cloned requires grad
    if kind == "other":
        return noise.clone().requires_grad_(kind == "none")  # ok: nobody knows what is asked
    frozen = noise.clone().detach()
    frozen.requires_grad_(True).mean()  # ok: detached after it was cloned
    return frozen


def embedding_rows(table: nn.Embedding, indices):
    chosen = table.weight[indices].clone()
    return chosen.requires_grad_()  # GRD122


def ask(tensor):
    return tensor.requires_grad_(True)  # GRD122


def both_ways():
    start = torch.ones(2, requires_grad=True)
    return ask(start.clone()), ask(torch.ones(2))
