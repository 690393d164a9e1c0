"""Cases for GRD409: functions under a decorator that switches gradients off, and what is done inside."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(8, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x).relu())

    @torch.no_grad()
    def predict(self, x):
        return self(x).argmax(-1)  # ok: no forward, and there to be used for evaluation

    @torch.no_grad()
    def renormalize(self):
        self.body.weight.div_(self.body.weight.norm())  # ok: an update of the weights


class Trainer:
    def __init__(self, loader: DataLoader):
        self.net = Net()
        self.loader = loader
        self.optimizer = torch.optim.AdamW(self.net.parameters())

    def step(self, x, y):
        loss = F.cross_entropy(self.net(x), y)
        self.optimizer.zero_grad()
        loss.backward()  # ok: nobody who calls it has gradients off
        self.optimizer.step()
        return loss

    @torch.no_grad()
    def fit(self, epochs):
        for _ in range(epochs):
            for x in (torch.ones(4, 8), torch.zeros(4, 8)):
                self.optimizer.zero_grad()
                loss = self.net(x).pow(2).mean()
                loss.backward(retain_graph=False)  # GRD409
                self.optimizer.step()

    @torch.no_grad()
    def fit_with_gradients_where_needed(self):
        for x in (torch.ones(4, 8), torch.zeros(4, 8)):
            with torch.enable_grad():
                loss = self.net(x).abs().mean()
            loss.backward(None, create_graph=False)  # ok: enabled around what is differentiated
            self.optimizer.step()
            self.optimizer.zero_grad()

    @torch.set_grad_enabled(False)
    def sensitivity(self, x: torch.Tensor):
        x = x.clone().requires_grad_()
        score = self.net(x).max()
        return torch.autograd.grad(score, x)  # GRD409

    @torch.no_grad
    def all_at_once(self):
        self._differentiate(torch.ones(1, 8))

    def _differentiate(self, x):
        self.net(x).sum().backward()  # GRD409


class Averaged(nn.Module):
    """A slow copy of a model, which nobody trains."""

    def __init__(self, net: nn.Module):
        super().__init__()
        self.net = net.requires_grad_(False)

    @torch.no_grad()
    def forward(self, x):
        return self.net(x)  # ok: frozen


class Accuracy(nn.Module):
    @torch.no_grad()
    def forward(self, scores, targets):
        return (scores.argmax(-1) == targets).float().mean()  # ok: has no parameters


class Embedder(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(10, 4)

    @torch.inference_mode()  # GRD409
    def forward(self, tokens):
        return self.table(tokens).mean(1)


class FrozenBackbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.head = nn.Linear(8, 8), nn.Linear(8, 2)

    def forward(self, x):
        with torch.no_grad():
            features = self.backbone(x)
        return self.head(features).relu()  # ok: only a part of it is frozen


class OwnSGD(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=-group["lr"])  # ok: torch's own way of writing a step
        return loss


def graph_from_the_caller(net: Net):
    @torch.no_grad()
    def update(loss):
        loss.backward(inputs=list(net.parameters()))  # ok: recorded outside

    update(net(torch.ones(1, 8))[0, 0])


Trainer([]).step(torch.ones(1, 8), torch.tensor([1]))
