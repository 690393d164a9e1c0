# The `__init__` that `@dataclass` writes is nearer than those of the bases, and further than one in the class body.
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


class Results(OrderedDict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)

    def __post_init__(self):
        for name in ("loss", "scores"):
            if getattr(self, name) is not None:
                self[name] = getattr(self, name)


@dataclass
class Scored(Results):
    loss: Any = None
    scores: Any = None


class Derived(Scored):
    pass


class Other(Scored):
    def __init__(self, scores):
        self.scores = scores.detach()


@dataclass
class Again(Other):
    more: Any = None


@dataclass
class Written(Results):
    scores: Any = None

    def __init__(self, scores):
        self.scores = scores * 2


class Net(nn.Module):
    def __init__(self, made):
        super().__init__()
        self.head = nn.Linear(2, 2)
        self.made = made

    def forward(self, x):
        return self.made(scores=self.head(x))


x = torch.ones(1, 2)
reveal(Net(Scored)(x).scores, Net(Scored)(x).loss)
reveal(Net(Derived)(x).scores)
reveal(Net(Other)(x).scores)
reveal(Net(Again)(x).scores)
reveal(Net(Written)(x).scores, Written(torch.ones(2, requires_grad=True)).scores)
Scored(scores=Net(Scored)(x).scores).scores.sum().backward()
