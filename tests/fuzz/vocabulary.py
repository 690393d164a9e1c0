"""What generated programs are written in: templates of statements, each with how often it is taken.

A template's slots are filled from what the program holds at that point, by torch's own word:

* `<new>` a name that is not bound yet;
* `<t>` any tensor, `<f>` one of floating point numbers, `<x>` one of two by two of them, `<g>` one that requires grad,
  `<leaf>` a leaf among these, `<q>` one that does not require grad, `<n>` a non-leaf, `<s>` a scalar that requires
  grad, `<i>` one of integers, `<w>` one with a gradient;
* `<m>` a module, `<o>` an optimizer, `<lr>` a scheduler, `<d>` a dictionary of tensors, `<l>` a list of tensors, `<p>`
  a parameter, `<sc>` a GradScaler.

A digit behind a slot tells two of a kind apart: `<t1> + <t2>`. A slot that is named in `POOLS` is one of the
expressions there, made of what follows: `<like <f>>` may be `torch.sigmoid(v1)`. What does not run is not kept, unless
autograd refuses.
"""

from __future__ import annotations

IMPORTS = """\
import copy
import operator
import random
from collections import OrderedDict

import torch
import torch.nn as nn
import torch.nn.functional as F
"""

POOLS: dict[str, tuple[str, ...]] = {
    "like": (
        "_ * 2", "_ + 1.0", "1 - _", "torch.sigmoid(_)", "_.tanh()", "F.relu(_)", "_.exp().clamp(max=5.0)",
        "-_", "_ / 2",
        "_ - _.mean()", "torch.sin(_)", "_.clone()", "F.softplus(_)", "_.square()", "_ * _", "_.abs() + 0.1",
        "F.gelu(_)", "_.softmax(-1)", "F.dropout(_, 0.1)", "torch.where(_ > 0, _, 0.1 * _)", "torch.add(_, 1)",
        "_.mul(0.5).add(0.1)", "torch.cumsum(_, 0)", "F.layer_norm(_, _.shape)", "(_ + _.detach()) / 2",
    ),
    "loss": (
        "_.sum()", "_.mean()", "_.pow(2).mean()", "F.mse_loss(_, torch.zeros_like(_))", "(_ - 1).abs().sum()",
        "_.norm()", "F.smooth_l1_loss(_, torch.ones_like(_))", "torch.sum(_ * 0.5)", "_.square().sum().sqrt()",
        "torch.logsumexp(_.flatten(), 0)",
    ),
    "cond": (
        "random.random() < 0.5", "random.random() < 0.5", "torch.is_grad_enabled()", "random.random() < 0.2",
        "not torch.is_grad_enabled()", "random.random() > 0.5 and torch.is_grad_enabled()",
    ),
    "act": ("nn.ReLU()", "nn.Tanh()", "nn.GELU()", "nn.Sigmoid()", "nn.SiLU()", "nn.Identity()", "nn.Dropout(0.1)"),
    "layer": (
        "nn.Linear(2, 2)", "nn.Linear(2, 2, bias=False)", "nn.LayerNorm(2)", "nn.BatchNorm1d(2)",
        "nn.Sequential(nn.Linear(2, 2), nn.ReLU())", "nn.Linear(2, 2)",
    ),
    "opt": (
        "torch.optim.SGD(_, lr=0.1)", "torch.optim.Adam(_)", "torch.optim.AdamW(_, lr=1e-3)",
        "torch.optim.RMSprop(_)",
        "torch.optim.SGD(_, lr=0.1, momentum=0.9)", "torch.optim.Adagrad(_)", "torch.optim.Adamax(_)",
        "torch.optim.NAdam(_)", "torch.optim.RAdam(_)", "torch.optim.Adadelta(_)", "torch.optim.ASGD(_)",
        "torch.optim.Rprop(_)", "torch.optim.Adam(_, weight_decay=0.1)",
    ),
    "mode": (
        "torch.no_grad()", "torch.no_grad()", "torch.enable_grad()", "torch.inference_mode()",
        "torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)",
        "torch.autocast('cpu', dtype=torch.bfloat16)", "torch.autograd.set_grad_enabled(random.random() < 0.5)",
    ),
    "dec": (
        "torch.no_grad()", "torch.no_grad()", "torch.no_grad", "torch.enable_grad()", "torch.inference_mode()",
        "torch.inference_mode", "torch.set_grad_enabled(False)", "torch.autograd.enable_grad()",
    ),
    "make": (
        "torch.randn(2, 2)", "torch.rand(2, 2)", "torch.ones(2, 2)", "torch.randn(2, 2, requires_grad=True)",
        "torch.zeros(2, 2)", "torch.full((2, 2), 0.5)", "torch.eye(2)", "torch.randn(2, 2, requires_grad=True)",
        "nn.Parameter(torch.randn(2, 2))", "torch.tensor([[1.0, 2.0], [3.0, 4.0]])",
    ),
    "sign": ("+", "-", "*", "@", "/"),
    "handle": (
        "_", "_.data", "_.detach()", "_.view(-1)", "_.data.t()", "torch.from_numpy(_.numpy(force=True))",
        "copy.copy(_)", "nn.Parameter(_, requires_grad=False)", "_.data.detach()", "_",
    ),
}  # fmt: skip
"""Expressions that a slot may stand for; `_` is what the slot is given."""

SIMPLE: tuple[tuple[int, str], ...] = (
    # tensors
    (6, "<new> = torch.randn(2, 2, requires_grad=True)"),
    (3, "<new> = torch.randn(2, 2)"),
    (1, "<new> = torch.ones(2, 2)"),
    (1, "<new> = torch.zeros(2, 2, requires_grad=True)"),
    (1, "<new> = torch.full((2, 2), 0.5, requires_grad=True)"),
    (1, "<new> = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)"),
    (1, "<new> = torch.tensor([[1, 2], [3, 4]])"),
    (1, "<new> = torch.tensor([True, False])"),
    (1, "<new> = torch.arange(4)"),
    (1, "<new> = torch.eye(2)"),
    (1, "<new> = torch.randint(0, 3, (2, 2))"),
    (1, "<new> = nn.Parameter(torch.randn(2, 2))"),
    (1, "<new> = nn.Parameter(<f>.detach())"),
    (1, "<new> = torch.zeros_like(<f>, requires_grad=True)"),
    (1, "<new> = torch.rand_like(<t>)"),
    (1, "<new> = torch.ones(2, 2, dtype=torch.complex64, requires_grad=True)"),
    (1, "<new> = torch.ones(2, 2, dtype=torch.long, requires_grad=True)"),
    # arithmetic
    (5, "<new> = <f1> * <f2>"),
    (4, "<new> = <f1> + <f2>"),
    (3, "<new> = <f1> @ <f2>"),
    (2, "<new> = <f1> - 0.5 * <f2>"),
    (2, "<new> = (<f1> - <f2>).pow(2).mean()"),
    (2, "<new> = <f>.sum()"),
    (1, "<new> = -<f>"),
    (1, "<new> = <f> ** 2"),
    (1, "<new> = <t> > 0"),
    (1, "<new> = F.mse_loss(<f1>, <f2>)"),
    (1, "<new> = torch.where(<t1> > 0, <f1>, <f2>)"),
    (1, "<new> = torch.stack([<f1>, <f2>]).mean()"),
    (1, "<new> = torch.cat([<f1>, <f2>])"),
    (1, "<new> = [<f1>, <f2>]"),
    (1, "<new> = <f>.softmax(-1) if random.random() < 0.5 else <f>.tanh()"),
    # flags
    (3, "<t>.requires_grad_()"),
    (1, "<t>.requires_grad_(False)"),
    (2, "<t>.requires_grad = True"),
    (1, "<t>.requires_grad = False"),
    (2, "<t>.retain_grad()"),
    (2, "<new> = <t>.detach()"),
    (1, "<t>.detach_()"),
    (1, "<new> = <t>.data"),
    (1, "<new> = <t>.clone()"),
    (1, "<new> = <t>.detach().clone()"),
    (1, "<new> = <f>.detach().requires_grad_()"),
    (1, "<new> = copy.deepcopy(<t>)"),
    (1, "<new> = torch.tensor(<q>)"),
    (1, "<new> = <q>.numpy()"),
    (1, "<new> = <f>.item()"),
    (1, "<new> = <t>.float()"),
    (1, "<new> = <t>.double()"),
    (1, "<new> = <t>.to(torch.float64)"),
    (1, "<new> = <t>.long()"),
    # views
    (2, "<new> = <t>[0]"),
    (1, "<new> = <t>.view(-1)"),
    (1, "<new> = <t>.t()"),
    (1, "<new> = <t>.reshape(-1)"),
    (1, "<new> = <t>.flatten()"),
    (1, "<new>, <new1> = <t>.unbind()"),
    (1, "<new>, <new1> = <t>.chunk(2)"),
    (1, "<new> = <t>[[0, 1]]"),
    (1, "<new> = <t>.expand(2, 2, 2)"),
    # in place
    (3, "<f1>.add_(<f2>)"),
    (2, "<f1>.mul_(<f2>)"),
    (1, "<f1>.mul_(<f1>)"),
    (1, "<f1> /= <f1>.detach()"),
    (2, "<f> += 1.0"),
    (1, "<f1> *= <f2>"),
    (1, "<f>.zero_()"),
    (1, "<f>.relu_()"),
    (1, "<f>.exp_()"),
    (1, "<t>[0] = 1.0"),
    (1, "<f1>[0] = <f2>[0]"),
    (1, "<t>.fill_(1)"),
    (1, "<f1>.copy_(<f2>)"),
    (1, "<f>.data.mul_(0.5)"),
    (1, "<f>.detach().add_(1.0)"),
    (1, "<f>.data = <f1>.data.clone()"),
    (1, "nn.init.zeros_(<f>)"),
    # backward
    (5, "<f>.sum().backward()"),
    (3, "(<f1> * <f2>).sum().backward()"),
    (3, "<s>.backward()"),
    (2, "<s>.backward(retain_graph=True)"),
    (1, "<f>.backward(torch.ones_like(<f>))"),
    (1, "<f>.backward()"),
    (1, "(<new>,) = torch.autograd.grad(<f>.sum(), [<g>])"),
    (1, "<new> = torch.autograd.grad(<f>.sum(), <leaf>, create_graph=True)[0]"),
    (1, "<new> = torch.autograd.grad((<leaf> * <f>).sum(), <leaf>, allow_unused=True)[0]"),
    # gradients
    (2, "<new> = <leaf>.grad"),
    (1, "<new> = <n>.grad"),
    (1, "<new> = <w>.grad * 2"),
    (1, "<new> = <w>.grad.clone()"),
    (2, "<leaf>.grad = None"),
    (1, "<w>.grad.zero_()"),
    (1, "<leaf>.grad = torch.ones_like(<leaf>)"),
    # modules and optimizers
    (3, "<new> = nn.Linear(2, 2)"),
    (1, "<new> = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))"),
    (1, "<new> = nn.Dropout(0.5)"),
    (1, "<new> = nn.BatchNorm1d(2)"),
    (4, "<new> = <m>(<f>)"),
    (2, "<new> = <m>(<f>).sum()"),
    (1, "<m>.eval()"),
    (1, "<m>.train()"),
    (1, "<m>.requires_grad_(False)"),
    (1, "<m>.requires_grad_(True)"),
    (1, "<m>.zero_grad()"),
    (1, "<m>.double()"),
    (1, "<new> = list(<m>.parameters())"),
    (1, "<new> = <m>.state_dict()"),
    (1, "<m>.load_state_dict(<m>.state_dict())"),
    (1, "<new> = copy.deepcopy(<m>)"),
    (2, "<new> = torch.optim.SGD(<m>.parameters(), lr=0.1)"),
    (2, "<new> = torch.optim.SGD([<leaf>], lr=0.1)"),
    (1, "<new> = torch.optim.Adam([<leaf>, <f>], lr=0.1)"),
    (1, "<new> = torch.optim.AdamW(<m>.parameters())"),
    (3, "<o>.step()"),
    (2, "<o>.zero_grad()"),
    (1, "<o>.zero_grad(set_to_none=False)"),
    (1, "nn.utils.clip_grad_norm_(<m>.parameters(), 1.0)"),
    (1, "<new> = torch.amp.GradScaler('cpu')"),
    (1, "<sc>.scale(<s>).backward()"),
    (1, "<sc>.unscale_(<o>)"),
    (1, "<sc>.step(<o>)"),
    (1, "<sc>.update()"),
    # containers
    (2, "<new> = {'a': <t1>, 'b': {t2}}"),
    (1, "<new> = OrderedDict(a=<t1>, b=<t2>)"),
    (1, "<new> = [<t1>, <t2>]"),
    (1, "<new> = (<t1>, <t2>)"),
    (1, "<new> = {'a': {'b': {t}}}"),
    (1, "<d>['a'] = <t>"),
    (1, "<d>['a'] = <d>['b'] * 2"),
    (1, "<new> = <d>['a']"),
    (1, "<d>['a'].add_(1.0)"),
    (1, "<d>['b'].requires_grad_()"),
    (1, "<new> = dict(<d>)"),
    (1, "<new> = copy.deepcopy(<d>)"),
    (1, "<new> = <d>.pop('a')"),
    (1, "<d>.update(c=<t>)"),
    (1, "<new> = <l>[0]"),
    (1, "<l>.append(<t>)"),
    (1, "<l>[0] = <t>"),
    (1, "<new> = sum(<l>)"),
    (1, "<new> = [each * 2 for each in <l>]"),
    (1, "<new> = {key: value.detach() for key, value in <d>.items()}"),
    (1, "<new> = {key: value.clone().requires_grad_() for key, value in <d>.items()}"),
    # names
    (1, "<new> = <t>"),
    (1, "del <t>"),
    (1, "<t1> = <t2>"),
    (1, "<f> = <f> * 2"),
    (1, "<f> = <f>.detach()"),
    (1, "torch.set_grad_enabled(False)"),
    (1, "torch.set_grad_enabled(True)"),
)
