"""Functions are run with the facts of their call: defaults, keywords, stars, several returns, recursion."""

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)


def scaled(x, factor=2.0, *, shift=None):
    if shift is None:
        return x * factor
    return x * factor + shift


reveal(scaled(plain))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(scaled(plain, weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(scaled(x=plain, shift=weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(scaled(*[weight]))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(scaled(**{"x": plain, "factor": 3}))  # Tensor[float, requires_grad=no, leaf=yes]


def first_of(*tensors, **options):
    reveal(tensors[0])  # Tensor[float, requires_grad=no|yes, leaf=yes]
    return options["default"] if "default" in options else tensors[0]


reveal(first_of(weight, plain))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(first_of(plain, default=weight))  # Tensor[float, requires_grad=yes, leaf=yes]


def pair(x):
    return x, x.detach()


one, two = pair(weight)
reveal(one)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(two)  # Tensor[float, requires_grad=no, leaf=yes]


def choose(flag):
    if flag:
        return weight
    return plain


for flag in (True, False):
    reveal(choose(flag))  # Tensor[float, requires_grad=no|yes, leaf=yes]


double = lambda x, by=2: x * by  # noqa: E731
reveal(double(weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(double(plain, by=weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal((lambda: plain)())  # Tensor[float, requires_grad=no, leaf=yes]


def nothing(x):
    x.requires_grad_()


fresh = torch.zeros(1)
reveal(nothing(fresh))  # None
reveal(fresh)  # Tensor[float, requires_grad=yes, leaf=yes]


def power(x, n):
    return x if n == 0 else x * power(x, n - 1)


# vague: a function that calls itself is followed twice; then its text shows that it leaves flags alone
reveal(power(weight, 4))  # Tensor[?, requires_grad=yes, leaf=no]
