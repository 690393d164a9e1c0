"""What the events tell of the grad mode and the inference mode: what set them, and what that did to a result."""

from __future__ import annotations

import pytest

from gradlint import events, linter
from gradlint.domain import NO, YES, CauseKind
from gradlint.rule import Rule
from gradlint.testing.widening import heard_events

START = """
import torch
from torch import nn
model = nn.Linear(2, 1)
x = torch.ones(4, 2)
"""


def heard(kind, text):
    return [event for event in heard_events(START + text) if type(event) is kind]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("torch.set_grad_enabled(False)\n", [("statement", True)]),
        ("off = False\ntorch.set_grad_enabled(off)\n", [("statement", False)]),
        ("with torch.set_grad_enabled(False):\n    pass\n", [("with", False), ("with", False)]),
        ("@torch.set_grad_enabled(False)\ndef f():\n    pass\nf()\n", [("decorator", False)]),
    ],
)
def test_how_the_grad_mode_was_changed(text, told):
    assert [(event.how, event.literal) for event in heard(events.GradModeChanged, text)] == told


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("torch.set_grad_enabled(False)\n    return model(x)", NO),
        ("with torch.no_grad():\n        return model(x)", YES),
        ("if x.sum() > 0:\n        torch.set_grad_enabled(False)\n    return model(x)", NO | YES),
        ("torch.set_grad_enabled(False)\n    try:\n        return model(x)\n    finally:\n"
         "        torch.set_grad_enabled(True)", YES),
    ],
)  # fmt: skip
def test_the_mode_that_a_function_leaves_its_caller_in(body, left):
    (event,) = heard(events.FunctionFinished, f"def f():\n    {body}\nf()\n")
    assert [(run.grad_mode, run.left_mode) for run in event.runs] == [(YES, left)]


@pytest.mark.parametrize(
    ("text", "how", "row"),
    [
        ("with torch.no_grad():\n    loss = model(x).sum()\n", "no_grad", 6),
        ("torch.set_grad_enabled(False)\nloss = model(x).sum()\n", "no_grad", 6),
        ("@torch.no_grad()\ndef f():\n    return model(x)\nloss = f().sum()\n", "no_grad", 6),
        ("with torch.inference_mode():\n    with torch.enable_grad():\n        loss = model(x).sum()\n",
         "enable_grad", 7),
        ("loss = model(x).argmax()\n", "argmax", 6),
        ("with torch.no_grad():\n    loss = model(x).argmax()\n", "no_grad", 6),
    ],
)  # fmt: skip
def test_why_a_result_is_not_in_the_graph(text, how, row):
    (event,) = heard(events.BackwardRun, f"{text}loss.backward()\n")
    assert event.name == "loss" and event.root.requires_grad is NO
    (mark,) = [mark for mark in event.root.causes if mark.kind is CauseKind.CUT]
    assert (mark.by or mark.how) == how
    assert rows_of(f"{START}{text}loss.backward()\n")[how] == row


def rows_of(text):
    """In which row each mark of what is differentiated stands."""
    rule = Rule("ABC101", "marked", "marked")

    @rule.on(events.BackwardRun)
    def check(event):
        draft = rule.at(event.node)
        for mark in event.root.causes:
            draft = draft.note(mark.node, mark.by or mark.how or mark.kind.value)
        yield draft

    (finding,) = linter.analyse(text, [rule]).findings
    return {note.text: note.place.row for note in finding.notes}
