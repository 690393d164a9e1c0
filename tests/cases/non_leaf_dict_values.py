"""Cases for GRD124: dicts of parameters whose values are results, and dicts of leaves."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def init_network(sizes):
    params = {}
    for index, (inputs, outputs) in enumerate(zip(sizes, sizes[1:])):
        params[f"w{index}"] = torch.randn(inputs, outputs, requires_grad=True) * (2 / inputs) ** 0.5  # GRD124
    return params, {"b0": torch.zeros(sizes[1], requires_grad=True)}


def fit(inputs, targets, epochs=10, rate=0.1):
    params, biases = init_network([4, 8, 1])
    for _ in range(epochs):
        hidden = torch.relu(inputs @ params["w0"] + biases["b0"])
        F.mse_loss(hidden @ params["w1"], targets).backward()  # GRD314 GRD503
        with torch.no_grad():
            for name in ("w0", "w1"):
                print(params[name].grad.norm())
            biases["b0"] -= rate * biases["b0"].grad  # ok: the biases are leaves


class Maml:
    def __init__(self, model: nn.Module):
        self.model = model
        self.slow = dict(model.named_parameters())

    def adapt(self, loss_of, rate=0.01):
        fast = {name: param.clone() for name, param in self.slow.items()}
        gradients = torch.autograd.grad(loss_of(fast), list(fast.values()))
        return {name: param - rate * g for (name, param), g in zip(fast.items(), gradients)}

    def report(self):
        return {name: param.grad.norm() for name, param in self.slow.items()}  # ok: parameters of a module are leaves


def low_rank(model: nn.Linear):
    factors = {"a": model.weight[:, :2], "b": model.weight.t().half()}  # GRD124
    factors["a"].sum().backward()
    return factors["b"].grad


def adam_over_a_dict():
    start = torch.ones(3, requires_grad=True)
    shifts = {"x": start + 1, "y": start.exp()}
    return torch.optim.Adam(list(shifts.values()))  # GRD713


def detached():
    start = torch.ones(3, requires_grad=True)
    copies = {"x": (start + 1).detach().requires_grad_(), "y": start}
    copies["x"].sum().backward()
    return torch.optim.SGD(copies.values(), lr=0.1), copies["x"].grad  # ok: detached and asked again


def activations(model: nn.Sequential, batch: torch.Tensor):
    kept = {}
    for name, layer in model.named_children():
        batch = layer(batch)
        batch.retain_grad()
        kept[name] = batch
    batch.sum().backward()
    return [value.grad.abs().mean() for value in kept.values()]  # ok: told to retain their gradients


def cloned():
    base = {"w": torch.ones(2, requires_grad=True)}
    copies = {name: value.clone().requires_grad_() for name, value in base.items()}  # GRD122
    copies["w"].sum().backward()
    return copies["w"].grad


def by_name(params: dict, name: str):
    value = params[name]
    value.sum().backward()
    return value.grad, value  # ok: nobody knows what the dict holds


def in_a_list():
    weight = torch.ones(3, requires_grad=True)
    layers = [weight * 2, weight * 3]
    sum(layers).sum().backward()
    return layers[0].grad  # GRD201


def asked_whether():
    weight = torch.ones(3, requires_grad=True)
    outputs = {"loss": (weight * 2).sum()}
    outputs["loss"].backward()
    with torch.no_grad():
        frozen = {"mean": weight * 2}
    frozen["mean"].requires_grad_()
    return outputs["loss"].grad is None, frozen["mean"].grad  # ok: made without the graph, so a leaf
