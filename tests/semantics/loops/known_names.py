# Names of parameters and parts are constants in a loop over a module that is known: conditions on them are decided.
import re

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.low = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))
        self.scale = nn.Parameter(torch.ones(3))
        self.high = nn.Linear(3, 1, bias=False)

    def forward(self, x):
        return self.high(self.low(x) * self.scale)


def freeze(net, prefixes):
    for name, p in net.named_parameters():
        if any(name.startswith(prefix) for prefix in prefixes):
            p.requires_grad = False


net = Net()
for name, p in net.named_parameters():
    p.requires_grad_("bias" in name or name.endswith("scale"))
    reveal(p)
reveal(net.low[0].weight, net.low[0].bias, net.low[1].weight, net.scale, net.high.weight)
for name, p in net.named_parameters():
    p.requires_grad = name.split(".")[0] == "low"
reveal(net.low[0].weight, net.low[1].bias, net.scale, net.high.weight)
for name, p in net.named_parameters():
    p.requires_grad = re.match(r"low\.[01]\.weight", name) is not None
reveal(net.low[0].weight, net.low[0].bias, net.scale, net.high.weight)
for name, part in net.named_children():
    part.requires_grad_(name == "high")
    reveal(part)
reveal(net.low[0].bias, net.scale, net.high.weight)
for name, part in net.named_modules():
    if isinstance(part, nn.BatchNorm1d) and name == "low.1":
        part.eval()
reveal(net, net.low, net.low[1])
for name, buffer in net.named_buffers():
    if name.endswith("num_batches_tracked"):
        reveal(buffer)
net.requires_grad_()
freeze(net, ["low", "high"])
reveal(net.low[0].weight, net.scale, net.high.weight)
reveal(net(torch.ones(4, 2)))
