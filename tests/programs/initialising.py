"""How parameters are made and filled: empty and init, `.data`, no_grad, `apply`, configurations."""

import torch
from torch import nn


class Own(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(2, 2))
        self.bias = nn.Parameter(torch.Tensor(2))
        self.g = nn.Parameter(torch.FloatTensor(2).uniform_(0, 1))
        self.i = nn.Parameter(torch.arange(3), requires_grad=False)
        self.s = torch.nn.Parameter(data=torch.zeros(2), requires_grad=True)
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.kaiming_uniform_(self.weight, a=5**0.5)
        fan_in, _ = nn.init._calculate_fan_in_and_fan_out(self.weight)
        self.bias.data.normal_(0, 0.02)
        self.g.data = torch.zeros(2)
        with torch.no_grad():
            self.s.fill_(1.0)
            self.weight[0] = 0


o = Own()
reveal(o.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(o.bias)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(o.g)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(o.i)  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(o.s)  # Tensor[float, requires_grad=yes, leaf=yes]


class Cfg:
    def __init__(self):
        self.hidden = 4
        self.drop = 0.1


class Model(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.d = nn.Linear(config.hidden, config.hidden)
        self.do = nn.Dropout(config.drop)
        self.layers = nn.ModuleDict({name: nn.Linear(4, 4) for name in ["a", "b"]})

    def forward(self, x):
        if self.config.drop > 0:
            x = self.do(self.d(x))
        for name, layer in self.layers.items():
            x = layer(x)
        return self.layers["a"](x)


mo = Model(Cfg())
reveal(mo.config.hidden)  # 4
reveal(mo(torch.ones(2, 4)))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(mo.layers["a"])  # Module[torch.nn.Linear, mode=train]


def start(part):
    if isinstance(part, nn.Linear):
        reveal(part)  # Module[torch.nn.Linear, mode=train]
        nn.init.xavier_uniform_(part.weight)
        part.bias.data.fill_(0.01)
    elif isinstance(part, (nn.LayerNorm, nn.modules.batchnorm._BatchNorm)):
        reveal(part)  # Module[?, mode=train]
        nn.init.ones_(part.weight)


net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.LayerNorm(2))
reveal(net.apply(start))  # Module[torch.nn.Sequential, mode=train]
reveal(net[0].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
