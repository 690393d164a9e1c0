"""Cases for GRD102: loops over dicts in which whole numbers lie beside what can be differentiated."""

from collections import OrderedDict

import torch
import torch.nn as nn
from torch import Tensor


class Encoder(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3), nn.BatchNorm2d(width), nn.ReLU())
        self.register_buffer("order", torch.arange(width))

    def forward(self, x):
        return self.stem(x)[:, self.order]


class WeightEnsemble:
    """Averages the weights of several models and goes on training the average."""

    def __init__(self, models: list[Encoder]):
        self.weights = OrderedDict((name, value.clone()) for name, value in Encoder().state_dict().items())

    def make_trainable(self):
        for name, weight in self.weights.items():
            weight.requires_grad = True  # GRD102


def fast_weights():
    net = Encoder()
    fast = {name: value.detach().clone() for name, value in net.state_dict().items()}
    for value in fast.values():
        value.requires_grad_()  # GRD102
    return fast


def checkpoint_to_leaves():
    checkpoint = {"embedding": torch.randn(10, 4), "positions": torch.arange(10), "mask": torch.ones(10) > 0}
    return [checkpoint[name].requires_grad_(True) for name in checkpoint] and checkpoint  # GRD101


def normalised_batch(images):
    batch = {"image": torch.rand(4, 3, 8, 8), "label": torch.randint(0, 10, (4,))}
    for key, value in batch.items():
        wanted = key in batch or None
        value.requires_grad_(requires_grad=True)  # GRD102
        value.names_wanted = wanted
    return images, batch


class Buffers:
    def __init__(self):
        self.norm = nn.BatchNorm1d(4)

    def differentiate_statistics(self):
        for statistic in self.norm.state_dict().values():
            statistic.detach_().requires_grad = True  # GRD102
        return self.norm.running_mean


def guarded_by_dtype(net: Encoder):
    fast = {name: value.clone() for name, value in net.state_dict().items()}
    for value in fast.values():
        if value.is_floating_point():
            value.detach_().requires_grad_(True)  # ok: the counters are left out
    return fast


def guarded_by_name(net: Encoder):
    weights = dict(net.state_dict())
    for name, weight in weights.items():
        if "num_batches_tracked" not in name and name != "order":
            weight.requires_grad_(not False)  # ok: left out by name; whether all are is not known
    return weights


def guarded_by_continue():
    norm = nn.BatchNorm2d(4)
    for name, value in norm.state_dict(keep_vars=True).items():
        if name.endswith("tracked"):
            continue
        value.requires_grad = not name.startswith("running")  # ok: only what is not skipped is asked
    return norm


def only_parameters(net: Encoder):
    for _, weight in net.named_parameters():
        weight.requires_grad_(bool(weight.ndim) or True)  # ok: parameters can all be differentiated
    return net


def frozen_copy():
    frozen = Encoder().state_dict()
    for value in frozen.values():
        value.requires_grad = False  # GRD108
    return frozen


def without_counters():
    norm = nn.BatchNorm1d(4, track_running_stats=False)
    weights = {name: value.clone() for name, value in norm.state_dict().items()}
    for value in weights.values():
        value.requires_grad = value.ndim > 0 or True  # ok: weight and bias are all there is
    return weights


def handed_over(tensors: dict[str, Tensor]):
    for tensor in tensors.values():
        torch.Tensor.requires_grad_(tensor)  # ok: nothing is known of their elements
    return tensors


def one_of_two(mixed: bool):
    chosen = torch.arange(3) if mixed else torch.zeros(3)
    chosen.requires_grad = chosen.is_floating_point()  # ok: asked only where it is a float
    return chosen
