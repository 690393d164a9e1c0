"""Weight norm, spectral norm, parametrizations and pruning compute a parameter from others."""

import copy
import torch
from torch import nn
from torch.nn.utils import weight_norm, spectral_norm, parametrizations, prune, parametrize

x = torch.ones(2, 2)
a = weight_norm(nn.Linear(2, 2))
reveal(a)  # Module[torch.nn.Linear, mode=train]
reveal(a(x))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(a.weight_g)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(a.weight_v)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(a.weight)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
b = spectral_norm(nn.Linear(2, 2))
reveal(b(x))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(b.weight)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
reveal(b.weight_orig)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(b.weight_u)  # Tensor[float, requires_grad=no, leaf=yes]
c = parametrizations.weight_norm(nn.Linear(2, 2))
reveal(c)  # Module[torch.nn.Linear, mode=train]
reveal(c.weight)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
reveal(c(x))  # Tensor[float, requires_grad=yes, leaf=no]
d = parametrizations.spectral_norm(nn.Linear(2, 2))
reveal(d.weight)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
e = nn.Linear(2, 2)


class Sym(nn.Module):
    def forward(self, X):
        return X.triu() + X.triu(1).transpose(-1, -2)


r = parametrize.register_parametrization(e, "weight", Sym())
reveal(r)  # Module[torch.nn.Linear, mode=train]
reveal(e.weight)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
reveal(e.parametrizations.weight.original)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(e(x))  # Tensor[float, requires_grad=yes, leaf=no]
f = prune.l1_unstructured(nn.Linear(2, 2), "weight", amount=0.5)
reveal(f)  # Module[torch.nn.Linear, mode=train]
reveal(f.weight)  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
reveal(f.weight_orig)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(f.weight_mask)  # Tensor[float, requires_grad=no, leaf=yes]
reveal(f(x))  # Tensor[float, requires_grad=yes, leaf=no]
prune.remove(f, "weight")
reveal(f.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
