# Each call that `map` makes gives an object of its own, whoever made the first.
from itertools import starmap

import torch

first = torch.randn(2, 2)
second = torch.randn(2, 2)


def double(value):
    return value * 2


doubled = list(map(double, [first, second]))
doubled[0].requires_grad_()
reveal(doubled[0], doubled[1])
for each in map(double, [first, second]):
    reveal(each)
    each.requires_grad_()
one, other = starmap(lambda left, right: left + right, [(first, second), (second, second)])
one.requires_grad_()
reveal(one, other)
none = list(map(double, []))
reveal(none)
