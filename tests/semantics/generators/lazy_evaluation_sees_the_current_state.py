"""What waiting code computes is computed when it is asked: in the grad mode of whoever asks, of what is there then."""

import torch
from torch import nn

net = nn.Linear(2, 2)
xs = [torch.rand(3, 2) for _ in range(3)]
outs = (net(x) for x in xs)
with torch.no_grad():
    for out in outs:
        print(out.sum())
with torch.no_grad():
    more = (net(x) for x in xs)
for out in more:
    print(out.sum())
with torch.no_grad():
    mapped = map(net, xs)
for out in zip(mapped, xs, strict=True):
    print(out[0].sum())


def batches():
    for x in xs:
        yield net(x)


with torch.no_grad():
    given = batches()
for out in given:
    print(out.sum())
given = batches()
with torch.inference_mode():
    for out in given:
        print(out.sum())
with torch.no_grad():
    losses = (net(x).sum() for x in xs)
total = sum(losses)
total.backward()

w, v = torch.rand(2, requires_grad=True), torch.rand(2)


def doubles():
    while True:
        yield w * 2


given = doubles()
w.requires_grad_(False)
double = next(given)
w.requires_grad_(True)
double = next(given)
for _ in doubles():
    if not w.requires_grad:
        break
    w.requires_grad_(False)
w.requires_grad_(True)
found = filter(lambda t: t.requires_grad, [w, v])
w.requires_grad_(False)
v.requires_grad_(True)
one = next(found)
w.requires_grad_(True)
pair = [w, v.detach()]
later = (t * 3 for t in pair)
pair[0] = pair[1]
tripled = list(later)[0]
gradients = (p.grad for p in [w])
(w * w).sum().backward()
gradient = next(gradients)
later = map(w.mul, [v.detach()])
w.requires_grad_(False)
product = next(later)


class Holder:
    def __init__(self):
        self.weight = torch.rand(2, requires_grad=True)


holder = Holder()
waiting = (x * holder.weight for x in xs)
holder.weight = torch.rand(2)
for out in waiting:
    print(out.sum())
params = filter(lambda p: p.requires_grad, net.parameters())
net.weight.requires_grad_(False)
optimizer = torch.optim.SGD(params, lr=0.1)
