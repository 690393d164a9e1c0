# A leaf that views what may have been asked to require grad stays a leaf when that is written.
import random

import torch

v1 = torch.rand(2, 2)
v9 = v1.reshape(-1)
v9.requires_grad = True
if random.random() < 0.5:
    v1.requires_grad_()
reveal(v1, v9)
v13 = torch.abs_(v1)
reveal(v1, v9)
