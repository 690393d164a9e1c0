"""Chained and augmented assignments, walrus, del, slices, try and finally."""

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)


class Meter:
    def __init__(self):
        self.total = 0.0
        self.count = 0
        self.values = []
        self.by_name = {}

    def update(self, value, n=1):
        self.total += value * n
        self.count += n
        self.values += [value]
        self.by_name.setdefault("loss", []).append(value)

    @property
    def average(self):
        return self.total / self.count


meter = Meter()
meter.update(weight.sum())
reveal(meter.total)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(meter.average)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(meter.count)  # 1
reveal(meter.values[0])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(meter.by_name["loss"][0])  # Tensor[float, requires_grad=yes, leaf=no]
other = Meter()
other.update(weight.sum().item())
reveal(other.average)  # number[float]
first = second = weight * 2
reveal(second)  # Tensor[float, requires_grad=yes, leaf=no]
if (found := weight.detach()) is not None:
    reveal(found)  # Tensor[float, requires_grad=no, leaf=yes]
values = [1, plain]
values[1] += weight
reveal(values[1])  # Tensor[float, requires_grad=yes, leaf=no]
table = {"a": 0.0}
table["a"] += weight.sum()
reveal(table["a"])  # Tensor[float, requires_grad=yes, leaf=no]
total = 0
for item in [weight, weight]:
    total += item.sum()
reveal(total)  # Tensor[float, requires_grad=yes, leaf=no]
loss = None
for item in [weight]:
    loss = item.sum() if loss is None else loss + item.sum()
reveal(loss)  # Tensor[float, requires_grad=yes, leaf=no]
a, b = weight, plain
a, b = b, a
reveal(a)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(b)  # Tensor[float, requires_grad=yes, leaf=yes]


def risky(flag):
    try:
        if flag:
            raise ValueError
        found = weight
    except ValueError:
        found = plain
    else:
        found = found * 2
    finally:
        extra = plain
    return found, extra


reveal(risky(False)[0])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(risky(True)[0])  # Tensor[float, requires_grad=yes, leaf=no]
reveal(risky(True)[1])  # Tensor[float, requires_grad=yes, leaf=no]


def early():
    for item in [weight]:
        try:
            return item
        finally:
            item = plain
    return plain


reveal(early())  # Tensor[float, requires_grad=yes, leaf=yes]
x = plain
while x.sum() < 3:
    x = x + 1
else:
    x = x * weight
reveal(x)  # Tensor[float, requires_grad=yes, leaf=no]
del x
x = weight
reveal(x)  # Tensor[float, requires_grad=yes, leaf=yes]
