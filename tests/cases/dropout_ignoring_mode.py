"""Cases for GRD808: functions that drop, in modules whose mode they are told or not."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn import functional


class Encoder(nn.Module):
    def __init__(self, width, rate=0.1):
        super().__init__()
        self.first = nn.Linear(8, width)
        self.second = nn.Linear(width, width)
        self.rate = rate
        self.drop = nn.Dropout(rate)

    def forward(self, x):
        x = functional.dropout(self.first(x).relu(), p=0.1)  # GRD808
        x = self.drop(self.second(x))  # ok: a module has a mode of its own
        return F.dropout(x, self.rate, self.training)  # ok: told

    def features(self, x):
        return F.dropout(self.first(x), inplace=False)  # GRD808

    def guarded(self, x):
        if self.training:
            x = F.dropout(x, 0.3)  # ok: only in train mode
        return x

    def one_is_told(self, x):
        x = F.dropout(x, p=0.2, training=self.training)  # ok: told
        if self.rate > 0:
            x = self.first(x)
        return F.dropout(x, p=0.2)  # GRD808


class MonteCarlo(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(F.dropout(x, 0.5, training=True))  # ok: says that it is to drop always


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        x = F.dropout2d(self.conv(x), 0.25)  # GRD808
        x = F.dropout3d(x.unsqueeze(0), p=0.0)  # ok: drops nothing
        return self.head(F.dropout1d(x.mean((0, 3)).t(), 0.5, inplace=True))  # GRD808


class Attention(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.project = nn.Linear(8, 24)
        self.rate = rate

    def forward(self, x, mask=None):
        q, k, v = self.project(x).chunk(3, -1)
        plain = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)  # ok: drops nothing
        return plain + F.scaled_dot_product_attention(q, k, v, mask, self.rate)  # GRD808

    def told(self, q, k, v):
        rate = self.rate if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, dropout_p=rate)  # ok: looks at the mode

    def told_by_the_probability(self, weights):
        return F.dropout(weights, self.rate if self.training else 0.0)  # ok: looks at the mode

    def by_hand(self, q, k, v):
        weights = F.softmax(q @ k.transpose(-2, -1) / math.sqrt(8), dim=-1)
        return F.dropout(weights, self.rate) @ v  # GRD808


class SelfNormalising(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(8, 8)

    def forward(self, x):
        x = F.alpha_dropout(F.selu(self.hidden(x)), 0.1)  # GRD808
        x = F.alpha_dropout(x, 0.1, training=self.training)  # ok: told
        return F.feature_alpha_dropout(x, p=0.1)  # GRD808


class Prenet(nn.Module):
    """Drops always, so that what it is fed with when it generates is as noisy as in training."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        for _ in range(2):
            x = F.dropout(x, p=0.5)  # GRD808
        return self.layer(x)


class NeuralBandit(nn.Module):
    """Explores by what it drops when it is asked for rewards."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(8, 3)

    def forward(self, context):
        context = F.dropout(torch.relu(context), 0.1)  # ok: possible at most
        return self.head(context)


class Corruption:
    """No module: it has no mode."""

    def __call__(self, x):
        return F.dropout(x, 0.2)


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(8, 8)

    def forward(self, steps):
        hidden = None
        for x in steps:
            hidden = self.cell(F.dropout(x, 0.1), hidden)  # GRD808
        return self.out(hidden[0])

    def out(self, x):
        return torch.dropout(x, 0.5, train=self.training)  # ok: told


def augmented(x, rate=0.5):
    return F.dropout(x, rate)
