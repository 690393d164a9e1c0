"""Cases for GRD902: custom functions as objects, and classes that only look like them."""

import torch
from torch import nn
from torch.autograd import Function


class Legacy(Function):
    """As it was written before 0.4."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):  # GRD902
        self.save_for_backward(x)
        return x * self.factor

    def backward(self, grad):
        return grad * self.factor


class Sign(Function):  # ok: static
    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        return grad


class Straight(torch.autograd.Function):
    def forward(ctx, x, digits=0):  # GRD902
        return x.round(decimals=digits)

    def backward(ctx, grad):
        return grad


class Squared(torch.autograd.function.Function):  # ok: static, with a context set up apart
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


class LossFunction(nn.Module):  # ok: a module, whatever its name says
    def forward(self, x):
        return Sign.apply(x).sum()


class Function2:  # ok: derives from nothing of torch
    def forward(self, x, y):
        return x + y

    def __call__(self, x):
        return self.forward(x, 1)


class Halved(Function):
    @classmethod
    def forward(cls, ctx, x):
        return x / 2

    @staticmethod
    def backward(ctx, grad):
        return grad / 2


class Callable(Sign, Function):  # ok: what it inherits is static
    """A custom function that says itself what a call does."""

    @staticmethod
    def forward(ctx, x, power):
        ctx.power = power
        return x**power

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.power, None

    def __call__(self, x):
        return self.apply(x, 2)


class Quantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.sign = Sign()
        self.apply_sign = Sign.apply

    def forward(self, x):
        y = self.sign(x)  # GRD902
        return self.apply_sign(y) + Legacy(3.0)(x)  # GRD902


def use(x, count=2):
    straight = Straight.apply
    for _ in range(count):
        x = straight(x)
    total = Sign()(x) + Function2()(x) + Callable()(x)  # GRD902
    return total + Sign().apply(x) + LossFunction()(x)


def masked(x, mask):
    return Squared.apply(x[mask]), Sign.forward(None, x)
