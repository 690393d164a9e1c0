# What a method inherits it may find overridden, by classes that stand further down.
import torch
import torch.nn as nn


class Base(nn.Module):
    def features(self, x):
        return x.detach()

    def step(self, x):
        found = self.features(x)
        reveal(found)
        return found * 2


class Heir(Base):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(2))

    def features(self, x):
        return x * self.weight


heir = Base.__subclasses__()[0]()
result = heir.step(torch.rand(2))
reveal(result)
