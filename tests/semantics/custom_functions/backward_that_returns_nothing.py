# A backward that gives back nothing hands no gradient on.
import torch


class Forgetful(torch.autograd.Function):
    def forward(ctx, value):
        return value * 2

    def backward(ctx, grad):
        print(grad)


weight = torch.ones(2, requires_grad=True)
Forgetful.apply(weight * 2).sum().backward()
reveal(weight)
