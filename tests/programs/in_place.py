"""An in-place operation with a tensor that requires grad makes its target a non-leaf, and all its views too."""

import torch

weight = torch.ones(3, requires_grad=True)

total = torch.zeros(3)
part = total[:1]
alias = total
total.add_(weight)
reveal(total)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(part)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(alias)  # Tensor[float, requires_grad=yes, leaf=no]

counts = torch.zeros(3)
counts += 1
reveal(counts)  # Tensor[float, requires_grad=no, leaf=yes]
counts *= weight
reveal(counts)  # Tensor[float, requires_grad=yes, leaf=no]

hidden = weight * 2
hidden.relu_()
reveal(hidden)  # Tensor[float, requires_grad=yes, leaf=no]
hidden.zero_()
reveal(hidden)  # Tensor[float, requires_grad=yes, leaf=no]

with torch.no_grad():
    weight.mul_(0.5)
    weight += 1
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]

copied = torch.zeros(3)
copied.copy_(weight)
reveal(copied)  # Tensor[float, requires_grad=yes, leaf=no]

quiet = torch.zeros(3)
with torch.no_grad():
    quiet.add_(weight)
reveal(quiet)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight.clone().fill_(0.0))  # Tensor[float, requires_grad=yes, leaf=no]
