"""Cases for GRD912: what goes through a checkpoint, and whether anything of it requires grad."""

import torch
import torch.nn as nn
import torch.utils.checkpoint as cp
from torch.utils.checkpoint import checkpoint, checkpoint_sequential


class Encoder(nn.Module):
    def __init__(self, depth, width, use_checkpoint=True):
        super().__init__()
        self.embed = nn.Embedding(100, width)
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.use_checkpoint = use_checkpoint

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            if self.use_checkpoint and self.training:
                x = checkpoint(layer, x, use_reentrant=True)  # ok: the embedding is trained
            else:
                x = layer(x)
        return x


class Frozen(Encoder):
    def forward(self, ids):
        with torch.no_grad():
            x = self.embed(ids)
        x = checkpoint(self.layers[0], x)  # GRD912
        return checkpoint(self.block, x.detach(), 2, use_reentrant=True)  # GRD912

    def block(self, x, times):
        for _ in range(times):
            x = self.layers[1](x)
        return x


class Unet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down, self.up = nn.Conv2d(3, 8, 3), nn.ConvTranspose2d(8, 3, 3)

    def forward(self, x):
        h = checkpoint(self.down, x, use_reentrant=True)  # ok: nobody knows whether the input requires grad
        return checkpoint(self.up, h, use_reentrant=False)  # ok: the other kind


def first_layers(images, reentrant=True):
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
    data = torch.randn(8, 4)
    with torch.no_grad():
        checkpoint(net, data, use_reentrant=True)  # ok: gradients are off
    net(data).sum().backward()
    cp.checkpoint(net, [data.requires_grad_()], use_reentrant=True)  # GRD912
    kept = checkpoint(net, 2 * data, use_reentrant=True)  # ok: by now the data requires grad
    other = checkpoint(net, torch.ones(1, 4), use_reentrant=reentrant)  # ok: nobody knows which kind
    return kept, other, checkpoint(net, images)  # ok: nobody knows the images


def dummy_argument(width=4):
    layer = nn.Linear(width, width)
    dummy = torch.ones(1, requires_grad=True)

    def run(x, flag):
        return layer(x)

    y = checkpoint(run, torch.zeros(2, width), dummy, use_reentrant=True)  # ok: the known trick, a dummy that does
    z = checkpoint(run, torch.zeros(2, width), None, use_reentrant=True)  # GRD912
    return y + z + checkpoint(nn.ReLU(), torch.zeros(2, width))  # ok: nothing inside is trained


def features(batch: torch.Tensor):
    backbone = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    for parameter in backbone.parameters():
        parameter.requires_grad = False
    hidden = checkpoint_sequential(backbone, 2, torch.rand(2, 4), use_reentrant=True)  # ok: frozen on purpose
    return hidden, checkpoint_sequential(nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4)), 2, torch.rand(2, 4))  # GRD912
