"""In inference mode nothing is recorded, not even after gradients are enabled inside; `inference_mode(False)` ends it."""

import torch

weight = torch.ones(3, requires_grad=True)

with torch.inference_mode():
    made = weight * 2
    reveal(made)  # Tensor[float, requires_grad=no, leaf=yes]
    with torch.enable_grad():
        reveal(weight * 2)  # Tensor[float, requires_grad=no, leaf=yes]
    with torch.inference_mode(False):
        reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
    reveal(torch.zeros(2))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(made)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(made.clone())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(made + weight)  # Tensor[float, requires_grad=yes, leaf=no]
with torch.inference_mode(mode=False):
    reveal(weight * 2)  # Tensor[float, requires_grad=yes, leaf=no]
