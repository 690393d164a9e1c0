"""Cases for GRD801: layers in plain containers, and those that are registered after all or hidden on purpose."""

import argparse
from collections import OrderedDict

import torch
import torch.nn as nn


class Mlp(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        layers = []
        for i in range(len(sizes) - 1):
            layers.append(nn.Linear(sizes[i], sizes[i + 1]))
            layers += [nn.ReLU()]
        self.layers = layers  # GRD801

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Wrapped(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers: list = []  # ok: wrapped in a Sequential two lines later
        for i in range(len(sizes) - 1):
            self.layers.append(nn.Linear(sizes[i], sizes[i + 1]))
        self.net = nn.Sequential(*self.layers)

    def forward(self, x):
        return self.net(x)


class Predictor(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.stages = [nn.Linear(width, width) for _ in range(depth)]  # ok: each is added by name
        for i, stage in enumerate(self.stages):
            self.add_module(str(i), stage)

    def forward(self, x):
        for stage in self.stages:
            x = torch.relu(stage(x))
        return x


class Pyramid(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.lateral, self.seen = [], 0  # ok: set by computed names as well
        self.output = list()  # GRD801
        for index, width in enumerate(channels):
            conv = nn.Conv2d(width, 64, 1)
            setattr(self, f"lateral{index}", conv)
            self.lateral.append(conv)
            self.output.append(nn.Conv2d(64, 64, 3, padding=1))

    def forward(self, maps):
        return [out(lat(x)) for x, lat, out in zip(maps, self.lateral, self.output)]


class Distilled(nn.Module):
    def __init__(self, student: nn.Module, teacher: nn.Module):
        super().__init__()
        self.student = student
        self.teacher = [teacher]  # ok: one that was handed over, in a list: hidden from state_dict on purpose
        self.losses = [nn.MSELoss(), nn.L1Loss()]  # ok: nothing in them is trained

    def forward(self, x):
        with torch.no_grad():
            wanted = self.teacher[0](x)
        return sum(loss(self.student(x), wanted) for loss in self.losses)


class Experts(nn.Module):
    def __init__(self, width, tasks):
        super().__init__()
        self.heads = {task: nn.Linear(width, 1) for task in tasks}  # GRD801
        self.kinds = {"linear": nn.Linear, "conv": nn.Conv1d}  # ok: classes, no modules yet
        self.norms = OrderedDict(first=nn.LayerNorm(width), second=nn.LayerNorm(width))  # GRD801
        self.scales = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in tasks])
        self.all_scales = list(self.scales)  # ok: registered by the list they come from

    def forward(self, x, task):
        return self.heads[task](self.norms["first"](x)) * self.all_scales[0]


class Perceptual(nn.Module):
    def __init__(self):
        super().__init__()
        slices = [nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 3)]
        for part in slices:
            for param in part.parameters():
                param.requires_grad = False
        self.slices = tuple(slices)  # ok: frozen, so nothing is lost for training
        self.grid = [[nn.Linear(2, 2), nn.Linear(2, 2)], [nn.Linear(2, 2)]]  # GRD801
        self.pairs = tuple(nn.Parameter(torch.zeros(2)) for _ in range(2))  # GRD801

    def forward(self, x):
        for part in self.slices:
            x = part(x)
        return self.grid[0][0](x.mean((2, 3))[:, :2]) + self.pairs[0]


class ByHand(nn.Module):
    """Says itself what its parameters are."""

    def __init__(self):
        super().__init__()
        self.units = [nn.Linear(3, 3), nn.Linear(3, 3)]  # ok: gathered by its own parameters()

    def parameters(self, recurse=True):
        for unit in self.units:
            yield from unit.parameters()


class Ensemble:
    """No module, so there is nothing to register with."""

    def __init__(self, count):
        self.members = [Mlp([4, 2]) for _ in range(count)]  # ok: a plain class
        self.optimizers = [torch.optim.Adam(member.parameters()) for member in self.members]


class Lookahead(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.cells = [nn.GRUCell(width, width), nn.GRUCell(width, width)]  # ok: the optimizer is given them by hand

    def forward(self, x):
        for cell in self.cells:
            x = cell(x)
        return x


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=8)
    args = parser.parse_args()
    model = Lookahead(args.width)
    weights = [p for cell in model.cells for p in cell.parameters()]
    optimizer = torch.optim.Adam(weights, lr=1e-3)
    model(torch.ones(2, args.width)).sum().backward()
    optimizer.step()
    return Ensemble(2)


class Late(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)
        self.extra = self.found = []  # ok: filled and registered by another method
        self.build(3)

    def build(self, count):
        for i in range(count):
            layer = nn.Linear(4, 4)
            self.register_module(f"extra{i}", layer)
            self.extra.append(layer)


class Table(nn.Module):
    def __init__(self, names):
        super().__init__()
        self.towers = {name: nn.Linear(4, 1) for name in names}  # ok: entered in the table by hand
        for name, tower in self.towers.items():
            self._modules[name] = tower


class Chain(nn.Module):
    """Is given its parts; those who made them keep nothing of them."""

    def __init__(self, *links, gates):
        super().__init__()
        self.links, self.gates = links, gates  # GRD801

    def forward(self, x):
        for link, gate in zip(self.links, self.gates.values()):
            x = link(x) * gate(x)
        return x


class Shared(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = tuple(reversed(blocks))  # ok: the model that made them has registered them

    def forward(self, x):
        for block in self.blocks:
            x = block(x).relu()
        return x


def gates(count):
    return {f"gate{i}": nn.Linear(4, 4) for i in range(count)}


class Chained(nn.Module):
    def __init__(self):
        super().__init__()
        self.chain = Chain(nn.Linear(4, 4), nn.Linear(4, 4), gates=gates(2))
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.backwards = Shared(list(self.blocks))

    def forward(self, x):
        return self.backwards(self.chain(x))


chained = Chained()


class Gated(nn.Module):
    """Registers the parameters of its layers one by one, under names of its own."""

    def __init__(self, width, depth):
        super().__init__()
        self.gates = []  # ok: each parameter is registered by itself
        for at in range(depth):
            gate = nn.Linear(width, width)
            self._enter(gate.parameters(), f"gate{at}")
            self.gates.append(gate)

    def _enter(self, parameters, name):
        for at, parameter in enumerate(parameters):
            self.register_parameter(f"{name}_{at}", parameter)

    def forward(self, x):
        for gate in self.gates:
            x = gate(x).sigmoid()
        return x


class Mixing(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.mixers = [nn.Conv1d(width, width, 3) for _ in range(depth)]  # GRD801
        for at, mixer in enumerate(self.mixers):
            self.register_parameter(f"shift{at}", mixer.bias)  # the weights are nobody's

    def forward(self, x):
        for mixer in self.mixers:
            x = mixer(x)
        return x


class Stacked(nn.Module):
    """Gathers more parameters than are followed one by one."""

    def __init__(self, kinds=("trend", "season", "rest")):
        super().__init__()
        self.found = []
        self.stacks = {kind: [self._block() for _ in range(4)] for kind in kinds}  # ok: the list below has what is in it
        self.found = nn.ParameterList(self.found)

    def _block(self):
        made = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 4))
        self.found.extend(made.parameters())
        return made

    def forward(self, x):
        return sum(block(x) for stack in self.stacks.values() for block in stack)


forecaster = Stacked(kinds=["trend", "season", "cycle"])
