"""Clipping changes gradients in place, not their state; parameters become one vector and stretches of one again."""

import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_, clip_grad_value_, parameters_to_vector, vector_to_parameters

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
inputs = torch.ones(4, 2)

reveal(clip_grad_norm_(model.parameters(), 1.0))  # Tensor[float, requires_grad=no, leaf=yes]
model(inputs).sum().backward()
norm = clip_grad_norm_(model.parameters(), max_norm=1.0)
reveal(norm)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(norm.item())  # number[float]
reveal(model.weight, "grad")  # fresh
reveal(clip_grad_value_(model.weight, 0.1))  # None
total = nn.utils.get_total_norm([parameter.grad for parameter in model.parameters()])
reveal(total)  # Tensor[float, requires_grad=no, leaf=yes]
nn.utils.clip_grads_with_norm_(model.parameters(), 1.0, total)
reveal(model.weight, "grad")  # fresh
optimizer.step()
clip_grad_norm_(model.parameters(), 1.0)
reveal(model.weight, "grad")  # used

optimizer.zero_grad()
scaler.scale(model(inputs).sum()).backward()
clip_grad_norm_(model.parameters(), 1.0)
reveal(model.weight, "unit")  # scaled
scaler.unscale_(optimizer)
clip_grad_norm_(model.parameters(), 1.0)
reveal(model.weight, "unit")  # plain
scaler.step(optimizer)
scaler.update()

vector = parameters_to_vector(model.parameters())
reveal(vector)  # Tensor[float, requires_grad=yes, leaf=no]
optimizer.zero_grad()
(vector**2).sum().backward()
reveal(model.weight, "grad")  # fresh
reveal(model.bias, "grad")  # fresh
vector_to_parameters(vector.detach() * 2, model.parameters())
reveal(model.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
