"""Cases for GRD302: views of leaves written while autograd watches, and what only looks like a view."""

import torch
import torch.nn as nn


class TokenEmbedding(nn.Module):
    def __init__(self, size, width, padding: int = 0):
        super().__init__()
        self.table = nn.Embedding(size, width)
        self.table.weight.data[padding].zero_()  # ok: through .data
        self.table.weight[padding].fill_(0)  # GRD302

    def forward(self, tokens):
        return self.table(tokens)


def gates():
    cell = nn.LSTMCell(4, 4)
    forget = cell.bias_ih.chunk(4)[1]
    forget += 1.0  # GRD302
    return cell


def identity_kernel():
    conv = nn.Conv2d(1, 1, 3)
    conv.weight.view(-1)[4].copy_(torch.tensor(1.0))  # GRD302
    return conv


def tied_rows():
    weight = torch.randn(4, 4, requires_grad=True)
    for index, row in enumerate(weight):
        row.mul_(index)  # GRD302
    return weight


def transposed():
    weight = torch.eye(3).requires_grad_()
    weight.t().narrow(0, 0, 1).sub_(0.5)  # GRD302
    return weight


def shifted_by_one():
    weight = torch.zeros(4, requires_grad=True)
    weight[1:] += weight[:-1]  # GRD302
    return weight


def view_taken_under_no_grad():
    weight = torch.ones(6, requires_grad=True)
    with torch.no_grad():
        half = weight.reshape(2, 3)[0]
    half.clamp_(max=0.5)  # GRD302
    return weight


def view_taken_before_asking():
    weight = torch.ones(6)
    first = weight[:3]
    weight.requires_grad_()
    first.exp_()  # GRD302
    return weight


def prune(keep=2):
    layer = nn.Linear(4, 4)
    with torch.no_grad():
        layer.weight[keep:].fill_(0.0)  # ok: view and write under no_grad
        dropped = layer.weight[:, keep]
        dropped.neg_().abs_()  # ok: the same in two steps
    return layer


def written_later_under_no_grad():
    weight = torch.ones(6, requires_grad=True)
    head = weight[:2]
    with torch.inference_mode():
        pass
    with torch.no_grad():
        head.add_(1.0)  # ok: only the write has to be under no_grad
    return weight


def copies():
    weight = torch.randn(4, 4, requires_grad=True)
    weight[weight > 0].abs_()  # ok: a mask picks a copy
    weight[[0, 2]].zero_()  # ok: so does a list of rows
    weight.clone()[0].fill_(1.0)  # ok: a view of a copy
    (weight * 1)[1].mul_(3)  # ok: a view of a result
    return weight


def detached():
    weight = torch.randn(2, 2, requires_grad=True)
    weight.detach()[0, 1].fill_(0.0)  # ok: a view of the detached handle
    weight.diagonal().detach().fill_(1.0)  # ok: detached after the view was taken
    return weight


def data_only(batch: torch.Tensor):
    canvas = torch.zeros(8, 8)
    canvas[2:4].add_(1.0)  # ok: nothing here requires grad
    batch[:, 0].sub_(0.5)  # ok: nobody knows whether the argument requires grad
    frozen = nn.Linear(2, 2).requires_grad_(False)
    frozen.weight.t().mul_(0.1)  # ok: frozen
    return canvas


@torch.no_grad()
def orthogonal(layer: nn.Linear):
    layer.weight.view(-1).div_(layer.weight.norm())  # ok: decorated
    return layer


def rows_by_name():
    weight = torch.ones(3, 3, requires_grad=True)
    rows = {"first": weight[0], "second": weight[1]}
    for _name, row in rows.items():
        row.mul_(2)  # GRD303
    return weight


def a_view_on_one_path(transposed: bool):
    leaf = torch.ones(3, 3, requires_grad=True)
    written = leaf.t() if transposed else leaf * 2
    written.index_fill_(0, torch.tensor([0]), 1.0)  # ok: it is a view on one path only
    leaf.t().contiguous().clamp_(min=0.5, max=1.5)  # ok: a copy, for what is transposed is not contiguous
    return written


def laid_flat():
    layer = nn.Linear(3, 2)
    layer.weight.flatten().mul_(0.5)  # GRD302
    layer.weight[0].reshape(-1).zero_()  # GRD302
    layer.weight.t().flatten().sub_(1.0)  # ok: a copy, for what is transposed is not contiguous
    layer.bias.data = torch.ones(4)[::2]
    layer.bias.reshape(1, 2).exp_()  # ok: what is not contiguous may be copied
    return layer
