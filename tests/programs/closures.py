"""Inner functions see the variables around them as they are when called; `nonlocal` and `global` write them."""

import torch

weight = torch.ones(3, requires_grad=True)
best = torch.zeros(3)


def adder(offset):
    def add(x):
        return x + offset

    return add


plain = torch.zeros(3)
reveal(adder(weight)(plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(adder(plain)(plain))  # Tensor[float, requires_grad=no, leaf=yes]

adders = [adder(offset) for offset in (weight, plain)]
for add in adders:
    reveal(add(plain))  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
with_weight, with_plain = adder(weight), adder(plain)
reveal(with_weight(plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(with_plain(plain))  # Tensor[float, requires_grad=no, leaf=yes]
made = []
for offset in (weight, plain):
    made.append(adder(offset))
for add in made:
    reveal(add(plain))  # Tensor[float, requires_grad=no|yes, leaf=no|yes]


def counting():
    total = torch.zeros(3)

    def more():
        nonlocal total
        total = total + weight

    reveal(total)  # Tensor[float, requires_grad=no, leaf=yes]
    more()
    reveal(total)  # Tensor[float, requires_grad=yes, leaf=no]
    return total


reveal(counting())  # Tensor[float, requires_grad=yes, leaf=no]


def remember(x):
    global best, latest
    best = x * 2
    latest = x


remember(weight)
reveal(best)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(latest)  # Tensor[float, requires_grad=yes, leaf=yes]
late = lambda: best  # noqa: E731
best = torch.arange(3)
reveal(late())  # Tensor[integer, requires_grad=no, leaf=yes]
