"""Arguments given beforehand with `functools.partial`, by position and by keyword, and what wraps a function."""

import functools
from functools import cache, cached_property, lru_cache, partial, reduce, wraps

import torch
from torch import nn

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)


def mixed(first, second, scale=1.0):
    return first.detach() * scale + second


scaled = partial(mixed, weight)
reveal(scaled(plain))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(scaled(weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(partial(mixed, weight, scale=weight)(plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(partial(partial(mixed, plain), plain, scale=2)())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(partial(torch.mul, weight)(plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(partial(torch.zeros, requires_grad=True)(3))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(functools.partial(torch.add, alpha=2)(plain, plain))  # Tensor[float, requires_grad=no, leaf=yes]
layer = partial(nn.Linear, 3, bias=False)
reveal(layer(2))  # Module[torch.nn.Linear, mode=train]
reveal(layer(2).weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(reduce(torch.add, [plain, weight]))  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
reveal(reduce(lambda a, b: a * b, [plain, plain], weight))  # Tensor[float, requires_grad=yes, leaf=no|yes]
optimizer = partial(torch.optim.SGD, lr=0.1)([weight])
reveal(optimizer)  # Optimizer[SGD]


class Store:
    def __init__(self, value):
        self.value = value
        self.scaled = partial(self.times, weight)

    def times(self, factor, other):
        return factor * other

    @cached_property
    def half(self):
        return self.value / 2

    @lru_cache(maxsize=None)
    def cached(self):
        return self.value


reveal(Store(plain).scaled(plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(Store(weight).half)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(Store(weight).cached())  # Tensor[float, requires_grad=yes, leaf=yes]


def logged(function):
    @wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


def repeated(times):
    def decorate(function):
        @functools.wraps(function)
        def inner(*args):
            for _ in range(times):
                found = function(*args)
            return found

        return inner

    return decorate


@logged
def doubled(x, by=2):
    return x * by


@repeated(times=3)
def halved(x):
    return x / 2


@cache
def constant():
    return weight


@lru_cache
def other():
    return plain


reveal(doubled(weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(doubled(plain, by=weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(halved(weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(constant())  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(other())  # Tensor[float, requires_grad=no, leaf=yes]
