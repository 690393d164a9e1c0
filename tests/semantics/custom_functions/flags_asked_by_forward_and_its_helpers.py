# Whether a custom function is recorded is decided before its forward runs, which may ask or freeze its arguments.
import torch


class Freezing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        x.requires_grad_(False)
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return grad, None


x = torch.rand(2, requires_grad=True)
y = torch.rand(2)
out = Freezing.apply(x, y)
reveal(out, x)


def asks(tensor):
    tensor.requires_grad = True


class Helped(torch.autograd.Function):
    @staticmethod
    def forward(x):
        asks(x)
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        return grad


for _ in range(3):
    z = torch.rand(2)
    made = Helped.apply(z)
    reveal(made, z)
    again = Helped.apply(z)
    reveal(again, z)
    again.sum().backward()
    reveal(z)


class Leaving(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        inner = x.detach().requires_grad_()
        reveal(inner)
        return inner * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


reveal(Leaving.apply(y), Leaving.apply(torch.rand(2, requires_grad=True)), y)
