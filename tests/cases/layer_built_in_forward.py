"""Cases for GRD807: layers that are built where they are used."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)  # ok: in __init__
        self.proj = None
        self.cached = None

    def forward(self, x):
        if self.proj is None:
            self.proj = nn.Linear(x.shape[-1], 4)  # ok: built once, when the width is known
        x = nn.Dropout(0.1)(nn.ReLU()(self.fc(x)))  # ok: nothing in them is trained
        norm = nn.LayerNorm(x.shape[-1])  # GRD807
        return norm(self.proj(x))


class OverTime(nn.Module):
    def __init__(self, module: nn.Module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return torch.stack([self.module(one) for one in x])


class Wrapping(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embedder, self.head = nn.Linear(width, width), nn.Linear(width, 2)

    def forward(self, x):
        embedder = self.embedder
        for _ in range(x.dim() - 2):
            embedder = OverTime(embedder)  # ok: nothing of it but the order is new
        whole = nn.Sequential(embedder, self.head)  # ok: put together of what is trained
        return whole(x)


class Attention(nn.Module):
    def forward(self, query, key):
        query = nn.Linear(16, 16)(query)  # GRD807
        return self._mix(query, key)

    def _mix(self, query, key):
        score = nn.Bilinear(16, 16, 1)  # GRD807
        weights = F.softmax(score(query, key), -1)
        return nn.Softmax(dim=-1)(weights) * key  # ok: no parameters


class Blur(nn.Module):
    """Fixed filters are modules, too."""

    def __init__(self, sigma):
        super().__init__()
        self.sigma = sigma

    def forward(self, x):
        mean = nn.Conv2d(1, 1, 3, padding=1, bias=False)  # ok: filled by hand
        mean.weight.data.fill_(1 / 9)
        edge = nn.Conv2d(1, 1, 3, bias=False)  # ok: given a kernel
        edge.weight = nn.Parameter(torch.ones(1, 1, 3, 3), requires_grad=False)
        fixed = nn.Conv2d(in_channels=1, out_channels=1, kernel_size=1).requires_grad_(False)  # ok: frozen, random on purpose
        ones = nn.Linear(4, 4)  # ok: initialised by hand
        nn.init.eye_(ones.weight)
        return mean(x) + F.pad(edge(x), (1, 1, 1, 1)) + fixed(x) + ones(x)


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList()

    def forward(self, x, depth=2):
        for index in range(depth):
            if len(self.layers) <= index:
                self.layers.append(nn.Linear(x.shape[1], x.shape[1]))  # ok: as many as are needed
            x = self.layers[index](x)
        self.head = nn.Linear(x.shape[1], 1, bias=False)  # GRD608
        return self.head(x)

    def extend(self, width):
        layer = nn.Linear(width, width, bias=True)  # ok: not in forward
        self.layers.append(layer)


class Mixer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.inner = Block(width)

    def build(self):
        return nn.Sequential(nn.Linear(self.width, self.width), nn.BatchNorm1d(self.width))  # GRD807

    def forward(self, x):
        twice = self.build()
        copy = Block(self.width)  # GRD807
        return twice(self.inner(x)) + copy(x)


def kept(method):
    def once(self):
        if not hasattr(self, "_kept"):
            self._kept = method(self)
        return self._kept

    return once


class Wrapper(nn.Module):
    """Builds what it needs when it first knows the width."""

    @kept
    def projector(self):
        return nn.Linear(3, 3).to("cpu")  # ok: the decorator keeps it

    def forward(self, x):
        return self.projector()(x)


class Trainer:
    def forward(self, x):
        net = nn.Linear(3, 3)  # ok: no module, whatever its method is called
        return net(x)


mixer = Mixer(4)
mixer(torch.ones(2, 4)).sum().backward()
