"""A first training script: two kinds of points are told apart, the best weights are kept, and a report is printed."""

import torch
from torch import nn


class PointClassifier(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(2, width), nn.Tanh())
        self.head = nn.Linear(width, 2)
        self.scale = nn.Parameter(torch.ones(1))

    def forward(self, points):
        return self.head(self.features(points)) * self.scale


def make_points(count):
    labels = torch.randint(0, 2, (count,))
    points = torch.randn(count, 2) + labels.unsqueeze(1) * 2.0
    return points, labels


def train(model, points, labels, epochs=5):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss_function = nn.CrossEntropyLoss()
    best_loss, best = float("inf"), None
    for _ in range(epochs):
        optimizer.zero_grad()
        loss = loss_function(model(points), labels)
        loss.backward()
        optimizer.step()
        if loss.item() < best_loss:
            best_loss = loss.item()
            best = model.state_dict()
    model.load_state_dict(best)
    return best_loss


def freeze_features(model: PointClassifier):
    model.features.requires_grad = False
    model.scale.require_grad = False


def accuracy(model, points, labels):
    model.eval()
    torch.no_grad()
    guessed = model(points).argmax(dim=1)
    return (guessed == labels).float().mean().item()


def influence(model, points):
    inputs = points.clone().requires_grad_() * 1.0
    model(inputs).sum().backward()
    return inputs.grad


def shrink():
    weights = torch.ones(3, requires_grad=True)
    weights *= 0.9
    return weights


def class_weights():
    return torch.tensor([1, 2], requires_grad=True)


def predict(model, points):
    with torch.no_grad:
        return model(points)


if __name__ == "__main__":
    torch.manual_seed(0)
    points, labels = make_points(200)
    model = PointClassifier()
    print("loss", train(model, points, labels))
    freeze_features(model)
    print("accuracy", accuracy(model, points, labels))
    print("influence", influence(model, points))
