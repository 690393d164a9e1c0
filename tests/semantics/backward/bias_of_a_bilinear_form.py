# The bias of a bilinear form is added last: a backward to it alone leaves the rest, one to a weight does not.
import torch
from torch.nn.functional import bilinear

left, right = torch.rand(2, 2), torch.rand(2, 2, requires_grad=True)
weight, bias = torch.rand(2, 2, 2, requires_grad=True), torch.rand(2, requires_grad=True)
out = bilinear(left, right, weight, bias)
out.sum().backward(inputs=[bias])
out.sum().backward()
reveal(weight, bias, right)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.form = torch.nn.Bilinear(2, 2, 2)

    def forward(self, one, other):
        return self.form(one, other)


net = Net()
for _ in range(2):
    made = net(left, left)
    torch.autograd.grad(made.sum(), net.form.bias)
    made.sum().backward()
linear = torch.nn.Linear(2, 2)
given = linear(left)
torch.autograd.grad(given.sum(), [linear.bias])
try:
    given.sum().backward()
except RuntimeError:
    reveal(linear.bias)
again = net(left, left)
torch.autograd.grad(again.sum(), net.form.weight)
again.sum().backward()
