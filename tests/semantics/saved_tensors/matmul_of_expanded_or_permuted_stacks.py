# A product keeps a copy of a stack of matrices that it repeats or that is laid out otherwise; of a matrix, never.
import torch

weight = torch.rand(2, 2, requires_grad=True)
stack = torch.stack([torch.rand(2, 2), torch.rand(2, 2)])
turned = torch.rand(2, 2, 3).permute(2, 0, 1)
layer = torch.nn.Linear(2, 2)
many = weight @ stack
stack += 1.0
many.sum().backward()
turns = layer(turned)
turned.mul_(2.0)
turns.sum().backward()
left = torch.rand(2, 2).unsqueeze(0)
same = left.unsqueeze_(1).expand(2, 2, 2, 2) @ weight.mT
left.zero_()
same.sum().backward()
flat = torch.rand(2, 2).t()
product = flat @ (weight * 2)
reveal(product, stack)
flat += 1.0
try:
    product.sum().backward()
except RuntimeError:
    print("a matrix is kept itself")
handed = torch.rand(3, 2)
given = layer(handed)
handed.zero_()
given.sum().backward()
