"""Acts: what happened at a row of a program, and what is kept of tensors and graphs to tell it later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

FILE = "<witnessed>"
COMPARING = frozenset({"sub", "eq", "ne", "isclose", "dist", "equal", "allclose", "mse_loss", "l1_loss", "__sub__"})
"""Operations that compare tensors; the numbers they are given are kept."""


@dataclass(slots=True, eq=False)
class Act:
    """Something that happened at a row: `what` it was, in which functions of the program (outermost first), with
    gradients on or not, and what it was about."""

    what: str
    row: int
    functions: tuple[str, ...]
    recording: bool
    facts: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.facts[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(slots=True)
class Run:
    """One run of a program: its acts in order, how often each row was started, and what stopped it, if anything did."""

    text: str
    number: int = 0
    acts: list[Act] = field(default_factory=list)
    started: Counter[int] = field(default_factory=Counter)
    space: dict[str, Any] = field(default_factory=dict)
    names: dict[int, frozenset[str]] = field(default_factory=dict)
    error: Exception | None = None

    def of(self, *kinds: str) -> Iterator[Act]:
        """The acts of these kinds."""
        return (act for act in self.acts if act.what in kinds)


def is_built(tensor: torch.Tensor) -> bool:
    """Whether a tensor has numbers yet."""
    return not isinstance(tensor, nn.parameter.UninitializedTensorMixin)


def is_versioned(tensor: torch.Tensor) -> bool:
    """Whether torch counts the writes of a tensor."""
    return is_built(tensor) and not tensor.is_inference()


class TorchBroke(BaseException):
    """torch found itself broken, and what it says from there on means nothing. No program catches it."""


def is_told(value: Any) -> bool:
    """Whether torch tells of a value where it comes from: of a view made without the graph it does not once the memory
    was written with the graph. Raises `TorchBroke` where that alone breaks it: of complex views that were written in
    inference mode."""
    try:
        getattr(value, "grad_fn", None)
    except RuntimeError as error:
        if "INTERNAL ASSERT" in str(error):
            raise TorchBroke(str(error)) from None
        return False
    return True


def is_computed(value: Any) -> bool:
    """Whether it is a tensor that carries a graph now."""
    return isinstance(value, torch.Tensor) and value.requires_grad and not value.is_leaf


def tensors_in(thing: Any) -> dict[Any, torch.Tensor]:
    """The tensors that a dictionary, or those in a tuple, hold."""
    if isinstance(thing, tuple):
        return {(number, key): one for number, part in enumerate(thing) for key, one in tensors_in(part).items()}
    held = thing.items() if isinstance(thing, dict) else ()
    return {key: one for key, one in held if isinstance(one, torch.Tensor) and is_built(one)}


def content(thing: Any) -> dict[str, Any]:
    """The numbers that a dictionary of tensors holds now, and which tensors these are."""
    held = tensors_in(thing)
    values = {key: value_of(one) for key, one in held.items()}
    return {"state": thing, "values": values, "ids": {key: id(one) for key, one in held.items()}}


def value_of(tensor: torch.Tensor) -> torch.Tensor:
    """The numbers that a tensor has now."""
    with torch.no_grad():
        return tensor.detach().clone()


def nodes_of(roots: Sequence[torch.Tensor]) -> dict[Any, None]:
    """The graph nodes from which tensors come."""
    return behind(tensor.grad_fn for tensor in roots if tensor.grad_fn is not None)


def behind(nodes: Iterable[Any]) -> dict[Any, None]:
    """These graph nodes and all from which they come."""
    waiting, found = [*nodes], dict[Any, None]()
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting += [before for before, _ in node.next_functions if before is not None]
    return found


def flat(thing: Any) -> Iterator[torch.Tensor]:
    """The tensors in arguments."""
    if isinstance(thing, torch.Tensor):
        yield thing
    elif isinstance(thing, list | tuple | set):
        for one in thing:
            yield from flat(one)
    elif isinstance(thing, dict):
        yield from flat([*thing.values()])


def arrivals(leaves: Sequence[Any], before: Sequence[Any]) -> list[tuple[Any, Any]]:
    """What a backward added to the gradient of each leaf."""
    out = []
    for leaf, old in zip(leaves, before, strict=True):
        if leaf.grad is not None:
            now = value_of(leaf.grad)
            out.append((leaf, now if old is None else now - old))
    return out


def flags_of(owner: Any) -> list[tuple[Any, ...]]:
    """What autograd looks at of a tensor, or of all tensors and the modes of a module."""
    if isinstance(owner, torch.Tensor):
        return [(owner.requires_grad, owner.retains_grad, owner.is_leaf)]
    if isinstance(owner, nn.Module):
        tensors = [*owner.parameters(), *owner.buffers()]
        modes = [(module.training,) for module in owner.modules()]
        return [(id(one), one.requires_grad) for one in tensors] + modes
    return []
