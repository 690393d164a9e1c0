"""Cases for GRD901: what backward returns, and how many gradients that is."""

import torch
from torch import autograd
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Reverse(Function):
    """Gradient reversal, as it stands in many repositories."""

    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.alpha, None  # ok: one for each input


class Forgetful(Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.alpha  # GRD901


class Linear(autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        return input @ weight.t() if bias is None else input @ weight.t() + bias

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output @ weight
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t() @ input
        if len(ctx.needs_input_grad) == 2:
            return grad_input, grad_weight  # ok: the bias may have been left out
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias  # ok: the bias was given


class Sampled(Function):
    @staticmethod
    def forward(ctx, logits, tau=1.0, hard=False):
        ctx.tau = tau
        return (logits / tau).softmax(-1)

    @staticmethod
    def backward(ctx, grad):
        if ctx.tau == 0:
            return None, None, None, grad  # GRD901
        return (grad / ctx.tau,)  # ok: the others have defaults


class Cubed(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad  # ok: setup_context takes the context, forward the input alone


class Pair(torch.autograd.Function):
    @staticmethod
    def forward(a, b):
        return a * b, a + b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_product, grad_sum):
        a, b = ctx.saved_tensors
        grads = [grad_product * b + grad_sum, grad_product * a + grad_sum]
        return grads  # GRD901


class Gathered(Function):
    @staticmethod
    def forward(ctx, dim, *tensors):
        ctx.sizes = [tensor.shape[dim] for tensor in tensors]
        ctx.dim = dim
        return torch.cat(tensors, dim)

    @staticmethod
    def backward(ctx, grad):
        return None, *grad.split(ctx.sizes, ctx.dim)  # ok: forward takes any number


class Padded(Function):
    @staticmethod
    def forward(ctx, x, size, mode, value):
        ctx.size = size
        return torch.nn.functional.pad(x, size, mode, value)

    @staticmethod
    def backward(ctx, grad):
        left, right = ctx.size
        grad = grad[..., left : grad.shape[-1] - right]
        return (grad, *([None] * 3))  # ok: three more


class Rounded(Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, grad):
        if not ctx.needs_input_grad[0]:
            return (None,)  # ok: one input, no gradient
        return grad, None, None  # ok: further Nones are accepted


class Clamped(Function):
    @staticmethod
    def forward(ctx, x, low, high):
        ctx.save_for_backward((x >= low) & (x <= high))
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, grad):
        (inside,) = ctx.saved_tensors
        if not ctx.needs_input_grad[0]:
            return None  # GRD901
        return grad * inside, None  # GRD901


class Backward:
    """No custom function at all."""

    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad  # ok: derives from nothing of torch


class Derived(Rounded):
    @staticmethod
    def backward(ctx, grad):
        return grad * 2, grad  # ok: its forward stands in another class


class Limited(Function):
    """The limit has a default, and the call below hands one over."""

    @staticmethod
    def forward(ctx, x, limit=1.0):
        return x.clamp(-limit, limit)

    @staticmethod
    def backward(ctx, grad):
        return (grad.clone(),)  # GRD901


class Softened(Function):
    @staticmethod
    def forward(ctx, x, slope=1.0, shift=0.0):
        ctx.slope = slope
        return torch.tanh(x * slope + shift)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.slope, None  # ok: nobody hands over the shift


class Affine(Function):
    @staticmethod
    def forward(ctx, x, weight, bias=None):
        ctx.save_for_backward(x, weight)
        return x * weight if bias is None else x * weight + bias

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        if len(ctx.needs_input_grad) == 2:
            return grad * weight, grad * x  # ok: calls without a bias are told apart
        return grad * weight, grad * x, grad


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.limit = Limited.apply

    def forward(self, x, bias):
        x = self.limit(x, 0.5)
        return Affine.apply(Softened.apply(x, 2.0), x, bias)
