"""Cases for GRD407: tensors made in inference mode, and what is done with them afterwards."""

import copy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import inference_mode


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
        self.head = nn.Linear(8, 2)
        self.register_buffer("center", torch.zeros(1, 8))

    @torch.inference_mode()
    def embed(self, x):
        return self.backbone(x)

    def forward(self, x):
        return self.head(self.embed(x))  # GRD407

    def forward_copied(self, x):
        return self.head(self.embed(x).clone())  # ok: the copy is an ordinary tensor

    @torch.inference_mode()
    def scores(self, x):
        return self.head(self.embed(x)).softmax(-1)  # ok: nothing is recorded inside

    def update_center(self, x, momentum=0.9):
        center = self.embed(x).mean(0, keepdim=True)
        with torch.no_grad():
            self.center.mul_(momentum).add_(center, alpha=1 - momentum)  # ok: it is read, not written
            center -= self.center  # ok: the mean was computed outside
            hidden = self.embed(x)
            hidden[:, 0] = 0.0  # GRD407
        return center, hidden


def linear_probe(x):
    net = Net()
    features = net.embed(x)
    return net.head(features + 0.0)  # ok: computed outside, from an inference tensor that nothing keeps


def distillation(x: torch.Tensor):
    student, teacher = nn.Linear(8, 4), nn.Linear(8, 4)
    with torch.inference_mode():
        targets = teacher(x)
    loss = F.mse_loss(student(x), targets)  # GRD407
    shift = (student(x) - targets).sum()  # ok: a difference keeps neither side
    return loss + shift


def residual(x: torch.Tensor):
    adapter, frozen = nn.Linear(8, 8), nn.Linear(8, 8)
    with inference_mode():
        base = frozen(x)
    mixed = torch.cat([adapter(x), base], dim=1)  # ok: joining keeps nothing
    gated = adapter(x) * base  # GRD407
    return mixed, gated


class Attack:
    def __init__(self, model: nn.Linear):
        self.model = model

    @torch.inference_mode()
    def start(self, image):
        return image + 0.1 * torch.randn(1, 8)

    def run(self, image: torch.Tensor, steps=3):
        x = self.start(image)
        for _ in range(steps):
            x.requires_grad = True  # GRD407
            x = x.detach() + 1
        return x

    def run_on_a_copy(self, image: torch.Tensor):
        x = copy.deepcopy(self.start(image))
        x.requires_grad_(requires_grad=True)  # ok: a deep copy is an ordinary tensor
        return x

    def asked_not_to(self, image: torch.Tensor):
        x = self.start(image)
        x.requires_grad = False  # ok: only asking for gradients is refused
        return x


def parameter_from_statistics():
    layer = nn.Linear(3, 3)
    with torch.inference_mode():
        scale = torch.ones(4, 3).std(0)
    layer.scale = nn.Parameter(scale)  # GRD407
    layer.shift = nn.Parameter(scale.double() * 1)  # ok: computed outside
    layer.offset = nn.Parameter(torch.zeros(3), requires_grad=True)  # ok: made outside
    return layer


@torch.no_grad()
def frozen_scores(x: torch.Tensor):
    with torch.inference_mode():
        weight = torch.rand(8, 8)
    return F.linear(x, weight)  # ok: with gradients off nothing is kept


def perhaps_in_inference_mode(x: torch.Tensor, training: bool):
    layer = nn.Linear(8, 8)
    with torch.inference_mode(not training):
        hidden = layer(x)
    return layer(hidden).sum()  # ok: inference mode may be off


def left_inside(x: torch.Tensor):
    layer = nn.Linear(8, 8)
    with torch.inference_mode():
        hidden = layer(x)
        with torch.inference_mode(False):
            return layer(hidden)  # GRD407


def seen_from_outside(x=torch.ones(2, 8)):
    with torch.inference_mode():
        flat = x.view(-1)
    flat.add_(1)  # ok: a view of an ordinary tensor is one too
    return flat * torch.ones(16, requires_grad=True)  # ok: the same when it is kept


def embedded(tokens=3):
    table = nn.Embedding(10, 4)
    with torch.inference_mode():
        index = torch.randint(0, 10, (tokens,))
        built = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 1))
    hidden = table(index)  # GRD407
    built.requires_grad_(True)  # GRD407
    return built, hidden


def gated(features=torch.ones(2, 4), layer: nn.Linear = nn.Linear(4, 4)):
    with torch.inference_mode():
        gate = torch.sigmoid(features)
    hidden = layer(features)
    hidden.mul_(gate)  # GRD407
    hidden += gate  # ok: a sum keeps nothing
    rows = (row * 2 for row in [features])
    with torch.inference_mode():
        first = next(rows)
    return first @ layer.weight  # GRD407


net = Net()
net(torch.ones(2, 8)), net.forward_copied(torch.ones(2, 8)), net.scores(torch.ones(2, 8))
net.update_center(torch.ones(2, 8))
