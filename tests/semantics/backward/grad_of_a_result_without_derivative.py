# The gradient by what an operation without a derivative gave does not go through it.
import torch

leaf = torch.rand(2, 2, requires_grad=True)
floored = torch.floor_divide(leaf, torch.rand(2, 2))
(gradient,) = torch.autograd.grad(floored.sum(), [floored])
steps = leaf.round()
(other,) = torch.autograd.grad((steps * 2).sum(), steps)
reveal(gradient, other, floored, steps)
torch.floor_divide(leaf, torch.rand(2, 2)).sum().backward()
