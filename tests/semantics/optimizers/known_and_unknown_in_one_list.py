# A list with one element of which nothing is known still holds the others: the step uses their gradients.
import torch

touch = eval("lambda value: value.requires_grad_(False)")
weight = torch.zeros(2)
beta = torch.ones(2, requires_grad=True)
weight.requires_grad_()
beta = touch(beta)
sgd = torch.optim.SGD([weight, beta], lr=0.1)
(weight * beta).sum().backward()
sgd.step()
reveal(weight)
