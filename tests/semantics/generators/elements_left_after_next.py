# Of a generator over two that was asked once, one is left: a loop over that runs no second time.
import random

import torch

weight, other = torch.rand(2, requires_grad=True), torch.rand(2, requires_grad=True)
power = weight.exp()
values = (value + 1.0 for value in [power, other])
first = next(values)
rest = list(values)
for each in rest:
    power.sum().backward()
    reveal(power, each, first)
power = weight.exp()
values = map(torch.sigmoid, [power, other])
first = next(values)
for each in list(values):
    power.sum().backward()
    reveal(power, each, first)
power = weight.exp()
values = (value + 1.0 for value in [power, other])
with torch.no_grad():
    first = next(values)
for each in values:
    power.sum().backward()
    reveal(power, each, first)
values = (value + 1.0 for value in [weight, other])
if random.random() < 0.5:
    next(values)
reveal(weight, len(list(values)))
held = [weight, other]
values = (value + 1.0 for value in held)
next(values)
held.append(weight)
count = 0
for _each in list(values):
    count += 1
reveal(count)
values = (value + 1.0 for value in [weight, other])
next(values)
for _ in range(2):
    rest = list(values)
    reveal(len(rest))
values = (value + 1.0 for value in [weight, other, weight])
next(values)
next(values)
rest = list(values)
power = weight.exp()
rest[0].sum().backward()
