# A deep copy of a view is no view: what forbade to write the view does not hold of it.
import copy

import torch

weight = torch.ones(2, 2, requires_grad=True)
values = torch.rand(2, 2)
with torch.no_grad():
    view = values.view(2, 2)
copied = copy.deepcopy(view)
copied.mul_(weight)
reveal(copied)
