"""namedtuple, NamedTuple, TypedDict, Enum, SimpleNamespace and argparse.Namespace hold what was put in."""

import argparse
import enum
from collections import namedtuple
from enum import Enum
from types import SimpleNamespace
from typing import NamedTuple, TypedDict

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)

Pair = namedtuple("Pair", ["first", "second"])
Triple = namedtuple("Triple", "a b c", defaults=[plain])


class Step(NamedTuple):
    loss: torch.Tensor
    index: int = 0
    extra: torch.Tensor = plain

    def doubled(self):
        return self.loss * 2


class Batch(TypedDict):
    images: torch.Tensor
    labels: torch.Tensor


class Kind(Enum):
    SUM = "sum"
    MEAN = "mean"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


pair = Pair(weight, plain)
reveal(pair.first)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(pair.second)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(pair[0])  # Tensor[float, requires_grad=yes, leaf=yes]
one, two = pair
reveal(two)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(pair._replace(first=plain).first)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(pair._asdict()["first"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(Pair(first=plain, second=weight).second)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(Pair._make([plain, weight]).second)  # Tensor[float, requires_grad=yes, leaf=yes]
triple = Triple(weight, b=weight)
reveal(triple.c)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(triple.b)  # Tensor[float, requires_grad=yes, leaf=yes]
step = Step(weight)
reveal(step.loss)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(step.index)  # 0
reveal(step.extra)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(step.doubled())  # Tensor[float, requires_grad=yes, leaf=no]
reveal(step[0])  # Tensor[float, requires_grad=yes, leaf=yes]
loss, index, _ = Step(loss=weight * 2, index=3)
reveal(loss)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(index)  # 3
batch = Batch(images=weight, labels=plain.long())
reveal(batch["images"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(batch["labels"])  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(Kind.SUM.value)  # 'sum'
reveal(Kind.SUM.name)  # 'SUM'
reveal(Kind("sum") is Kind.SUM)  # True
reveal(Kind.SUM == Kind.MEAN)  # False
for kind in Kind:
    reveal(kind.value)  # 'sum' or 'mean'
reveal(Level.HIGH.value)  # 2
space = SimpleNamespace(value=weight, rate=0.1)
reveal(space.value)  # Tensor[float, requires_grad=yes, leaf=yes]
space.extra = plain
reveal(space.extra)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(space.rate)  # 0.1
parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=0.1)
parser.add_argument("--train", action="store_true")
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--name", default="x")
parser.add_argument("steps", nargs="*", type=int)
args = parser.parse_args([])
reveal(args.rate)  # number[float]
reveal(args.train)  # number[bool]
reveal(args.epochs)  # number[integer]
reveal(args.name)  # str
reveal(torch.zeros(args.epochs, requires_grad=args.train))  # Tensor[float, requires_grad=?, leaf=yes]
space = argparse.Namespace(a=weight)
reveal(space.a)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(vars(space)["a"])  # Tensor[float, requires_grad=yes, leaf=yes]
