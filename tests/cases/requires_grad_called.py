"""Cases for GRD105: the flag called like a method, and methods and functions that are really called so."""

import copy

import torch
import torch.nn as nn
from torch import Tensor


class SaliencyMap:
    def __init__(self, model: nn.Module):
        self.model = model.eval()

    def __call__(self, image: Tensor):
        image = image.detach().clone().requires_grad(True)  # GRD105
        self.model(image).max().backward()
        return image.grad

    def freeze(self):
        self.model.requires_grad_(False)
        return self


class StyleTransfer(nn.Module):
    def __init__(self, content: Tensor):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))
        self.features[0].weight.requires_grad(False)  # GRD105
        self.canvas = nn.Parameter(content.clone())

    def freeze(self):
        for layer in self.features:
            layer.requires_grad(requires_grad=False)  # GRD105

    def forward(self):
        return self.features(self.canvas)


def teacher_and_student():
    student = nn.Linear(4, 2)
    teacher = copy.deepcopy(student)
    teacher.eval().requires_grad(False)  # GRD105
    return teacher, student


def fgsm_inputs(batches):
    return [torch.as_tensor(batch).float().requires_grad() for batch in batches]  # GRD105


def requires_grad(model: nn.Module, flag=True):
    """What a well-known implementation of StyleGAN calls its helper."""
    for p in model.parameters():
        p.requires_grad = flag  # the attribute itself


def adversarial_step(generator: nn.Module, discriminator: nn.Module):
    requires_grad(generator, False)  # a function, whatever it is called
    requires_grad(discriminator, discriminator.training)
    for p in generator.parameters():
        p.requires_grad_(p.requires_grad)


class Adapter(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Linear(8, 2)

    def requires_grad(self, flag):
        self.down.requires_grad_(flag)
        return self

    def forward(self, x):
        return x + self.down(x).repeat(1, 4)


def tune(adapter: Adapter):
    adapter.requires_grad(True)  # ok: its class has a method of that name
    return adapter


class Config:
    def __init__(self):
        self.flags = {}

    def requires_grad(self, name):
        return self.flags.setdefault(name, bool(name))


def plan(config: Config, tensor: Tensor):
    wanted = config.requires_grad("weight")  # ok: an option of one's own
    return torch.ones(2).requires_grad_(wanted), tensor.requires_grad


class Switch(nn.Module):
    def __init__(self):
        super().__init__()
        self.requires_grad = lambda flag: self.requires_grad_(flag)
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, x):
        return x * self.weight


def use(switch: Switch):
    first = switch.requires_grad(False)  # ok: a function is kept under that name
    return first, switch.weight


def from_elsewhere(layer, stub):
    layer.requires_grad(True), layer.step()  # ok: nothing says that this is a module
    return stub.weight.requires_grad(mode=True)  # ok: nor that this is a tensor


class Recorder(nn.Module):
    """Wraps another module and offers its attributes as its own."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.inner, name)


def record(inner):
    return Recorder(inner).requires_grad("weight", True)  # ok: what is inside may have such a method
