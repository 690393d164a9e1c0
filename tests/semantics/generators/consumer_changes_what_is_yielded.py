# Whoever goes through a generator may change the sizes and the memory of what it goes over.
import torch
import torch.nn as nn
import torch.nn.functional as F


def centred(values):
    for value in values:
        reveal(value)
        yield value - value.mean()
    reveal(value)


flat = torch.randn(2, 2)
for each in centred([flat, flat]):
    flat.unsqueeze_(0)
    reveal(flat, each)


def dropped(values):
    for value in values:
        reveal(value)
        with torch.inference_mode():
            yield F.dropout(value, 0.1)
    reveal(value)


layer = nn.Linear(2, 2)
for _each in dropped([layer.weight, layer.weight]):
    layer.double()
