# A shallow copy of a view is no view: what forbade to write the view does not hold of the copy, nor of its views.
import copy

import torch

values = torch.rand(2, 2).data.view(2, 2)
weight = torch.randn(2, 2, requires_grad=True)
with torch.no_grad():
    view = values.view(-1).view(2, 2)
copied = copy.copy(view)
copied.view(2, 2).mul_(weight)
reveal(copied)
