"""A view of what was made in inference mode has a flag of its own: neither shows that of the other."""

import random

import torch

with torch.inference_mode():
    made = torch.rand(2, 2, requires_grad=True)
    view = made[None]
    same = torch.atleast_3d(view)
    same.requires_grad = False
    view.requires_grad = True
    made.requires_grad_(False)
    view.requires_grad_(False)
    other = torch.rand(2, 2)
    flat = other.view(4)
    other.requires_grad_(True)
if random.random() < 0.5:
    maybe = torch.rand(2, 2, requires_grad=True)
else:
    with torch.inference_mode():
        maybe = torch.rand(2, 2, requires_grad=True)
with torch.no_grad():
    view = maybe[0]
    view.requires_grad = False
    maybe.requires_grad_(False)
