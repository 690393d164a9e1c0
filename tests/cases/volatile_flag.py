"""Cases for GRD115: the removed flag, and other things that are called volatile."""

import argparse
from dataclasses import dataclass

import torch
import torch.autograd as autograd
import torch.nn as nn
from torch import Tensor
from torch.autograd import Variable

parser = argparse.ArgumentParser()
parser.add_argument("--volatile", action="store_true")


class Tester:
    def __init__(self, model: nn.Module):
        self.model = model.eval()

    def test(self, loader, cuda=False):
        correct = 0
        for data, target in loader:
            data, target = Variable(data, volatile=True), Variable(target)  # GRD115 GRD116
            correct += (self.model(data).max(1)[1] == target).sum().item()
        return correct

    def predict(self, image: Tensor):
        image.volatile = True  # GRD115
        return self.model(image.unsqueeze(0))


def generate(net: nn.Module, batch: int, evaluate: bool):
    noise = autograd.Variable(torch.randn(batch, 8), volatile=evaluate)  # GRD116
    fixed = Variable(torch.ones(batch, 8), False, True)  # GRD115
    fixed.data.volatile, fixed.tag = 1, "fixed"  # GRD115
    return net(noise), net(fixed)  # GRD401


def train(net: nn.Module, batches: list[Tensor], args=None):
    args = args or parser.parse_args()
    for batch in batches:
        inputs = Variable(batch, requires_grad=args.volatile)  # GRD116
        labels = Variable(batch, volatile=False)  # GRD116
        args.volatile = not args.volatile  # ok: an option of the command line
        yield net(inputs) - labels


class Cell:
    """A cell of memory in an assembler's symbol table."""

    def __init__(self, name, volatile=False):
        self.name = name
        self.volatile = volatile  # ok: an attribute of one's own


@dataclass
class Register:
    width: int
    volatile: bool = False


def clobber(register: Register, cells: dict[str, Cell]):
    (register if cells else Register(8)).volatile = True  # ok: a record
    for cell in cells.values():
        cell.volatile = cell.name.startswith("r") or register.volatile  # ok: neither is a tensor


def from_elsewhere(options, tensorflow):
    options.volatile = options.stream = [0.0]  # ok: nothing says what this is
    options.streams[0].volatile = bool(options)  # ok: nor this
    return tensorflow.Variable(0.0, volatile=True)


def switched(image: Tensor, masks: tuple[Tensor, ...]):
    image.grad_fn, image.volatile = None, False  # ok: it is always False
    return [setattr(mask, "volatile", False) for mask in masks]  # ok: nor does it matter here


class Flags(nn.Module):
    def __init__(self):
        super().__init__()
        self.volatile = parser.prog  # ok: a module may have such an attribute
        self.weight = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return x * self.weight
