"""A function means what its decorators make of it."""

import contextlib
import functools

import torch

weight = torch.ones(3, requires_grad=True)


def detached(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs).detach()

    return wrapper


def times(factor):
    def decorate(function):
        def wrapper(x):
            return function(x) * factor

        return wrapper

    return decorate


@detached
def loss(x):
    return x.sum()


@times(weight)
def plain_sum(x):
    return x.detach().sum()


@functools.lru_cache
def cached():
    return torch.arange(3)


@contextlib.contextmanager
def frozen(tensor):
    before = tensor.requires_grad
    tensor.requires_grad_(False)
    try:
        yield tensor
    finally:
        tensor.requires_grad_(before)


@contextlib.contextmanager
def evaluating():
    with torch.no_grad():
        yield


reveal(loss(weight))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(plain_sum(weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(cached())  # Tensor[integer, requires_grad=no, leaf=yes]
with frozen(weight) as held:
    reveal(held)  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(weight)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]
with evaluating():
    reveal(weight * 2)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
