# A view that was made with gradients off has the flag of its base, also when that is detached in place later.
import torch

base, product = torch.rand(4, requires_grad=True), torch.rand(4, requires_grad=True) * 2
with torch.no_grad():
    view, row = base.view(2, 2), product.view(2, 2)
recorded = product.view(2, 2)
reveal(base, view, product, row)
base.detach_()
product.detach_()
reveal(base, view, product, row, recorded)
plain = torch.rand(4)
with torch.no_grad():
    asked = plain.view(2, 2)
asked.requires_grad_()
plain.detach_()
reveal(plain, asked)
plain.requires_grad_()
plain.requires_grad_(False)
reveal(plain, asked)
plain.requires_grad_()
plain.detach_()
reveal(plain, asked, view[0])
