"""Cases for GRD905: backward passes that compute more than was asked for."""

import torch
from torch.autograd import Function


class Bilinear(Function):
    @staticmethod
    def forward(ctx, x, y, weight):
        ctx.save_for_backward(x, y, weight)
        return ((x @ weight) * y).sum(-1)

    @staticmethod
    def backward(ctx, grad):
        x, y, weight = ctx.saved_tensors
        grad = grad.unsqueeze(-1)
        grad_x = (grad * y) @ weight.t()
        grad_y = grad * (x @ weight)
        return grad_x, grad_y, x.t() @ (grad * y)  # GRD905


class Linear(Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return x @ weight.t()

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        grad_x = grad @ weight if ctx.needs_input_grad[0] else None
        return grad_x, grad.t() @ x  # ok: it looks


class Asked(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.both = all(ctx.needs_input_grad)
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        if ctx.both:
            return grad * b, grad * a  # ok: it looked in forward
        return None, None  # ok: nothing computed


class Scaled(Function):
    @staticmethod
    def forward(ctx, x, scale, shift):
        ctx.scale = scale
        return x * scale + shift

    @staticmethod
    def backward(ctx, grad):
        grad = grad * ctx.scale
        return grad, None, None  # ok: one gradient


class Sum(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a + b

    @staticmethod
    def backward(ctx, grad):
        return grad, grad  # ok: the same gradient twice, nothing computed


class Delegated(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return torch.maximum(a, b)

    @staticmethod
    def backward(ctx, grad):
        mask = wanted(ctx)
        return grad * mask, grad * ~mask  # ok: the context was handed on


def wanted(ctx):
    a, b = ctx.saved_tensors
    return (a > b) & bool(ctx.needs_input_grad[0])


class Distance(Function):
    @staticmethod
    def forward(context, a, b, power=2):
        context.save_for_backward(a - b)
        context.power = power
        return (a - b).abs().pow(power).sum()

    @staticmethod
    def backward(context, grad):
        (difference,) = context.saved_tensors
        slope = context.power * difference.abs().pow(context.power - 1) * difference.sign()
        grads = (grad * slope, -grad * slope, None)
        return grads  # GRD905


class Grouped(Function):
    @staticmethod
    def forward(ctx, *tensors):
        ctx.count = len(tensors)
        return torch.stack(tensors).sum(0)

    @staticmethod
    def backward(ctx, grad):
        return tuple(grad * 1 for _ in range(ctx.count))  # ok: nobody knows how many


class Layer:
    """No custom function."""

    def forward(self, a, b):
        self.a, self.b = a, b
        return a * b

    def backward(self, grad):
        return self.b * grad, self.a * grad  # ok: a class of its own
