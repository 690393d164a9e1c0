# A gradient that is assigned: zeros are no gradient, and what no backward brought was taken for used.
import torch

weight = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
weight.grad = torch.zeros_like(weight)
reveal(weight)
weight.sum().backward()
optimizer.step()
reveal(weight)
weight.grad = torch.ones_like(weight)
reveal(weight)
weight.grad = torch.zeros(2)
reveal(weight)
weight.grad += 1
reveal(weight)
