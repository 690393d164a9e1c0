# A view that was asked itself is a leaf until what it views is written with the graph; an alias stays one.
import random

import torch

base = torch.nn.functional.hardtanh(torch.rand(2, 2))
view = base.view_as(base)
view.requires_grad_()
base.mul_(view)
reveal(base, view)

base, weight = torch.rand(2, 2), torch.rand(2, 2, requires_grad=True)
row, alias = base[0], base.detach()
row.requires_grad_()
alias.requires_grad_()
base.mul_(2)
reveal(base, row, alias)
with torch.no_grad():
    base.mul_(weight)
reveal(base, row, alias)
if random.random() < 0.5:
    base.mul_(weight)
    reveal(base, row, alias)
reveal(base, row, alias)
base[1].mul_(weight[1])
reveal(base, row, alias)
