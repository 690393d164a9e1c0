"""Code that waits is asked when a tensor it has looked at was given other memory: what it computes is of that."""

import torch

weight = torch.ones(2, requires_grad=True)
doubled = (each * 2 for each in [weight])
weight.data = weight.data.double()
reveal(next(doubled))  # Tensor[float, requires_grad=yes, leaf=no]

longer = torch.ones(2, requires_grad=True)
tripled = (each * 3 for each in [longer])
longer.data = torch.ones(2, 2, 2)
reveal(next(tripled))  # Tensor[float, requires_grad=yes, leaf=no]

single = torch.ones(2, requires_grad=True)
halved = (each / 2 for each in [single])
single.data = torch.ones(1)
next(halved).backward()

same = torch.ones(2, requires_grad=True)
negated = (-each for each in [same])
same.data = torch.zeros(2)
reveal(next(negated))  # Tensor[float, requires_grad=yes, leaf=no]
