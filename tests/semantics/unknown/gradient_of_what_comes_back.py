# What unseen code gives may be what it was handed: once its gradient is cleared that is lost, if no step has used it.
import torch

same = eval("lambda one: one")
weight = torch.ones(2, requires_grad=True)
(weight * 2).sum().backward()
weight = same(weight)
weight.grad = None
reveal(weight)

other = torch.ones(2, requires_grad=True)
other.sum().backward()
back = same(other)
back.grad = None
reveal(other, back)
copied = same(other.detach().clone()).requires_grad_()
copied.grad = None
reveal(copied)

net = torch.nn.Linear(2, 2)
scaler = torch.GradScaler("cpu")
scaler.scale(net(torch.ones(3, 2)).sum()).backward()
net.bias = same(net.bias)
reveal(net.bias, net.weight)
