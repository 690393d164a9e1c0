"""A tensor put into a list, tuple or dict is the same tensor when it is taken out by its index or key."""

from collections import OrderedDict

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)

pair = (weight, plain)
reveal(pair[0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(pair[-1])  # Tensor[float, requires_grad=no, leaf=yes]
first, second = pair
reveal(second)  # Tensor[float, requires_grad=no, leaf=yes]

parameters = {"w": weight, "b": plain}
reveal(parameters["w"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(parameters["b"])  # Tensor[float, requires_grad=no, leaf=yes]
parameters["b"] = torch.zeros(3, requires_grad=True)
reveal(parameters["b"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(plain)  # Tensor[float, requires_grad=no, leaf=yes]
parameters["w"].requires_grad_(False)
reveal(weight)  # Tensor[float, requires_grad=no, leaf=yes]

ordered = OrderedDict(a=torch.arange(3), b=torch.ones(2))
reveal(ordered["a"])  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(ordered.get("b"))  # Tensor[float, requires_grad=no, leaf=yes]
nested = {"layers": [torch.ones(2), {"deep": torch.ones(2, requires_grad=True)}]}
reveal(nested["layers"][1]["deep"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(nested["layers"][0])  # Tensor[float, requires_grad=no, leaf=yes]


def chosen(several):
    """What is not there yet holds nothing: a look-up that goes on found the other."""
    best, first, both = {}, [], ()
    for number in several:
        if number >= 0:
            best = {"w": torch.ones(2, requires_grad=True), "at": number}
            first = [torch.zeros(2, dtype=torch.int64), number]
            both = (number, torch.ones(2))
    return best["w"], first[0], both[1]


kept, counted, last = chosen(range(2))
reveal(kept)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(counted)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(last)  # Tensor[float, requires_grad=no, leaf=yes]
