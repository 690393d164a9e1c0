# A view whose base is asked after it was taken requires grad, and gradients go on from it only after a write.
import torch

base = torch.rand(4)
view = base.view(2, 2)
base.requires_grad_()
(view * 2).sum().backward()
reveal(base, view, base.grad, view.grad)
view.requires_grad_()
(view * 2).sum().backward()
reveal(base, view)
other = torch.rand(4)
part = other[:2]
with torch.no_grad():
    part.add_(1.0)
other.requires_grad_()
reveal(part)
(part * 2).sum().backward()
reveal(other, part)
