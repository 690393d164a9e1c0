"""What is said of operations of zero gradient is what torch does, and a call keeps it however it is summarised."""

from __future__ import annotations

import pytest
import torch

from gradlint.events import BackwardRun
from gradlint.knowledge.properties.zero_gradient import FLAT, UNDIFFERENTIATED
from gradlint.testing.measuring import OPERATION_ROWS, resolve
from gradlint.testing.widening import heard_events


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted(FLAT))
def test_the_gradient_is_zero_or_refused(name):
    rows = [row for row in OPERATION_ROWS if row.name == name and not row.writes]
    assert rows
    for path in (path for row in rows for path in row.paths if path.partition(" ")[2] == ""):
        x = torch.tensor([0.3, -1.7, 2.5], requires_grad=True)
        count = 2 if name in UNDIFFERENTIATED else 1
        result = resolve(path)(*(x, 2.0)[:count]).sum()
        if name in UNDIFFERENTIATED:
            with pytest.raises(RuntimeError, match="not implemented"):
                result.backward()
        else:
            result.backward()
            assert x.grad is not None
            assert not x.grad.any()


START = "import torch\nw = torch.ones(2, requires_grad=True)\nv = torch.ones(2, requires_grad=True)\n"
HELPERS = """
def hard(x): return (2 * x).round()
def mixed(x, y): return x.round() + y
def through(x): return x + (x.round() - x).detach()
def own(x): return x.round() + v
"""


@pytest.mark.parametrize(
    ("root", "flat"),
    [
        ("w.round().sum()", ["round"]),
        ("(w.round() + w).sum()", []),
        ("hard(w).sum()", ["round"]),
        ("through(w).sum()", []),
        ("mixed(w, v).sum()", []),
        ("mixed(w, v.floor()).sum()", ["round", "floor"]),
        ("own(w).sum()", []),
        ("hard(mixed(w, v)).sum()", ["round"]),
    ],
)
@pytest.mark.parametrize("again", [False, True])
def test_ways_through_flat_operations(root, flat, again):
    text = START + HELPERS + (f"({root})\n" if again else "") + f"({root}).backward()\n"
    (backward,) = (event for event in heard_events(text) if type(event) is BackwardRun)
    assert sorted(dict.fromkeys(mark.by for mark in backward.zero_gradient_ops)) == sorted(flat)
