# What only tensors made in inference mode ask to be recorded was said to be recorded perhaps, and to fill gradients.
import torch
import torch.nn.functional as F

with torch.inference_mode():
    weight = torch.rand(2, 2, requires_grad=True)
    other = torch.rand(2, 2, requires_grad=True)
    third = torch.rand(2, 2, requires_grad=True)
plain = torch.rand(2, 2)
alone = [weight.exp(), weight.sum(), weight.pow(2), weight * other, torch.stack([weight, other]), weight.t(), weight[0]]
reveal(alone[0], alone[1], alone[2], alone[3], alone[4], alone[5], alone[6])
reveal(weight * 2, 1 - weight, weight + plain, weight.clone(), weight**2, weight**1)
reveal(F.linear(plain, weight), weight.view(-1), weight.softmax(-1))
twice = other * 2 + third.clone()
twice.sum().backward()
reveal(other, other.grad, third, third.grad)
try:
    (weight.pow(2) + plain).sum().backward()
except RuntimeError as error:
    reveal(error)
F.linear(plain, weight, third[0].clone()).sum().backward()
reveal(weight, weight.grad)
optimizer = torch.optim.SGD([weight], lr=0.1)
optimizer.step()
reveal(weight)
