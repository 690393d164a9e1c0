"""A test tells what a value is in the branch behind it."""

import torch

weight = torch.ones(3, requires_grad=True)


def is_none(x=None):
    if x is None:
        x = torch.zeros(3)
    reveal(x)  # Tensor[float, requires_grad=no|yes, leaf=yes]


def instances(x):
    if isinstance(x, torch.Tensor):
        reveal(x)  # Tensor[float, requires_grad=yes, leaf=yes]
    else:
        reveal(x)  # 3


def flags(x):
    if x.requires_grad:
        reveal(x)  # Tensor[float, requires_grad=yes, leaf=no|yes]
    else:
        reveal(x)  # Tensor[integer, requires_grad=no, leaf=yes]
    if x.is_floating_point():
        reveal(x)  # Tensor[float, requires_grad=yes, leaf=no|yes]
    else:
        reveal(x)  # Tensor[integer, requires_grad=no, leaf=yes]
    if not x.is_leaf:
        reveal(x)  # Tensor[float, requires_grad=yes, leaf=no]


def guards(x):
    if x is None or not x.requires_grad:
        return
    reveal(x)  # Tensor[float, requires_grad=yes, leaf=yes]


def asserted(x):
    assert x is not None and x.dtype.is_floating_point
    reveal(x)  # Tensor[float, requires_grad=no|yes, leaf=yes]


def mixed(x):
    y = x if x is not None else torch.arange(2)
    reveal(y)  # Tensor[integer|float, requires_grad=no|yes, leaf=yes]
    z = x is not None and x.requires_grad
    if z:
        # vague: a condition kept in a name is not narrowed by
        reveal(x)  # Tensor[float, requires_grad=yes, leaf=yes]


for value in (weight, torch.arange(3), weight * 2):
    flags(value)
for value in (weight, torch.zeros(3), None):
    guards(value)
    mixed(value)
for value in (None, weight):
    is_none(value)
for value in (weight, 3):
    instances(value)
for value in (weight, torch.zeros(2)):
    asserted(value)
