# A manager may go on behind its block when something is raised in it, with what was done up to there.
import contextlib
import random

import torch


def never():
    return random.random() < 0


class Keeping:
    def __init__(self, tensor):
        self.tensor = tensor

    def __enter__(self):
        self.tensor.requires_grad_(False)
        return self.tensor

    def __exit__(self, *error):
        self.tensor.requires_grad_(True)
        return True


class Choosing(Keeping):
    def __exit__(self, kind, error, trace):
        return kind is ValueError


class Passing(Keeping):
    def __exit__(self, kind, error, trace):
        self.tensor.requires_grad_(True)


one, other = torch.rand(2, requires_grad=True), torch.rand(2, requires_grad=True)
with Keeping(one) as held:
    reveal(held, one)
    result = held * 2
    other.requires_grad_(False)
    raise ValueError
reveal(one, other, result)
with Choosing(one):
    one = one.detach()
    if not never():
        raise ValueError
    one = torch.rand(2, requires_grad=True)
reveal(one)
one.requires_grad_(True)
with contextlib.suppress(ZeroDivisionError):
    one.requires_grad_(False)
    1 / int(never())
    one.requires_grad_(True)
reveal(one)
try:
    with Passing(other):
        one = torch.rand(2, requires_grad=True)
        raise ValueError
except ValueError:
    reveal(one, other)
with Keeping(one), torch.no_grad():
    result = one * 2
    raise ValueError
result = one * 2
reveal(one, result)
