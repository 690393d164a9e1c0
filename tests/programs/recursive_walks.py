"""Helpers that call themselves make new containers, fill lists, and go down trees of objects."""

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


def detached(data):
    if isinstance(data, dict):
        return {key: detached(value) for key, value in data.items()}
    if isinstance(data, (list, tuple)):
        return type(data)(detached(value) for value in data)
    return data.detach() if torch.is_tensor(data) else data


tree = {"a": weight, "b": {"c": weight * 2, "d": [weight, 3]}}
for tensor in flat(detached(tree)):
    # vague: more kinds of parts than alternatives are kept
    reveal(tensor)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(detached({"a": {"b": weight}})["a"]["b"])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(detached([weight])[0])  # Tensor[float, requires_grad=no, leaf=yes]
found = []


def collect(data):
    if torch.is_tensor(data):
        found.append(data)
    elif isinstance(data, dict):
        for value in data.values():
            collect(value)


collect({"a": {"b": {"c": weight}}})
reveal(found[0])  # Tensor[float, requires_grad=yes, leaf=yes]


class Node:
    def __init__(self, value, children=()):
        self.value, self.children = value, list(children)

    def total(self):
        found = self.value
        for child in self.children:
            found = found + child.total()
        return found


reveal(Node(torch.zeros(3), [Node(weight), Node(weight.detach())]).total())  # Tensor[float, requires_grad=yes, leaf=no]
