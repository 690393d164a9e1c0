# What only tensors made in inference mode ask to be recorded may not be recorded.
import torch
import torch.nn.functional as F

with torch.inference_mode():
    asked = torch.rand(2, requires_grad=True)
    square = torch.rand(2, 2, requires_grad=True)
plain = torch.rand(2, 2)
first = asked @ plain
second = square @ plain
third = F.linear(asked, plain)
fourth = F.linear(plain, square)
fifth = F.linear(plain, plain, asked)
sixth = torch.outer(asked, plain[0])
sums = asked + plain
listed = torch.einsum("i,ij->j", asked, plain)
