"""What generated programs are written in: templates of statements, each with how often it is taken.

A template's slots are filled from what the program holds at that point, by torch's own word:

* `{new}` a name that is not bound yet;
* `{t}` any tensor, `{f}` one of floating point numbers, `{g}` one of these that requires grad, `{leaf}` a leaf among
  them, `{q}` one that does not require grad, `{n}` a non-leaf, `{s}` a scalar that requires grad, `{i}` one of
  integers, `{w}` one with a gradient;
* `{m}` a module, `{o}` an optimizer, `{d}` a dictionary of tensors, `{l}` a list of tensors, `{p}` a parameter,
  `{sc}` a GradScaler.

A digit behind a slot tells two of a kind apart: `{t1} + {t2}`. What does not run is not kept, unless autograd refuses.
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

SIMPLE: tuple[tuple[int, str], ...] = (
    # tensors
    (6, "{new} = torch.randn(2, 2, requires_grad=True)"),
    (3, "{new} = torch.randn(2, 2)"),
    (1, "{new} = torch.ones(2, 2)"),
    (1, "{new} = torch.zeros(2, 2, requires_grad=True)"),
    (1, "{new} = torch.full((2, 2), 0.5, requires_grad=True)"),
    (1, "{new} = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)"),
    (1, "{new} = torch.tensor([[1, 2], [3, 4]])"),
    (1, "{new} = torch.tensor([True, False])"),
    (1, "{new} = torch.arange(4)"),
    (1, "{new} = torch.eye(2)"),
    (1, "{new} = torch.randint(0, 3, (2, 2))"),
    (1, "{new} = nn.Parameter(torch.randn(2, 2))"),
    (1, "{new} = nn.Parameter({f}.detach())"),
    (1, "{new} = torch.zeros_like({f}, requires_grad=True)"),
    (1, "{new} = torch.rand_like({t})"),
    (1, "{new} = torch.ones(2, 2, dtype=torch.complex64, requires_grad=True)"),
    (1, "{new} = torch.ones(2, 2, dtype=torch.long, requires_grad=True)"),
    # arithmetic
    (5, "{new} = {f1} * {f2}"),
    (4, "{new} = {f1} + {f2}"),
    (3, "{new} = {f1} @ {f2}"),
    (2, "{new} = {f1} - 0.5 * {f2}"),
    (2, "{new} = ({f1} - {f2}).pow(2).mean()"),
    (2, "{new} = {f}.sum()"),
    (1, "{new} = -{f}"),
    (1, "{new} = {f} ** 2"),
    (1, "{new} = {t} > 0"),
    (1, "{new} = F.mse_loss({f1}, {f2})"),
    (1, "{new} = torch.where({t1} > 0, {f1}, {f2})"),
    (1, "{new} = torch.stack([{f1}, {f2}]).mean()"),
    (1, "{new} = torch.cat([{f1}, {f2}])"),
    (1, "{new} = [{f1}, {f2}]"),
    (1, "{new} = {f}.softmax(-1) if random.random() < 0.5 else {f}.tanh()"),
    # flags
    (3, "{t}.requires_grad_()"),
    (1, "{t}.requires_grad_(False)"),
    (2, "{t}.requires_grad = True"),
    (1, "{t}.requires_grad = False"),
    (2, "{t}.retain_grad()"),
    (2, "{new} = {t}.detach()"),
    (1, "{t}.detach_()"),
    (1, "{new} = {t}.data"),
    (1, "{new} = {t}.clone()"),
    (1, "{new} = {t}.detach().clone()"),
    (1, "{new} = {f}.detach().requires_grad_()"),
    (1, "{new} = copy.deepcopy({t})"),
    (1, "{new} = torch.tensor({q})"),
    (1, "{new} = {q}.numpy()"),
    (1, "{new} = {f}.item()"),
    (1, "{new} = {t}.float()"),
    (1, "{new} = {t}.double()"),
    (1, "{new} = {t}.to(torch.float64)"),
    (1, "{new} = {t}.long()"),
    # views
    (2, "{new} = {t}[0]"),
    (1, "{new} = {t}.view(-1)"),
    (1, "{new} = {t}.t()"),
    (1, "{new} = {t}.reshape(-1)"),
    (1, "{new} = {t}.flatten()"),
    (1, "{new}, {new1} = {t}.unbind()"),
    (1, "{new}, {new1} = {t}.chunk(2)"),
    (1, "{new} = {t}[[0, 1]]"),
    (1, "{new} = {t}.expand(2, 2, 2)"),
    # in place
    (3, "{f1}.add_({f2})"),
    (2, "{f1}.mul_({f2})"),
    (2, "{f} += 1.0"),
    (1, "{f1} *= {f2}"),
    (1, "{f}.zero_()"),
    (1, "{f}.relu_()"),
    (1, "{f}.exp_()"),
    (1, "{t}[0] = 1.0"),
    (1, "{f1}[0] = {f2}[0]"),
    (1, "{t}.fill_(1)"),
    (1, "{f1}.copy_({f2})"),
    (1, "{f}.data.mul_(0.5)"),
    (1, "{f}.detach().add_(1.0)"),
    (1, "{f}.data = {f1}.data.clone()"),
    (1, "nn.init.zeros_({f})"),
    # backward
    (5, "{f}.sum().backward()"),
    (3, "({f1} * {f2}).sum().backward()"),
    (3, "{s}.backward()"),
    (2, "{s}.backward(retain_graph=True)"),
    (1, "{f}.backward(torch.ones_like({f}))"),
    (1, "{f}.backward()"),
    (1, "({new},) = torch.autograd.grad({f}.sum(), [{g}])"),
    (1, "{new} = torch.autograd.grad({f}.sum(), {leaf}, create_graph=True)[0]"),
    (1, "{new} = torch.autograd.grad(({leaf} * {f}).sum(), {leaf}, allow_unused=True)[0]"),
    # gradients
    (2, "{new} = {leaf}.grad"),
    (1, "{new} = {n}.grad"),
    (1, "{new} = {w}.grad * 2"),
    (1, "{new} = {w}.grad.clone()"),
    (2, "{leaf}.grad = None"),
    (1, "{w}.grad.zero_()"),
    (1, "{leaf}.grad = torch.ones_like({leaf})"),
    # modules and optimizers
    (3, "{new} = nn.Linear(2, 2)"),
    (1, "{new} = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))"),
    (1, "{new} = nn.Dropout(0.5)"),
    (1, "{new} = nn.BatchNorm1d(2)"),
    (4, "{new} = {m}({f})"),
    (2, "{new} = {m}({f}).sum()"),
    (1, "{m}.eval()"),
    (1, "{m}.train()"),
    (1, "{m}.requires_grad_(False)"),
    (1, "{m}.requires_grad_(True)"),
    (1, "{m}.zero_grad()"),
    (1, "{m}.double()"),
    (1, "{new} = list({m}.parameters())"),
    (1, "{new} = {m}.state_dict()"),
    (1, "{m}.load_state_dict({m}.state_dict())"),
    (1, "{new} = copy.deepcopy({m})"),
    (2, "{new} = torch.optim.SGD({m}.parameters(), lr=0.1)"),
    (2, "{new} = torch.optim.SGD([{leaf}], lr=0.1)"),
    (1, "{new} = torch.optim.Adam([{leaf}, {f}], lr=0.1)"),
    (1, "{new} = torch.optim.AdamW({m}.parameters())"),
    (3, "{o}.step()"),
    (2, "{o}.zero_grad()"),
    (1, "{o}.zero_grad(set_to_none=False)"),
    (1, "nn.utils.clip_grad_norm_({m}.parameters(), 1.0)"),
    (1, "{new} = torch.amp.GradScaler('cpu')"),
    (1, "{sc}.scale({s}).backward()"),
    (1, "{sc}.unscale_({o})"),
    (1, "{sc}.step({o})"),
    (1, "{sc}.update()"),
    # containers
    (2, "{new} = {{'a': {t1}, 'b': {t2}}}"),
    (1, "{new} = OrderedDict(a={t1}, b={t2})"),
    (1, "{new} = [{t1}, {t2}]"),
    (1, "{new} = ({t1}, {t2})"),
    (1, "{new} = {{'a': {{'b': {t}}}}}"),
    (1, "{d}['a'] = {t}"),
    (1, "{d}['a'] = {d}['b'] * 2"),
    (1, "{new} = {d}['a']"),
    (1, "{d}['a'].add_(1.0)"),
    (1, "{d}['b'].requires_grad_()"),
    (1, "{new} = dict({d})"),
    (1, "{new} = copy.deepcopy({d})"),
    (1, "{new} = {d}.pop('a')"),
    (1, "{d}.update(c={t})"),
    (1, "{new} = {l}[0]"),
    (1, "{l}.append({t})"),
    (1, "{l}[0] = {t}"),
    (1, "{new} = sum({l})"),
    (1, "{new} = [each * 2 for each in {l}]"),
    (1, "{new} = {{key: value.detach() for key, value in {d}.items()}}"),
    (1, "{new} = {{key: value.clone().requires_grad_() for key, value in {d}.items()}}"),
    # names
    (1, "{new} = {t}"),
    (1, "del {t}"),
    (1, "{t1} = {t2}"),
    (1, "{f} = {f} * 2"),
    (1, "{f} = {f}.detach()"),
    (1, "torch.set_grad_enabled(False)"),
    (1, "torch.set_grad_enabled(True)"),
)

HEADS: tuple[tuple[int, str], ...] = (
    (4, "with torch.no_grad():"),
    (1, "with torch.enable_grad():"),
    (1, "with torch.inference_mode():"),
    (1, "with torch.set_grad_enabled(False):"),
    (1, "with torch.autocast('cpu', dtype=torch.bfloat16):"),
    (5, "if random.random() < 0.5:"),
    (2, "if {t}.requires_grad:"),
    (1, "if {leaf}.grad is not None:"),
    (1, "if {t}.is_leaf:"),
    (4, "for {new} in range(2):"),
    (2, "for {new} in {l}:"),
    (1, "for {new}, {new1} in {d}.items():"),
    (1, "for {new} in {m}.parameters():"),
    (1, "for {new} in range(3):"),
    (1, "while random.random() < 0.4:"),
    (1, "try:"),
)
"""Heads of blocks; an `if` may have an `else`, a `try` always catches."""

DECORATORS: tuple[tuple[int, str], ...] = (
    (6, ""),
    (2, "@torch.no_grad()"),
    (1, "@torch.no_grad"),
    (1, "@torch.enable_grad()"),
    (1, "@torch.inference_mode()"),
)
