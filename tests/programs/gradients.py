"""`.grad` of a leaf is None before a backward and after it was cleared to None; zeroed it is a tensor."""

import torch

weight = torch.ones(3, requires_grad=True)
reveal(weight.grad)  # None
(weight * 2).sum().backward()
# vague: hooks and `create_graph` elsewhere could have put the gradient into a graph
reveal(weight.grad)  # Tensor[float, requires_grad=no|?, leaf=?]
weight.grad.zero_()
# vague: as above
reveal(weight.grad)  # Tensor[float, requires_grad=no|?, leaf=yes|?]
if weight.grad is not None:
    reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]
weight.grad = torch.full((3,), 2.0)
reveal(weight.grad)  # Tensor[float, requires_grad=no, leaf=yes]
with torch.no_grad():
    weight -= 0.1 * weight.grad
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]
weight.grad = None
reveal(weight.grad)  # None
if weight.grad is not None:
    raise ValueError
reveal(weight)  # Tensor[float, requires_grad=yes, leaf=yes]

layer = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
reveal(layer.weight.grad)  # None
layer(torch.ones(1, 2)).sum().backward()
optimizer.step()
optimizer.zero_grad(set_to_none=False)
# vague: as above
reveal(layer.weight.grad)  # Tensor[float, requires_grad=no|?, leaf=?]
for parameter in layer.parameters():
    if parameter.grad is not None:
        reveal(parameter)  # Tensor[float, requires_grad=yes, leaf=yes]
optimizer.zero_grad()
reveal(layer.bias.grad)  # None
