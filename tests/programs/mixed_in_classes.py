"""Classes that stand behind `nn.Module` in the line: what it defines is its own, and its `__init__` does not go on."""

from abc import ABC
from typing import Generic, TypeVar

import torch
from torch import nn

T = TypeVar("T")


class Counted(ABC):
    def __init__(self):
        self.seen = torch.ones(1, requires_grad=True)

    def train(self, mode=True):
        return torch.ones(1) > 0

    def name(self):
        return torch.zeros(1)


class Base(nn.Module, Generic[T]):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Linear(width, width)


class Learner(Base[T], Counted):
    def __init__(self, width):
        super().__init__(width)
        reveal(hasattr(self, "seen"))  # False
        Counted.__init__(self)
        self.rate = nn.Parameter(torch.ones(width), requires_grad=False)


class Own(Learner[T], Generic[T]):
    def __init__(self):
        super().__init__(2)
        self.scale = nn.Parameter(torch.ones(2))


own = Own()
reveal(own.seen)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(own.rate)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(own.scale)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(own.first.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(own.train())  # Module[?, mode=train]
reveal(own.eval())  # Module[?, mode=eval]
reveal(own.name())  # Tensor[float, requires_grad=no, leaf=yes]


class Acquisition(nn.Module, ABC):
    def __init__(self, model):
        super().__init__()
        self.model = model


class Sampling(Acquisition, Counted, ABC):
    def __init__(self, model):
        Acquisition.__init__(self, model)
        Counted.__init__(self)


class AtOnce(Acquisition, ABC):
    pass


class Looking(Sampling, AtOnce):
    def __init__(self, model):
        super(Sampling, self).__init__(model)
        self.parts = nn.ModuleList([model])


looking = Looking(nn.Linear(2, 2))
reveal(looking.model)  # Module[torch.nn.Linear, mode=train]
reveal(looking.parts[0].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(hasattr(looking, "seen"))  # False
