# What is set on a tensor under a name that torch does not know was taken for a method.
import torch

base = torch.ones(2)
base.other = base * base
reveal(isinstance(base.other, torch.Tensor))
