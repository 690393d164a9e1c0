# A backward through a sum of losses frees what lies behind, whichever way it came.
import torch
from torch import nn

weights = {"a": torch.ones(2, requires_grad=True), "b": torch.zeros(2, requires_grad=True)}
linear = sum(weight.sum() for weight in weights.values())
linear.backward()
linear.backward()
(gradient,) = torch.autograd.grad(linear, [weights["a"]])
squared = sum(weight.pow(2).sum() for weight in weights.values())
(squared + linear).backward(retain_graph=True)
(squared + linear).backward()
linear.backward()
net = nn.Linear(2, 1)
losses = []
for _ in range(3):
    losses.append(net(torch.ones(2, 2)).mean())
loss = torch.stack(losses).mean()
loss.backward(retain_graph=True)
loss.backward()
loss.backward()
