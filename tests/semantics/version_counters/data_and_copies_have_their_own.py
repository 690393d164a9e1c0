# What torch notices of a write is told by the count of the handle, and not every handle on a memory shares its count.
import copy

import torch

weight = torch.rand(2, requires_grad=True)
x = torch.rand(2)
out = weight * x.data
x.add_(1)
out.sum().backward()
y = weight * 2
out = weight * y.data
y.add_(1)
out.sum().backward()
y.data.mul_(y.data)
y.mul_(y.data)
y.sum().backward()
reveal(weight, y)


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y, None


out = Twice.apply(weight, x.data)
x.add_(1)
out.sum().backward()
layer = torch.nn.Linear(2, 2)
out = layer.weight.data * weight
with torch.no_grad():
    layer.weight.add_(1)
out.sum().backward()
out = weight * copy.copy(x)
x.add_(1)
out.sum().backward()
reveal(weight, layer.weight)
