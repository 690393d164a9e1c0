"""Cases for GRD413: what differentiates while it evaluates, by mistake or on purpose."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.Linear(8, 2))

    def forward(self, x):
        return self.body(x)


class Trainer:
    def __init__(self, loader: DataLoader):
        self.net = Net()
        self.loader = loader
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def train_epoch(self):
        self.net.train()
        for x, y in self.loader:
            self.optimizer.zero_grad()
            F.cross_entropy(self.net(x), y).backward()  # ok: training
            self.optimizer.step()

    def valid_epoch(self):
        self.net.eval()
        for x, y in self.loader:
            loss = F.cross_entropy(self.net(x), y)
            loss.backward()  # GRD413
            self.optimizer.step()  # GRD413
            self.optimizer.zero_grad()

    @torch.no_grad()
    def test_epoch(self):
        self.net.eval()
        return [F.cross_entropy(self.net(x), y) for x, y in self.loader]  # ok: only the forward pass

    def evaluate(self, x: torch.Tensor, y: torch.Tensor):
        self.net.eval()
        self._update(F.cross_entropy(self.net(x), y))

    def _update(self, loss):
        loss.sum().backward()  # GRD413
        self.optimizer.step(closure=None)  # GRD413

    def eval_and_train(self, x: torch.Tensor, y: torch.Tensor):
        self.net.eval()
        with torch.no_grad():
            print(self.net(x).argmax(1))
        self.net.train()
        F.cross_entropy(self.net(x + 1), y).backward()  # ok: trains as well, and says so
        self.optimizer.step()


def validate_then_train_mode(net: Net, optimizer: torch.optim.SGD, x: torch.Tensor):
    net.eval()
    with torch.no_grad():
        print(net(x).mean())
    net.train()
    (2 * net(x)).mean().backward()  # ok: in train mode again


def evaluate_robustness(net: Net, image: torch.Tensor, steps=5):
    net.eval()
    delta = torch.zeros(1, 8, requires_grad=True)
    optimizer = torch.optim.SGD([delta], lr=0.1)
    for _ in range(steps):
        score = net(image + delta)[0, 0]
        delta.grad = torch.autograd.grad(score, delta, retain_graph=False)[0]  # ok: only the input is differentiated by
        optimizer.step(None)  # ok: what is optimized is the input
    return delta


def test_time_adapt(net: Net, x: torch.Tensor):
    net.eval()
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    (-net(x).softmax(1).log()).mean().backward()  # ok: adapts at test time
    optimizer.step()


def test_step_moves_weights():
    net = Net().eval()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(1, 8)).sum().backward()  # ok: a test of training
    optimizer.step()


def validation(net: Net, batches: list[torch.Tensor], lr=0.1):
    net.eval()
    optimizer = torch.optim.AdamW(net.parameters(), lr=lr)
    for batch in batches:
        optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(net(batch).var())  # GRD413
        torch.optim.AdamW.step(optimizer)  # ok: what this is, is not known
    return net


def tune(net: Net, x: torch.Tensor):
    net.eval()
    optimizer = torch.optim.SGD(net.body[2].parameters(), lr=0.1)
    net(x).exp().sum().backward()  # ok: fine-tuning in eval mode
    optimizer.step()
