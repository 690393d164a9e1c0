"""A block's grad mode ends with it, also where `return`, `break`, `continue` or an exception leaves it."""

import torch

weight = torch.ones(3, requires_grad=True)


def early(stop):
    with torch.no_grad():
        if stop:
            return weight * 2
    return weight * 2


reveal(early(True))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(early(False))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]

for step in range(3):
    reveal(weight * step)  # Tensor[float, requires_grad=yes, leaf=no]
    with torch.no_grad():
        if step == 0:
            continue
        if step == 1:
            break
reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]

try:
    with torch.no_grad():
        raise ValueError("stop")
except ValueError:
    reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
finally:
    reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]


def raises():
    with torch.inference_mode():
        raise KeyError("no")


try:
    raises()
except KeyError:
    reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
