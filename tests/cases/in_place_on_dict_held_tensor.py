"""Cases for GRD303: weights kept in dicts and updated in place."""

import argparse
from collections import OrderedDict, defaultdict

import torch
import torch.nn as nn


def make_params(hidden=8):
    params = {}
    params["w1"] = torch.randn(4, hidden, requires_grad=True)
    params["b1"] = torch.zeros(hidden, requires_grad=True)
    return params


def train_by_key(rate=0.1):
    params = make_params()
    loss = (torch.ones(2, 4) @ params["w1"] + params["b1"]).pow(2).mean()
    loss.backward()
    for key in params:
        params[key] -= rate * params[key].grad  # GRD303
    return params


def train_by_items(rate=0.1):
    weights = OrderedDict([("w", torch.ones(3, requires_grad=True))])
    weights["w"].sum().backward()
    for name, weight in weights.items():
        weight.add_(weight.grad, alpha=-rate)  # GRD303
    return weights


def weight_decay():
    named = dict(nn.Linear(2, 2).named_parameters())
    named["weight"].mul_(0.99)  # GRD303
    return named


class Policy:
    def __init__(self):
        self.theta = {"mean": torch.zeros(2, requires_grad=True), "std": torch.ones(2, requires_grad=True)}

    def update(self, gradients):
        with torch.no_grad():
            self.theta["std"] += gradients["std"] * 0.1  # ok: gradients are off
        self.theta["mean"] += gradients["mean"]  # GRD303

    def clip(self):
        self.theta["std"].data.clamp_(min=1e-3)  # ok: through .data


def nested():
    state = {"encoder": {"scale": torch.ones(1, requires_grad=True)}}
    state["encoder"]["scale"] *= 2  # GRD303
    return state


def with_variables():
    net = nn.Linear(2, 2)
    net.state_dict()["weight"].zero_()  # ok: a state dict holds detached tensors
    net.state_dict(keep_vars=True)["bias"].zero_()  # GRD301
    return net


def rebound(rate=0.1):
    params = make_params(2)
    params["w1"] = params["w1"] - rate  # a new tensor under the old key
    params["w1"].div_(2)  # ok: it is no leaf
    params["b1"] = params["b1"].detach() - rate
    params["b1"].sqrt_()  # ok: it requires no grad
    return params


def statistics(batches: list[torch.Tensor]):
    totals = defaultdict(float)
    running = {"sum": torch.zeros(3), "square": torch.zeros(3)}
    for batch in [torch.ones(3), torch.zeros(3)]:
        totals["count"] += 1
        running["sum"] += batch  # ok: requires no grad
        running["square"].add_(batch * batch)  # ok: neither does this
    return totals, running


@torch.no_grad()
def apply_update(params, rate):
    for key in params:
        params[key] -= params[key].grad.mul(rate)  # ok: decorated


def train_with_helper():
    params = make_params(3)
    sum(value.sum() for value in params.values()).backward()
    apply_update(params, 0.5)
    for value in params.values():
        value.grad.zero_()  # ok: the gradient is another tensor
    return params


def ema(model: dict[str, torch.Tensor], average: dict[str, torch.Tensor]):
    for key, value in model.items():
        average[key].lerp_(value, 0.01)  # ok: nobody knows whether the averages require grad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    params = make_params(hidden=4)
    params["w1"].mean().backward()
    torch.set_grad_enabled(False)
    params["w1"].sub_(args.lr * params["w1"].grad)  # ok: switched off by statement


if __name__ == "__main__":
    main()
