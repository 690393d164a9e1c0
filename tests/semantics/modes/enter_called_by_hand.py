# A mode that is entered by hand holds until it is left by hand; a flag set on one of many may be that of any.
import random

import torch

w = torch.ones(2, requires_grad=True)
mode = torch.no_grad()
mode.__enter__()
h = w * 2
reveal(h)
mode.__exit__(None, None, None)
h = w * 2
reveal(h)
c = torch.ones(2)
seed = random.Random(3)
for _ in range(8):
    h = c
    if seed.random() < 0.3:
        h = w * 3
    if seed.random() < 0.3:
        h = w * 4
    if seed.random() < 0.3:
        h = w * 5
    if seed.random() < 0.3:
        h = w * 6
    if seed.random() < 0.3:
        h = w * 7
    h.requires_grad_()
reveal(c)
torch.no_grad().__enter__()
z = w * 5
reveal(z)
