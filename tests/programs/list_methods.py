"""Lists and dicts change through their methods."""

import torch

weight = torch.ones(3, requires_grad=True)
tensors = []
tensors.append(weight)
reveal(tensors[0])  # Tensor[float, requires_grad=yes, leaf=yes]
tensors.extend([torch.arange(3)])
reveal(tensors[1])  # Tensor[integer, requires_grad=no, leaf=yes]
tensors.insert(0, torch.ones(2))
reveal(tensors[0])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(tensors.pop())  # Tensor[integer, requires_grad=no, leaf=yes]
tensors += [weight * 2]
reveal(tensors[-1])  # Tensor[float, requires_grad=yes, leaf=no]
both = [weight] + [torch.zeros(1)]
reveal(both[1])  # Tensor[float, requires_grad=no, leaf=yes]
table = {}
table.setdefault("a", torch.zeros(1))
reveal(table["a"])  # Tensor[float, requires_grad=no, leaf=yes]
table.update(b=weight)
reveal(table["b"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(table.pop("b"))  # Tensor[float, requires_grad=yes, leaf=yes]
copied = dict(table)
reveal(copied["a"])  # Tensor[float, requires_grad=no, leaf=yes]
for tensor in table.values():
    reveal(tensor)  # Tensor[float, requires_grad=no, leaf=yes]
del tensors[0]
reveal(tensors[0])  # Tensor[float, requires_grad=yes, leaf=yes]
