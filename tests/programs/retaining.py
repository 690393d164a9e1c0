"""`retain_grad()` marks a non-leaf, does nothing to a leaf, and `detach_()` makes a leaf of a non-leaf."""

import torch

weight = torch.ones(3, requires_grad=True)
hidden = weight * 2
reveal(hidden)  # Tensor[float, requires_grad=yes, leaf=no]
hidden.retain_grad()
reveal(hidden)  # Tensor[float, requires_grad=yes, leaf=no, retains_grad=yes]
weight.retain_grad()
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]

loss = hidden.sum()
loss.backward()
# vague: hooks and `create_graph` elsewhere could have put the gradient into a graph
reveal(hidden.grad)  # Tensor[float, requires_grad=no|?, leaf=?]
# vague: as above
reveal(weight.grad)  # Tensor[float, requires_grad=no|?, leaf=?]

cut = weight * 3
cut.detach_()
reveal(cut)  # Tensor[float, requires_grad=no, leaf=yes]
cut.requires_grad_()
reveal(cut)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(cut * 2)  # Tensor[float, requires_grad=yes, leaf=no]
