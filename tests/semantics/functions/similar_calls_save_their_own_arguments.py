# A call like an earlier one saves the memories of its own arguments, not those of the earlier one's.
import torch
from torch import nn

w = torch.rand(2, 2, requires_grad=True)
a = torch.rand(2, 2)
b = torch.rand(2, 2)


def product(one):
    return w * one


def with_a(one):
    return w * a


first, second = product(a.view(2, 2)), product(b.view(2, 2))
a.add_(1)
try:
    second.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
try:
    first.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
p = nn.Parameter(torch.rand(2, 2), requires_grad=False)
p.data = a
first, second = product(p), product(b)
b.add_(1)
try:
    first.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
try:
    second.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
one, other = a.data, a.data
first, second = product(one), product(other)
one.add_(1)
try:
    second.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
try:
    first.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
first, second = with_a(a), with_a(b)
b.add_(1)
try:
    second.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
first, second = with_a(a), with_a(b)
a.add_(1)
try:
    second.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
