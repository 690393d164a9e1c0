# A copy of a model that follows it: `update_parameters` writes the copy's parameters and reads the model's.
import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

model = nn.Linear(2, 2)
averaged = AveragedModel(model)
reveal(averaged.module.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(averaged.n_averaged)  # Tensor[integer, requires_grad=no, leaf=yes]
averaged.update_parameters(model)
reveal(model.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(model.weight, "grad")  # none
out = averaged(torch.ones(1, 2))
reveal(out)  # Tensor[float, requires_grad=yes, leaf=no]
out.sum().backward()
reveal(averaged.module.bias, "grad")  # fresh
reveal(model.bias, "grad")  # none
averaged.eval()
reveal(averaged.module)  # Module[torch.nn.Linear, mode=eval]
