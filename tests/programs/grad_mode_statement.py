"""`set_grad_enabled` as a statement lasts until the next one, but not beyond a `with` or a decorated function."""

import torch

weight = torch.ones(3, requires_grad=True)

torch.set_grad_enabled(False)
reveal(weight * 2)  # Tensor[float, requires_grad=no, leaf=yes]
torch.set_grad_enabled(True)
reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]

with torch.no_grad():
    torch.set_grad_enabled(True)
    reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]


@torch.enable_grad()
def switches_off():
    torch.set_grad_enabled(False)
    return weight * 2


reveal(switches_off())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]


def leaves_off():
    torch.set_grad_enabled(False)


leaves_off()
reveal(weight * 2)  # Tensor[float, requires_grad=no, leaf=yes]
torch.set_grad_enabled(mode=True)
reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
