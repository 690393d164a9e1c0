"""A cast from float to float or complex keeps the graph, one to integers cuts it, one to the same kind gives the same."""

import torch

weight = torch.ones(3, requires_grad=True)

# vague: gradlint does not tell float32 from float64, so the same object may come back
reveal(weight.double())  # Tensor[float, requires_grad=yes, leaf=no|yes]
# vague: gradlint does not tell float32 from float64, so the same object may come back
reveal(weight.half())  # Tensor[float, requires_grad=yes, leaf=no|yes]
reveal(weight.long())  # Tensor[integer, requires_grad=no, leaf=yes]
reveal(weight.bool())  # Tensor[bool, requires_grad=no, leaf=yes]
reveal(weight.to(torch.complex64))  # Tensor[complex, requires_grad=yes, leaf=no]
reveal(weight.to(torch.int32))  # Tensor[integer, requires_grad=no, leaf=yes]
# The same object comes back.
# vague: gradlint does not tell float32 from float64, so the same object may come back
reveal(weight.float())  # Tensor[float, requires_grad=yes, leaf=no|yes]
# vague: as above
reveal(weight.to("cpu"))  # Tensor[float, requires_grad=yes, leaf=no|yes]
# vague: gradlint does not tell float32 from float64, so the same object may come back
reveal(weight.type(torch.float64))  # Tensor[float, requires_grad=yes, leaf=no|yes]
reveal(torch.arange(3).float())  # Tensor[float, requires_grad=no, leaf=yes]
reveal(torch.arange(3).to(weight))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(weight.int().float())  # Tensor[float, requires_grad=no, leaf=yes]
