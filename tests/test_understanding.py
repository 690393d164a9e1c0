"""A good example may not be quiet because gradlint understood nothing of it."""

from __future__ import annotations

import pytest

from gradlint import linter
from gradlint.proving import cases_of
from gradlint.registry import rules

RULES = rules()
GOOD = [
    pytest.param(case, id=f"{rule.code}-{case.name}")
    for rule in RULES
    for case in cases_of(rule, RULES)
    if not case.is_bad
]


def misunderstood(text):
    """The expressions of a text that evaluated to UNKNOWN, as they are written."""
    lines = text.splitlines()
    places = linter.analyse(text, RULES, watch=linter.Watch(positions=True)).unknown
    return [(place.row, lines[place.row - 1][place.column - 1 :]) for place in places]


@pytest.mark.parametrize("case", GOOD)
def test_a_quiet_example_is_understood(case):
    assert misunderstood(case.source.text) == []


@pytest.mark.parametrize("text", ["strange().thing\n", "import elsewhere\nelsewhere.make(3).grad\n"])
def test_what_is_not_known_is_said(text):
    assert misunderstood(text)


DROPPING = {
    "a parameter": "def finish(stream):\n    stream.detach()\n",
    "what a function gives": "def finish():\n    stream = opened()\n    stream.detach()\n    return None\n",
    "an attribute": (
        "class Reader:\n    def __init__(self, stream):\n        self.stream = stream\n\n"
        "    def finish(self):\n        self.stream.detach()\n"
    ),
}
"""Programs in which all that shows what something is is a `detach()` whose result is dropped."""


@pytest.mark.parametrize("program", DROPPING.values(), ids=DROPPING)
@pytest.mark.parametrize("header", ["", "import io\nfrom streams import opened\n"])
def test_what_is_only_detached_is_no_tensor_where_torch_is_not_imported(program, header):
    """Files, sockets and finalizers give up what they hold by a method of this name."""
    assert linter.lint(header + program, RULES) == ()


@pytest.mark.parametrize("header", ["import torch\n", "from torch import nn\n"])
def test_what_is_only_detached_is_a_tensor_where_torch_is_imported(header):
    (found,) = linter.lint(header + DROPPING["a parameter"], RULES)
    assert found.code == "GRD607"


def test_what_is_detached_and_used_is_a_tensor_everywhere():
    found = linter.lint("def finish(loss):\n    loss.backward()\n    loss.detach()\n", RULES)
    assert [one.code for one in found] == ["GRD607"]
