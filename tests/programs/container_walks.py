"""Loops and comprehensions over containers meet their elements, joined."""

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.arange(3)

for tensor in [weight, plain]:
    reveal(tensor)  # Tensor[integer|float, requires_grad=no|yes, leaf=yes]
for index, tensor in enumerate((weight, weight * 2)):
    reveal(tensor)  # Tensor[float, requires_grad=yes, leaf=no|yes]
    reveal(index)  # 0 or 1
for name, tensor in {"w": weight, "p": plain}.items():
    reveal(tensor)  # Tensor[integer|float, requires_grad=no|yes, leaf=yes]
for left, right in zip([weight, weight], [plain, plain]):
    reveal(left)  # Tensor[float, requires_grad=yes, leaf=yes]
    reveal(right)  # Tensor[integer, requires_grad=no, leaf=yes]
doubled = [tensor * 2 for tensor in (weight, weight)]
reveal(doubled[0])  # Tensor[float, requires_grad=yes, leaf=no]
by_name = {name: tensor.detach() for name, tensor in {"w": weight}.items()}
reveal(by_name["w"])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(sum(doubled))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(torch.stack(doubled))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(next(iter(doubled)))  # Tensor[float, requires_grad=yes, leaf=no]
for tensor in reversed([plain]):
    reveal(tensor)  # Tensor[integer, requires_grad=no, leaf=yes]
