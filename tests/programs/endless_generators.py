"""Generators that are sent values, never end, delegate to others and return what they found."""

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)


def averaged():
    total = plain
    while True:
        got = yield total
        if got is None:
            break
        total = total + got


machine = averaged()
# vague: what is sent into a generator is not followed
reveal(next(machine))  # Tensor[float|?, requires_grad=no|?, leaf=yes|?]
# vague: as above
reveal(machine.send(weight))  # Tensor[float|?, requires_grad=no|?, leaf=yes|?]


def inner():
    yield plain
    return weight


def outer():
    result = yield from inner()
    # vague: whoever asks may change the flags meanwhile
    reveal(result)  # Tensor[float, requires_grad=yes|?, leaf=yes|?]
    yield result


for item in outer():
    reveal(item)  # Tensor[float, requires_grad=no|yes, leaf=yes]


def infinite(loader):
    while True:
        for item in loader:
            yield item


batches = infinite([weight])
for step in range(3):
    reveal(next(batches))  # Tensor[float, requires_grad=yes, leaf=yes]




def cycle(loader):
    while True:
        for batch in loader:
            yield batch["x"], batch["y"]


x, y = next(cycle([{"x": weight, "y": plain}]))
reveal(x)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(y)  # Tensor[float, requires_grad=no, leaf=yes]
