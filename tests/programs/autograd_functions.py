"""Classes derived from torch.autograd.Function: forward runs unrecorded, apply records one operation."""

import torch

x = torch.ones(2, 2, requires_grad=True)
plain = torch.ones(2, 2)


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = x * x
        reveal(x)  # Tensor[float, requires_grad=no|yes, leaf=yes]
        reveal(y)  # Tensor[float, requires_grad=no, leaf=yes]
        return y

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        reveal(ctx.needs_input_grad[0])  # number[bool]
        reveal(gradient)  # Tensor[?, requires_grad=?, leaf=?]
        return 2 * x * gradient


class Reversed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, strength):
        ctx.strength = strength
        return x

    @staticmethod
    def backward(ctx, gradient):
        return -gradient * ctx.strength, None


class Largest(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        where, small = x.argmax(1), x * 0.1
        ctx.mark_non_differentiable(small)
        return x.amax(1), where, small, [x * 2]

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, gradient, *others):
        if ctx.needs_input_grad[0]:
            return gradient[:, None].expand(2, 2)


class PlusOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class Times(torch.autograd.Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.factor = inputs

    @staticmethod
    def backward(ctx, gradient):
        return gradient * ctx.factor, None


class OfList(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tensors, other):
        return tensors[0] + other

    @staticmethod
    def backward(ctx, gradient):
        return None, gradient


def reversal(tensor):
    return Reversed.apply(tensor, 0.5)


class OfFirst(torch.autograd.Function):
    @staticmethod
    def forward(ctx, first, second):
        return first * 2 + second

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None


class Forgetful(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        return value * 2

    @staticmethod
    def backward(ctx, grad):
        print(grad)


square = Square.apply(x)
reveal(square)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(Square.apply(plain))  # Tensor[float, requires_grad=no, leaf=yes]
square.sum().backward()
reveal(x.grad)  # Tensor[float, requires_grad=no|?, leaf=?]
reveal(reversal(x))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(reversal(plain))  # Tensor[float, requires_grad=no, leaf=yes]
turn = Reversed.apply
reveal(turn(x * 2, 1.0))  # Tensor[float, requires_grad=yes, leaf=no]
largest, where, small, listed = Largest.apply(x)
reveal(largest)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(where)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(small)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(listed[0])  # Tensor[float, requires_grad=no, leaf=yes]
moved = x * 1
reveal(PlusOne.apply(moved))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(moved)  # Tensor[float, requires_grad=yes, leaf=no]
fresh = torch.zeros(2, 2)
PlusOne.apply(fresh)
reveal(fresh)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(Times.apply(x, 2))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(OfList.apply([x], plain))  # Tensor[float, requires_grad=no, leaf=yes]
with torch.no_grad():
    reveal(Square.apply(x))  # Tensor[float, requires_grad=no, leaf=yes]
first = torch.ones(2, requires_grad=True)
second = torch.ones(2, requires_grad=True)
OfFirst.apply(first, second).sum().backward()
reveal(first, "grad")  # fresh
reveal(second, "grad")  # none|fresh
forgotten = torch.ones(2, requires_grad=True)
Forgetful.apply(forgotten * 2).sum().backward()
reveal(forgotten, "grad")  # none|fresh
