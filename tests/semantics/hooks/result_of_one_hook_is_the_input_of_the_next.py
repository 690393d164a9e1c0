# What one hook gives the next is handed; each was taken to see what the call was given, however often it is there.
import torch
from torch import nn

leaf = torch.randn(2, 2, requires_grad=True)
layer = nn.Linear(2, 2)


def doubled(module, given):
    reveal(given[0])
    return (given[0] * 2,)


def cut(module, given, result):
    reveal(given[0], result)
    return result.detach()


def shown(module, given, result):
    reveal(result)


for _ in range(2):
    layer.register_forward_pre_hook(doubled)
layer.register_forward_hook(cut)
layer.register_forward_hook(shown)
out = layer(leaf)
reveal(out)

plain = nn.Linear(2, 2)
plain.register_forward_pre_hook(lambda module, given: given[0].detach())
plain.register_forward_pre_hook(doubled)
reveal(plain(leaf))


def told(gradient):
    reveal(gradient)
    return gradient * 2


middle = leaf.square()
middle.register_hook(lambda gradient: gradient.double().float())
middle.register_hook(told)
middle.register_hook(told)
middle.sum().backward()
reveal(leaf)
