"""Abstract bases, mixins, `__new__`, class attributes, properties, constructors."""

from abc import ABC, ABCMeta, abstractmethod
from typing import Generic, TypeVar

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)
T = TypeVar("T")


class Loss(ABC):
    scale = plain

    def __init__(self, value=weight):
        self.value = value

    @abstractmethod
    def compute(self, x): ...

    def __call__(self, x):
        return self.compute(x) * self.scale

    @classmethod
    def default(cls):
        return cls()

    @property
    def double(self):
        return self.value * 2

    @double.setter
    def double(self, value):
        self.value = value

    @double.deleter
    def double(self):
        self.value = plain


class Mixin:
    def compute(self, x):
        return super().compute(x).detach()


class Square(Loss):
    scale = weight

    def compute(self, x):
        return x * self.value


class Fixed(Mixin, Square):
    pass


reveal(Square()(plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(Fixed().compute(plain))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(Fixed.default().value)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(Square(plain).double)  # Tensor[float, requires_grad=no, leaf=yes]
square = Square(plain)
square.double = weight
reveal(square.value)  # Tensor[float, requires_grad=yes, leaf=yes]
square.double *= 2
reveal(square.value)  # Tensor[float, requires_grad=yes, leaf=no]
del square.double
reveal(square.value)  # Tensor[float, requires_grad=no, leaf=yes]
square.scale = plain.long()
reveal(square.scale)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(Square.scale)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(Loss.compute(square, plain))  # None
reveal(Square.compute(square, weight))  # Tensor[float, requires_grad=yes, leaf=no]


class Single:
    instance = None

    def __new__(cls, *args):
        if cls.instance is None:
            cls.instance = super().__new__(cls)
        return cls.instance

    def __init__(self, value):
        self.value = value


reveal(Single(weight).value)  # Tensor[float, requires_grad=yes, leaf=yes]


class Box(Generic[T]):
    def __init__(self, value: T):
        self.value = value


class Small(Box[torch.Tensor]):
    pass


reveal(Small(weight).value)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(Box[torch.Tensor](plain).value)  # Tensor[float, requires_grad=no, leaf=yes]


class Abstract(metaclass=ABCMeta):
    __slots__ = ("value",)

    def __init__(self):
        self.value = weight

    @staticmethod
    def make():
        return Abstract()


reveal(Abstract.make().value)  # Tensor[float, requires_grad=yes, leaf=yes]
stores = [Square(weight), Square(plain)]
reveal(stores[0].value)  # Tensor[float, requires_grad=yes, leaf=yes]
for one in stores:
    reveal(one.value)  # Tensor[float, requires_grad=no|yes, leaf=yes]
by_name = {"a": Square(weight)}
reveal(by_name["a"].value)  # Tensor[float, requires_grad=yes, leaf=yes]
by_name["a"].value = plain
reveal(by_name["a"].value)  # Tensor[float, requires_grad=no, leaf=yes]


class Node:
    def __init__(self, value, parent=None):
        self.value, self.parent = value, parent
        self.children = []
        if parent is not None:
            parent.children.append(self)

    def total(self):
        found = self.value
        for child in self.children:
            found = found + child.total()
        return found


root = Node(weight)
leaf = Node(plain, root)
reveal(leaf.parent.value)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(root.children[0].value)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(root.total())  # Tensor[float, requires_grad=yes, leaf=no]


class Chained:
    def __init__(self):
        self.value = plain

    def add(self, value):
        self.value = self.value + value
        return self


reveal(Chained().add(plain).add(weight).value)  # Tensor[float, requires_grad=yes, leaf=no]
