"""Cases for GRD507: tensors that forward keeps on its module."""

import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.head = nn.Linear(8, 2)
        self.features = None
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.features = self.body(x)  # GRD507
        self.calls = self.calls + 1  # ok: no graph
        self.shape = x.shape  # ok: no tensor
        self.logits = self.head(self.features)  # GRD507
        self.prediction = self.logits.argmax(-1)  # ok: whole numbers carry no graph
        return self.logits


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(4, 4)
        self.weights = None

    def forward(self, x):
        weights = self.query(x).softmax(-1)
        self.weights = weights.detach().cpu()  # ok: detached
        with torch.no_grad():
            self.entropy = -(self.query(x).softmax(-1) * weights.log()).sum()  # ok: gradients are off
        return weights @ x.t()


class CycleGAN(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = nn.Linear(4, 4)
        self.optimizer = torch.optim.Adam(self.generator.parameters())

    def forward(self, real):
        self.fake = self.generator(torch.ones(2, 4))  # GRD507
        self.loss = F.l1_loss(self.fake, torch.zeros(2, 4))  # ok: differentiated by the module itself
        self.loss.backward()
        return self.fake

    def set_input(self, real):
        self.real = self.generator(torch.ones(1, 4))  # ok: not in forward


class Lit(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(4, 1)

    def training_step(self, batch, index):
        loss = self.net(torch.ones(2, 4)).pow(2).mean()
        self.last_loss = loss  # GRD507
        self.last_value = loss.item()  # ok: a number
        return loss


def run():
    model = Classifier()
    model(torch.ones(1, 4)).sum().backward()
    Attention()(torch.ones(1, 4)).sum().backward()
    CycleGAN()(torch.ones(2, 4))
    model.kept = model(torch.ones(1, 4))  # ok: a caller's own doing
    return model
