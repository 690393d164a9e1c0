"""What annotations tell about parameters nobody was seen to hand over: the kind, not the facts."""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Dict, List, Optional, Tuple, Union

import torch
from torch import Tensor, nn

weight = torch.ones(3, requires_grad=True)


class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2


def tensors(a: Tensor, b: "Tensor", c: Optional[Tensor], d: Tensor | None, e: Union[Tensor, float], f: Tensor = None):
    reveal(a)  # Tensor[?, requires_grad=?, leaf=?]
    reveal(b)  # Tensor[?, requires_grad=?, leaf=?]
    if c is not None and d is not None and f is None:
        reveal(c)  # Tensor[?, requires_grad=?, leaf=?]
        reveal(d)  # Tensor[?, requires_grad=?, leaf=?]
    if isinstance(e, Tensor):
        reveal(e)  # Tensor[?, requires_grad=?, leaf=?]


def containers(
    a: list[Tensor],
    b: Dict[str, Tensor],
    c: tuple[Tensor, int],
    d: Tuple[Tensor, ...],
    e: Iterable[Tensor],
    f: Mapping[str, List[Tensor]],
    g: Iterator[Tensor],
    h: typing.Sequence[Tensor],
    *others: Tensor,
    **named: Tensor,
):
    reveal(a[0])  # Tensor[?, requires_grad=?, leaf=?]
    reveal(b["x"])  # Tensor[?, requires_grad=?, leaf=?]
    reveal(c[0])  # Tensor[?, requires_grad=?, leaf=?]
    reveal(c[1])  # number[integer]
    reveal(d[0])  # Tensor[?, requires_grad=?, leaf=?]
    for item in e:
        reveal(item)  # Tensor[?, requires_grad=?, leaf=?]
    reveal(f["a"][0])  # Tensor[?, requires_grad=?, leaf=?]
    reveal(next(g))  # Tensor[?, requires_grad=?, leaf=?]
    reveal(h[0])  # Tensor[?, requires_grad=?, leaf=?]
    reveal(others[0])  # Tensor[?, requires_grad=?, leaf=?]
    reveal(named["z"])  # Tensor[?, requires_grad=?, leaf=?]


def objects(
    a: nn.Module, b: Net, c: nn.Linear, d: type[Net], e: Callable[[Tensor], Tensor], f: torch.device, g: int, h: str,
    i: Any, j: bool = True,
):
    reveal(a)  # Module[torch.nn.Module, mode=?]
    reveal(b)  # Module[?, mode=?]
    reveal(c.weight)  # Tensor[float, requires_grad=yes, leaf=yes]
    reveal(d()(weight))  # Tensor[float, requires_grad=yes, leaf=no]
    reveal(e(weight))  # Tensor[?, requires_grad=?, leaf=?]
    reveal(f)  # device
    reveal(g)  # number[integer]
    reveal(h)  # str
    # vague: anything goes
    reveal(i)  # Instance[?]
    reveal(j)  # number[bool]


def commented(a, b):
    # type: (Tensor, List[Tensor]) -> Tensor
    reveal(a)  # Tensor[?, requires_grad=?, leaf=?]
    reveal(b[0])  # Tensor[?, requires_grad=?, leaf=?]


def against_its_default(rate: int = 0.5, count: float = 1, size: int = 2):
    reveal(rate)  # number[integer|float]
    reveal(count)  # number[integer|float]
    reveal(size)  # number[integer]


def given(read):
    x: Tensor = read()
    reveal(x)  # Tensor[?, requires_grad=?, leaf=?]


class Holder:
    value: Tensor
    table: dict[str, Tensor]

    def read(self):
        reveal(self.value)  # Tensor[?, requires_grad=?, leaf=?]
        reveal(self.table["a"])  # Tensor[?, requires_grad=?, leaf=?]


holder = eval("Holder")()
holder.value, holder.table = weight, {"a": weight}
eval("holder.read")()
eval("tensors")(weight, weight, weight, weight, weight)
eval("containers")([weight], {"x": weight}, (weight, 1), (weight,), [weight], {"a": [weight]}, iter([weight]), [weight],
                   weight, z=weight)  # fmt: skip
eval("objects")(Net(), Net(), nn.Linear(2, 2), Net, torch.exp, torch.device("cpu"), 1, "a", 2)
eval("commented")(weight, [weight])
eval("given")(lambda: weight)
eval("against_its_default")()
