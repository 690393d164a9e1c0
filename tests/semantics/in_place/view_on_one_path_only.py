# What is a view on one path and none on the other may be written.
import random

import torch

leaf = torch.randn(2, 2, requires_grad=True)
if random.random() < 0.5:
    written = leaf.t()
else:
    written = leaf * 2
try:
    written.zero_()
    print("went well")
except RuntimeError as error:
    print(error)
copied = leaf.t().contiguous()
copied.zero_()
reveal(copied)
