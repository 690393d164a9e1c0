"""Calls that are not run again give what running them gives."""

from pathlib import Path

import pytest

from gradlint import linter, registry
from gradlint.finding import Confidence
from gradlint.interpreter import summaries
from gradlint.testing.programs import revealed

ROOT = Path(__file__).parent
RULES = registry.rules()
TEXTS = sorted([*(ROOT / "cases").glob("*.py"), *(ROOT / "programs").glob("*.py"), *(ROOT / "packs").glob("*.py")])


def findings(text):
    found = linter.lint(text, RULES, min_confidence=Confidence.POSSIBLE)
    return [(one.place, one.code, one.message, one.confidence) for one in found]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_findings_are_the_same_without_summaries(path, monkeypatch: pytest.MonkeyPatch):
    text = path.read_text(encoding="utf-8")
    with_summaries = findings(text)
    monkeypatch.setattr(summaries, "recall", lambda it, node, call: None)
    assert findings(text) == with_summaries


def test_what_happens_in_a_call_is_told_although_the_pass_of_the_loop_was_not():
    text = """
import torch

def ones(size):
    return torch.ones(size, dtype=torch.int64).requires_grad_()

for fold in range(3):
    total = 0
    for epoch in range(3):
        for batch in range(3):
            total = total + ones(2)
"""
    assert [code for _, code, _, _ in findings(text)] == ["GRD101"]


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("return x * 2", "Tensor[float, requires_grad=yes, leaf=no]"),
        ("return x.detach() * 2", "Tensor[float, requires_grad=no, leaf=yes]"),
        ("return torch.stack([x, x])[0].argmax()", "Tensor[integer, requires_grad=no, leaf=yes]"),
        ("return {'a': x * 2, 'b': 1}['a']", "Tensor[float, requires_grad=yes, leaf=no]"),
    ],
)
def test_a_second_call_gives_what_the_first_gave(body, result):
    text = f"""
import torch

def f(x):
    {body}

weight = torch.ones(2, requires_grad=True)
first = f(weight * 1.0)
second = f(weight * 3.0)
reveal(second)
"""
    assert [str(thing) for thing in revealed(text).values()] == [result]


def test_the_gradient_goes_through_a_recalled_call():
    text = """
import torch

def f(x):
    return (x * 2).tanh()

weight = torch.ones(2, requires_grad=True)
other = torch.ones(2, requires_grad=True)
f(weight)
f(other).sum().backward()
reveal(other.grad)
reveal(weight.grad)
"""
    there, missing = revealed(text).values()
    assert str(there).startswith("Tensor") and str(missing) == "Const(None)"


def test_a_bound_that_only_a_recalled_call_hit_is_counted():
    text = """
def f(x):
    return f(x)

for fold in range(3):
    total = 0
    for epoch in range(3):
        for batch in range(3):
            total = total + f(2)
"""
    counts = dict(linter.analyse(text, ()).counts)
    assert counts["bound: recursion"] > 0
