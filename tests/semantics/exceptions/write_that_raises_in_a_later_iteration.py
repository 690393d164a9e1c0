# Nothing behind a write that torch refuses is run, also where it ran in an iteration before.
import torch

weight = torch.randn(2, 2, requires_grad=True)
with torch.no_grad():
    for _ in range(2):
        halved = weight.mul_(0.5)
        reveal(halved)
        halved[0] = 1.0
        torch.set_grad_enabled(True)
