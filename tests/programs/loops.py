"""After a loop holds what was before it, what its first iteration left, or what later ones left."""

import torch

weight = torch.ones(3, requires_grad=True)


def accumulate(count):
    total = torch.zeros(3)
    for _ in range(count):
        reveal(total)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
        total = total + weight
    reveal(total)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]


def three_kinds(count):
    value = torch.zeros(1)
    for step in range(count):
        if step:
            value = value.long()
        else:
            value = value.bool()
    # vague: more tensors than alternatives are kept
    reveal(value)  # unknown


def carried(count):
    first = torch.zeros(1)
    second = torch.zeros(1)
    third = torch.zeros(1)
    for _ in range(count):
        third = second
        second = first
        first = first + weight.sum()
    reveal(first)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
    reveal(second)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
    reveal(third)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]


def grown(tensors):
    out = []
    for tensor in tensors:
        out.append(tensor * 2)
    for tensor in out:
        reveal(tensor)  # Tensor[integer|float, requires_grad=no|yes, leaf=no|yes]
    mode = torch.is_grad_enabled()
    while mode:
        torch.set_grad_enabled(False)
        mode = torch.is_grad_enabled()
    reveal(weight * 2)  # Tensor[float, requires_grad=no, leaf=yes]
    torch.set_grad_enabled(True)


for times in (0, 1, 2, 5):
    accumulate(times)
    three_kinds(times)
    carried(times)
grown([weight, torch.arange(3)])
