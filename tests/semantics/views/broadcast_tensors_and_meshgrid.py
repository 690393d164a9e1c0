# What `broadcast_tensors` and `meshgrid` give comes from one operand each, not from the first.
import torch

first, second = torch.rand(2), torch.rand(2, requires_grad=True)
wide = torch.broadcast_tensors(first, second)
grid = torch.meshgrid(first, second, indexing="ij")
first.requires_grad_()
reveal(wide[0], wide[1], grid[0], grid[1])
given = [second, second * 2]
for each in torch.broadcast_tensors(*given):
    reveal(each)
