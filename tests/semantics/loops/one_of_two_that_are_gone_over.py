# A loop goes over the one or the other: where the elements of one are not known one by one, they are not those of both.
import random

from torch import nn

seen = eval("lambda value: None")
first = nn.Linear(2, 2)
seen(first)
second = nn.Linear(2, 2)
either = first if random.random() < 0.5 else second
for p in either.parameters():
    p.requires_grad_(False)
    reveal(p, second.weight)
reveal(first.bias, second.bias)
for child in either.children():
    reveal(child)


def frozen(model):
    for _name, p in model.named_parameters():
        p.requires_grad_(False)


for other in (first, nn.Linear(2, 1)):
    given = other.parameters() if random.random() < 0.5 else second.parameters()
    for p in list(given):
        p.requires_grad_()
    reveal(second.weight)
frozen(first if random.random() < 0.5 else second)
reveal(second.weight, first.weight)
both = nn.Linear(2, 1)
frozen(both)
reveal(both.weight)
