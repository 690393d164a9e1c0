# An optimizer whose groups are gone clears and steps nothing; a gradient that was zeroed is zero under another name.
import torch

w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
optimizer = torch.optim.Adam([w, v])
(w * v).sum().backward()
optimizer.step()
optimizer.param_groups.clear()
optimizer.zero_grad()
reveal(w, v)
(w * v).sum().backward()
reveal(w, v)
one, two = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
(one * 2).sum().backward()
one.grad.data.zero_()
one.grad, two.grad = two.grad, one.grad
reveal(one, two)
