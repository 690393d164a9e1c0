# A module that unseen code gives for another's part may be the one it was handed: whoever freezes it freezes that.
from torch import nn

same = eval("lambda one: one")


def freeze(module):
    for parameter in module.parameters():
        parameter.requires_grad = False


one = nn.Linear(2, 2)
whole = nn.Sequential(nn.Linear(2, 2))
whole[0] = same(one)
one.weight.requires_grad = True
freeze(whole)
reveal(one.weight)

another = nn.Linear(2, 2)
net = nn.Sequential(nn.Linear(2, 2))
net[0] = same(another)
another.requires_grad_()
net.requires_grad_(False)
reveal(another.weight)

mine = nn.Linear(2, 2)
theirs = same(nn.Linear(2, 2))
mine.requires_grad_()
theirs.requires_grad_(False)
reveal(mine.weight)
