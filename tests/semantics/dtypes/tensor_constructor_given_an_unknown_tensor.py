# `torch.Tensor` gives a tensor as it is, of any kind of elements, and was said to make floating point numbers of it.
import torch

kinds = {"small": torch.float64, "whole": torch.int64, "pair": torch.complex64}


def ones(kind):
    return torch.ones(2, 2, dtype=kinds[kind])


made = globals()["ones"]
for kind in kinds:
    handle = torch.Tensor(made(kind))
    reveal(handle)
drawn = torch.normal(made("small"), 1.0)
reveal(drawn)
single = torch.FloatTensor(torch.ones(2, 2))
reveal(single)
