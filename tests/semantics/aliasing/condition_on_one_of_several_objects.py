# What a test tells of one object says nothing of the others that one reference stands for.
import torch

weight = torch.rand(2, requires_grad=True)
plain = torch.rand(2)
halves = (value / 2 for value in [plain, weight])
first = next(halves)
others = list(halves)
if not first.requires_grad:
    reveal(first, others[0])
    again = others[0] * 1
    reveal(again)
doubled = [value * 2 for value in (weight, plain)]
if not doubled[1].requires_grad:
    reveal(doubled[0])


class Holder:
    def __init__(self, value):
        self.value = value
        self.by_name = {"value": value}


holders = [Holder(value) for value in (weight, None, weight, None)]
one = holders[1]
if one.value is None:
    reveal(holders[0].value)
    values = [holder.value for holder in holders]
    if values[2] is not None:
        reveal(values[2] * 1)
if one.by_name["value"] is None:
    reveal(holders[0].by_name["value"])
made = (Holder(value) for value in [None, weight])
empty = next(made)
left = list(made)
if empty.value is None:
    reveal(left[0].value)
if empty.by_name["value"] is None:
    reveal(left[0].by_name["value"])
