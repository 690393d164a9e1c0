# What a write in place keeps for backward was not told, so that nobody heard of an inference tensor among it.
import torch
import torch.nn as nn
import torch.nn.functional as F

hidden = nn.Linear(2, 2)(torch.rand(2, 2))
with torch.inference_mode():
    soft = F.softplus(hidden)
try:
    hidden.mul_(soft)
    print("went well")
except RuntimeError:
    print("refused")
hidden += soft
with torch.no_grad():
    hidden.mul_(soft)
reveal(hidden, soft)

plain = torch.rand(2, 2)
plain.mul_(soft)
other = torch.rand(2, 2, requires_grad=True) * 2
try:
    other /= soft
    print("went well")
except RuntimeError:
    print("refused")
weights = torch.rand(2, 2, requires_grad=True)
try:
    plain.mul_(weights).mul_(soft)
    print("went well")
except RuntimeError:
    print("refused")
with torch.autocast("cpu", dtype=torch.bfloat16):
    third = torch.rand(2, 2, requires_grad=True) * 2
    try:
        third.addmm_(soft, soft)
        print("went well")
    except RuntimeError:
        print("refused")
