import torch

from . import deep

shown = torch.ones(1, requires_grad=True)
_hidden = torch.zeros(2)
__all__ = ["shown", "_hidden"]
