"""Cases for GRD414: models that are loaded and then predict."""

import argparse

import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(p))
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x))


def predict(path, x=torch.ones(2, 8)):
    net = Net()
    net.load_state_dict(torch.load(path))
    with torch.no_grad():
        return net(x).argmax(1)  # GRD414


def predict_in_eval_mode(path):
    net = Net()
    net.load_state_dict(torch.load(path, map_location="cpu"))
    net.eval()
    with torch.no_grad():
        return net(torch.ones(2, 8)).argmax(1)  # ok: in eval mode


def mode_set_before(path):
    net = Net().eval()
    net.load_state_dict(torch.load(path), strict=False)
    with torch.no_grad():
        return net(torch.ones(2, 8)).softmax(dim=1)  # ok: loading leaves the mode as it is


def monte_carlo(path, samples=10):
    net = Net(p=0.1)
    net.load_state_dict(torch.load(path)["model"])
    net.train()
    with torch.no_grad():
        return torch.stack([net(torch.zeros(2, 8)) for _ in range(samples)])  # ok: asked to be in train mode


def linear_only(path):
    net = nn.Sequential(nn.Linear(8, 8), nn.ReLU())
    net.load_state_dict(torch.load(path))
    return net(torch.ones(2, 8)).detach()  # ok: no part of it depends on the mode


def fresh(x: torch.Tensor):
    net = Net()
    return net(x[:4]).detach()  # ok: never loaded


def differentiated(path):
    net = Net()
    net.load_state_dict(torch.load(path))
    net(torch.ones(4, 8)).sum().backward()  # ok: this is training
    return net.head.weight.grad


class Predictor:
    def __init__(self, path):
        self.net = Net()
        self.net.load_state_dict(torch.load(path))

    def __call__(self, x):
        with torch.inference_mode():
            return self.net(x).tolist()  # GRD414


class CarefulPredictor:
    def __init__(self, path):
        self.net = Net()
        self.net.load_state_dict(torch.load(path))
        self.freeze()

    def freeze(self):
        self.net.requires_grad_(False).eval()

    def __call__(self, x):
        return self.net(x).cpu().tolist()  # ok: a helper sets the mode


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("checkpoint")
    args = parser.parse_args()
    model = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.2), nn.Linear(8, 1))
    state = torch.load(args.checkpoint)
    model.load_state_dict(state["model"] if "model" in state else state)
    with torch.no_grad():
        for _ in range(3):
            print(model(torch.ones(1, 8)).item())  # GRD414


if __name__ == "__main__":
    main()
