"""A comprehension over a few things that are known makes each element by itself."""

import torch
from torch import nn


def leaf(name):
    return torch.ones(2, requires_grad=name == "trained")


tensors = {name: leaf(name) for name in ("trained", "fixed", "plain", "other")}
reveal(tensors["trained"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(tensors["plain"])  # Tensor[float, requires_grad=no, leaf=yes]
tensors["plain"].requires_grad_()
reveal(tensors["plain"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(tensors["other"])  # Tensor[float, requires_grad=no, leaf=yes]
reveal("missing" in tensors)  # False
listed = [leaf(name) for name in ["fixed", "trained"] if name != "fixed"]
reveal(listed[0])  # Tensor[float, requires_grad=yes, leaf=yes]
squares = {i: i * i for i in (1, 2, 3)}
reveal(squares[2])  # 4
late = [lambda: i for i in (1, 2)]
reveal(late[0]())  # 2
nets = {name: nn.Linear(2, 2) for name in ("maker", "judge")}
for p in nets["judge"].parameters():
    p.requires_grad = False
reveal(nets["judge"].weight)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(nets["maker"].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
optimizers = {name: torch.optim.SGD(nets[name].parameters(), lr=0.1) for name in nets}
nets["maker"](torch.ones(1, 2)).sum().backward()
optimizers["maker"].step()
reveal(nets["maker"].bias, "grad")  # used
guarded = [name for name in ("a", "b") if torch.rand(1) > 2]
reveal(guarded)  # list
doubled = {value * 2 for value in (torch.ones(1), torch.ones(1, requires_grad=True))}
for value in doubled:
    reveal(value)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
