"""Scripts that are written to be linted: small ones, and training scripts of about any number of lines.

All are ordinary and without mistakes, and nobody runs them.
"""

from __future__ import annotations

from string import Template

PLAIN = '''\
"""Count the words of a text."""

import argparse
from collections import Counter
from pathlib import Path


def words(text: str) -> Counter[str]:
    return Counter(word.strip(".,;:!?").lower() for word in text.split())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--most", type=int, default=10)
    arguments = parser.parse_args()
    for word, number in words(arguments.file.read_text()).most_common(arguments.most):
        print(f"{number:>8} {word}")


if __name__ == "__main__":
    main()
'''

SMALL = '''\
"""Fit a line."""

import torch
from torch import nn


def main() -> None:
    x = torch.linspace(-1, 1, 100).unsqueeze(1)
    y = 3 * x + 0.5
    model = nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(200):
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
'''

_HEAD = '''\
"""Train networks, one after the other."""

import argparse
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset


'''

_EXPERIMENT = """\
class Points$n(Dataset):
    def __init__(self, size, noise=0.1):
        self.inputs = torch.randn(size, $width)
        self.targets = (self.inputs.sum(dim=1) > 0).long()
        self.noise = noise

    def __len__(self):
        return len(self.inputs)

    def __getitem__(self, index):
        x = self.inputs[index]
        return x + self.noise * torch.randn_like(x), self.targets[index]


class Block$n(nn.Module):
    def __init__(self, width, dropout=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, 2 * width)
        self.outer = nn.Linear(2 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        h = F.gelu(self.inner(self.norm(x)))
        return x + self.dropout(self.outer(h))


class Network$n(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.blocks = nn.ModuleList([Block$n($width) for _ in range(3)])
        self.head = nn.Linear($width, classes)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class Average$n:
    def __init__(self):
        self.total, self.count = 0.0, 0

    def update(self, value, number=1):
        self.total += value * number
        self.count += number

    def value(self):
        return self.total / max(self.count, 1)


@torch.no_grad()
def evaluate_$n(model, loader, device):
    model.eval()
    right = Average$n()
    for x, y in loader:
        guess = model(x.to(device)).argmax(dim=1)
        right.update((guess == y.to(device)).float().mean().item(), len(y))
    return right.value()


def train_$n(model, loader, optimizer, device):
    model.train()
    losses = Average$n()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.update(loss.item(), len(y))
    return losses.value()


def run_$n(epochs, folder, device):
    model = Network$n().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    loader = DataLoader(Points$n(1024), batch_size=$width, shuffle=True)
    for epoch in range(epochs):
        loss = train_$n(model, loader, optimizer, device)
        scheduler.step()
        print(epoch, loss, evaluate_$n(model, loader, device))
    torch.save(model.state_dict(), folder / "network_$n.pt")


"""

_MAIN = """\
def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--folder", type=Path, default=Path("."))
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
$runs

if __name__ == "__main__":
    main()
"""

_FIXED = sum(part.count("\n") for part in (_HEAD, _MAIN)) - 1
_EACH = _EXPERIMENT.count("\n") + 1
"""Lines that a script has in any case, and that each experiment adds (one of them in `main`)."""


def training_script(lines: int) -> str:
    """Return a training script of about so many lines: one experiment at least, each with classes of its own."""
    numbers = range(1, max(1, round((lines - _FIXED) / _EACH)) + 1)
    runs = "".join(f"    run_{number}(arguments.epochs, arguments.folder, device)\n" for number in numbers)
    return _HEAD + "".join(map(_experiment, numbers)) + Template(_MAIN).substitute(runs=runs)


def _experiment(number: int) -> str:
    """Return the classes and functions of an experiment, named by its number."""
    return Template(_EXPERIMENT).substitute(n=number, width=8 * (1 + number % 16))
