# an optimizer over what unseen code gave steps on the program's own module where either may be what it was given.
import torch
from torch import nn

same = eval("lambda one: one")
first, second = same(nn.Linear(2, 2)), nn.Linear(2, 2)
chosen = first if torch.rand(()).item() > 2 else second
second(first(torch.randn(3, 2))).abs().sum().backward()
optimizer = torch.optim.SGD(nn.ModuleList([nn.ReLU(), chosen]).parameters(), lr=0.1)
optimizer.step()
reveal(second.bias)
optimizer.zero_grad()
reveal(second.bias)
