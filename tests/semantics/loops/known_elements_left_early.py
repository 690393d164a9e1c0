# A loop over known elements that is left early has done nothing to those behind.
import torch
from torch import nn

first, second, third = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)
for name, net in {"first": first, "second": second, "third": third}.items():
    if name == "third":
        break
    net.requires_grad_(False)
else:
    third.eval()
reveal(first.weight, second.weight, third.weight, third)
for net in (first, second, third):
    if net.weight.requires_grad:
        continue
    net.eval()
reveal(first, second, third)
parts = [first, second]
for net in parts:
    if len(parts) < 3:
        parts.append(third)
    net.train()
reveal(first, third)
for w in [torch.ones(2), torch.ones(2)]:
    try:
        w.requires_grad_()
        w += 1
    except RuntimeError:
        w = w.detach()
    reveal(w)


def choose(nets):
    for net in nets:
        if net.training:
            return net.weight
    return torch.ones(2)


reveal(choose([first.eval(), second.train()]))
reveal(choose([first.eval(), second.eval()]))
flag = torch.rand(1).item() > 2
kept = None
for w in (torch.ones(1), torch.ones(1, requires_grad=True)):
    if flag:
        break
    kept = w * 2
reveal(kept)
