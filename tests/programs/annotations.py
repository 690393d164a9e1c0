"""Annotations tell what callers who are not shown hand over, and what calls give that are not understood."""

import pickle
from typing import Any, Dict, Iterable, List, Optional, Tuple, Union, cast

import numpy as np
import torch
from torch import Tensor, nn

Named = Dict[str, Tensor]


def containers(several: List[Tensor], pair: Tuple[Tensor, int], any_number: Tuple[Tensor, ...], named: Named):
    reveal(several[0])  # Tensor[?, requires_grad=?, leaf=?]
    reveal(pair[0])  # Tensor[?, requires_grad=?, leaf=?]
    reveal(pair[1])  # number[integer]
    reveal(any_number[1])  # Tensor[?, requires_grad=?, leaf=?]
    reveal(named["w"])  # Tensor[?, requires_grad=?, leaf=?]


def alternatives(either: Union[Tensor, int], perhaps: Optional[Tensor], new: "Tensor | None"):
    reveal(either)  # unknown
    reveal(perhaps)  # unknown
    reveal(new)  # unknown


def iterated(several: Iterable[Tensor]):
    for one in several:
        reveal(one)  # Tensor[?, requires_grad=?, leaf=?]


def of_classes(model: nn.Module, layer: nn.Linear, optimizer: torch.optim.Optimizer, anything: Any):
    reveal(model)  # Module[torch.nn.Module, mode=?]
    reveal(layer.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
    reveal(optimizer)  # Optimizer[?]
    reveal(anything)  # Instance[?]


def of_what_makes_them(weights: torch.tensor, numbers: np.array) -> torch.tensor:
    """Many name the function that makes a tensor where its class is meant."""
    reveal(weights)  # Tensor[?, requires_grad=?, leaf=?]
    reveal(torch.from_numpy(numbers))  # Tensor[?, requires_grad=no, leaf=yes]


def one_of_two_layers(module):
    if isinstance(module, (nn.Linear, nn.Conv2d)):
        reveal(module.weight)  # Tensor[float, requires_grad=yes, leaf=yes]


def made() -> Tensor:
    return pickle.loads(pickle.dumps(torch.ones(2)))


reveal(made())  # Tensor[?, requires_grad=?, leaf=?]
reveal(cast(Tensor, pickle.loads(pickle.dumps(torch.ones(2)))))  # Tensor[?, requires_grad=?, leaf=?]

x, layer = torch.ones(2), nn.Linear(2, 2)
unseen = globals()
unseen["containers"]([x], (x, 1), (x, x), {"w": x})
unseen["alternatives"](x, None, x)
unseen["iterated"]([x, x])
unseen["of_classes"](layer, layer, torch.optim.SGD(layer.parameters(), lr=0.1), x)
unseen["of_what_makes_them"](x, np.ones(2))
unseen["one_of_two_layers"](layer)
