"""Where the history of a root was cut: the marks that a backward finds on it."""

from __future__ import annotations

import pytest

from gradlint.domain import CauseKind, CutKind, PythonNumber
from gradlint.events import BackwardRun, Called
from gradlint.testing.widening import heard_events

START = """
import math
import numpy as np
import torch
from torch import nn
model = nn.Linear(2, 3)
x = torch.ones(4, 2)
out = model(x)
"""


@pytest.mark.parametrize(
    ("root", "by"),
    [
        ("torch.tensor(out.sum().item())", ["item"]),
        ("torch.tensor(out.tolist()).sum()", ["tolist"]),
        ("x.sum() * float(out.sum())", ["builtins.float"]),
        ("x.sum() * (2 * math.sqrt(out.sum()) + 1)", ["math.sqrt"]),
        ("x.sum() * round(out.sum().item(), 2)", ["item"]),
        ("out.detach().sum()", ["detach"]),
        ("out.data.abs().sum()", ["data"]),
        ("out.detach_().sum()", ["detach_"]),
        ("torch.from_numpy(out.detach().numpy() * 2).sum()", ["detach"]),
        ("torch.from_numpy(np.abs(out.detach().numpy())).sum()", ["detach"]),
        ("torch.tensor([out.sum(), out.mean()]).sum()", ["tensor"]),
        ("torch.FloatTensor([o.sum() for o in out]).sum()", ["FloatTensor"]),
        ("torch.full((), out.sum())", ["full"]),
        ("out.argmax(1).float().sum()", ["argmax"]),
        ("(out > 0).float().sum()", ["gt"]),
        ("out.to(torch.long).float().sum()", ["to"]),
        ("out.argmax(1).float().sum() + out.detach().sum()", ["argmax", "detach"]),
        ("torch.zeros(len(out)).sum()", []),
        ("torch.zeros_like(out).sum()", []),
        ("x.sum()", []),
    ],
)
def test_a_root_without_graph_tells_where_it_was_cut(root, by):
    (backward,) = (event for event in heard_events(f"{START}({root}).backward()\n") if type(event) is BackwardRun)
    assert str(backward.root.requires_grad) == "no"
    assert [mark.by for mark in backward.root.causes if mark.kind is CauseKind.CUT] == by


def test_gradients_off_are_told_apart_from_operations():
    text = f"{START}with torch.no_grad():\n    y = model(x)\ny.sum().backward()\n"
    (backward,) = (event for event in heard_events(text) if type(event) is BackwardRun)
    assert [mark.how for mark in backward.root.causes if mark.kind is CauseKind.CUT] == [CutKind.MODE]


def test_what_is_written_in_place_brings_its_cuts():
    text = f"{START}total = torch.zeros(())\ntotal += out.argmax().float()\ntotal.backward()\n"
    (backward,) = (event for event in heard_events(text) if type(event) is BackwardRun)
    assert [mark.by for mark in backward.root.causes if mark.kind is CauseKind.CUT] == ["argmax"]


def test_a_number_keeps_its_cut_through_a_loop_and_a_call():
    text = f"{START}def add(a, b):\n    return a + b\ntotal = 0\n"
    text += "for row in x:\n    total = add(total, model(row).sum().item())\ntotal.backward()\n"
    calls = [event for event in heard_events(text) if type(event) is Called]
    (number,) = (event.args[0] for event in calls if event.path == "builtins.float.backward")
    cuts = {
        mark.by for one in getattr(number, "values", (number,)) if isinstance(one, PythonNumber) for mark in one.cuts
    }
    assert cuts == {"item"}


def test_what_one_call_cut_is_not_told_of_another():
    helper = "def error(a):\n    return (a - 1).abs().sum()\n"
    text = f"{START}{helper}error(out.detach()).backward()\nerror(torch.ones(2)).backward()\n"
    roots = [event.root for event in heard_events(text) if type(event) is BackwardRun]
    assert [[mark.by for mark in root.causes if mark.kind is CauseKind.CUT] for root in roots] == [["detach"], []]
