"""Attributes, methods, properties, static and class methods, inheritance and `super` of plain classes."""

import torch

weight = torch.ones(3, requires_grad=True)


class Store:
    shared = torch.arange(3)

    def __init__(self, value):
        self.value = value
        self._hidden = value.detach()

    def doubled(self):
        return self.value * 2

    @property
    def hidden(self):
        return self._hidden

    @hidden.setter
    def hidden(self, value):
        self._hidden = value * 1.0

    @staticmethod
    def plain():
        return torch.zeros(2)

    @classmethod
    def of(cls, value):
        return cls(value)


store = Store(weight)
reveal(store.value)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(store.doubled())  # Tensor[float, requires_grad=yes, leaf=no]
reveal(store.hidden)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(store.shared)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(Store.plain())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(Store.of(torch.zeros(2)).doubled())  # Tensor[float, requires_grad=no, leaf=yes]
store.hidden = weight
reveal(store.hidden)  # Tensor[float, requires_grad=yes, leaf=no]
store.value = torch.zeros(2)
reveal(store.doubled())  # Tensor[float, requires_grad=no, leaf=yes]


class Child(Store):
    def __init__(self, value):
        super().__init__(value)
        self.extra = self.value * 3

    def doubled(self):
        return super().doubled().detach()


child = Child(weight)
reveal(child.extra)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(child.doubled())  # Tensor[float, requires_grad=no, leaf=yes]
alias = child
alias.value = torch.arange(2)
reveal(child.value)  # Tensor[integer, requires_grad=no, leaf=yes]
