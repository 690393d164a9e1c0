# A loop over a single element has no second pass, unless what it goes over grows.
import torch

weight = torch.rand(2, 2, requires_grad=True)
first, *rest = [weight, weight]
for _ in rest:
    weight.exp().sum().backward()
loss = weight.exp().sum()
for _ in rest:
    loss.backward()
loss = weight.exp().sum()
for one, other in zip([weight, weight], rest, strict=False):
    loss.backward()
    reveal(one, other)
loss = weight.exp().sum()
for _ in enumerate({"weight": weight}.values()):
    loss.backward()
total = 0
for _ in (1, 2):
    for _ in (1, 2):
        for _ in (1, 2):
            loss = weight.exp().sum()
            for _ in (1,):
                loss.backward()
            total = total + weight.sum()
for _ in []:
    loss.backward()
reveal(total, loss)
growing = [weight]
for one in growing:
    total.backward()
    if len(growing) < 3:
        growing.append(one)
    loss = weight.exp().sum()
    reveal(one, loss)
