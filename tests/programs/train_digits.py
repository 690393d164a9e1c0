"""Fine-tune a small network on drawn digits: an ordinary training script, with mistakes that ordinary ones have.

It runs to the end on torch without an error, and does not do what its author wanted.
"""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class Network(nn.Module):
    def __init__(self, classes=10, width=32):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, kernel_size=3, padding=1),
            nn.BatchNorm2d(width),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(4),
        )
        self.dropout = nn.Dropout(0.2)
        self.head = nn.Linear(width * 4 * 4, classes)

    def forward(self, images):
        hidden = self.features(images).flatten(1)
        return self.head(self.dropout(hidden))


def drawn_digits(count, seed):
    """Noisy pictures: each class is a bright row."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, 10, (count,), generator=generator)
    images = torch.randn(count, 1, 12, 12, generator=generator)
    images[torch.arange(count), 0, labels] += 2.0
    return TensorDataset(images, labels)


def freeze_features(model):
    for layer in model.features:
        layer.requires_grad = False


def train_epoch(model, loader, optimizer, smoothing):
    model.train()
    total = 0.0
    for images, labels in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels, label_smoothing=smoothing)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * len(labels)
    return total / len(loader.dataset)


def evaluate(model, loader):
    model.eval()
    torch.no_grad()
    correct = 0
    for images, labels in loader:
        correct += (model(images).argmax(dim=1) == labels).sum().item()
    return correct / len(loader.dataset)


def dream(model, label):
    """What a faint random picture would have to change to look like a label."""
    picture = torch.randn(1, 1, 12, 12, requires_grad=True) * 0.1
    model(picture)[0, label].backward()
    return picture.grad


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--rate", type=float, default=1e-2)
    parser.add_argument("--smoothing", type=float, default=0.1)
    arguments = parser.parse_args()

    torch.manual_seed(0)
    training = DataLoader(drawn_digits(512, seed=1), batch_size=64, shuffle=True)
    validation = DataLoader(drawn_digits(256, seed=2), batch_size=64)

    model = Network()
    freeze_features(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=arguments.rate, momentum=0.9)

    best, best_weights = 0.0, model.state_dict()
    for epoch in range(arguments.epochs):
        loss = train_epoch(model, training, optimizer, arguments.smoothing)
        accuracy = evaluate(model, validation)
        print(f"epoch {epoch}: loss {loss:.3f}, accuracy {accuracy:.1%}")
        if accuracy > best:
            best, best_weights = accuracy, model.state_dict()
    model.load_state_dict(best_weights)

    print("a seven needs:", dream(model, label=7))


if __name__ == "__main__":
    main()
