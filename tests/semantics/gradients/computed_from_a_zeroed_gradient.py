# A gradient that is computed from one that was cleared may be zeros.
import torch

w = torch.rand(2, requires_grad=True)
w.sum().backward()
w.grad.zero_()
w.grad = w.grad * 2
reveal(w)
w.sum().backward()
w.grad.data.zero_()
reveal(w)
w.grad = w.grad * 2
reveal(w)
for p in [w]:
    p.sum().backward()
    p.grad.data.zero_()
    p.grad = p.grad * 2
reveal(w)
