"""Writing an element that requires grad into a plain tensor makes the whole tensor a non-leaf."""

import torch

weight = torch.ones(3, requires_grad=True)
table = torch.zeros(2, 3)
reveal(table)  # Tensor[float, requires_grad=no, leaf=yes]
table[0] = 1.0
reveal(table)  # Tensor[float, requires_grad=no, leaf=yes]
row = table[1]
table[0] = weight
reveal(table)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(row)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(table[0])  # Tensor[float, requires_grad=yes, leaf=no]

mask = torch.zeros(3)
mask[mask > 0] = weight.sum()
reveal(mask)  # Tensor[float, requires_grad=yes, leaf=no]

safe = torch.zeros(3)
safe[0] = weight.sum().item()
reveal(safe)  # Tensor[float, requires_grad=no, leaf=yes]
with torch.no_grad():
    weight[0] = 7.0
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]
safe[1:] += weight[1:]
reveal(safe)  # Tensor[float, requires_grad=yes, leaf=no]
