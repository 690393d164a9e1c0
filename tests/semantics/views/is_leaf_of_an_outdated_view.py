# torch does not tell whether this view is a leaf; the program goes on all the same.
import random

import torch

product = torch.rand(2, 2).mm(torch.rand(2, 2, requires_grad=True))
with torch.no_grad():
    view = product.unfold(0, 1, 1)
while random.random() < 0.8:
    (product * product).sum().backward()
    product.sinh_()
    reveal(view)
    reveal(product)
