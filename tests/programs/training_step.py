"""A training step: gradients are None, then tensors that require no grad; a step leaves parameters leaves."""

import torch
from torch import nn

model = nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
images, labels = torch.rand(4, 3), torch.rand(4, 1)

out = model(images)
loss = nn.functional.mse_loss(out, labels)
reveal(out)  # Tensor[float, requires_grad=yes, leaf=no]
reveal(loss)  # Tensor[float, requires_grad=yes, leaf=no]
loss.backward()
reveal(loss)  # Tensor[float, requires_grad=yes, leaf=no]
optimizer.step()
reveal(model.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
optimizer.zero_grad()
reveal(loss.item())  # number[float]
reveal(loss.detach())  # Tensor[float, requires_grad=no, leaf=yes]

running = torch.zeros(())
for _ in range(3):
    loss = model(images).sum()
    loss.backward()
    running += loss.detach()
    optimizer.step()
reveal(running)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(loss)  # Tensor[float, requires_grad=yes, leaf=no]

leaf = torch.ones(3, requires_grad=True)
(gradient,) = torch.autograd.grad((leaf**2).sum(), leaf)
reveal(gradient)  # Tensor[float, requires_grad=no, leaf=yes]
(gradient,) = torch.autograd.grad((leaf**2).sum(), leaf, create_graph=True)
# vague: the gradient of a linear function is constant and requires none
reveal(gradient)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
