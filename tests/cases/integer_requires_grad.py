"""Cases for GRD101: who asks a tensor of whole numbers for gradients, and what only looks like it."""

import argparse

import numpy as np
import pytest
import torch
import torch.nn as nn
from torch import LongTensor, Tensor


def labels_as_leaf():
    labels = torch.tensor([[0, 1], [1, 0]], requires_grad=True)  # GRD101
    return labels


def mask_as_leaf(size):
    return torch.ones(size, dtype=torch.bool, requires_grad=True)  # GRD101


def timesteps(count: int):
    steps = torch.arange(0, count, device="cpu").unsqueeze(0)
    steps.requires_grad = True  # GRD101
    return steps


def chosen_action(logits: Tensor):
    action = logits.argmax(dim=-1)
    return action.requires_grad_()  # GRD101


def old_style_indices():
    return LongTensor([3, 1, 2]).requires_grad_()  # GRD101


def midpoint(low, high):
    middle = torch.full((2,), 7) // 2
    middle.requires_grad_(requires_grad=True)  # GRD101
    return middle


class CodeBook(nn.Module):
    def __init__(self, size=16):
        super().__init__()
        self.codes = nn.Parameter(torch.randint(0, size, (size,)))  # GRD101

    def forward(self, x):
        return x[self.codes]


class QuantizedLinear(nn.Module):
    """Packed weights are parameters so that they move with the module; nobody trains them."""

    def __init__(self, features):
        super().__init__()
        self.packed = nn.Parameter(torch.zeros(features, dtype=torch.int8), requires_grad=False)  # ok: asked not to
        self.scale = nn.Parameter(torch.full((features,), 1.0))  # ok: the fill value has a decimal point
        self.register_buffer("order", torch.arange(features))

    def forward(self, x):
        return x * self.scale


def frozen_table():
    table = torch.arange(10)
    table.requires_grad = False  # ok: an integer tensor may be asked not to require grad
    return table


def float_by_default(rows: int, columns: int):
    weights = torch.zeros(rows, columns, requires_grad=True)  # ok: sizes are whole numbers, elements are not
    steps = torch.arange(3.0).requires_grad_()  # ok: a bound with a decimal point
    legacy = torch.Tensor([1, 2]).requires_grad_()  # ok: torch.Tensor always holds floats
    return weights, steps, legacy


def converted(labels: LongTensor):
    soft = torch.tensor([4, 2]) / 2
    soft.requires_grad_(True)  # ok: true division gives floats
    return torch.nn.functional.one_hot(labels).float().requires_grad_(True)  # ok: converted on the way


def trainable_state(state: dict[str, Tensor]):
    for value in state.values():
        if value.is_floating_point():
            value.requires_grad_(not value.is_sparse)  # ok: guarded, and nothing is known of the elements
    return state


def from_somewhere(values, array: np.ndarray, dtype=torch.long):
    given = torch.tensor(values, requires_grad=True)  # ok: the elements come from outside
    taken = torch.from_numpy(array).requires_grad_()  # ok: so does the array
    typed = torch.zeros(3, dtype=dtype).requires_grad_(False)  # ok: integers that ask for nothing
    return given, taken, typed


def test_integers_are_refused():
    with pytest.raises(RuntimeError, match="can require gradients"):
        torch.eye(2, dtype=torch.int64, requires_grad=True)  # ok: the test wants the error


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train-offset", action="store_true")
    args = parser.parse_args()
    offset = torch.tensor([0, 0], requires_grad=args.train_offset)  # ok: only if asked on the command line
    print(offset)


if __name__ == "__main__":
    main()


def winners_of_the_caller(scores, costs):
    """What `argmax` gives is whole, whatever it is asked of."""
    best = scores.argmax(1)
    print(best.requires_grad_(True), costs)  # GRD101
    cheapest = costs.argmin()
    cheapest = costs.detach()
    cheapest.requires_grad = best is not None  # ok: another by then
    return best, cheapest


def classes_from_a_loader(loader):
    for image, label in loader:
        label, image = label.long(), image.to(torch.float)
        image.requires_grad = label.requires_grad = True  # GRD101
    weights = label.to(torch.int64).float()
    weights.requires_grad = not image  # ok: cast back


class Grid:
    def __init__(self, side=4, step=0.5):
        self.side, self.step = side, step

    def lines(self, rows):
        rows = torch.arange(rows).repeat(self.side)
        rows.requires_grad_()  # GRD101
        across = torch.arange(0, self.side, requires_grad=True)  # GRD101
        down = torch.arange(0, self.side, self.step, requires_grad=True)  # ok: the step is none
        return rows, across, down


def times(duration, count, until=1.0):
    at = torch.arange(until)
    print(at.requires_grad_(), at)  # ok: one that is floating point is told by the default
    spots = torch.arange(count).view(-1, 1).float().requires_grad_()  # ok: cast
    return torch.arange(duration, until).requires_grad_(), at, spots  # ok: both may be anything
