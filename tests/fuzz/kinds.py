"""Kinds of things that stand in the slots of templates, by torch's own word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from tests.fuzz.revealing import is_plain_tensor

Test = Callable[[Any], bool]


class Unfilled(Exception):
    """Nothing there is fits into a slot."""


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor that can be looked at."""
    return is_plain_tensor(value)


def is_float(value: Any) -> bool:
    """Whether it is a tensor of floating point numbers."""
    return is_plain_tensor(value) and value.dtype.is_floating_point


def is_square(value: Any) -> bool:
    """Whether it is a tensor of two by two floating point numbers, as most are."""
    return is_float(value) and tuple(value.shape) == (2, 2) and value.dtype is torch.float32


def _holds_tensors(kind: type) -> Test:
    def test(value: Any) -> bool:
        members = list(value.values()) if kind is dict and isinstance(value, dict) else value
        return isinstance(value, kind) and bool(members) and all(is_tensor(member) for member in members)

    return test


KINDS: dict[str, Test] = {
    "t": is_tensor,
    "f": is_float,
    "x": is_square,
    "g": lambda value: is_float(value) and value.requires_grad,
    "q": lambda value: is_tensor(value) and not value.requires_grad,
    "leaf": lambda value: is_float(value) and value.is_leaf and value.requires_grad,
    "n": lambda value: is_tensor(value) and not value.is_leaf,
    "s": lambda value: is_float(value) and value.requires_grad and value.ndim == 0,
    "i": lambda value: is_tensor(value) and not value.is_floating_point(),
    "w": lambda value: is_float(value) and value.is_leaf and value.grad is not None,
    "p": lambda value: isinstance(value, nn.Parameter),
    "m": lambda value: isinstance(value, nn.Module),
    "o": lambda value: isinstance(value, torch.optim.Optimizer),
    "d": _holds_tensors(dict),
    "l": _holds_tensors(list),
    "sc": lambda value: isinstance(value, torch.amp.GradScaler),
    "lr": lambda value: isinstance(value, torch.optim.lr_scheduler.LRScheduler),
}
