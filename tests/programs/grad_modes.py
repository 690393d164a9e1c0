"""What is computed under `no_grad` requires no grad; modes nest and end with their block."""

import torch

weight = torch.ones(3, requires_grad=True)

with torch.no_grad():
    off = weight * 2
    reveal(off)  # Tensor[float, requires_grad=no, leaf=yes]
    reveal(torch.zeros(3, requires_grad=True))  # Tensor[float, requires_grad=yes, leaf=yes]
    reveal(weight.view(3, 1))  # Tensor[float, requires_grad=yes, leaf=yes]
    with torch.enable_grad():
        reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
        with torch.no_grad():
            reveal(weight * 2)  # Tensor[float, requires_grad=no, leaf=yes]
        reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
    reveal(weight * 2)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(off)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(off * weight)  # Tensor[float, requires_grad=yes, leaf=no]

with torch.set_grad_enabled(False):
    reveal(weight * 2)  # Tensor[float, requires_grad=no, leaf=yes]
with torch.no_grad(), torch.enable_grad():
    reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
