# A number that a tensor is divided by is saved as a tensor is, and some operations save what only they know.
import torch
import torch.nn.functional as F

weight = torch.rand(2, 2, requires_grad=True)
mixed = torch.lerp(weight, weight.detach(), 0.5).sum()
mixed.backward()
mixed.backward()
halves = (weight / 2).sum()
halves.backward()
try:
    halves.backward()
    done = True
except RuntimeError as error:
    reveal(error)
distance = F.l1_loss(weight, weight.detach() + 1)
distance.backward()
try:
    distance.backward()
    done = True
except RuntimeError as error:
    reveal(error)
written = (weight + 1).sin_().sum()
written.backward()
try:
    written.backward()
    done = True
except RuntimeError as error:
    reveal(error)
