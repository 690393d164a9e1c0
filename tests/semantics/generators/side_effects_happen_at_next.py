# A generator does what it does whenever it is asked for more, not when it is made.
import torch
from torch import nn

net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
data = [torch.rand(3, 2), torch.rand(3, 2)]


def batches():
    for x in data:
        opt.zero_grad()
        yield x


for x in batches():
    reveal(net.weight)
    net(x).sum().backward()
    opt.step()
reveal(net.weight)

w = torch.rand(2, requires_grad=True)


def clearing():
    w.grad = None
    yield 1
    w.grad = None
    w.requires_grad_(False)
    yield 2


g = clearing()
next(g)
w.sum().backward()
reveal(w)
next(g)
reveal(w)
w.requires_grad_(True)


def freezing(ts):
    for t in ts:
        t.requires_grad_(False)
        yield t
        t.requires_grad_(True)


u, v = torch.rand(2, requires_grad=True), torch.rand(2, requires_grad=True)
for t in freezing([u, v]):
    reveal(t, u, v)
reveal(u, v)
it = freezing([u, v])
reveal(u, v)
first = next(it)
reveal(first, u, v)
second = next(it)
reveal(first, second, u, v)
list(it)
reveal(u, v)


class Loader:
    def __init__(self, opt):
        self.opt = opt

    def __iter__(self):
        for x in data:
            self.opt.zero_grad()
            yield x


for x in Loader(opt):
    reveal(net.weight)
    net(x).sum().backward()
    opt.step()
reveal(net.weight)


class Stepping:
    def __init__(self):
        self.n = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.n += 1
        if self.n > 2:
            raise StopIteration
        net.zero_grad()
        return data[0]


for x in Stepping():
    reveal(net.weight)
    net(x).sum().backward()
reveal(net.weight)
for x in map(lambda x: (opt.zero_grad(), x)[1], data):  # noqa: C417
    reveal(net.weight)
    net(x).sum().backward()
    opt.step()
reveal(net.weight)
for x in ((opt.zero_grad(), x)[1] for x in data):
    reveal(net.weight)
    net(x).sum().backward()
    opt.step()
reveal(net.weight)
