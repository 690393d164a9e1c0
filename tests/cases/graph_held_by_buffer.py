"""Cases for GRD508: running statistics in buffers."""

import torch
import torch.nn.functional as F
from torch import nn


class Norm(nn.Module):
    def __init__(self, width, momentum=0.1):
        super().__init__()
        self.momentum = momentum
        self.linear = nn.Linear(width, width)
        self.register_buffer("running_mean", torch.zeros(width))
        self.register_buffer("running_var", torch.ones(width))
        self.register_buffer("steps", torch.zeros(()))
        self.last = None

    def forward(self, x):
        hidden = self.linear(x)
        mean, var = hidden.mean(0), hidden.var(0)
        if self.training:
            self.running_mean = (1 - self.momentum) * self.running_mean + self.momentum * mean  # GRD508
            self.running_var = torch.lerp(self.running_var, var.detach(), self.momentum)  # ok: from detached values
            self.steps = self.steps + 1  # ok: no graph
        self.last = mean  # GRD507
        return (hidden - self.running_mean) / (self.running_var + 1e-5).sqrt()


class Codebook(nn.Module):
    def __init__(self, size, width, decay=0.99):
        super().__init__()
        self.encoder = nn.Linear(width, width)
        self.register_buffer("embedding", torch.randn(size, width))
        self.register_buffer("usage", torch.zeros(size), persistent=False)
        self.decay = decay

    def forward(self, x):
        z = self.encoder(x)
        index = torch.cdist(z, self.embedding).argmin(-1)
        one_hot = F.one_hot(index, 4).float()
        self.usage = self.decay * self.usage + (1 - self.decay) * one_hot.sum(0)  # ok: whole numbers carry no graph
        with torch.no_grad():
            self.embedding = self.embedding * self.decay + (one_hot.t() @ z) * (1 - self.decay)  # ok: gradients are off
        return self.embedding[index]


class Center(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = nn.Linear(width, width)
        self.register_buffer("center", torch.zeros(1, width))
        self.register_buffer("state", torch.zeros(1, width))

    @torch.no_grad()
    def update_center(self, teacher):
        self.center = self.center * 0.9 + self.net(teacher).mean(0, keepdim=True) * 0.1  # ok: decorated

    def update_eagerly(self, teacher):
        self.center = self.net(torch.ones(2, 4)).mean(dim=0, keepdim=True)  # GRD508

    def step(self, x):
        state = torch.tanh(self.net(torch.ones(1, 4)) + self.state.detach())
        self.state = state[:]  # ok: detached where it is read
        return state.sum()

    def forward(self, x):
        self.weight = F.normalize(self.net.weight)  # GRD507
        return F.linear(x, self.weight)


class Sampler(nn.Module):
    """What the last forward pass has sampled is kept for a loss on it, and is set anew before it is read again."""

    def __init__(self, width):
        super().__init__()
        self.spread = nn.Parameter(torch.ones(width))
        self.register_buffer("variance", torch.ones(width))

    def penalty(self):
        return self.variance.sum()

    def forward(self, x):
        self.variance = torch.exp(self.spread)  # GRD507
        return x * self.variance


def train(steps):
    model = Norm(4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(steps):
        optimizer.zero_grad()
        model(torch.ones(3, 4)).pow(2).sum().backward()
        optimizer.step()


def set_from_outside():
    model = Center(4)
    model.center = model.net(torch.ones(1, 4))  # ok: by a caller, not by the module itself
    return model


train(3)
