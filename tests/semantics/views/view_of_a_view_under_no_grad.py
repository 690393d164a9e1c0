# With gradients off a view has the flag of its base, not that of the view it was taken of.
import torch

base = torch.rand(4)
view = base.view(2, 2)
view.requires_grad = True
with torch.no_grad():
    row = view[0]
    reveal(base, view, row)
base.requires_grad_()
with torch.no_grad():
    row = view[0]
    reveal(base, view, row)
