"""Cases for GRD601: losses computed from Python numbers, and numbers that are only looked at or multiply."""

import argparse
import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn


class Trainer:
    def __init__(self, model: nn.Module):
        self.model = model
        self.history = []
        self.total = 0.0

    def step(self, batch: torch.Tensor, target: torch.Tensor):
        loss = F.mse_loss(self.model(batch), target)
        self.history.append(loss.item())
        loss.backward()  # ok: the number is only logged
        return loss.item()


class Meter:
    def __init__(self, model: nn.Linear):
        self.model = model
        self.loss = None

    def run(self, batches):
        values = []
        for batch in batches:
            values.append(float(self.model(batch).sum()))
        self.loss = torch.tensor(values).mean()
        self.loss.backward()  # GRD601


def entropy(model: nn.Linear, x):
    p = model(x).softmax(-1).mean(0)
    total = sum(-q * math.log(q) for q in p)
    (0.1 * total).backward()  # ok: a factor from a number, but each term keeps its tensor
    return total


def measured(model: nn.Linear, x):
    norm = math.sqrt(model(x).pow(2).sum())
    torch.full((1,), norm).backward()  # GRD601
    return norm


def weighted(model: nn.Linear, x, y):
    first, second = F.mse_loss(model(x), y), model.weight.abs().sum()
    scale = first.item() / second.item()
    (first + scale * second).backward()  # ok: a ratio that balances two terms
    return scale


def accumulated(model: nn.Linear, batches):
    total = 0
    for batch in batches:
        total += F.l1_loss(model(batch), torch.zeros(1)).item()
    (total / 3).backward()  # GRD601
    return total


def listed(model: nn.Linear, x):
    values = model(x).flatten().tolist()
    torch.tensor(values).sum().backward()  # GRD601


def graded(model: nn.Linear, x):
    score = model(x).max().item()
    loss = x.sum() * score
    torch.autograd.backward(loss)  # GRD601


def early_stopping(model: nn.Linear, batches):
    best = float("inf")
    for x in batches:
        loss = model(x).mean()
        best = min(best, loss.item())
        if loss.item() > 2 * best:
            break
        loss.backward(retain_graph=False)  # ok: compared with a number
    return best


def asked_for_its_own_gradient(model: nn.Linear, x):
    start = torch.tensor(model(x).sum().item(), requires_grad=True)
    (start**2).backward()  # ok: a leaf of its own begins a history


def whole_part(model: nn.Linear, x):
    share = int(model(x).sum()) / 10
    return torch.autograd.grad(torch.as_tensor([share]).sum(), model.weight)  # GRD601


def test_numbers_have_no_graph():
    weight = torch.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError):
        torch.tensor(weight.item()).backward()  # ok: the program waits for the error


def kl(mean: torch.Tensor, variance: torch.Tensor, beta):
    term = beta * (variance.item() - 1 - math.log(beta))
    loss = mean.pow(2).sum() + term
    loss.sum().backward()  # ok: nobody knows whether the arguments require grad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weight", type=float, default=0.5)
    args = parser.parse_args()
    model = nn.Linear(2, 1)
    x = torch.ones(3, 2)
    loss = {"fit": model(x).mean(), "size": torch.tensor(model.weight.norm().item() * args.weight)}
    loss["fit"].backward()  # ok: this one has its graph
    loss["size"].backward(torch.ones(()))  # GRD601


def likeness(gradients, wanted, kind):
    distance, length = 0, 0
    for i in range(len(wanted)):
        if kind == "cosine":
            distance -= (gradients[i] * wanted[i]).sum()
            length += gradients[i].pow(2).sum()
    if kind == "cosine":
        distance = 1 + distance / math.sqrt(length)
    return distance


class Attack:
    def closer(self, x, wanted):
        loss = self.criterion(self.net(x))
        found = torch.autograd.grad(loss, self.net.parameters(), create_graph=True)
        goal = likeness(found, wanted, kind=self.config["kind"])
        goal.backward(retain_graph=True)  # ok: with gradients at all it is a tensor, whatever it is divided by


def trimmed(model: nn.Linear, x):
    fit, size = model(x).square().mean(), sum(weight.abs().sum().item() for weight in model.parameters())  # GRD601
    objective = fit + 1e-3 * size
    objective.backward()


def by_math(slope: nn.Parameter):
    (slope.cos() + math.cos(slope)).backward()  # todo GRD601


def shifted(model: nn.Linear, x):
    scores = model(x).flatten()
    largest = scores.max().item()
    ((scores - largest).exp().sum().log() + largest).backward()  # ok: what was subtracted is added again


def shown_beside(model: nn.Linear, x, history):
    loss = model(x).exp().mean()
    history.append(loss + model.bias.item())
    loss.backward(None)  # ok: the sum with the number is for the history


graded(nn.Linear(2, 1), torch.rand(3, 2)), trimmed(nn.Linear(2, 1), torch.rand(3, 2))
by_math(nn.Parameter(torch.ones(()))), shifted(nn.Linear(2, 1), torch.rand(3, 2))
shown_beside(nn.Linear(2, 1), torch.rand(3, 2), [])
if __name__ == "__main__":
    main()


class Weighed(nn.Module):
    """Losses by name, which somebody else adds up."""

    def __init__(self):
        super().__init__()
        self.fit, self.side = nn.Linear(2, 1), nn.Linear(2, 1)

    def numbers(self, x):
        return {"fit": self.fit(x).pow(2).mean(), "side": self.side(x).abs().mean().item()}  # GRD601

    def tensors(self, x):
        side = self.side(x).abs().mean()
        print("side", side.item())  # ok: shown
        return {"fit": self.fit(x).pow(2).mean(), "side": side}


def added_up(net: Weighed, x):
    sum(net.numbers(x).values()).backward()  # ok: the other term is trained by
    losses = net.tensors(x)
    (losses["fit"] + losses["side"]).backward()  # ok: both are


def listed(net: Weighed, x):
    losses = [net.fit(x).mean()]
    losses.append(float(net.side(x).abs().sum()))  # GRD601
    sum(losses).backward()


def by_weight(net: Weighed, x):
    weights = {"fit": 0.5, "side": 2.0}
    losses = {"fit": net.fit(x).mean(), "side": net.side(x).max().item()}  # GRD601
    loss = 0.0
    for name, value in losses.items():
        loss = loss + weights[name] * value
    loss.backward()


def by_weight_of_numbers(net: Weighed, x):
    sizes = [net.fit(x).abs().mean().item(), net.side(x).abs().mean().item()]
    terms = [net.fit(x).mean(), net.side(x).mean()]
    sum(term / size for term, size in zip(terms, sizes)).backward()  # ok: each is divided by its own size


def taken_away(net: Weighed, x):
    fit, side = net.fit(x).mean(), net.side(x).square().mean()
    loss = fit + side - 0.01 * net.fit(x).std().item()  # GRD601
    loss.backward()


def above_a_number(net: Weighed, x):
    best = net.fit(x).max().item()
    (net.fit(x) - best).square().mean().backward()  # ok: compared with


added_up(Weighed(), torch.rand(3, 2)), listed(Weighed(), torch.rand(3, 2)), by_weight(Weighed(), torch.rand(3, 2))
by_weight_of_numbers(Weighed(), torch.rand(3, 2)), taken_away(Weighed(), torch.rand(3, 2))
above_a_number(Weighed(), torch.rand(3, 2))
