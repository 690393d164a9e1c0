# A step writes no parameter whose gradient only unseen code may have filled: that it did so nobody has seen.
import torch
from torch import nn

measure = eval("lambda *values: values")
net = nn.Linear(2, 2)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
snapshot = net.state_dict()
measure(optimizer)
optimizer.step()
net.load_state_dict(snapshot)


def stepped(model, given):
    step = torch.optim.SGD(model.parameters(), lr=0.1)
    held = {"state": model.state_dict()}
    measure(given)
    step.step()
    model.load_state_dict(held["state"])


first, second = nn.Linear(2, 2), nn.Linear(2, 2)
stepped(first, first.weight)
stepped(second, [second, 1])
trained = nn.Linear(2, 1)
optimizer = torch.optim.SGD(trained.parameters(), lr=0.1)
measure(optimizer)
trained(torch.ones(2)).sum().backward()
optimizer.step()
reveal(trained.weight)
