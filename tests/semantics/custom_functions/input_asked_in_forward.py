# A custom function is recorded by what its inputs were when it was applied, not by what its forward asks of them.
import torch


class Asking(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.requires_grad_()
        return x.detach() + 1


reveal(Asking.apply(torch.rand(2)))
