# What is gone over may change meanwhile: the elements are those that are there when their turn comes.
import torch
from torch import nn

net = nn.Sequential(nn.Linear(2, 3), nn.PReLU(), nn.Linear(3, 1))
for name, part in net.named_children():
    if isinstance(part, nn.PReLU):
        setattr(net, name, nn.Tanh())
reveal(net, net[1], net(torch.ones(1, 2)))
weights = [torch.ones(2), torch.ones(2), torch.ones(2)]
for place, w in enumerate(weights):
    weights[place] = w.requires_grad_() * 1
reveal(weights[0], weights[2])
for w in weights:
    weights[1] = torch.ones(2)
    reveal(w)
reveal(weights[0], weights[1])
bands = {"low": torch.ones(2, requires_grad=True), "high": torch.ones(2)}
for name in bands:
    bands[name] = bands[name] * 2
reveal(bands["low"], bands["high"])
for _, band in bands.items():
    bands["high"] = torch.ones(2, requires_grad=True)
    reveal(band)
shared = torch.ones(1)
for w in (shared, shared):
    reveal(w)
    w.requires_grad_()
reveal(shared)
queue = [torch.ones(1), torch.ones(1, requires_grad=True)]
for w in queue:
    queue = [torch.zeros(1)]
    reveal(w)
it = iter([torch.ones(1), torch.ones(1, requires_grad=True), torch.ones(1), torch.ones(1, requires_grad=True)])
for w in it:
    reveal(w)
    reveal(next(it))
