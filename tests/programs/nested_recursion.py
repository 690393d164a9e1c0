"""Helpers that call themselves for the parts of nested dictionaries, lists and tuples of tensors."""

from collections import OrderedDict
from typing import Any

import torch

weight = torch.ones(3, requires_grad=True)


def flat(data):
    if isinstance(data, torch.Tensor):
        yield data
    elif isinstance(data, dict):
        for value in data.values():
            yield from flat(value)
    elif isinstance(data, (list, tuple)):
        for value in data:
            yield from flat(value)


def set_requires_grad(data: Any):
    if isinstance(data, torch.Tensor):
        return data.clone().requires_grad_(True)
    elif isinstance(data, OrderedDict):
        for key, value in data.items():
            data[key] = set_requires_grad(value)
        return data
    elif isinstance(data, dict):
        for key, value in data.items():
            data[key] = set_requires_grad(value)
        return data
    elif isinstance(data, list):
        for i, value in enumerate(data):
            data[i] = set_requires_grad(value)
        return data
    else:
        return data


nested = OrderedDict()
nested["layer1"] = OrderedDict()
nested["layer1"]["weight"] = torch.randn(4, 4)
nested["layer2"] = [torch.randn(2, 2), torch.zeros(2)]
nested["meta"] = {"rate": 0.1, "other": 0.01}
for tensor in flat(nested):
    reveal(tensor)  # Tensor[float, requires_grad=no, leaf=yes]
for tensor in flat(set_requires_grad(nested)):
    # vague: a loop may not have met each part
    reveal(tensor)  # Tensor[float, requires_grad=yes, leaf=yes]


def total(values):
    return values[0] if len(values) == 1 else values[0] + total(values[1:])


# How long a list is decides.
reveal(total([weight, weight, weight]))  # Tensor[float, requires_grad=yes, leaf=no]
