# What `eval` gives may have been computed from anything, though it is handed a string.
import torch

named, looked_up = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
(eval("named") * torch.ones(2)).sum().backward()
(globals()["looked_up"] * torch.ones(2)).sum().backward()
reveal(named)
reveal(looked_up)
