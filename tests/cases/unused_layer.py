"""Cases for GRD810: layers that are made and never called, and what else may read them."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from elsewhere import Mixin, initialise


class Residual(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.inner = nn.Conv1d(size, size, 3, padding=1)

    def forward(self, x):
        return x + self.inner(x)


class Generator(nn.Module):
    """Three blocks, of which the first is called three times."""

    def __init__(self):
        super().__init__()
        self.block1 = Residual(4)
        self.block2 = Residual(size=4)  # GRD810
        self.block3 = nn.Sequential(Residual(4))  # ok: told with the one before
        self.norm = nn.BatchNorm1d(4, affine=False)  # ok: no parameters
        self.drop = nn.Dropout(0.5)  # ok: no parameters
        self.last = nn.ConvTranspose1d(4, 1, 2)

    def forward(self, x):
        x = self.block1(x)
        x = self.block1(x)
        return self.last(self.block1(x))


class Variational(nn.Module):
    """Both heads are fed through the first."""

    def __init__(self, wide):
        super().__init__()
        self.body = nn.Linear(8, wide)
        self.mean = nn.Linear(wide, 2)
        self.spread = nn.Linear(wide, 2, bias=False)  # GRD810
        initialise(self)

    def forward(self, x):
        hidden = torch.tanh(self.body(x))
        mean, spread = self.mean(hidden), self.mean(hidden)
        return mean + spread.exp() * torch.randn_like(mean)


class Policy(nn.Module):
    def __init__(self, recurrent=False):
        super().__init__()
        self.words = nn.Embedding(9, 4)
        if recurrent:
            self.memory = nn.GRU(4, 4)  # ok: called by its name
        self.old_words = nn.Embedding(7, 4)  # GRD810
        self.fc = nn.Linear(4, 2)  # ok: possible alone: heads are kept for weights that were saved

    def forward(self, x, state):
        memory = getattr(self.state_of(x), "memory", None)
        return self.words(x), memory, state

    def state_of(self, x):
        return self if x.any() else None


policy = Policy(recurrent=True)
print(policy.memory(torch.ones(1, 1, 4)))


class Parts(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = nn.Linear(4, out_features=4)  # ok: the parts are gone over
        self.two = nn.Linear(4, 4, bias=False)  # ok: the same

    def forward(self, x):
        for part in self.children():
            x = part(x)
        return x


class Numbered(nn.Module):
    def __init__(self):
        super().__init__()
        self.part0 = nn.Conv2d(4, 4, 1)  # ok: called by its number
        self.part1 = nn.GRUCell(4, 4, bias=True)  # ok: the same

    def forward(self, x):
        for number in range(2):
            x = getattr(self, f"part{number}")(x)
        return x


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Linear(3, 3)
        self.own = nn.Linear(3, 1)  # ok: for what derives from it

    def forward(self, x):
        return self.shared(x)


class Derived(Base):
    def __init__(self):
        super().__init__()
        self.scale = nn.PReLU()
        self.shift = nn.LayerNorm(3)  # GRD810

    def forward(self, x):
        return self.own(self.scale(super().forward(x)))


class Mixed(Mixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.unknown = nn.Linear(2, 2)  # ok: nobody knows what a base calls

    def forward(self, x):
        return F.relu(x)


class Holder(nn.Module):
    """Others take what it holds."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(5, 2)  # ok: called where the holder is used
        self.decoder = nn.Linear(2, 5)

    def forward(self, x):
        return self.decoder(x)


def encoded(holder, x):
    return holder.encoder(x)


class Replaced(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
        self.neck = nn.Bilinear(2, 2, 2)  # ok: taken out again
        self.neck = None

    def forward(self, x):
        return self.body(x)


class Container(nn.Module):
    """Has no forward: others call its parts."""

    def __init__(self):
        super().__init__()
        self.actor = nn.Linear(6, 2)  # ok: whoever has it calls them
        self.critic = nn.Linear(6, 1)  # ok: the same


class Listed(nn.Module):
    """Has its layers in a list as well."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 4, 2)
        self.up = nn.ConvTranspose2d(4, 3, 2)
        self.every = nn.ModuleList([self.down, self.up])  # ok: they are called by their names

    def forward(self, x):
        return self.up(self.down(x))


class Abstract(nn.Module):
    """Is called by other names."""

    def __init__(self):
        super().__init__()
        self.values = nn.Linear(7, 1)  # ok: whoever has it calls it, as `act` does the other
        self.choices = nn.Linear(7, 3)

    def forward(self):
        """Refuse."""
        raise NotImplementedError

    def act(self, x):
        return self.choices(x).argmax(1)  # GRD401
