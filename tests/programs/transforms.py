"""Functions that run modules and functions: checkpoints, functional calls, vmap, compile, tracing, DataParallel."""

import torch
from torch import nn
from torch.func import functional_call, vmap
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

x = torch.ones(2, 2, requires_grad=True)
plain = torch.ones(2, 2)
lin = nn.Linear(2, 2)
reveal(checkpoint(lin, plain, use_reentrant=False))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(checkpoint(lin, x, use_reentrant=True))  # Tensor[float, requires_grad=yes, leaf=no]


def f(a, b):
    return a * b, a


reveal(checkpoint(f, x, plain, use_reentrant=False)[0])  # Tensor[float, requires_grad=yes, leaf=no]
seq = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
reveal(checkpoint_sequential(seq, 2, x, use_reentrant=False))  # Tensor[float, requires_grad=yes, leaf=no]
params = dict(lin.named_parameters())
reveal(functional_call(lin, params, (plain,)))  # Tensor[float, requires_grad=yes, leaf=no]
det = {k: v.detach() for k, v in lin.named_parameters()}
reveal(functional_call(lin, det, plain))  # Tensor[float, requires_grad=no, leaf=yes]
reveal(vmap(lambda t: t * 2)(x))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(vmap(lin)(plain))  # Tensor[float, requires_grad=yes, leaf=no]
compiled = torch.compile(lin, backend="eager")
reveal(compiled)  # Module[torch.nn.Linear, mode=train]
reveal(compiled(plain))  # Tensor[float, requires_grad=yes, leaf=no]


@torch.compile(backend="eager")
def step(a):
    return a * 2


reveal(step(x))  # Tensor[float, requires_grad=yes, leaf=no]
sm = torch.jit.script(lin)
reveal(sm(plain))  # Tensor[float, requires_grad=yes, leaf=no]
tm = torch.jit.trace(lin, plain)
reveal(tm(plain))  # Tensor[float, requires_grad=yes, leaf=no]
dp = nn.DataParallel(lin)
reveal(dp.module)  # Module[torch.nn.Linear, mode=train]
reveal(dp.module.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(dp(plain))  # Tensor[float, requires_grad=yes, leaf=no]
for n, p in dp.named_parameters():
    reveal(p)  # Tensor[float, requires_grad=yes, leaf=yes]
lazy = nn.LazyLinear(3)
reveal(lazy)  # Module[torch.nn.LazyLinear, mode=train]
reveal(lazy(plain))  # Tensor[float, requires_grad=yes, leaf=no]
reveal(lazy.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
ident = nn.Identity()
reveal(ident(x))  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(ident(plain))  # Tensor[float, requires_grad=no, leaf=yes]
