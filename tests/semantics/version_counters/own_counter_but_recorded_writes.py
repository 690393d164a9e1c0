# Whether a handle counts its writes alone, and whether autograd hears of them, are two questions.
import copy

import torch

w = torch.rand(2, requires_grad=True)
new = torch.rand(2)
w.data = new
try:
    w.add_(1)
    print("went well")
except RuntimeError as error:
    print(error)
c = copy.copy(w)
try:
    c.add_(1)
    print("went well")
except RuntimeError as error:
    print(error)
d = w.data
d.add_(1)
p = torch.nn.Parameter(new.data)
try:
    p.add_(1)
    print("went well")
except RuntimeError as error:
    print(error)
out = w * new
with torch.no_grad():
    p.add_(1)
out.sum().backward()
