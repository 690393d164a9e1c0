# A view whose base is asked after it was taken requires grad, and no gradient goes on from it to either.
import torch

base = torch.rand(4)
view = base.view(2, 2)
base.requires_grad_()
(view * 2).sum().backward()
reveal(base, view, base.grad, view.grad)
view.requires_grad_()
(view * 2).sum().backward()
reveal(base, view)
