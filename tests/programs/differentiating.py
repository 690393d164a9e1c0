"""Backward and `autograd.grad`: which gradients they fill, by inputs, several roots, and of second order."""

import torch

first = torch.ones(3, requires_grad=True)
second = torch.ones(3, requires_grad=True)
third = torch.ones(3, requires_grad=True)

(first * second).sum().backward(inputs=[first])
reveal(first, "grad")  # fresh
reveal(second, "grad")  # none
torch.autograd.backward([(first * second).sum(), (second * third).sum()])
reveal(second, "grad")  # fresh
reveal(third, "grad")  # fresh
first.grad = second.grad = third.grad = None
reveal(first, "grad")  # lost

hidden = first * 2
(hidden * second).sum().backward(inputs=hidden)
reveal(hidden.retains_grad)  # True
reveal(first, "grad")  # lost
# vague: hooks and `create_graph` elsewhere could have put the gradient into a graph
reveal(hidden.grad)  # Tensor[float, requires_grad=no|?, leaf=?]

gradients = torch.autograd.grad((first * second).sum(), [first, second])
reveal(first, "grad")  # lost
for gradient in gradients:
    reveal(gradient)  # Tensor[float, requires_grad=no, leaf=yes]
named = torch.autograd.grad((first * second).sum(), {"first": first, "second": second})
reveal(named["second"])  # Tensor[float, requires_grad=no, leaf=yes]
_, unused = torch.autograd.grad((first * 2).sum(), [first, third], allow_unused=True)
# vague: whether an input was used is not told apart
reveal(unused)  # unknown

(slope,) = torch.autograd.grad((first * second).sum(), first, create_graph=True)
# vague: the gradient of a linear function is constant and requires none
reveal(slope)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
penalty = (slope**2).sum()
penalty.backward()
reveal(second, "grad")  # fresh|lost
reveal(first, "grad")  # fresh|lost

loss = (first * second).sum()
loss.backward(retain_graph=True)
loss.backward()
reveal(first, "grad")  # fresh
try:
    loss.backward()
except RuntimeError as error:
    reveal(error)  # exception
loss = (first**2 + second**2).sum()
torch.autograd.grad(loss, first, retain_graph=True)
loss.backward()
vector = first * second
vector.backward(torch.ones(3))
reveal(second, "grad")  # fresh
