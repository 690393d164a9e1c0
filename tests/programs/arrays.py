"""NumPy arrays share their memory with tensors made from them; writes through them change what the graph had saved."""

import numpy
import torch

start = numpy.ones(2)
shared = torch.from_numpy(start).requires_grad_()
reveal(shared.is_leaf)  # True
loss = (shared * shared).sum()
start += 1.0
loss.backward()
start *= 2.0

rows = numpy.zeros((2, 2))
rows[0] = 1.0
rows.fill(3.0)
reveal(torch.tensor(rows).is_leaf)  # True
part = torch.from_numpy(rows.reshape(4).copy())
reveal(part.requires_grad)  # False
