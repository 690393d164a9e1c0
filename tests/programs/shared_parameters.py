"""A model with blocks in a list: freezing, thawing, filters, tied weights, averages of weights in a copy."""

import copy

import torch
from torch import nn

x = torch.ones(2, 4)


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)

    def forward(self, x):
        return x + self.fc(x)


class Net(nn.Module):
    def __init__(self, depth=3):
        super().__init__()
        self.blocks = nn.ModuleList([Block(4) for _ in range(depth)])
        self.seq = nn.Sequential(*[Block(4) for _ in range(depth)])
        self.head = nn.Linear(4, 2)
        self.token = nn.Parameter(torch.zeros(1, 4))
        self.pos = nn.Parameter(torch.empty(1, 4))
        nn.init.trunc_normal_(self.pos, std=0.02)
        self.apply(self._init_weights)

    def _init_weights(self, m):
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)
            if m.bias is not None:
                nn.init.constant_(m.bias, 0)
        elif isinstance(m, (nn.LayerNorm, nn.BatchNorm1d)):
            nn.init.ones_(m.weight)

    def forward_features(self, x):
        x = x + self.pos
        for blk in self.blocks:
            x = blk(x)
        return self.seq(x)

    def forward(self, x):
        return self.head(self.forward_features(x))


net = Net()
reveal(net.pos)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(net.blocks)  # Module[torch.nn.ModuleList, mode=train]
reveal(net.blocks[0])  # Module[?, mode=train]
reveal(net.blocks[0].fc.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(net(x))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(net.forward_features(x))  # Tensor[float, requires_grad=yes, leaf=no]
for p in net.parameters():
    p.requires_grad = False
reveal(net.pos)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(net.blocks[0].fc.weight)  # Tensor[float, requires_grad=no|yes, leaf=yes]
reveal(net.head.weight)  # Tensor[float, requires_grad=no, leaf=yes]
for p in net.head.parameters():
    p.requires_grad = True
reveal(net.head.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(net(x))  # Tensor[float, requires_grad=yes, leaf=no]
net.head = nn.Linear(4, 3)
reveal(net(x))  # Tensor[float, requires_grad=yes, leaf=no]
for n, p in net.named_parameters():
    if "head" not in n:
        p.requires_grad_(False)
reveal(net.head.weight)  # Tensor[float, requires_grad=no|yes, leaf=yes]
opt = torch.optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.1)
trainable = [p for p in net.parameters() if p.requires_grad]
reveal(trainable[0])  # Tensor[float, requires_grad=no|yes, leaf=yes]
n = sum(p.numel() for p in net.parameters() if p.requires_grad)
reveal(n)  # number[integer]


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Embedding(4, 4)
        self.dec = nn.Linear(4, 4, bias=False)
        self.dec.weight = self.enc.weight

    def forward(self, i):
        return self.dec(self.enc(i))


t = Tied()
reveal(t.dec.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(t(torch.arange(3)))  # Tensor[float, requires_grad=yes, leaf=no]
t.enc.weight.requires_grad_(False)
reveal(t.dec.weight)  # Tensor[float, requires_grad=no, leaf=yes]
ema = copy.deepcopy(net)
reveal(ema.head.weight)  # Tensor[float, requires_grad=no|yes, leaf=yes]
for p in ema.parameters():
    p.requires_grad_(False)
reveal(ema.head.weight)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(net.head.weight)  # Tensor[float, requires_grad=no|yes, leaf=yes]
with torch.no_grad():
    for p, q in zip(ema.parameters(), net.parameters()):
        p.mul_(0.9).add_(q.data, alpha=0.1)
        reveal(p)  # Tensor[float, requires_grad=no, leaf=yes]
for p, q in zip(ema.parameters(), net.parameters()):
    p.data.mul_(0.9).add_(q.detach(), alpha=0.1)
    reveal(p.data)  # Tensor[float, requires_grad=no, leaf=yes]
