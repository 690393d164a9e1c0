"""Cases for GRD608: what is made in forward and never trained, and what may be made there."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call


class Head(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.width = width
        self.body = nn.Sequential(nn.Linear(4, width), nn.ReLU())
        self.extra = None

    def forward(self, x):
        x = nn.ReLU()(self.body(x))  # ok: an activation has no parameters
        x = nn.Dropout(0.1)(x)  # ok: neither has dropout
        scores = nn.Linear(self.width, 3).to(x.device)(x)  # GRD807
        return nn.functional.log_softmax(scores, -1)


class Attention(nn.Module):
    def forward(self, q, k, v):
        heads = q.shape[-1] // 8
        mix = nn.MultiheadAttention(q.shape[-1], heads)  # GRD807
        out, _ = mix(q, k, v)
        return nn.LayerNorm(out.shape[1:])(out)  # GRD807


class Bias(nn.Module):
    def forward(self, x):
        self.bias = nn.Parameter(torch.zeros(x.shape[-1]))  # GRD608
        return x + self.bias


class Lazy(nn.Module):
    """Makes its weight when it first sees an input."""

    def __init__(self):
        super().__init__()
        self.weight = None

    def forward(self, x):
        if self.weight is None:
            self.weight = nn.Parameter(torch.ones(3))  # ok: made once
        if not hasattr(self, "out"):
            self.out = nn.Linear(x.shape[-1], 1)  # ok: made once
        return self.out(x * self.weight)


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.inner = nn.Linear(size, size)  # ok: made by __init__, wherever that is called

    def forward(self, x):
        return x + self.inner(x)


class Stack(nn.Module):
    def forward(self, x):
        for _ in range(2):
            x = Block(x.shape[-1])(x)  # GRD807
        return x


class Sobel(nn.Module):
    """A fixed filter."""

    def forward(self, image):
        kernel = torch.tensor([[-1.0, 0.0, 1.0]] * 3)
        conv = nn.Conv2d(1, 1, 3, bias=False)  # ok: filled by hand, not to be trained
        conv.weight.data = kernel.view(1, 1, 3, 3)
        return conv(image)


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Linear(4, 4)

    def forward(self, x):
        keep = nn.Parameter(torch.ones(4), requires_grad=False)  # ok: not to be trained
        loss = nn.MSELoss()(self.main(x), x * keep)  # ok: losses have no parameters
        return loss

    def grown(self, width):
        self.main = nn.Linear(4, width)  # ok: not in forward
        return self


class Hyper(nn.Module):
    def __init__(self):
        super().__init__()
        self.make = nn.Linear(2, 6)
        self.base = nn.Linear(2, 3, bias=False)

    def forward(self, x, code):
        weight = self.make(code).view(3, 2)
        return functional_call(self.base, {"weight": weight}, x)


class Sampler:
    """No module: its forward is its own."""

    def forward(self, x):
        return F.relu(nn.Linear(4, 4)(x))  # ok: no module's forward


class Fitting(nn.Module):
    """What `forward` gives is fitted to its argument, by a model of its own."""

    def forward(self, graph):
        size = graph.shape[0]
        model, scale = nn.Linear(size, 2), nn.Parameter(torch.ones(2))  # ok: trained below
        optimizer = torch.optim.Adam([*model.parameters(), scale], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (model(graph) * scale).pow(2).mean().backward()
            optimizer.step()
        return model(graph).detach()  # GRD401


class Frozen(nn.Module):
    @torch.no_grad()
    def forward(self, x):
        return nn.Linear(4, 2)(x)  # ok: nothing is trained without gradients
