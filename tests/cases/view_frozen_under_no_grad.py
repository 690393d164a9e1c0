"""Cases for GRD126: views that cannot be frozen, and what can."""

import torch
import torch.nn as nn


@torch.no_grad()
def frozen_heads(model: nn.Linear):
    heads = []
    for row in model.weight.view(2, -1):
        heads.append(row.requires_grad_(False))  # GRD126
    return heads


class Embedder(nn.Module):
    def __init__(self, table: nn.Embedding, known: int):
        super().__init__()
        self.table = nn.Embedding(10, 4)
        with torch.no_grad():
            self.known = self.table.weight[:known]
            self.known.requires_grad = False  # GRD126
            self.copied = self.table.weight[:known].clone()
            self.copied = self.copied.requires_grad_(False)  # ok: a copy, and recorded nowhere
        self.free = self.table.weight.detach()[known:]
        self.free.requires_grad_(False)  # ok: detached

    def thaw(self):
        self.known.requires_grad_(True)  # ok: it requires grad as it is
        self.table.weight.requires_grad_(False)  # ok: the parameter itself is no view


def freeze(part: torch.Tensor):
    part.requires_grad_(requires_grad=False)  # ok: nobody knows what part it is


def freeze_all(model: nn.Module):
    for param in model.parameters():
        param.requires_grad = False  # ok: parameters are leaves of their own


def inspected(steps: int):
    weight = torch.zeros(steps, 2, requires_grad=True)
    with torch.inference_mode():
        first = weight[0]
    weight.data[1:].requires_grad = False  # GRD117
    with torch.no_grad():
        diagonal = torch.diagonal(weight)
        total = weight.sum(0)
        total = total.requires_grad_(False)  # ok: a result, no view
        return first, diagonal.requires_grad_(False)  # GRD126


def of_a_frozen_one():
    base = torch.ones(3, 3)
    with torch.no_grad():
        view = base.t()
        [view.requires_grad_(False)]  # ok: a view of what requires no grad


def recorded():
    weight = torch.ones(3, 3, requires_grad=True)
    try:
        weight[0, :2].requires_grad_(False)  # ok: in the graph, this raises and says why
    except RuntimeError:
        pass
