"""Cases for GRD412: models that are evaluated between rounds of training."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.Dropout(p))
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(self.body(x))


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(x).relu()


@torch.no_grad()
def accuracy(model, batches):
    model.eval()
    return [model(batch).argmax(1) for batch in batches]


class Trainer:
    def __init__(self, loader: DataLoader):
        self.net = Net()
        self.loader = loader
        self.optimizer = torch.optim.Adam(self.net.parameters())

    def fit(self, epochs):
        self.net.train()
        for _ in range(epochs):
            for x, y in self.loader:
                self.optimizer.zero_grad()
                loss = F.cross_entropy(self.net(x), y)  # GRD412
                loss.backward()
                self.optimizer.step()
            accuracy(self.net, [torch.ones(2, 8)])

    def fit_in_train_mode(self, epochs):
        for _ in range(epochs):
            self.net.train()
            for x, y in self.loader:
                self.optimizer.zero_grad()
                F.cross_entropy(self.net(x), y).backward()  # ok: put back at the head of each epoch
                self.optimizer.step()
            accuracy(self.net, [torch.ones(2, 8)])

    def fit_by_steps(self):
        for x, y in self.loader:
            self.train_step(x, y)
            self.validate()

    def train_step(self, x, y):
        self.net.train(True)
        loss = F.cross_entropy(self.net(2 * x), y)  # ok: the step itself puts it back
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def validate(self):
        was_training = self.net.training
        self.net.eval()
        with torch.no_grad():
            print(self.net(torch.ones(2, 8)))
        self.net.train(was_training)


def sometimes_evaluated(epochs: int):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        optimizer.zero_grad()
        net(torch.ones(4, 8)).sum().backward()  # GRD412
        optimizer.step()
        if epoch % 5 == 0:
            accuracy(net, [torch.zeros(2, 8)])


def put_back_by_condition(epochs: int):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        optimizer.zero_grad()
        net(torch.ones(4, 8)).mean().neg().backward()  # ok: whoever evaluates puts it back
        optimizer.step()
        if epoch % 5 == 0:
            net.eval()
        print(net(torch.ones(4, 8)))  # GRD401
        if epoch % 5 == 0:
            net.train()


def without_dropout(epochs=3):
    net = Plain()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        optimizer.zero_grad()
        net(torch.ones(4, 8)).pow(2).sum().backward()  # ok: the mode makes no difference to such a model
        optimizer.step()
        accuracy(net, [torch.zeros(2, 8)])


def tuned_in_eval_mode(net: Net, epochs=3):
    net.eval()
    optimizer = torch.optim.SGD(net.head.parameters(), lr=0.1)
    for _ in range(epochs):
        optimizer.zero_grad()
        net(torch.ones(4, 8)).abs().mean().backward(None)  # ok: in eval mode from the start, on purpose
        optimizer.step()
        accuracy(net, [torch.zeros(2, 8)])


def frozen_norm(epochs=3):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        net.body[1].eval()
        optimizer.zero_grad()
        net(torch.ones(4, 8)).exp().mean().backward(gradient=None)  # ok: only the norm is held in eval mode
        optimizer.step()


def attacked(epochs=3):
    net = Net()
    image = torch.rand(1, 8, requires_grad=True)
    for _ in range(epochs):
        score = net(image)[0, 1].sum()  # ok: no step follows, only the image is differentiated by
        score.backward()  # GRD617
        net.eval()
    return image.grad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    net = Net()
    optimizer = torch.optim.AdamW(net.parameters())
    net.train()
    for _ in range(args.epochs):
        for x in (torch.ones(4, 8), torch.zeros(4, 8)):
            scores = net(x)  # GRD412
            optimizer.zero_grad()
            scores.pow(2).mean().backward()
            optimizer.step()
        net.eval()
        torch.save(net.state_dict(), "net.pt")


if __name__ == "__main__":
    main()


def tested(network, batches):
    network.eval()
    with torch.no_grad():
        return sum((network(given).argmax(1) == wanted).float().mean().item() for given, wanted in batches)


def made_from_settings(settings, registry, batches, held_out):
    network = getattr(registry, settings["network"])(settings["width"])
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    for _ in range(settings["epochs"]):
        for given, wanted in batches:
            loss = nn.functional.cross_entropy(network(given), wanted)  # GRD412
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(tested(network, held_out))


def made_from_settings_and_put_back(settings, registry, batches, held_out):
    network = registry[settings["network"]](settings["width"])
    optimizer = torch.optim.Adam(network.parameters())
    for _ in range(settings["epochs"]):
        network.train()
        for given, wanted in batches:
            optimizer.zero_grad()
            nn.functional.nll_loss(network(given).log_softmax(1), wanted).backward()  # ok: back in train mode
            optimizer.step()
        print(tested(network, held_out))


def described_meanwhile(batches, describe):
    net = Net(0.15)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
    for _ in range(5):
        for x, y in batches:
            loss = F.cross_entropy(net(x), y)  # GRD412
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        net.eval()
        describe(net)


def restored_meanwhile(batches, checkpoints):
    net = Net(0.16)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.3)
    for _ in range(6):
        for x, y in batches:
            loss = F.multi_margin_loss(net(x), y, margin=0.5) * 2  # ok: what restores it may put it into train mode
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        net.eval()
        checkpoints.restore_best(net)
