"""Cases for GRD803: parts assigned too early, and all the ways in which a module is initialised."""

from dataclasses import dataclass

import torch
import torch.nn as nn
from elsewhere import Backbone


class Forgotten(nn.Module):
    def __init__(self, sizes):
        self.sizes = sizes  # ok: a plain attribute
        self.mean = torch.zeros(3)  # ok: a tensor that is no parameter
        self.net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())  # GRD803
        self.head = nn.Linear(4, 2)  # ok: the line before raises already


class Settings(nn.Module):
    def __init__(self, width: int = 8):
        self.width = width
        self.layers = [width] * 2
        super(Settings, self).__init__()
        self.proj = nn.Linear(self.width, 1)  # ok: initialised by now, with the class written out


class WrittenOut(Settings):
    def __init__(self, width):
        Settings.__init__(self, width)
        self.norm = nn.LayerNorm(width)  # ok: a base class of the file, called by its name


class Plainest(nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
        self.drop: nn.Module = nn.Dropout(0.1)  # ok: Module.__init__, called by its name


class Mixin:
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.seen = 0  # ok: a plain attribute of whatever this is mixed into


class Mixed(Mixin, nn.Linear):
    def __init__(self, width):
        super().__init__(width, width)
        self.scale = nn.Parameter(torch.ones(width))  # ok: through the mixin, to nn.Linear


class Silent:
    """A mixin that does not pass the call on."""

    def __init__(self, name):
        self.name = name


class Broken(Silent, nn.Module):
    def __init__(self, name):
        super().__init__(name)
        self.gate = nn.Linear(in_features=2, out_features=2, bias=False)  # GRD803


class Unknown(Backbone, nn.Module):
    def __init__(self):
        super().__init__()
        self.neck = nn.Conv2d(3, 3, 1)  # ok: nobody knows what its first base does


@dataclass(eq=False)
class Described(nn.Module):
    width: int = 4

    def __post_init__(self):
        super().__init__()
        self.inner = [nn.Linear(self.width, 1)][0]  # ok: initialised behind the fields


class Helped(nn.Module):
    def __init__(self, depth):
        self._build(depth)
        super().__init__()

    def _build(self, depth):
        blocks = [nn.Linear(3, 3) for _ in range(depth)]
        self.blocks, self.depth = nn.ModuleList(blocks), depth  # GRD803


class Conditional(nn.Module):
    def __init__(self, ready):
        if ready:
            super().__init__()
        self.cell = nn.GRUCell(2, 2)  # ok: it may have run


class Tested(nn.Module):
    def __init__(self):
        self.bias = nn.Parameter(torch.zeros(2), requires_grad=False)  # GRD803
        super().__init__()


class Running(nn.Module):
    def __init__(self, momentum):
        self.momentum = momentum
        self.register_buffer("average", torch.zeros(1))  # GRD803
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.long))  # ok: behind the call


class Holder:
    def __init__(self):
        self.model = Plainest()  # ok: no module, so nothing is to be initialised
        self.tested, self.last = Tested(), nn.Linear(1, 1)  # ok: two at once, no module either


class Inherited(Settings):
    def extend(self):
        self.extra = nn.Linear(in_features=2, out_features=2)  # ok: initialised by its base, as the class says nothing of its own


class Remembering:
    def __init__(self):
        self.memory = []


class Trained(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width


class TrainedRemembering(Trained, Remembering):
    def __init__(self, width):
        super().__init__(width)
        Remembering.__init__(self)
        self.gate = nn.Parameter(torch.zeros(width, 1))  # ok: Module.__init__ comes before what is mixed in behind it


class InitialisedWithoutSelf(Trained):
    def __init__(self, settings):
        nn.Module.__init__()
        self.shift = nn.Parameter(torch.zeros(3))  # ok: the line before raises, and was meant to run it


class InitialisedBySettings(Remembering, nn.Module):
    def __init__(self, settings):
        Trained.__init__(settings)
        self.scale = nn.Linear(3, 3)  # ok: nobody knows what was handed on


class Counting:
    def __init__(self):
        super().__init__()
        self.calls = 0


class ForgottenBesideAnother(nn.Module):
    def __init__(self):
        self.calls = Counting()
        self.merge = nn.Bilinear(2, 2, 2)  # GRD803
