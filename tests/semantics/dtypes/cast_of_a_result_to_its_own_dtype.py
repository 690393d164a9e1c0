# Of what numbers a result is made was not known, so that a cast of it might have been the tensor itself.
import copy
import random

import torch
import torch.nn as nn

small = torch.special.log1p(torch.rand(2, 2, dtype=torch.bfloat16))
small.requires_grad = True
wide = small.double()
reveal(small, wide)
try:
    copy.deepcopy(wide)
    print("went well")
except RuntimeError:
    print("refused")

active = nn.SELU()(torch.rand(2, 2))
active.requires_grad_()
again = active.float()
reveal(active, again, active.double())
with torch.autocast("cpu", dtype=torch.bfloat16):
    product = active @ active
    reveal(product, product.float(), active.exp().float(), active.sum().float())

mixed = torch.rand(2, 2, dtype=torch.float64) * torch.rand(2, 2)
scaled = 2.0 * torch.rand(2, 2, dtype=torch.float16)
chosen = torch.rand(2, 2) if random.random() < 0.5 else torch.rand(2, 2, dtype=torch.float64)
reveal(mixed, mixed.double(), scaled, scaled.half(), scaled.float(), chosen.exp().double(), (chosen + active).float())
reveal(active.softmax(-1, dtype=torch.float64).double(), active.sum(dtype=torch.float16).half())
