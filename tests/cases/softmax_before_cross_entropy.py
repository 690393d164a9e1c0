"""Cases for GRD614: losses that take scores and are handed probabilities, and the right pairs."""

import torch
import torch.nn.functional as F
from torch import nn


class Net(nn.Module):
    def __init__(self, classes=10, probabilities=True):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(784, 32), nn.ReLU())
        self.head = nn.Linear(32, classes)
        self.drop = nn.Dropout(0.2)

    def forward(self, x):
        x = self.drop(self.features(x.flatten(1)))
        return F.softmax(self.head(x), dim=1)

    def scores(self, x):
        return self.head(self.features(x))


class Trainer:
    def __init__(self):
        self.net = Net()
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
        self.binary = nn.BCEWithLogitsLoss()
        self.nll = nn.NLLLoss()

    def step(self, x, y):
        loss = self.criterion(self.net(x), y)  # GRD614
        loss.backward()

    def right(self, x, y):
        loss = self.criterion(self.net.scores(x), y)  # ok: scores
        return loss + self.nll(self.net(x).log(), y)  # ok: the logarithm of probabilities

    def distilled(self, x, teacher: nn.Linear):
        soft = teacher(x).softmax(-1)
        return F.cross_entropy(self.net.scores(x), soft)  # ok: probabilities are the target

    def attributes(self, x, y):
        logits = self.net.scores(x)
        return self.binary(torch.sigmoid(logits), y)  # GRD614


def stacked():
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3), nn.Softmax(dim=-1))
    logged = nn.Sequential(nn.Linear(4, 3), nn.LogSoftmax(dim=-1))
    x, y = torch.rand(5, 4), torch.randint(0, 3, (5,))
    first = nn.CrossEntropyLoss(reduction="sum")(model(x), y)  # GRD614
    second = F.nll_loss(logged(x), y, reduction="sum")  # ok: log-probabilities
    third = F.nll_loss(model(x), y)  # GRD614
    return first + second + third


def idempotent(model: nn.Linear, x, y):
    return F.cross_entropy(F.log_softmax(model(x), -1), y)  # ok: log_softmax of itself is itself


def pixels(model: nn.Conv2d, image, mask):
    out = torch.softmax(model(image), 1)
    dice = 1 - 2 * (out * mask).sum() / (out + mask).sum()
    return dice + F.cross_entropy(input=out, target=mask)  # GRD614


def binary(model: nn.Linear, x, y):
    p = torch.sigmoid(model(x))
    plain = F.binary_cross_entropy(p, y)
    logits = torch.logit(p)
    return plain + F.binary_cross_entropy_with_logits(logits, y)  # ok: the sigmoid is undone


def either(model: nn.Linear, x, y, squash):
    out = model(x)
    if squash:
        out = out.sigmoid()
    return F.binary_cross_entropy_with_logits(out, y, reduction="mean")  # ok: only on one path


def squeezed(model: nn.Linear, x, y, mask, criterion: nn.BCEWithLogitsLoss):
    p = torch.sigmoid(model(x)).squeeze(1)
    first = criterion(p[mask], y[mask])  # GRD614
    return first + criterion(p.float().view(-1), y.view(-1))  # GRD614


def halves(model: nn.Linear, x, y):
    one, other = model(x).softmax(dim=1).chunk(2, dim=1)
    return F.cross_entropy(one, y) + other.log().mean()  # GRD614


def written(model: nn.Linear, x, y):
    p, q = model(x).softmax(1), model(x)
    p.log_()
    q.sigmoid_()
    loss = F.nll_loss(p, y, ignore_index=0)  # ok: the logarithm was taken in place
    return loss + F.binary_cross_entropy_with_logits(q, y, weight=p)  # GRD614


def written_through_a_view(model: nn.Linear, x, y):
    p = torch.softmax(model(x), dim=-1)
    p[:, 0] = 30 * p[:, 0]
    return F.cross_entropy(p.flatten(1), y)  # ok: not all of them are probabilities any more


def gated(model: nn.Linear, x, y):
    attended = model(x).softmax(-1) @ x
    return F.cross_entropy(attended, y, ignore_index=-1)  # ok: the softmax is attention


class OwnLoss(nn.Module):
    """A loss of one's own that takes probabilities."""

    def forward(self, p, y):
        return -(y * p.log()).sum()


def own(model: nn.Linear, x, y):
    criterion = OwnLoss()
    return criterion(model(x).softmax(1), y)  # ok: made for probabilities


def distilled(student: nn.Linear, teacher: nn.Linear, x, temperature=2.0):
    hard = F.softmax(student(x) / temperature, dim=1)
    with torch.no_grad():
        soft = F.softmax(teacher(x) / temperature, dim=1)
    divergence = nn.KLDivLoss(reduction="batchmean")
    first = divergence(hard, soft)  # GRD614
    second = divergence(hard.log(), soft)  # ok: the logarithm of probabilities, and probabilities as the target
    third = F.kl_div(soft, student(x).log_softmax(dim=1))  # GRD614
    return first + second + third + F.kl_div(student(x).log_softmax(1), soft)  # ok: log-probabilities


def kept_from_zero(model: nn.Linear, x, y, soft):
    chances = model(x).softmax(dim=1) + 1e-8
    among = [F.kl_div(one, other) for one in chances for other in soft]  # GRD614
    shifted = F.nll_loss(1e-10 + model(x).softmax(-1), y)  # GRD614
    taken = F.kl_div(chances.log(), soft)  # ok: the logarithm of what was kept from zero
    far = F.kl_div(model(x).softmax(1) + 1.0, soft)  # ok: no probabilities any more
    return sum(among) + shifted + taken + far


def bounded_by_the_other_activation(model: nn.Linear, x, y, masks):
    bounded, spread = torch.sigmoid(model(x)), model(x).tanh()
    first = nn.functional.cross_entropy(bounded, y, label_smoothing=0.05)  # GRD614
    second = nn.BCEWithLogitsLoss(pos_weight=x.mean())(torch.softmax(model(x), dim=0), masks)  # GRD614
    third = F.cross_entropy(12 * bounded - 6, y)  # ok: spread out again
    fourth = F.cross_entropy(spread, y, reduction="none").amax()  # ok: only sigmoid and softmax make probabilities
    return first + second + third + fourth
