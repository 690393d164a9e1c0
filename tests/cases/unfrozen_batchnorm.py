"""Cases for GRD806: frozen batch norms, and which of them are still."""

from contextlib import contextmanager

import torch
import torch.nn as nn


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.bn = nn.BatchNorm2d(8)
        self.gn = nn.GroupNorm(2, 8)

    def forward(self, x):
        return self.gn(self.bn(self.conv(x)))


def fine_tune(images):
    backbone, head = Backbone(), nn.Linear(8, 2)
    backbone.requires_grad_(False)  # GRD806
    backbone.train()
    return head(backbone(images).mean((2, 3)))


def fine_tune_in_eval_mode(images):
    backbone, head = Backbone(), nn.Linear(8, 2)
    for param in backbone.parameters():
        param.requires_grad = False  # ok: in eval mode when it is called
    backbone.eval()
    return head(backbone(images).mean((2, 3)))


def only_the_norm_in_eval_mode(images):
    net = Backbone()
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.eval()
            module.weight.requires_grad_(False)  # ok: this one is still
            module.bias.requires_grad_(requires_grad=False)  # ok: and so is its shift
    return net(images)


def only_convolutions(images):
    net = Backbone()
    net.conv.weight.requires_grad = False  # ok: the norm goes on being trained
    return net(images)


def other_norms(x):
    norm = nn.LayerNorm(4)
    norm.train().requires_grad_(False)  # ok: keeps no statistics
    plain = nn.BatchNorm1d(4, track_running_stats=False)
    group = nn.GroupNorm(2, 4)
    for param in (*norm.parameters(), *group.parameters()):
        param.requires_grad = 0 > 1  # ok: neither of them keeps any
    return plain(group(norm(x)))


def thawed_again(x):
    norm = nn.BatchNorm1d(4)
    norm.weight.requires_grad = norm.bias.requires_grad = False  # ok: before the first call it is trained again
    norm.requires_grad_()  # GRD114
    return norm(x)


def one_by_one(x):
    norm = nn.BatchNorm1d(4)
    norm.weight.requires_grad_(False)
    norm.bias.requires_grad_(False).numel()  # GRD806
    out = norm(x)
    norm.eval()
    return out, norm(x)


def as_found(model, x):
    was = model.training
    model.eval()
    out = model(x)
    model.train(was)
    return out


@contextmanager
def evaluating(model):
    was = model.training
    model.eval()
    try:
        yield model
    finally:
        if was:
            model.train()


@torch.no_grad()
def measured_now_and_then(x):
    net = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4))
    net[1].weight.requires_grad = False  # ok: who measures puts the mode back that was there
    net[1].bias.requires_grad_(requires_grad=False)  # ok: the same
    net.eval()
    for _ in range(3):
        as_found(net, x)
        with evaluating(net) as model:
            model(x)
        net(x)


@torch.no_grad()
def measured_by_whom(net: nn.Sequential, x):
    norm = nn.BatchNorm1d(4)
    norm.requires_grad_(False).eval()  # ok: nobody knows the mode that is found
    net.append(norm)
    with evaluating(net):
        as_found(net, x)
    return net(x)


class Trainer:
    def __init__(self):
        self.model = nn.Sequential(nn.Linear(4, 4), nn.BatchNorm1d(4), nn.ReLU())

    def freeze(self):
        for name, param in self.model[1].named_parameters():
            param.requires_grad = "weight" not in name and "bias" not in name  # GRD806

    def run(self, x):
        self.freeze()
        return self.model(x)


Trainer().run(torch.ones(2, 4))


def every_norm_in_eval_mode_until_the_model_trains(loader):
    net = Backbone()
    for part in net.modules():
        if isinstance(part, nn.BatchNorm2d):
            part.eval()
            for param in part.parameters():
                param.requires_grad = False
    for images in loader:
        net.train(mode=True)  # GRD806
        net(images).mean().backward()


def validated_before_it_trains(images):
    net = Backbone()
    net.bn.weight.requires_grad_(False)  # GRD806
    net.eval()
    with torch.no_grad():
        shown = net(images)
    net.train(True)
    return shown, net(images)


def eval_behind_train(images):
    net = Backbone()
    net.bn.eval().requires_grad_(False)  # ok: put back into eval mode before it is called
    net.train()
    net.bn.train(False)
    return net(images)


class Trained(nn.Module):
    """A network that comes with weights, or without."""

    def __init__(self, weights=None):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4))
        self.weights = weights

    def forward(self, x):
        return self.stem(x).amax((2, 3))


def features_of_trained_weights(images):
    encoder, head = Trained(weights="of last year"), nn.Linear(4, 2)
    encoder.stem.requires_grad_(not images.any())  # ok: nobody knows whether it is frozen
    encoder.requires_grad_(requires_grad=False)  # GRD806
    encoder.train()
    return head(encoder(images))


def frozen_one_by_one(images):
    encoder, head = Trained("of last year"), nn.Linear(4, 2)
    fine = Trained(weights="fine")
    for name, weight in fine.named_parameters():
        weight.requires_grad = "head" in name  # GRD806
    nn.ModuleList([fine, head]).train()
    return head(encoder(images) + fine(images))


def features_in_eval_mode(images):
    encoder, head = Trained(weights="of this year").eval(), nn.Linear(4, 2)
    for weight in list(encoder.stem.parameters()):
        weight.requires_grad = 1 > 2  # ok: the statistics stay as they are as well
    return head(encoder(images) * 2)


def all_trained_further(images):
    encoder = Trained(weights="of this year")
    nn.init.zeros_(encoder.stem[0].bias).requires_grad_(False)  # ok: the batch norm is trained
    return encoder(images).square()


class Frozen(nn.Module):
    """Freezes a part of its own, whoever makes it."""

    def __init__(self, path=None):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4))
        if path is not None:
            self.body.load_state_dict(torch.load(path))
        for weight in self.body.parameters():
            weight.requires_grad = path == 0  # GRD806
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x).amax((2, 3)))


def made_in_a_function(loader):
    net = Frozen()
    for images in loader:
        net(images).mean().backward()


class Restored(nn.Module):
    """The same with weights of a file, which come with their statistics."""

    def __init__(self, path):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4))
        self.body.load_state_dict(torch.load(path))
        self.body.to("cpu").requires_grad_(False)  # GRD806
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x).amax((2, 3)))


def trained_on_features_of_a_file(loader):
    net = Restored("body.pt")
    for epoch in range(3):
        net.train()
        for images in loader:
            net(images).mean().backward()


class Kept(Restored):
    """Its body stays in eval mode."""

    def __init__(self, path):
        super().__init__(path)
        self.neck = nn.BatchNorm1d(2)
        self.neck.requires_grad_(requires_grad=False).eval()  # ok: in eval mode whenever it is called

    def forward(self, x):
        self.neck.eval()
        return self.neck(super().forward(x))


def trained_with_a_neck(loader):
    net = Kept("body.pt")
    net.train()
    for images in loader:
        net(images).mean().backward()
