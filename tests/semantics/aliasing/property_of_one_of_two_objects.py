# What a property, a descriptor or `__getattr__` does is done for the one object that is asked, not for the others.
import random

import torch

leaf, other = torch.rand(2, requires_grad=True), torch.rand(2, requires_grad=True)


class Asking:
    def __init__(self, held):
        self.held = held

    @property
    def value(self):
        self.held.requires_grad_()
        return self.held

    @value.setter
    def value(self, new):
        self.held.requires_grad_(False)
        self.held = new


class Quiet:
    def __init__(self, held):
        self.held = self.value = held


first, second = torch.rand(2), torch.rand(2)
one = Asking(first) if random.random() < 0.5 else Quiet(second)
found = one.value
reveal(first, second, found)
first, second = torch.rand(2, requires_grad=True), torch.rand(2, requires_grad=True)
one = Asking(first) if random.random() < 0.5 else Quiet(second)
one.value = leaf * 2
reveal(first, second, one.held)


class Deleting:
    def __init__(self, held):
        self.held = held

    def __delattr__(self, name):
        self.held.requires_grad_()


class Plain:
    def __init__(self, held):
        self.held = held
        self.extra = 1


first, second = torch.rand(2), torch.rand(2)
one = Deleting(first) if random.random() < 0.5 else Plain(second)
del one.extra
reveal(first, second)


class Lazy:
    def __init__(self, held):
        self.held = held

    def __getattr__(self, name):
        self.held.requires_grad_()
        return self.held


lazy = Lazy(torch.rand(2))
vars(lazy)["value"] = torch.rand(2)
found = lazy.value
reveal(lazy.held, found)


class Holder:
    def __init__(self):
        self.requires_grad = torch.rand(2)


for _ in range(3):
    tensor, holder = torch.rand(2), Holder()
    one = tensor if random.random() < 0.5 else holder
    object.__setattr__(one, "requires_grad", True)
    reveal(tensor, holder.requires_grad)
