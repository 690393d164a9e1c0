"""Train and eval mode: of parts, of parts of parts, and of classes that have a `train` of their own."""

import torch
from torch import nn

m = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.Dropout()))
m.eval()
reveal(m[1][1])  # Module[torch.nn.Dropout, mode=eval]
m[1].train()
reveal(m[1][1])  # Module[torch.nn.Dropout, mode=train]
reveal(m[0])  # Module[torch.nn.Linear, mode=eval]
for mod in m.modules():
    mod.eval()
reveal(m[1][1])  # Module[torch.nn.Dropout, mode=eval]
for mod in m.modules():
    if isinstance(mod, nn.Dropout):
        mod.train()
reveal(m[1][1])  # Module[torch.nn.Dropout, mode=train]
reveal(m[0])  # Module[torch.nn.Linear, mode=eval]


class Frozen(nn.Module):
    def __init__(self):
        super().__init__()
        self.bn = nn.BatchNorm1d(2)
        self.fc = nn.Linear(2, 2)

    def train(self, mode=True):
        super().train(mode)
        self.bn.eval()
        return self

    def forward(self, x):
        return self.fc(self.bn(x))


fr = Frozen()
reveal(fr.bn)  # Module[torch.nn.BatchNorm1d, mode=train]
fr.train()
reveal(fr.bn)  # Module[torch.nn.BatchNorm1d, mode=eval]
reveal(fr.fc)  # Module[torch.nn.Linear, mode=train]
reveal(fr)  # Module[?, mode=train]
fr.eval()
reveal(fr.fc)  # Module[torch.nn.Linear, mode=eval]
outer = nn.Sequential(fr, nn.Linear(2, 2))
outer.train()
reveal(outer[0].bn)  # Module[torch.nn.BatchNorm1d, mode=eval]
reveal(outer[0].fc)  # Module[torch.nn.Linear, mode=train]
reveal(outer[0])  # Module[?, mode=train]


class Noisy(nn.Module):
    def forward(self, x):
        if self.training:
            return x + torch.rand(2)
        return x.detach()


noisy, asked = Noisy(), torch.ones(2, requires_grad=True)
reveal(noisy(asked))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(noisy.eval()(asked))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(noisy.training)  # False
