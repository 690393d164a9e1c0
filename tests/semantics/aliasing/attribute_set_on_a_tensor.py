# What is set on a tensor under a name that torch does not know was taken for a method.
import torch

base = torch.ones(2)
setattr(base, "other", base * base)
found = getattr(base, "other")
reveal(isinstance(found, torch.Tensor))
