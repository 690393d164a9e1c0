"""A descriptor of the program answers for what is read of an instance, and takes what is set."""

import torch

leaf = torch.rand(2, requires_grad=True)


class Detached:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, held_by, cls=None):
        return getattr(held_by, self.name).detach()

    def __set__(self, held_by, value):
        setattr(held_by, self.name, value)


class Doubled:
    def __get__(self, held_by, cls=None):
        return leaf * 2


class Holder:
    value = Detached()
    double = Doubled()

    def __init__(self, value):
        self.value = value


holder = Holder(leaf)
read = holder.value
kept = holder._value
double = holder.double
holder.double = torch.rand(2)
own = holder.double
holder.value = own * leaf
again = holder.value


class Frozen:
    def __get__(self, held_by, cls=None):
        return held_by.inside

    def __set__(self, held_by, value):
        held_by.inside = value.detach()


class Counter:
    total = Frozen()

    def __init__(self):
        self.inside = torch.zeros(2)


counter = Counter()
counter.total += leaf
total = counter.total
