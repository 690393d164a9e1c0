"""Libraries in the versions that packs were written for, and what their tests ask of models."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from typing import Any

import pytest

from gradlint.registry import packs

torch = pytest.importorskip("torch")


def need(requirement: str) -> Any:
    """The library, in the pinned version; without it the test is skipped."""
    name, _, version = requirement.partition("==")
    try:
        found = distribution(name).version
    except PackageNotFoundError:
        pytest.skip(f"{requirement} is not installed")
    if found.partition("+")[0] != version:
        pytest.skip(f"{requirement} is pinned, {found} is installed")


def graph_of_one_weight(model: Any) -> Any:
    return model(torch.ones(2, 3)).sum()


def holds_gradients(model: Any) -> bool:
    return all(parameter.grad is not None for parameter in model.parameters())


def of_hooks(path: str) -> Any:
    known = packs().cls(path)
    assert known is not None
    return known.hooks
