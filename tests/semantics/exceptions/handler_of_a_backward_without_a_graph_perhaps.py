# todo: backward() of what may lack a graph (its flag is unknown) is taken to go well, so its handler is never run.
import torch

weight = torch.ones(2, requires_grad=True)
weight.requires_grad_(eval("False"))
out = weight.tanh()
try:
    out.sum().backward()
except RuntimeError:
    reveal(weight)
