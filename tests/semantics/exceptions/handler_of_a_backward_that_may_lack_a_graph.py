# A backward of what may lack a graph may be refused: its handler is run, and the flag there is as it was before.
import torch

weight = torch.ones(2, requires_grad=True)
weight.requires_grad_(eval("False"))
out = weight.tanh()
try:
    out.sum().backward()
except RuntimeError:
    reveal(weight)
