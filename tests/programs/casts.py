"""A cast from float to float or complex keeps the graph, one to integers cuts it, one to the same kind gives the same."""

import torch

weight = torch.ones(3, requires_grad=True)

reveal(weight.double())  # Tensor[float, requires_grad=yes, leaf=no]
reveal(weight.half())  # Tensor[float, requires_grad=yes, leaf=no]
reveal(weight.long())  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(weight.bool())  # Tensor[bool, requires_grad=no, leaf=yes]
reveal(weight.to(torch.complex64))  # Tensor[complex, requires_grad=yes, leaf=no]
reveal(weight.to(torch.int32))  # Tensor[integer, requires_grad=no, leaf=yes]
# The same object comes back.
reveal(weight.float())  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(weight.to("cpu"))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(weight.type(torch.float64))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(torch.arange(3).float())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(torch.arange(3).to(weight))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight.int().float())  # Tensor[float, requires_grad=no, leaf=yes]
narrow = torch.tensor([1.0, 2.0], dtype=torch.float16, requires_grad=True)
reveal(narrow.half())  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(narrow.to(torch.float32))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(narrow.detach().requires_grad_().bfloat16())  # Tensor[float, requires_grad=yes, leaf=no]
reveal(torch.tensor([1.0, 2.0], requires_grad=True).double())  # Tensor[float, requires_grad=yes, leaf=no]
reveal(torch.nn.Parameter(torch.zeros(2)).double())  # Tensor[float, requires_grad=yes, leaf=no]
reveal(torch.rand_like(narrow, requires_grad=True).half())  # Tensor[float, requires_grad=yes, leaf=yes]
reveal((weight * 2).detach().requires_grad_().float())  # Tensor[float, requires_grad=yes, leaf=yes]
# vague: what is multiplied as matrices may have any precision, for autocast decides that
reveal((weight @ weight).detach().requires_grad_().float())  # Tensor[float, requires_grad=yes, leaf=no|yes]
# vague: numbers of NumPy bring their own dtype
reveal(torch.tensor([weight[0].item() * 2.0], requires_grad=True).double())  # Tensor[float, requires_grad=yes, leaf=no|yes]
layer = torch.nn.Linear(2, 2)
layer.scale = torch.nn.Parameter(torch.ones(2))
layer.double()
# vague: a module that was moved may be made of other numbers
reveal(layer.scale.double())  # Tensor[float, requires_grad=yes, leaf=no|yes]
