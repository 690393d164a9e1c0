# What the rounds of a loop make grows older when the loop around runs again, as other objects do.
import torch
from torch import nn

nets = [nn.Linear(2, 2), nn.Linear(2, 2)]
optimizers = [torch.optim.SGD(net.parameters(), lr=0.1) for net in nets]
kept = []
for _ in range(3):
    losses = []
    for net in nets:
        losses.append(net(torch.ones(1, 2)).sum())
    for loss, optimizer in zip(losses, optimizers, strict=True):
        optimizer.zero_grad()
        loss.backward()
        reveal(loss)
        optimizer.step()
    kept.append(losses[0])
    reveal(losses[1])
reveal(kept[0], nets[0].weight, nets[1].weight)
state = torch.zeros(1, 2)
for _ in range(4):
    for net in nets:
        state = torch.tanh(net(state))
    reveal(state)
    state = state.detach()
reveal(state)


def applied(net, x):
    made = net(x)
    return made, made.detach()


for net in nets:
    out, cut = applied(net, torch.ones(1, 2))
    reveal(out, cut)
pairs = [applied(net, torch.ones(1, 2)) for net in nets]
pairs[0][0].sum().backward()
reveal(pairs[0][0], pairs[1][0], pairs[1][1], nets[0].weight)
reveal(nets[1].weight)
