"""A manager of the program's own is told of an error, if there is one, and else of none."""

import torch

leaf = torch.rand(2, requires_grad=True)


class Closing:
    def __init__(self, tensor):
        self.tensor = tensor

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        print(kind, error, trace)
        if kind is not None:
            self.tensor.requires_grad_(False)
        print(self.tensor)


def work(value):
    with Closing(value):
        total = value.sum()
        total.backward()
    return total


print(work(leaf))
print(leaf)
with Closing(leaf):
    leaf += 1
print(leaf)
