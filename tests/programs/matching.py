"""`match` binds what its patterns name and joins its cases."""

import torch

weight = torch.ones(3, requires_grad=True)


def reduced(x, how):
    match how:
        case "sum":
            out = x.sum()
        case "count":
            out = torch.tensor(x.numel())
        case None:
            out = x.detach()
        case _:
            raise ValueError(how)
    reveal(out)  # Tensor[integer|float, requires_grad=no|yes, leaf=no|yes]


def unpacked(pair):
    match pair:
        case [first, *others]:
            reveal(first)  # unknown
            reveal(others[0])  # unknown
        case {"x": value, **rest}:
            # vague: mapping patterns are not taken apart
            reveal(value)  # unknown
        case torch.Tensor() as tensor if tensor.requires_grad:
            # vague: the subject is not narrowed by earlier cases
            reveal(tensor)  # unknown


for word in ("sum", "count", None):
    reduced(weight, word)
unpacked([weight, weight])
unpacked({"x": weight})
unpacked(weight)
