"""Pieces of programs that have modules and functions of their own, hooks, transforms and gradients of gradients."""

from __future__ import annotations

RECIPES = """
3
class <new>(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(2, 2))
        self.register_buffer('seen', torch.zeros(2, 2))
    def forward(self, x):
        <body>
        return self.layer(x) * self.scale
<new1> = <new>()
<new2> = <new1>(<x>)

2
class <new>(nn.Module):
    def __init__(self, width=2, depth=2, **options):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.act = <act>
        self.heads = nn.ModuleDict({'a': nn.Linear(width, 1), 'b': <layer>})
        self.bias = nn.Parameter(torch.zeros(width), requires_grad=<cond>)
    def forward(self, x, mask=None):
        for layer in self.layers:
            x = self.act(layer(x))
        if mask is not None:
            x = x * mask
        return {'a': self.heads['a'](x), 'x': x + self.bias}
<new1> = <new>(depth=1)
<new2> = <new1>(<x>)
<new3> = <new1>(<x>, mask=<x1>)['x']
<new4> = <loss <new3>>
<new4>.backward()

1
class <new>(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weights = nn.ParameterList([nn.Parameter(torch.randn(size, size)) for _ in range(2)])
        self.table = nn.ParameterDict({'w': nn.Parameter(torch.randn(size, size))})
    def forward(self, x):
        for weight in self.weights:
            x = <like x @ weight>
        return x @ self.table['w']
class <new1>(<new>):
    def __init__(self):
        super().__init__(2)
        self.extra = <layer>
    def forward(self, x):
        out = super().forward(x)
        return <like out>
<new2> = <new1>()
<new3> = <new2>(<x>)
<new4> = [name for name, value in <new2>.named_parameters()]
<new5> = sum(p.numel() for p in <new2>.parameters())

1
class <new>(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.save_for_backward(x)
        ctx.by = by
        return <like x.detach()>
    @staticmethod
    def backward(ctx, gradient):
        x, = ctx.saved_tensors
        return gradient * ctx.by * x, None
<new1> = <new>.apply(<x>, 2.0)
<new2> = <loss <new1>>

1
class <new>(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_non_differentiable(y)
        return x.clone(), y
    @staticmethod
    def backward(ctx, gradient, other):
        return gradient, None
<new1>, <new2> = <new>.apply(<x>, torch.tensor([1, 2]))

1
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
<new> = nn.Sequential(nn.Linear(2, 2), <act>, nn.Linear(2, 2))
<new1> = checkpoint(<new>, <x>, use_reentrant=<cond>)
<new2> = checkpoint(lambda value: <like value>, <x1>, use_reentrant=False)
<new3> = checkpoint_sequential(<new>, 2, <x>, use_reentrant=False)
<new4> = <loss <new1> + <new2>>

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = <new>.register_hook(lambda gradient: gradient * 2)
<new2> = <like <new>>
<new2>.retain_grad()
<new2>.register_hook(print)
<new>.register_post_accumulate_grad_hook(lambda leaf: None)
<loss <new2>>.backward()
<new3> = <new2>.grad
<new4> = <new>.grad
<new1>.remove()

1
<new> = nn.Linear(2, 2)
<new1> = {}
def <new2>(module, given, result):
    <new1>['out'] = result.detach()
def <new3>(module, given):
    return (<like given[0]>,)
<new4> = <new>.register_forward_hook(<new2>)
<new5> = <new>.register_forward_pre_hook(<new3>)
<new>.register_full_backward_hook(lambda module, given, result: None)
<new6> = <new>(<x>)
<new4>.remove()
<loss <new6>>.backward()

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = <loss <new>>
(<new2>,) = torch.autograd.grad(<new1>, [<new>], create_graph=True)
<new3> = <loss <new2>> + <loss <new>>
<new3>.backward()
<new4> = torch.autograd.grad(<loss <new>>, <new>, retain_graph=True, allow_unused=True)[0]

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = <like <new>>
<new1>.sum().backward(retain_graph=True)
<new1>.sum().backward(retain_graph=True)
<new1>.sum().backward()
try:
    <new1>.sum().backward()
    print('went well')
except RuntimeError as error:
    print(error)

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = <new>.exp()
<new2> = <new1> ** 2
<new3> = <loss <new2>>
<new3>.backward(retain_graph=True)
<new3>.backward()
try:
    <new3>.backward(retain_graph=True)
    print('went well')
except RuntimeError as error:
    print(error)

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = <new>.exp()
<new1>.add_(1.0)
try:
    <new1>.sum().backward()
    print('went well')
except RuntimeError as error:
    print(error)

1
<new> = torch.rand(2, 2)
<new1> = <handle <new>>
<new2> = <handle <new1>>
<new3> = torch.randn(2, 2, requires_grad=True)
<new4> = <new3> * <handle <new1>>.view(2, 2)
if <cond>:
    <new>.data = <handle <new2>>.view(2, 2)
<handle <new2>>.add_(1.0)
try:
    <loss <new4>>.backward()
    print('went well')
except RuntimeError as error:
    print(error)

1
<new> = torch.rand(2, 2)
<new1> = <handle <new>>.view(2, 2)
<new2> = torch.randn(2, 2, requires_grad=True)
<new3> = <handle <new1>>.view(2, 2)
<handle <new3>>.view(2, 2).mul_(<new2>)
<new4> = <new2> * <new1>
<handle <new>>.add_(1.0)
try:
    (<loss <new4>> + <loss (<new2> * <new3>)>).backward()
    print('went well')
except RuntimeError as error:
    print(error)

1
<new> = torch.randn(2, 2, requires_grad=True)
<new1> = <new>.sigmoid()
<new1>.data.mul_(2.0)
<new1>.sum().backward()

1
from torch.func import functional_call, grad, grad_and_value, vmap
<new> = nn.Linear(2, 2)
<new1> = dict(<new>.named_parameters())
<new2> = functional_call(<new>, <new1>, (<x>,))
<new3> = grad(lambda value: <loss value>)(<x>)
<new4> = vmap(lambda value: <like value>)(<x>)
<new5>, <new6> = grad_and_value(lambda value: <loss value>)(<x>)

1
from torch.autograd.functional import hessian, jacobian, jvp, vjp
<new> = jacobian(lambda value: <like value>, <x>)
<new1> = hessian(lambda value: value.pow(2).sum(), <x>)
<new2>, <new3> = vjp(lambda value: <like value>, <x>, torch.ones(2, 2))
<new4> = torch.func.jacrev(lambda value: <like value>)(<x>)

1
import torch.nn.utils.parametrize as parametrize
class <new>(nn.Module):
    def forward(self, weight):
        return <like weight>
<new1> = nn.Linear(2, 2)
parametrize.register_parametrization(<new1>, 'weight', <new>())
<new2> = <new1>(<x>)
<new3> = <new1>.weight

1
<new> = <x>.detach().clone()
<new>.requires_grad = True
<new1> = <new>.view(-1)
<new2> = <new>[0]
with torch.no_grad():
    <new2>.add_(1.0)
    <new1>[0] = 2.0
<new>.grad = torch.zeros_like(<new>)
<new>.grad += 1
<new3> = <new>.numpy(force=True)
<new4> = torch.from_numpy(<new3>)

1
<new> = torch.distributions.Normal(<x>, torch.ones(2, 2))
<new1> = <new>.sample()
<new2> = <new>.rsample()
<new3> = <new>.log_prob(<new1>).sum()
<new4> = torch.distributions.Categorical(logits=<x1>)
<new5> = <new4>.log_prob(<new4>.sample())

1
<new> = torch.inference_mode()
with <new>:
    <new1> = torch.randn(2, 2)
    with torch.enable_grad():
        <new2> = <like <new1>>
    with torch.inference_mode(False):
        <new3> = torch.randn(2, 2, requires_grad=True)
        <new4> = <like <new3>>
        with torch.inference_mode():
            <new5> = <like <new3>>
<new6> = <new1>.clone()
with torch.no_grad():
    torch.set_grad_enabled(True)
    <new7> = <like <x>>
    with torch.inference_mode(False):
        <new8> = <like <x>>

1
@torch.enable_grad()
def <new>(value):
    return <like value>
@torch.no_grad()
def <new1>(value):
    return <new>(value), <like value>
<new2>, <new3> = <new1>(<x>)
torch.set_grad_enabled(False)
torch.set_grad_enabled(False)
<new4>, <new5> = <new1>(<x>)
with torch.no_grad():
    <new6> = <new>(<x>)
@torch.no_grad()
def <new7>(value):
    return <like value>
<new8> = <new7>(<x>)
torch.set_grad_enabled(True)
torch.set_grad_enabled(True)
with torch.enable_grad():
    <new9> = <new>(<x>)

1
<new> = nn.LSTM(2, 2)
<new1>, (<new2>, <new3>) = <new>(torch.randn(3, 1, 2))
<new4> = None
for <new5> in torch.randn(3, 1, 2):
    <new6>, <new4> = <new>(<new5>.unsqueeze(0), <new4>)
    <new4> = tuple(state.detach() for state in <new4>)
    <loss <new6>>.backward()

1
<new> = nn.Embedding(4, 2)
<new1> = nn.MultiheadAttention(2, 1)
<new2> = <new>(torch.tensor([[0, 1], [2, 3]]))
<new3>, <new4> = <new1>(<new2>, <new2>, <new2>)
with torch.no_grad():
    <new>.weight[0].fill_(0)
<new5> = F.cross_entropy(<new3>.reshape(-1, 2), torch.tensor([0, 1, 0, 1]))
<new5>.backward()

1
<new> = nn.Linear(2, 2)
<new1> = <new>.weight
<new>.weight = nn.Parameter(torch.zeros(2, 2))
<new>.bias = None
<new>.register_parameter('gain', nn.Parameter(torch.ones(2)))
<new>.register_buffer('steps', torch.tensor(0), persistent=False)
<new>.steps += 1
<new>.apply(lambda module: None)
nn.init.xavier_uniform_(<new>.weight)
nn.init.normal_(<new>.gain, 0.0, 0.1)
<new2> = list(<new>.children()) + list(<new>.modules())
<new3> = <new>(<x>) * <new>.gain
"""
