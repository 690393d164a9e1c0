"""Moving to another device makes a new tensor, whose history is the move; what is there already stays itself."""

import torch

weight = torch.ones(3, requires_grad=True)
reveal(weight.to("cpu"))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(weight.cpu())  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(weight.to("meta"))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(weight.to(device=torch.device("meta")))  # Tensor[float, requires_grad=yes, leaf=no]
# vague: whether a copy is asked for is not looked at
reveal(weight.to("cpu", copy=True))  # Tensor[float, requires_grad=yes, leaf=no|yes]
reveal(weight.to("meta", torch.float64))  # Tensor[float, requires_grad=yes, leaf=no]

there = torch.ones(3, device="meta", requires_grad=True)
# vague: there may be several of one kind
reveal(there.to("meta"))  # Tensor[float, requires_grad=yes, leaf=no|yes]
like = torch.zeros_like(there, requires_grad=True)
# vague: as above
reveal(like.to(torch.device("meta", 0)))  # Tensor[float, requires_grad=yes, leaf=no|yes]
reveal(weight.to(like))  # Tensor[float, requires_grad=yes, leaf=no]

device = torch.device("meta" if torch.cuda.is_available() else "cpu")
# vague: another machine has a GPU
reveal(weight.to(device))  # Tensor[float, requires_grad=yes, leaf=no|yes]
parameter = torch.nn.Parameter(torch.zeros(2))
reveal(parameter.to("meta"))  # Tensor[float, requires_grad=yes, leaf=no]

with torch.device("meta"):
    inside = torch.ones(2, requires_grad=True)
# vague: the device that a block sets is not followed
reveal(inside.to("meta"))  # Tensor[float, requires_grad=yes, leaf=no|yes]
