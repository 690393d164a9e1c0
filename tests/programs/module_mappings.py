"""ModuleDict, ParameterList and ParameterDict: their parts by key, their views, and tensors that become parameters."""

import torch
from torch import nn

x = torch.ones(2, 2)
heads = nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.ReLU()})
reveal(heads["a"])  # Module[torch.nn.Linear, mode=train]
reveal(heads["a"].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(heads.b)  # Module[torch.nn.ReLU, mode=train]
heads["c"] = nn.Linear(2, 3)
reveal(heads["c"].weight)  # Tensor[float, requires_grad=yes, leaf=yes]
heads.update({"d": nn.Tanh()})
reveal(heads["d"])  # Module[torch.nn.Tanh, mode=train]
for key in heads:
    reveal(key)  # 'a' or 'b' or 'c' or 'd'
    reveal(heads[key])  # Module[?, mode=train]
for key, part in heads.items():
    reveal(key)  # 'a' or 'b' or 'c' or 'd'
    reveal(part)  # Module[?, mode=train]
for part in heads.values():
    reveal(part(x))  # Tensor[float, requires_grad=no|yes, leaf=no|yes]
if "e" in heads:
    raise KeyError("e")
del heads["d"]
reveal(heads.pop("c"))  # Module[torch.nn.Linear, mode=train]
grown = nn.ModuleDict()
for key in ["u", "v"]:
    grown[key] = nn.Linear(2, 2)
reveal(grown["u"])  # Module[torch.nn.Linear, mode=train]
reveal(grown["v"](x))  # Tensor[float, requires_grad=yes, leaf=no]

several = nn.ParameterList([nn.Parameter(torch.ones(2)) for _ in range(2)])
reveal(several[0])  # Tensor[float, requires_grad=yes, leaf=yes]
for scale in several:
    reveal(scale)  # Tensor[float, requires_grad=yes, leaf=yes]
several.append(torch.ones(3))
reveal(several[-1])  # Tensor[float, requires_grad=yes, leaf=yes]
for scale in several.parameters():
    reveal(scale)  # Tensor[float, requires_grad=yes, leaf=yes]
by_name = nn.ParameterDict({"a": nn.Parameter(torch.ones(2), requires_grad=False), "b": torch.ones(2)})
reveal(by_name["a"])  # Tensor[float, requires_grad=no, leaf=yes]
reveal(by_name["b"])  # Tensor[float, requires_grad=yes, leaf=yes]
by_name["c"] = torch.ones(2)
reveal(by_name["c"])  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(by_name.b)  # Tensor[float, requires_grad=yes, leaf=yes]
reveal(by_name.get("z"))  # None
for key, scale in by_name.items():
    reveal(key)  # 'a' or 'b' or 'c'
    reveal(scale)  # Tensor[float, requires_grad=no|yes, leaf=yes]
