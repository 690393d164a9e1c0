# What a function of autograd gives back as it was handed counts its writes as that does.
import torch

w = torch.rand(2, requires_grad=True)
x = torch.rand(2)
y = torch.rand(2)


class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, g):
        return g


y.data = x
out = w * x
Same.apply(y).add_(1)
try:
    out.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
out = w * y
Same.apply(y.detach()).add_(1)
try:
    out.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
reveal(w, x, y)
