# A state dict asked for with a flag that nobody knows may hold the parameters themselves.
import random

from torch import nn

for _ in range(4):
    model = nn.Linear(2, 2)
    for _name, entry in model.state_dict(keep_vars=random.random() < 0.5).items():
        reveal(entry)
        entry.requires_grad = False
    reveal(model.weight, model.bias)
    state = model.state_dict(keep_vars=random.random() < 2)
    reveal(state["weight"])

for _ in range(4):
    model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    for weight in model.parameters(recurse=random.random() < 0.5):
        weight.requires_grad_(False)
    for _name, weight in model.named_parameters(recurse=random.random() < 0.5):
        weight.grad = weight.detach() * 2
    reveal(model[0].weight)
