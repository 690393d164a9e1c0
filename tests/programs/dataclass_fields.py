"""Dataclasses: defaults, factories, `__post_init__`, `replace`, `asdict`, inheritance."""

import dataclasses
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import ClassVar, Optional

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)


@dataclass
class State:
    value: torch.Tensor
    rate: float = 0.1
    history: list = field(default_factory=list)
    hidden: Optional[torch.Tensor] = None
    made: torch.Tensor = field(default_factory=lambda: torch.ones(2, requires_grad=True))
    later: torch.Tensor = field(init=False)
    shared: ClassVar[torch.Tensor] = weight

    def __post_init__(self):
        self.later = self.value * 2

    def detached(self):
        return replace(self, value=self.value.detach())


state = State(weight)
reveal(state.value)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(state.rate)  # 0.1
reveal(state.history)  # list
reveal(state.hidden)  # None
reveal(state.made)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(state.later)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(state.shared)  # Tensor[float, requires_grad=yes, leaf=yes]
state.history.append(weight)
reveal(state.history[0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(State(plain).history)  # list
reveal(len(State(plain).history))  # 0
for old in State(plain).history:
    old.detach()
reveal(state.detached().value)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(state.detached().rate)  # 0.1
reveal(state.detached().later)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(replace(state, value=plain, rate=2).rate)  # 2
reveal(asdict(State(plain))["value"])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(astuple(State(plain))[0])  # Tensor[float, requires_grad=no, leaf=yes]


@dataclasses.dataclass(frozen=True)
class Point:
    x: torch.Tensor = dataclasses.field(default_factory=lambda: weight)
    y: torch.Tensor = plain

    @property
    def both(self):
        return self.x + self.y


@dataclass(frozen=True)
class Named(Point):
    name: str = "a"


reveal(Point().x)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(Point().y)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(Point().both)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(Point(plain).both)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(Point(y=plain.long()).y)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(Named(x=plain).x)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(Named().name)  # 'a'
