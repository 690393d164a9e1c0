# A gradient, and what `einsum` gives, views hidden memory: a view made of it without a graph does not show its flag.
import torch

leaf = torch.rand(2, 4, requires_grad=True)
(gradient,) = torch.autograd.grad(leaf.sum(), [leaf])
gradient.requires_grad_()
product = torch.einsum("ij,kj->ik", torch.rand(2, 2), torch.rand(2, 2)).requires_grad_()
with torch.no_grad():
    left, right = gradient.chunk(2)
    row = product[0]
    reveal(gradient, left, right, product, row)
other = gradient[0]
reveal(other)
