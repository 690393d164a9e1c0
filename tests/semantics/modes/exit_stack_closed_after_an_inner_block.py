# A mode that a stack entered in a block is left after the block's own: each brings back what it found.
from contextlib import ExitStack

import torch

weight = torch.ones(2, requires_grad=True)
with ExitStack() as stack:
    with torch.no_grad():
        stack.enter_context(torch.inference_mode())
    made = torch.empty(2, requires_grad=True)
    reveal(made)
after = weight * 2
reveal(after)
torch.set_grad_enabled(True)
with ExitStack() as stack, torch.no_grad():
    stack.enter_context(torch.set_grad_enabled(True))
after = weight**2
reveal(after)
