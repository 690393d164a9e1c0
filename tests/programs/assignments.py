"""Every form of assignment: chained, nested, starred, annotated, augmented, walrus, and to attributes and items."""

import torch

weight = torch.ones(3, requires_grad=True)
plain = torch.zeros(3)

one = two = weight.detach()
one.add_(weight)
reveal(two)  # Tensor[float, requires_grad=yes, leaf=no]
(inner, other), outside = (weight, plain), torch.arange(3)
reveal(inner)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(outside)  # Tensor[integer, requires_grad=no, leaf=yes]
first, *rest = [weight, plain, torch.arange(3)]
reveal(first)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(rest[1])  # Tensor[integer, requires_grad=no, leaf=yes]
*most, last = (weight, plain)
reveal(most[0])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(last)  # Tensor[float, requires_grad=no, leaf=yes]
annotated: torch.Tensor = weight * 2
reveal(annotated)  # Tensor[float, requires_grad=yes, leaf=no]
if (total := weight.sum()) is not None:
    reveal(total)  # Tensor[float, requires_grad=yes, leaf=no]
doubled = [(latest := tensor * 2) for tensor in [weight]]
reveal(latest)  # Tensor[float, requires_grad=yes, leaf=no]
left, right = weight, plain
left, right = right, left
reveal(left)  # Tensor[float, requires_grad=no, leaf=yes]
holder = {"a": plain}
holder["a"], holder["b"] = weight, plain
reveal(holder["a"])  # Tensor[float, requires_grad=yes, leaf=yes]
number = 1
number += 1.5
reveal(number)  # 2.5
product = plain.clone()
before = product
product = product * weight
reveal(before)  # Tensor[float, requires_grad=no, leaf=yes]
before *= weight
reveal(before)  # Tensor[float, requires_grad=yes, leaf=no]
[a, b] = plain, weight
reveal(b)  # Tensor[float, requires_grad=yes, leaf=yes]
