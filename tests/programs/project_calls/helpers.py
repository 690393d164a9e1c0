import contextlib
import functools

import torch


def applied(function, *args):
    return function(*args)


def without_grad(function):
    @functools.wraps(function)
    def inner(*args):
        with torch.no_grad():
            return function(*args)

    return inner


@contextlib.contextmanager
def frozen(tensor):
    tensor.requires_grad_(False)
    yield tensor
    tensor.requires_grad_(True)


def scaled(factor):
    def decorate(function):
        def inner(x):
            return function(x * factor)

        return inner

    return decorate


def adding(first):
    return lambda second: first + second


def pairs(values):
    for index, value in enumerate(values):
        yield index, value
