# Deep copies of two handles on one memory share that as well, but each has a count of its own.
import copy

import torch

w = torch.rand(2, 2, requires_grad=True)
x = torch.rand(2, 2)
first, second = copy.deepcopy([x, x.view(2, 2)])
out = w * first
second.add_(1)
out.sum().backward()
out = w * first.detach()
first.add_(1)
try:
    out.sum().backward()
    print("went well")
except RuntimeError as error:
    print(error)
reveal(w, first, second)
