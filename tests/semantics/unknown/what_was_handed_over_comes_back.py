# Code that nobody sees may give back what was computed from what it was handed before.
import queue

import torch

weight, beside = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
line = queue.Queue()
line.put(weight * 2)
line.get().sum().backward()
reveal(weight)
reveal(beside)
