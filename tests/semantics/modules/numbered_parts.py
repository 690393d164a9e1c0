# Parts that a constructor makes in a loop over numbers or names were one and all others, whatever they are called.
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, depth=3):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(4)])
        self.more = nn.ModuleList(nn.Linear(2, 2) for _ in range(depth))
        for name in ("first", "last"):
            setattr(self, name, nn.Linear(2, 2))
        for i in range(2):
            self.add_module(f"block{i}", nn.Sequential(nn.Linear(2, 2), nn.Dropout()))

    def forward(self, x):
        x = self.first(x)
        for layer in [*self.layers, *self.more]:
            x = layer(x)
        for i in range(2):
            x = getattr(self, f"block{i}")(x)
        return self.last(x)


net = Net()
x = torch.ones(1, 2)
for p in net.parameters():
    p.requires_grad = False
reveal(net.layers[0].weight, net.layers[3].bias, net.more[1].weight, net.first.weight, net.block1[0].weight)
reveal(net(x))
for i in range(2):
    getattr(net, f"block{i}").eval()
reveal(net.block0, net.block1[1], net.layers)
for name, part in net.named_children():
    part.requires_grad_(name.startswith("block"))
reveal(net.block0[0].weight, net.layers[1].weight, net.last.bias, net(x))
for i in range(len(net.layers)):
    net.layers[i].requires_grad_(i > 1)
reveal(net.layers[0].weight, net.layers[1].weight, net.layers[2].weight)
head = list(net.children())[-1]
reveal(head, head[0].weight)
body = nn.Sequential(*list(net.block0.children())[:-1])
for part in body:
    part.requires_grad_(False)
reveal(net.block0[0].weight, net.block1[0].weight)
