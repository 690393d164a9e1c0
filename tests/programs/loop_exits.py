"""`break`, `continue` and a loop's `else` part and join paths."""

import torch

weight = torch.ones(3, requires_grad=True)


def search(names, wanted):
    for name in names:
        found = torch.zeros(3)
        if name == wanted:
            found = weight
            break
        found = found.long()
    else:
        found = torch.zeros(3, dtype=torch.bool)
        reveal(found)  # Tensor[bool, requires_grad=no, leaf=yes]
    reveal(found)  # Tensor[bool|float, requires_grad=no|yes, leaf=yes]


def skipping(limit):
    total = torch.zeros(3)
    for step in range(limit):
        if step == 1:
            total = total.detach()
            continue
        total = total * weight
        reveal(total)  # Tensor[float, requires_grad=yes, leaf=no]
    reveal(total)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]


def until(limit):
    count = 0
    value = torch.zeros(1)
    while True:
        count += 1
        if count > limit:
            break
        value = value + weight[0]
    reveal(value)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
    while count:
        count -= 1
        value = value.detach()
    else:
        value = value.int()
        reveal(value)  # Tensor[integer, requires_grad=no, leaf=yes]


def nested(rows):
    kept = None
    for row in rows:
        for tensor in row:
            if tensor.requires_grad:
                kept = tensor
                break
        else:
            continue
        break
    # vague: a tensor or None is shown as unknown
    reveal(kept)  # unknown


search(["a", "b"], "b")
search(["a"], "c")
for number in (0, 1, 2):
    skipping(number)
    until(number)
nested([[torch.ones(1)], [torch.ones(1), weight]])
nested([])
