# What a generator has given and goes on with is what whoever asked has made of it; what it has not is as it was.
import torch


def changed():
    value = torch.rand(1, 2)
    yield value
    value.requires_grad_()
    yield value


def given():
    value = torch.rand(1, 2, requires_grad=True)
    yield value
    reveal(value)
    yield value * 2
    reveal(value)


def in_a_list():
    held = [torch.rand(1, 2), torch.rand(1, 2)]
    for one in held:
        reveal(one)
        yield one
    reveal(held[0])


def pairs():
    for _ in range(2):
        first, second = torch.rand(1, 2), torch.rand(1, 2)
        yield first, second
        reveal(first, second)


def held(kept):
    value = torch.rand(1, 2)
    kept.append(value)
    yield 1
    reveal(value)


def growing():
    batch = []
    for _ in range(2):
        batch.append(torch.rand(1, 2))
        yield batch
    reveal(batch[0])


def through_a_graph():
    weight = torch.rand(1, 2, requires_grad=True)
    yield (weight * 2).sum()
    reveal(weight)


class Source:
    def __iter__(self):
        self.last = torch.rand(1, 2)
        yield self.last
        reveal(self.last)


for each in changed():
    reveal(each)
for each in given():
    reveal(each)
    each.sum().backward()
    reveal(each)
for each in in_a_list():
    each.requires_grad_()
    reveal(each)
for one, two in pairs():
    two.requires_grad_()
    reveal(one, two)
mine = []
for _ in held(mine):
    mine[0].requires_grad_()
for batch in growing():
    batch[0].requires_grad_()
    batch.append(1)
for loss in through_a_graph():
    loss.backward(retain_graph=True)
for value in Source():
    value.requires_grad_()
