"""Cases for GRD903: what is kept on the context of a custom function."""

import torch
from torch.autograd import Function


class Multiply(Function):
    @staticmethod
    def forward(ctx, a, b, eps):
        ctx.eps = float(eps)  # ok: a number
        ctx.shape = a.shape  # ok: a shape
        ctx.save_for_backward(a)
        ctx.b = b  # GRD903
        return a * b + eps

    @staticmethod
    def backward(ctx, grad):
        (a,) = ctx.saved_tensors
        return grad * ctx.b, grad * a, None  # GRD905


class Softmax(Function):
    @staticmethod
    def forward(ctx, logits: torch.Tensor, dim: int):
        shifted = logits - logits.max(dim, keepdim=True).values
        ctx.shifted, count = shifted, len(logits)  # ok: made on the way, neither input nor output
        ctx.dim, ctx.training = dim, True  # ok: numbers and flags
        ctx.logits: torch.Tensor = logits  # GRD903
        out = shifted.exp() / shifted.exp().sum(dim, keepdim=True)
        ctx.out = ctx.last = out  # GRD903
        return out

    @staticmethod
    def backward(ctx, grad):
        out = ctx.out
        ctx.cached = 2 * grad  # ok: set in backward, on a context about to go
        return out * (grad - (grad * out).sum(ctx.dim, keepdim=True)), None


class Gather(Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, index: torch.LongTensor):
        ctx.size = x.size(0)  # ok: a number again
        x = x.clone()
        ctx.copy: object = x if len(x) else None  # ok: a copy under the name of the input
        ctx.mask = x > 0  # ok: a mask, made here
        return x[index]

    @staticmethod
    def backward(ctx, grad):
        return grad.new_zeros(ctx.size, *grad.shape[1:]) + ctx.copy.sum() * ctx.mask, None


class Cube(Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)
        if len(x):
            ctx.output, ctx.size = output, len(x)  # GRD903

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x * x * grad


class Scaled(Function):
    @staticmethod
    def forward(ctx, x, scale=None):
        ctx.scale = scale if scale is None else scale  # ok: nobody knows what it is
        ctx.needs = x.requires_grad if torch.is_tensor(x) else False  # ok: a flag
        return x if scale is None else x * scale

    @staticmethod
    def backward(ctx, grad):
        return grad if ctx.scale is None else grad * ctx.scale, None


class Power(Function):
    @staticmethod
    def forward(ctx, x, exponent):
        ctx.exponent, ctx.shape = exponent, x.shape  # ok: a number in a tensor, to which no gradient flows
        return x**exponent

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.exponent, None


class Context:
    """Not torch's."""

    def __init__(self):
        self.value = None

    def forward(self, x: torch.Tensor):
        self.value = (x, 1)  # ok: an object of the program
        return x.sum()


def main():
    x = torch.randn(3, 4, requires_grad=True)
    y = Multiply.apply(x, torch.ones(3, 4), 1e-6)
    z = Cube.apply(y) + Softmax.apply(y, 1)
    z = Power.apply(z, torch.tensor(2.0))
    return Gather.apply(z, torch.tensor([0, 1])), Context().forward(x)


main()
