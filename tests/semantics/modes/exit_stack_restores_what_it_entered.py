"""A stack of managers takes back what it has entered: no mode that the program has set, nor what was taken from it."""

from contextlib import ExitStack

import torch

w = torch.rand(2, requires_grad=True)
with torch.no_grad():
    with ExitStack() as stack:
        torch.set_grad_enabled(True)
    product = w * 2
with ExitStack() as stack:
    stack.enter_context(torch.no_grad())
    product = w * 3
product = w * 4
with ExitStack() as stack:
    stack.enter_context(torch.no_grad())
    kept = stack.pop_all()
product = w * 5
kept.close()
product = w * 6
