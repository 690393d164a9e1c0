"""`copy.deepcopy` copies a module with its parameters; `state_dict()` shares their memory without their gradients."""

import copy

import torch
from torch import nn

model = nn.Linear(3, 2)
teacher = copy.deepcopy(model)
teacher.requires_grad_(False)
reveal(model.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(teacher.weight)  # Tensor[float, requires_grad=no, leaf=yes]
images = torch.rand(4, 3)
reveal(model(images))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(teacher(images))  # Tensor[float, requires_grad=no, leaf=yes]
teacher.eval()
reveal(teacher)  # Module[torch.nn.Linear, mode=eval]
reveal(model)  # Module[torch.nn.Linear, mode=train]

state = model.state_dict()
reveal(state["weight"])  # Tensor[float, requires_grad=no, leaf=yes]
state["weight"].zero_()
reveal(model.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal({name: value.clone() for name, value in state.items()}["bias"])  # Tensor[float, requires_grad=no, leaf=yes]
teacher.load_state_dict(state)
reveal(teacher.weight)  # Tensor[float, requires_grad=no, leaf=yes]
saved = copy.deepcopy(model.state_dict())
reveal(saved["weight"])  # Tensor[float, requires_grad=no, leaf=yes]
