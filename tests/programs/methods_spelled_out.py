"""What programs mostly write as an operator, or do without, called by its name."""

import argparse
import operator

import torch
from torch import nn

w = torch.ones(2, requires_grad=True)
x = torch.ones(2)

held = {}
held.__setitem__("w", w)
reveal(held["w"])  # Tensor[float, requires_grad=yes, leaf=yes]
for both in {w}.union({w * 2}):
    reveal(both.requires_grad)  # True

reveal(operator.methodcaller("sum")(w * 2))  # Tensor[float, requires_grad=yes, leaf=no]


def by_name():
    doubled = w * 2
    return locals()["doubled"]


reveal(by_name())  # Tensor[float, requires_grad=yes, leaf=no]

parser = argparse.ArgumentParser()
parser.set_defaults(train=False)
options, others = parser.parse_known_args([])
reveal(options.train)  # False

parts = nn.ModuleDict({"first": nn.Linear(2, 2)})
for name in parts.keys():
    reveal(parts[name](x))  # Tensor[float, requires_grad=yes, leaf=no]
parts.clear()
reveal(parts)  # Module[torch.nn.ModuleDict, mode=train]
