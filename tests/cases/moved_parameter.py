"""Cases for GRD121: attributes that were parameters before they were moved, and attributes that still are."""

import torch
import torch.nn as nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Attention(nn.Module):
    def __init__(self, features, device=DEVICE):
        super().__init__()
        self.query = nn.Parameter(torch.randn(features, features)).to(device)  # GRD121
        self.key = nn.Parameter(torch.randn(features, features).to(device))
        self.scale = nn.Parameter(torch.ones(1), requires_grad=False).cuda()
        self.bias = torch.nn.Parameter(torch.zeros(features)).cuda()  # GRD121
        self.temperature = nn.Parameter(torch.tensor(1.0)).half()  # GRD121
        self.shift = nn.Parameter(torch.zeros(features)).float().to("cpu")
        self.doubled = self.key * 2  # ok: the parameter it was computed from is registered itself
        self.total = self.key.exp().sum()  # ok: so is this one's
        self.register_parameter("value", nn.Parameter(torch.ones(features)))
        self.norm = self.value.norm()  # ok: likewise

    def forward(self, x):
        self.last = (x @ self.query).softmax(-1)  # GRD507
        return self.last @ self.key


class Cached(nn.Module):
    def __init__(self, size: int, flag: bool):
        super().__init__()
        weight = nn.Parameter(torch.randn(size, device=DEVICE))
        self.weight = weight.to(DEVICE)  # ok: made on some device, perhaps on the same
        self.kept = [weight]
        embedding = nn.Parameter(torch.randn(size)) / size  # GRD121
        self.embedding = embedding
        self.either = nn.Parameter(torch.zeros(size)) if flag else nn.Parameter(torch.zeros(size)) + 1  # ok: one is left


class Stacked(nn.Module):
    def __init__(self, *layers: nn.Linear):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.head = nn.Linear(4, 2)
        self.first = self.head.weight.t()  # ok: a view of what a layer holds
        self.mean = nn.Linear(4, 4).weight.mean()  # GRD121
        self.copied = nn.Parameter(nn.Linear(4, 4).weight.clone())
        self.data = nn.Parameter(torch.ones(2)).data.to("meta")


class Plain:
    """No module: nothing is registered here anyway."""

    def __init__(self, device):
        self.weight = nn.Parameter(torch.ones(2)).to(device)


def wrapped(model: nn.Module, device):
    adapter = nn.Parameter(torch.zeros(8))
    model.adapter = adapter.to(device=device)  # ok: the parameter is still at hand
    model.gate = nn.Parameter(torch.zeros(8)).type(torch.float64)  # GRD121
    return torch.optim.Adam([adapter])


class Router(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(4, 4)).double()  # GRD121

    def step(self, inputs: torch.Tensor):
        (inputs @ self.table).sum().backward()
        return self.table.grad.norm()


class Logits(nn.Module):
    def __init__(self):
        super().__init__()
        self.raw = nn.Parameter(torch.zeros(4))

    @property
    def probabilities(self):
        return self.raw.softmax(0)

    def freeze(self):
        self.frozen = self.probabilities  # ok: the parameter is registered
        with torch.no_grad():
            self.start = nn.Parameter(torch.zeros(4)) * 2
