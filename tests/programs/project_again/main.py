"""A call across files made again sees what was changed in between."""

import store
import torch
from store import net, use

x = torch.ones(2)
reveal(use(x))  # Tensor[float, requires_grad=yes, leaf=no]
for p in net.parameters():
    p.requires_grad_(False)
reveal(use(x))  # Tensor[float, requires_grad=no, leaf=yes]


def through(x):
    return net(x)


reveal(through(x))  # Tensor[float, requires_grad=no, leaf=yes]
for p in net.parameters():
    p.requires_grad_(True)
reveal(through(x))  # Tensor[float, requires_grad=yes, leaf=no]

reveal(store.get())  # 0
for sign in (1, -1):
    if sign * x.sum() > 0:
        store.count()
        reveal(store.get())  # 0 or 1
    else:
        store.count()
        reveal(store.get())  # 0 or 1
reveal(store.get())  # 0 or 1
