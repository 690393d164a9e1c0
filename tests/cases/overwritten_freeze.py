"""Cases for GRD114: freezes that are undone before anything could use them, and those that did their work."""

import argparse

import torch
import torch.nn as nn
from torch import Tensor


class Classifier(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 8), nn.BatchNorm1d(8), nn.ReLU())
        self.head = nn.Linear(8, classes)

    def forward(self, x):
        return self.head(self.backbone(x))

    def freeze_backbone(self):
        for p in self.backbone.parameters():
            p.requires_grad = False  # GRD806

    def reset(self):
        for p in self.parameters():
            p.requires_grad_(True)  # GRD114


class Trainer:
    def __init__(self, model: Classifier, freeze=True):
        self.model = model
        if freeze:
            self.model.freeze_backbone()
        self.model.reset()
        self.optimizer = torch.optim.Adam(self.model.parameters())


def fine_tune():
    return Trainer(Classifier(classes=3))


def from_a_hub(name):
    from torchvision import models

    net = models.get_model(name)
    for p in net.layer1.parameters():
        p.requires_grad = False
    net.layer2.requires_grad_(False)
    net.fc = nn.Linear(512, 2)
    for _, p in net.named_parameters():
        p.requires_grad = True  # GRD114
    return net


def toggled():
    layer = nn.Linear(4, 4)
    layer.weight.requires_grad = False
    layer.requires_grad_(bool(1))
    layer.weight.requires_grad = False
    nn.Sequential(layer, nn.Tanh()).train().requires_grad_()  # GRD114
    return layer


def one_half_is_certain():
    layer = nn.Linear(4, 4)
    layer.weight.requires_grad = False
    layer.requires_grad_(bool(1) or True)  # GRD114
    return layer


def head_only():
    net = Classifier()
    for p in net.parameters():
        p.requires_grad = False
    for p in net.head.parameters():
        p.requires_grad = not False  # ok: frozen as a whole, then the head unfrozen
    return net


def gradual(net: nn.Sequential, batches: list[Tensor], epochs: int):
    net[0].requires_grad_(False)
    for epoch in range(epochs):
        if epoch == 2:
            net.requires_grad_(True).train()  # ok: a schedule, on a condition
        for batch in batches:
            net(batch).sum().backward()


def trained_in_between():
    net = Classifier()
    net.freeze_backbone()
    optimizer = torch.optim.SGD(net.head.parameters(), lr=0.1)
    net(torch.ones(4, 8)).sum().backward()
    optimizer.step()
    for name, p in net.named_parameters():
        p.requires_grad = name != ""
        p.requires_grad_(requires_grad=True)  # ok: the second stage, after the head was trained
    return optimizer


def chosen_in_between():
    net = Classifier()
    net.backbone[0].weight.requires_grad_(False)
    optimizer = torch.optim.SGD([p for p in net.parameters() if p.requires_grad], lr=0.1)
    net.apply(lambda part: part.requires_grad_(True))  # ok: the optimizer was given only the others
    return optimizer


def one_by_one():
    for net in [Classifier(2), Classifier(3)]:
        for p in net.parameters():
            p.requires_grad = True or net  # ok: each is unfrozen first, then frozen; the loop goes round
        net.freeze_backbone()


def part_of_it():
    net = Classifier()
    net.backbone.requires_grad_(False)
    net.backbone[1].requires_grad_(True), net.eval()  # ok: a part of what was frozen
    return net


def by_name(last: int):
    net = Classifier()
    net.backbone.requires_grad_(False)
    for index, p in enumerate(net.parameters()):
        if index > last:
            p.requires_grad, p.index = True, index  # ok: some of them, nobody knows which
    return net


def set_requires_grad(nets, flag):
    for net in nets:
        for p in net.parameters():
            p.requires_grad = flag  # ok: a switch that is turned off and on


def adversarial(generator: nn.Linear, discriminator: nn.Linear, noise: Tensor):
    set_requires_grad([discriminator], False)
    discriminator(generator(noise)).mean().backward()
    set_requires_grad([discriminator], True)


def with_the_backbone_frozen(net: Classifier):
    net.backbone.requires_grad_(False)
    yield net
    net.train().requires_grad_()  # ok: whoever went through this had a frozen backbone


def only_a_part_of_a_frozen_layer():
    layer = nn.TransformerEncoderLayer(8, 2)
    layer.requires_grad_(False)
    layer.linear1.requires_grad_(True)  # ok: all but this part of it stays frozen
    return layer


def test_freezing():
    net = Classifier()
    net.freeze_backbone()
    assert not net.backbone[0].weight.requires_grad
    [p.requires_grad_(True) for p in net.parameters()]  # ok: a test shows that both work
    assert net.backbone[0].weight.requires_grad


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    model = Classifier()
    model.backbone.requires_grad_(False)
    model.lr = args.lr
    for parameter in model.backbone.parameters():
        parameter.requires_grad = parameter.ndim > 0
    set_requires_grad([model.head], True)


def last_stages_of_a_stranger(make, tune=True):
    net = nn.Sequential(*list(make(pretrained=True).children())[:-2])
    for p in net.parameters():
        p.requires_grad = False
    for stage in list(net.children())[5:]:
        for p in stage.parameters():
            p.requires_grad_(requires_grad=tune)  # ok: the last stages alone, of a network whose stages nobody shows
    return net


def last_stages_of_a_known_one():
    from torchvision import models

    stages = list(models.resnet50().children())[:-1]
    trunk = nn.Sequential(*stages)
    for weight in trunk.parameters():
        weight.requires_grad = False
    for number, stage in enumerate(list(trunk.children())[-2:]):
        for weight in stage.parameters():
            weight.requires_grad = number >= 0  # ok: two of its stages
    return trunk


def last_weights(create):
    backbone = create("tiny")
    backbone.eval()
    for weight in backbone.parameters():
        weight.requires_grad = False
    for weight in list(backbone.parameters())[-4:]:
        weight.requires_grad = 1 == 1  # ok: the last four
    return backbone


def last_layer(create):
    layers = nn.Sequential(*create(3).children())
    for w in layers.parameters():
        w.requires_grad_(False)
    for w in layers[-1].parameters():
        w.data.numel() and w.requires_grad_(True)  # ok: the last layer
    return layers


def stranger_as_a_whole(create):
    layers = nn.Sequential(*create(3).children())
    for w in layers.parameters():
        w.requires_grad_(False)
    layers.train().requires_grad_(True)  # GRD114
    return layers
