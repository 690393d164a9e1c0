import first
import torch

start = torch.zeros(1)


class Branch(first.Leaf):
    pass


def grown(value):
    return Branch(value)
