# A gradient that is assigned and filled with zeros before anybody looks was lost all the same.
import torch

weight = torch.ones(2, requires_grad=True)


def clear():
    weight.grad = torch.ones_like(weight)
    weight.grad.zero_()


clear()
reveal(weight)
