"""Cases for GRD116: wrappers that do nothing or cut the graph, and what is called Variable elsewhere."""

import torch
import torch.autograd as autograd
import torch.nn as nn
from torch import Tensor
from torch.autograd import Variable


class GAN:
    def __init__(self, width=8):
        self.generator = nn.Linear(width, width)
        self.discriminator = nn.Linear(width, 1)
        self.criterion = nn.BCEWithLogitsLoss()
        self.real = Variable(torch.ones(4, 1))  # GRD116

    def generator_step(self, batch):
        noise = autograd.Variable(torch.randn(4, 8), requires_grad=False)  # GRD116
        fake = Variable(self.generator(noise))  # GRD116
        loss = self.criterion(self.discriminator(fake), self.real)
        loss.backward()
        return loss

    def cuda_batches(self, loader):
        for images, _ in loader:
            images = Variable(images.cuda(non_blocking=True))  # GRD116
            yield images


def saliency(model: nn.Module, image: Tensor):
    image = Variable(image, requires_grad=True)  # GRD116
    model(image).max().backward()
    return image.grad


def volatile_batch(batch: Tensor):
    return Variable(batch, volatile=True)  # GRD115


def forced(model: nn.Linear, x: Tensor):
    loss = model(x).mean()
    loss = torch.autograd.Variable(loss, requires_grad=True)  # GRD112
    loss.backward()
    return model


class LegacyTensor:
    """Wraps what code for old versions calls a variable."""

    def __init__(self, data):
        self.data = data if isinstance(data, Variable) else torch.as_tensor(data)  # ok: true of every tensor

    def unwrap(self):
        if isinstance(self.data, (Variable, nn.Parameter)):  # ok: asked for along with others
            return self.data.data
        return torch.as_tensor(self.data).detach()


def tensors_of(things):
    found = list(filter(lambda thing: type(thing) is Variable or torch.is_tensor(thing), things))
    return [thing.clone().requires_grad_() for thing in found]  # ok: a leaf of its own


def constant(value, symbol):
    import tensorflow as tf
    import cvxpy

    weight = tf.Variable(value, trainable=False)  # ok: another library's
    return weight, cvxpy.Variable(3), tf.keras.Variable(symbol)  # ok: and others'


def stand_in(x: Tensor):
    kinds = {"tensor": Tensor, "variable": Variable}
    assert issubclass(nn.Parameter, kinds["tensor"]) and issubclass(Variable, object)  # ok: not called
    return torch.zeros_like(x, requires_grad=True)  # ok: the way it is said today


class Symbol:
    def __init__(self, name, domain=()):
        self.name, self.domain = name, domain


def linear_program(names: list[str]):
    Variable = Symbol
    return [Variable(name) for name in names]


def annotated(x: Variable, *rest: "Variable") -> Variable:
    return x + sum(rest)
