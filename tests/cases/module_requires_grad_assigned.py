"""Cases for GRD104: the flag set on a module, and on all that only sounds like one."""

import torch
import torch.nn as nn
from torch import Tensor
from models import build_model


class TextClassifier(nn.Module):
    def __init__(self, vectors: Tensor, freeze: bool):
        super().__init__()
        self.embedding = nn.Embedding(100, 16)
        self.embedding.weight.data.copy_(vectors)
        self.embedding.requires_grad = False  # GRD104
        self.encoder = nn.LSTM(16, 32, batch_first=True)
        self.encoder.requires_grad = not freeze  # GRD104
        self.scale = nn.Parameter(torch.ones(1))
        self.scale.requires_grad = freeze  # ok: a parameter has the flag
        self.head = nn.Sequential(nn.Linear(32, 8), nn.ReLU(), nn.Linear(8, 2))

    def freeze_head(self):
        self.head[0].requires_grad, self.head[2].bias.requires_grad = False, False  # GRD104

    def freeze_bias(self):
        self.head[-1].bias.requires_grad = False  # ok: the bias of a layer is a parameter

    def forward(self, tokens):
        _, (hidden, _) = self.encoder(self.embedding(tokens))
        return self.head(hidden[-1]) * self.scale


def freeze_norms(model: nn.Module):
    for module in model.modules():
        if isinstance(module, (nn.BatchNorm2d, nn.LayerNorm)):
            module.requires_grad = bool(0)  # GRD104
            module.eval()


def freeze_everything_but(model: TextClassifier, kept="head"):
    for name, child in model.named_children():
        child.requires_grad = name == kept  # GRD104
    for name, weight in model.named_parameters():
        weight.requires_grad = name.startswith(kept)  # ok: parameters, one by one
    for weight in model.head.parameters():
        weight.requires_grad = weight.ndim > 1  # ok: these too


def projection(size):
    adapter = nn.Linear(size, size)
    adapter.requires_grad = 0  # GRD104
    return adapter


def set_trainable(part, on):
    if isinstance(part, nn.Parameter):
        part.requires_grad = on if on else False  # ok: a parameter here
        return
    for weight in part.parameters():
        weight.requires_grad_(on)


def release(parts: list):
    for part in parts:
        part.requires_grad = True  # ok: nothing says what the parts are


class LowRank(nn.Module):
    """Has a flag of its own, which decides what forward does."""

    def __init__(self, width, requires_grad=True):
        super().__init__()
        self.requires_grad = requires_grad  # ok: its own attribute, read in forward
        self.down = nn.Linear(width, 4)

    def forward(self, x):
        return self.down(x) if self.requires_grad else self.down(x).detach()  # GRD401


class Frozen(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    @property
    def requires_grad(self):
        return any(p.requires_grad for p in self.inner.parameters())

    @requires_grad.setter
    def requires_grad(self, on):
        for weight in self.inner.parameters():
            weight.requires_grad_(on)


def freeze_by_property():
    frozen = Frozen(nn.Linear(2, 2))
    frozen.requires_grad = None or False  # ok: a property of the class does the work
    low_rank = LowRank(8)
    low_rank.requires_grad = frozen.inner.bias is None  # ok: the class reads it
    return frozen, low_rank


class Sample:
    """A record of a dataset."""

    def __init__(self, name):
        self.name = name


def mark(name):
    sample = Sample(name)
    sample.requires_grad = len(name) > 3  # ok: no module at all
    return sample


class PerceptualLoss:
    def __init__(self, base, student):
        self.base = base
        self.base.eval()
        self.base.requires_grad = not isinstance(base, str)  # GRD104
        self.student = student
        self.student.requires_grad = True  # GRD104

    def __call__(self, x):
        return (self.base(x) - self.student(x)).pow(2).mean()


def alternate(discriminator, batches, optimizer):
    for batch in batches:
        discriminator.requires_grad = len(batch) > 1  # GRD104
        discriminator.train()
        optimizer.zero_grad()
        discriminator(batch).mean().backward()
        optimizer.step()


def adapted(source, classes):
    """What nobody shows: parts by their names, as far as these are names of modules."""
    model = build_model(source)
    model.eval()
    model.encoder.requires_grad = model.pooler.requires_grad = False  # GRD104
    model.vision_model.encoder.requires_grad = classes < 2  # GRD104
    model.position_embeddings.requires_grad, model.name = False, source  # ok: often a parameter
    model.encoder.layer_scale.requires_grad = (classes == 3)  # ok: a tensor of a module
    model.text_features.requires_grad = print is not None  # ok: what is detached is a tensor
    print(model.text_features.detach())
    model.query_tokens.requires_grad = classes > 5  # ok: tokens are learned as they are
    return model


class Joined(nn.Module):
    def __init__(self, towers, temperature):
        super().__init__()
        self.first, self.second = towers
        self.first.requires_grad = bool(temperature)  # GRD104
        self.temperature = temperature
        self.temperature.requires_grad = self.second is None  # ok: it is divided by, never called

    def forward(self, x):
        return self.first(x) @ self.second(x).t() / self.temperature


def first_layers(source, count, data):
    """Elements of what is named as lists of modules are."""
    model = build_model(source)
    model.eval()
    for layer in model.encoder.layer[:count]:
        layer.requires_grad, count = False, count - 1  # GRD104
    for token in model.blocks:
        token.requires_grad = not model  # ok: not named as modules are
    model.stages[-1].requires_grad = model is data  # GRD104
    data.layers[0].requires_grad = len(data) > 2  # ok: nothing says that it belongs to a network
    return model
