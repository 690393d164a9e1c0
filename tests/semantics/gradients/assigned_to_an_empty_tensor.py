# What has no elements can be told from zeros by how it was assigned alone.
import torch

weight = torch.rand(2, 2)
none = weight[weight < weight]
ones, zeros = none.clone(), none.clone()
ones.grad = torch.ones_like(ones)
zeros.grad = torch.zeros_like(zeros)
reveal(ones, zeros)
reveal(ones)
for each in (ones.requires_grad_(), zeros.requires_grad_()):
    each.exp().sum().backward()
optimizer = torch.optim.SGD([ones, zeros], lr=0.1)
reveal(ones, zeros)
optimizer.step()
reveal(ones, zeros)
optimizer.zero_grad(set_to_none=False)
reveal(ones, zeros)
