"""What is said to leave elements as they are does so in torch, and what is said to squash them does."""

from __future__ import annotations

import pytest
import torch

from gradlint.knowledge import OPERATION_ROWS
from gradlint.knowledge.properties.probabilities import KEEPING, SQUASHING
from gradlint.testing.measuring import Operands, call, resolve, words


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted(KEEPING))
def test_elements_are_kept(name):
    rows = [row for row in OPERATION_ROWS if row.name == name]
    assert rows
    tried = 0
    for row in (row for row in rows if row.measured):
        for path in (path for path in row.paths if path.partition(" ")[2] == ""):
            for word in (word for word in words(row) if word[0] == "f"):
                try:
                    value = call(row, resolve(path), word).raw
                except (RuntimeError, TypeError, IndexError, ValueError):
                    continue
                kept = Operands(word).made(row)[0].flatten()
                results = value if isinstance(value, tuple | list) else (value,)
                for result in (one for one in results if one.is_floating_point()):
                    near = (result.flatten().to(kept.dtype)[:, None] - kept).abs().min(1).values
                    assert near.max() < 0.01, path
                    tried += 1
    assert tried or not any(row.measured for row in rows)


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted(SQUASHING))
def test_elements_are_squashed(name):
    along = {"softmax": (1,), "Softmax": (1,)}.get(name, ())
    given = 50 * torch.randn(2, 3, 4, 4)
    result = getattr(torch.nn, name)(*along)(given) if name[0].isupper() else getattr(torch, name)(given, *along)
    assert 0 <= result.min() <= result.max() <= 1
