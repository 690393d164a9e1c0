"""Functions kept in tables, lists and attributes, handed on as callbacks, and made by other functions."""

import operator
from typing import Callable

import torch
import torch.nn.functional as F

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)

LOSSES = {"mse": F.mse_loss, "l1": lambda a, b: (a - b).abs().mean(), "fixed": lambda a, b: plain}
reveal(LOSSES["mse"](weight, plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(LOSSES["l1"](weight, plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(LOSSES["fixed"](weight, plain))  # Tensor[float, requires_grad=no, leaf=yes]
name = "l1" if plain.sum() == 0 else "mse"
reveal(LOSSES[name](weight, plain))  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
reveal(LOSSES.get("l1")(weight, plain))  # Tensor[float, requires_grad=yes, leaf=no]


def detached(x):
    return x.detach()


def doubled(x):
    return x * 2


REGISTRY = {}


def register(name):
    def decorate(function):
        REGISTRY[name] = function
        return function

    return decorate


@register("half")
def half(x):
    return x / 2


reveal(REGISTRY["half"](weight))  # Tensor[float, requires_grad=yes, leaf=no]


def apply(function: Callable, x):
    return function(x)


reveal(apply(detached, weight))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(apply(doubled, weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(apply(torch.exp, weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(apply(lambda x: x.long(), weight))  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(apply(torch.nn.Linear(3, 3), plain))  # Tensor[float, requires_grad=yes, leaf=no]
for step in [doubled, torch.sin]:
    reveal(step(weight))  # Tensor[float, requires_grad=yes, leaf=no]


def compose(*functions):
    def inner(x):
        for function in functions:
            x = function(x)
        return x

    return inner


reveal(compose(doubled, detached)(weight))  # Tensor[float, requires_grad=no|yes, leaf=no|yes]


class Hooks:
    def __init__(self):
        self.before = []
        self.table = {"a": self.run}
        self.activation = torch.relu
        self.make = torch.nn.Linear

    def add(self, function):
        self.before.append(function)

    def run(self, x):
        for function in self.before:
            x = function(x)
        return x


hooks = Hooks()
reveal(hooks.activation(weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(hooks.table["a"](weight))  # Tensor[float, requires_grad=yes, leaf=yes]
hooks.add(detached)
reveal(hooks.run(weight))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(hooks.make(2, 2).weight)  # Tensor[float, requires_grad=yes, leaf=yes]
method = hooks.run
reveal(method(weight))  # Tensor[float, requires_grad=no, leaf=yes]
found = getattr(torch, "relu")(weight)
reveal(found)  # Tensor[float, requires_grad=yes, leaf=no]
found = getattr(F, "relu")(weight)
reveal(found)  # Tensor[float, requires_grad=yes, leaf=no]
reveal({True: doubled, False: detached}[True](weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(operator.add(weight, plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(operator.itemgetter(0)([weight]))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(operator.attrgetter("data")(weight))  # Tensor[float, requires_grad=no, leaf=yes]
reveal((doubled if weight.requires_grad else detached)(weight))  # Tensor[float, requires_grad=yes, leaf=no]


def counter():
    total = plain

    def add(x):
        nonlocal total
        total = total + x
        return total

    return add


add = counter()
add(plain)
reveal(add(weight))  # Tensor[float, requires_grad=yes, leaf=no]
current = plain


def set_current():
    global current
    current = weight


set_current()
reveal(current)  # Tensor[float, requires_grad=yes, leaf=yes]
makers = [lambda x, n=n: x * n for n in range(3)]
reveal(makers[0](weight))  # Tensor[float, requires_grad=yes, leaf=no]
reveal((lambda *a, **k: k["x"])(x=weight))  # Tensor[float, requires_grad=yes, leaf=yes]
