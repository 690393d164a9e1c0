# A fix was to call a method that an attribute of its name had hidden.
import torch
from torch import nn

net = nn.Linear(2, 2)
for p in net.parameters():
    p.requires_grad_ = True
net.requires_grad = False
reveal(net.weight)
out = net(torch.ones(1, 2)).sum()
reveal(out)
