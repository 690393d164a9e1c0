# What nobody can tell of a number beside the operands may be a tensor, where it comes from tensors.
import random

import torch

v1 = torch.randn(2, 2, requires_grad=True)
v2 = (v1.exp().clamp(max=5.0) * scale for scale in (1.0, 2.0))
if random.random() > 0.9:
    v1.requires_grad_(False)
v3 = [value for value in v2]
v4 = torch.nn.functional.local_response_norm(torch.rand(1, 2, 2), 2, k=v3[0])
reveal(v4)
