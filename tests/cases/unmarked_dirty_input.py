"""Cases for GRD904: custom functions that write in place, and what they may write."""

import torch
import torch.nn.functional as F
from torch.autograd import Function


class LeakyInPlace(Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, slope: float):
        ctx.slope = slope
        ctx.save_for_backward(x > 0)
        F.leaky_relu(x, slope, inplace=True)  # GRD904
        return x

    @staticmethod
    def backward(ctx, grad):
        (positive,) = ctx.saved_tensors
        grad = grad.clone()
        grad[~positive] *= ctx.slope  # ok: in backward, and a copy
        return grad, None


class Marked(Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor):
        ctx.mark_dirty(x)
        return x.sigmoid_()  # ok: marked

    @staticmethod
    def backward(ctx, grad):
        return grad


class Cloned(Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, low, high):
        y = x.clone()
        y.clamp_(low, high)  # ok: a copy
        x = x * 2
        x += 1  # ok: no input any more
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad, None, None


class Scatter(Function):
    @staticmethod
    def forward(ctx, source: torch.Tensor, index: torch.Tensor, out: torch.Tensor):
        out.index_add_(0, index, source)  # ok: written for the caller, who knows whether it requires grad
        ctx.index = index.tolist()
        return out.sum(0)

    @staticmethod
    def backward(ctx, grad):
        return grad.expand(len(ctx.index), -1), None, None


class Normalized(Function):
    @staticmethod
    def forward(ctx, weight: torch.Tensor, running: torch.Tensor, momentum: float):
        running.mul_(1 - momentum).add_(weight.mean(0), alpha=momentum)  # ok: the file applies it to a buffer
        weight.div_(weight.norm())  # GRD904
        return weight - running

    @staticmethod
    def backward(ctx, grad):
        return grad, None, None


class Wired(Function):
    @staticmethod
    def forward(x: torch.Tensor, noise: torch.Tensor):
        buffer = torch.empty_like(x)
        buffer.copy_(x)  # ok: made here
        torch.add(buffer, noise, out=buffer)  # ok: made here, by out=
        x -= noise  # GRD904
        return x, buffer

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad, other):
        grad.add_(other, alpha=0.5)  # ok: in backward, the gradient itself
        return grad, None


class Layer(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(width, width))
        self.register_buffer("running", torch.zeros(width))

    def forward(self, x):
        with torch.no_grad():
            x.relu_()  # GRD313
        return x @ Normalized.apply(self.weight * 1, self.running, 0.1)


layer = Layer(4)
layer(torch.ones(2, 4)).sum().backward()


class Sparse(Function):
    """What stands for the input is written under its name, although only what is computed from it goes back."""

    @staticmethod
    def forward(ctx, scores, dim=-1):
        top, _ = scores.max(dim=dim, keepdim=True)
        scores -= top.expand_as(scores)  # todo GRD904
        out = torch.clamp(scores, min=0)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        return grad * (out > 0), None
