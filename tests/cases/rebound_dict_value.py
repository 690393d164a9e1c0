"""Cases for GRD307: loop variables bound to tensors that nothing looks at."""

from collections import OrderedDict

import torch
from torch import nn


def freeze(tensors: dict):
    kept = {"a": torch.ones(2, requires_grad=True), "b": torch.zeros(3, requires_grad=True)}
    for name, tensor in kept.items():
        tensor = tensor.detach()  # GRD307
    return kept


def put_back():
    kept = OrderedDict(a=torch.ones(2), b=torch.zeros(3))
    for name, tensor in kept.items():
        tensor = tensor.clone().requires_grad_(True)  # ok: assigned to its key
        kept[name] = tensor
    for tensor in kept.values():
        tensor = tensor.requires_grad_(False)  # ok: the same tensor, changed in place
    return kept


def strip_prefix(checkpoint):
    state = nn.Linear(2, 2).state_dict()
    renamed = {}
    for key, value in state.items():
        value = value.half().contiguous()  # ok: stored under a new key
        renamed[key.removeprefix("module.")] = value
    for key, value in state.items():
        value = value.to("cpu", copy=True)  # GRD307
    return renamed


class Memory:
    def __init__(self):
        self.states = [torch.zeros(2, 3), torch.zeros(2, 3)]

    def reset(self):
        for state in self.states:
            state = torch.zeros(2, 3)  # GRD307

    def reset_in_place(self):
        for state in self.states:
            state = state.add_(-1.0)  # ok: written in place

    def scaled(self, factor):
        out = []
        for state in self.states:
            state = state * factor  # ok: collected
            out.append(state)
        return out

    def largest(self):
        for state in self.states:
            state = abs(state).max()  # ok: the last one is returned
        return state


def to_device(loader, model, device):
    for images, labels in loader:
        images = images.to(device)
        print(model(images).shape)
    batch = {"x": torch.ones(2), "y": torch.ones(2)}
    for key in batch:
        value = batch[key]
        value = value.to(device)  # ok: no name that the loop binds
    for value in batch.values():
        value = value.to(device, non_blocking=True)  # GRD307
    return batch


def pairs():
    for left, right in [(torch.ones(1), torch.ones(1)), (torch.zeros(1), torch.zeros(1))]:
        left = left + 1  # ok: the elements of a pair belong to nobody else
        print(right)


def averaged(models):
    totals = {"loss": torch.zeros(1), "accuracy": torch.zeros(1)}
    for name, total in totals.items():
        total = total / len(models)  # GRD307
    for name, total in totals.items():
        total = total.round(decimals=2)  # ok: the next line reads it
        print(name, total)


def cast(model: nn.Module):
    for p in model.parameters():
        p = (p - p.mean()) / p.std()  # GRD306
    for p in model.parameters():
        p = -p.detach()  # ok: read before the next one
        if p.max() > 1:
            return False
    return True


def in_comprehensions():
    kept = [torch.ones(2), torch.zeros(2)]
    for t in kept:
        t = t * 2 + 1  # GRD307
    total = sum(t.sum() for t in kept)
    for t in kept:
        t = t.chunk(2)[0]  # ok: the comprehension goes over it
        total = total + sum(t.sum() for t in t)
    return total


class Pairs(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        return torch.ones(3), torch.zeros(3)


def batches_of_a_loader(net):
    loader = torch.utils.data.DataLoader(Pairs(), batch_size=4)
    for number, (given, wanted) in enumerate(loader):
        wanted = wanted.type(torch.FloatTensor)  # ok: a batch is gone with the next one
        print(number, net, given.shape)
    for given, wanted in loader:
        given, wanted = given.cuda(), wanted.cuda()  # ok: the same, moved


def samples_of_a_generator(several):
    for sample in ({"x": torch.ones(2) * scale} for scale in several):
        for x in sample.values():
            x = x.clamp(max=1)  # GRD307
