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


def guarded(x):
    match x:
        case torch.Tensor() as tensor if tensor.requires_grad:
            reveal(tensor)  # Tensor[float, requires_grad=yes, leaf=yes]
        case other:
            # vague: what a guard says is not taken away
            reveal(other)  # Tensor[float, requires_grad=no, leaf=yes]


match [weight, weight * 2]:
    case [first, *others]:
        reveal(first)  # Tensor[float, requires_grad=yes, leaf=yes]
        reveal(others[0])  # Tensor[float, requires_grad=yes, leaf=no]
match {"x": weight}:
    case {"x": value, **rest}:
        reveal(value)  # Tensor[float, requires_grad=yes, leaf=yes]
for word in ("sum", "count", None):
    reduced(weight, word)
for tensor in (weight, torch.zeros(3)):
    guarded(tensor)
