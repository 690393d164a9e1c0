# Where `reshape` has to copy under no_grad, its result does not keep the flag of what it would be a view of.
import torch

weight = torch.ones(2, 2, requires_grad=True)
with torch.no_grad():
    copied = weight.t().reshape(-1)
    viewed = weight.reshape(-1)
    rows = weight.t()
    reveal(copied, viewed, rows)
