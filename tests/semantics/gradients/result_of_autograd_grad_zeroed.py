# What `autograd.grad` hands back is no `.grad`: filling it with zeros clears nothing.
import torch

weight = torch.ones(2, requires_grad=True)
(slope,) = torch.autograd.grad(weight.pow(3).sum(), [weight], create_graph=True)
(slope.mean() + weight.sum()).backward()
for _ in range(2):
    slope.zero_()
    reveal(weight)
