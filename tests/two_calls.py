"""Programs that call one helper twice, for the law that a summary serves no call that differs from the first."""

from __future__ import annotations

START = """import torch
from torch import nn

seed = torch.ones(2, requires_grad=True)
other = torch.ones(2, requires_grad=True)
net = nn.Linear(2, 2)
held = []


class Box:
    def __init__(self):
        self.kept = torch.ones(2)


def backed(x):
    x.backward()
    return x


def kept(x):
    x.backward(retain_graph=True)
    return x


def filled(x):
    (x * 2).sum().backward()
    return x


def cleared(x):
    x.grad = None
    return x


def under_no_grad(x):
    with torch.no_grad():
        return x * 2


def under_inference():
    with torch.inference_mode():
        return torch.ones(2)


def retaining(x):
    x.retain_grad()
    return x


def given(x, g):
    x.grad = g
    return x


def copied(x):
    y = torch.zeros(2)
    y.copy_(x)
    return y


def stale(x):
    y = x.exp()
    x.add_(1)
    return x

"""

ARGUMENTS = {
    "plain": "torch.ones(2)",
    "integer": "torch.tensor([1, 2])",
    "leaf": "torch.ones(2, requires_grad=True)",
    "double": "torch.ones(2, requires_grad=True, dtype=torch.float64)",
    "half": "torch.ones(2, requires_grad=True, dtype=torch.float16)",
    "cuda": "torch.ones(2, requires_grad=True, device='cuda')",
    "product": "torch.ones(2, requires_grad=True) * 2",
    "of_seed": "seed * 2",
    "of_other": "other * 2",
    "scalar": "(seed * 2).sum()",
    "exp": "(seed * 2).sum().exp()",
    "exp_scalar": "(seed * 2).exp().sum()",
    "freed": "backed((seed * 2).exp().sum())",
    "kept": "kept((seed * 2).exp().sum())",
    "filled": "filled(torch.ones(2, requires_grad=True))",
    "cleared": "cleared(filled(torch.ones(2, requires_grad=True)))",
    "view": "torch.ones(2, requires_grad=True).view(2)",
    "seed_view": "(seed * 2)[0]",
    "detached": "torch.ones(2, requires_grad=True).detach()",
    "seed_data": "(seed * 2).data",
    "clone": "torch.ones(2, requires_grad=True).clone()",
    "moved": "torch.ones(2, requires_grad=True).double()",
    "nograd": "under_no_grad(seed)",
    "inference": "under_inference()",
    "retained": "retaining(torch.ones(2, requires_grad=True) * 2)",
    "parameter": "nn.Parameter(torch.ones(2))",
    "weight": "net.weight",
    "gradient": "filled(torch.ones(2, requires_grad=True)).grad",
    "given_grad": "given(torch.ones(2, requires_grad=True), torch.ones(2))",
    "copied": "copied(seed)",
    "stale": "stale((seed * 2).exp())",
    "list": "[torch.ones(2, requires_grad=True)]",
    "dict": "{'a': torch.ones(2, requires_grad=True)}",
    "unknown": "load()",
    "unknown_of": "make(seed)",
    "unknown_of_other": "make(other)",
    "box": "Box()",
}
"""Arguments that differ in some fact, or in the graph behind them."""

MADE = {
    "times": "return w * 2",
    "exp": "return (w * 2).exp()",
    "scalar": "return (w * 2).exp().sum()",
    "leaf": "return torch.ones(2, requires_grad=True)",
    "plain": "return torch.ones(2)",
    "detached": "return w.detach()",
    "view": "return (w * 2).view(-1)",
    "copied": "y = torch.zeros(2)\n    y.copy_(w)\n    return y",
    "itself": "return w",
    "gradient": "(w * 2).sum().backward()\n    return w.grad",
    "nograd": "with torch.no_grad():\n        return w * 2",
    "list": "return [w, w * 2]",
    "saved": "y = torch.ones(2)\n    held.append((w * y).sum())\n    return y",
    "retained": "y = w * 2\n    y.retain_grad()\n    return y",
    "unseen": "return make(w)",
    "parameter": "return nn.Parameter(w.detach())",
    "array": "return w.detach().numpy()",
    "box": "b = Box()\n    b.kept = w\n    return b",
    "deepest": "return [[[torch.ones(2)]]]",
    "alias": "y = w * 2\n    return [y, y.detach()]",
    "either": "return w if flag() else w * 2",
}
"""What makes both arguments, of two leaves: they differ in nothing."""

BETWEEN = {
    "": "",
    "backward": "backed({}.sum())",
    "save": "held.append(({} * seed).sum())",
    "exp": "held.append({}.exp().sum())",
    "alias": "alias = {}.detach()",
    "alias_data": "alias = {}.data\nheld.append((alias * other).sum())",
    "sgd": "sgd = torch.optim.SGD([{}], lr=0.1)",
    "unseen": "look({})",
    "first_save": "held.append(({}[0] * seed).sum())",
    "first_retain": "{}[0].retain_grad()",
    "deep_set": "{}[0][0][0] = torch.ones(2, requires_grad=True)",
    "write": "{}.data.zero_()",
    "grad": "({} * 2).sum().backward()\nalias = {}.grad",
}
"""What happens to one of the arguments before the calls."""

BODIES = {
    "double": "return x.double()",
    "float": "return x.float()",
    "long": "return x.long()",
    "cuda": "return x.to('cuda')",
    "to_dtype": "return x.to(torch.float32)",
    "view": "return x.view(-1)",
    "reshape": "return x.reshape(-1)",
    "add_": "x.add_(1)\n    return x",
    "view_add_": "x.view(-1).mul_(2)\n    return x * 2",
    "data_add_": "x.data.add_(1)\n    return x * 3",
    "detach_add_": "x.detach().zero_()\n    return 1",
    "numpy": "return x.numpy()",
    "numpy_write": "x.detach().numpy()[0] = 1\n    return x * 2",
    "item": "return x.item()",
    "data": "return x.data",
    "detach": "return x.detach()",
    "clone": "return x.clone()",
    "retain": "x.retain_grad()\n    return x",
    "require": "return x.requires_grad_()",
    "freeze": "x.requires_grad_(False)\n    return x",
    "backward": "x.sum().backward()",
    "backward_kept": "x.sum().backward(retain_graph=True)\n    return 1",
    "grad_of": "return torch.autograd.grad(x.sum(), seed, allow_unused=True)",
    "second": "torch.autograd.grad(x.sum(), seed, retain_graph=True)\n    return torch.autograd.grad(x.sum(), seed)",
    "read_grad": "return x.grad",
    "read_grad_norm": "return x.grad.norm()",
    "clear": "x.grad = None\n    return x",
    "grad_zero": "x.grad.zero_()\n    return 1",
    "cut": "return torch.tensor(x)",
    "times": "return x * 2",
    "exp": "return (x * 2).exp()",
    "is_leaf": "return 1 if x.is_leaf else x * 2",
    "hook": "x.register_hook(lambda g: g)\n    return x * 2",
    "deepcopy": "import copy\n    return copy.deepcopy(x)",
    "first": "return x[0] * 2",
    "first_set": "x[0] = 1\n    return x",
    "where": "return torch.where(x > 0, x.sqrt(), x)",
    "nograd": "with torch.no_grad():\n        x.mul_(2)\n    return x * 1",
    "copy_": "x.copy_(seed)\n    return x * 1",
    "unseen": "look(x)\n    return x * 2",
    "second_backward": "x[1].sum().backward()",
    "detach_write_twice": "y = x.detach()\n    y.zero_()\n    y.zero_()\n    return 1",
    "deep": "return x[0][0][0]",
    "fill": "x.grad = torch.zeros(2)\n    return 1",
    "no_write": "with torch.no_grad():\n        x.zero_()\n    return 1",
    "write_maybe": "if flag():\n        x.data.zero_()\n    return x",
    "unseen_back": "go(x).backward()\n    return 1",
    "step": "sgd = torch.optim.SGD([x], lr=0.1)\n    sgd.step()\n    return 1",
    "key": "return x['a'] * 2",
    "attribute": "return x.kept",
}
"""What the helper does."""

AFTER = {
    "": "",
    "backward": "torch.as_tensor(second).sum().backward()\nreveal(two.grad)\nprint(two.grad.norm())\n",
    "all": "held.append(two)\nprint(seed.grad.norm())\nfor each in held:\n    each.sum().backward()\n",
    "third": "f(two)\nreveal(f(torch.ones(2, requires_grad=True)))\nf(one)\nfor each in held:\n    each.backward()\n",
}
"""What happens when both calls have been made."""


def of_two_arguments(one: str, two: str, body: str, after: str = "") -> str:
    """Both arguments are made for themselves."""
    return _program(f"one = {ARGUMENTS[one]}\ntwo = {ARGUMENTS[two]}\n", body, after)


def of_one_kind(made: str, between: str, to: str, body: str, after: str = "") -> str:
    """Both arguments are made by one function, and then something happens `to` one of them."""
    change = BETWEEN[between].replace("{}", to)
    return _program(f"def made(w):\n    {MADE[made]}\n\n\none = made(seed)\ntwo = made(other)\n{change}\n", body, after)


def _program(arguments: str, body: str, after: str) -> str:
    shown = "".join(f"reveal({name})\n" for name in ("one", "two", "first", "second", "seed", "other"))
    calls = "first = f(one)\nreveal(one)\nsecond = f(two)\n"
    return f"{START}\ndef f(x):\n    {BODIES[body]}\n\n\n{arguments}{calls}{shown}{AFTER[after]}"
