# A view made with gradients off that is told not to require grad still does as what it is a view of.
import torch

weight, plain = torch.rand(2, 2, requires_grad=True), torch.rand(2, 2)
with torch.no_grad():
    flat, copied, row = weight.ravel(), weight.t().reshape(-1), weight[0]
    column = plain[:, 0]
for view in (flat, copied, row):
    view.requires_grad = False
reveal(flat, copied, row)
flat.requires_grad = False
row.requires_grad_(False)
reveal(flat, row)
column.requires_grad_()
reveal(plain, column)
column.requires_grad_(False)
reveal(plain, column)
part = plain.view(-1)
part.requires_grad_()
part.requires_grad_(False)
reveal(part)
plain.requires_grad_()
column.requires_grad_(False)
reveal(plain, column, part)
