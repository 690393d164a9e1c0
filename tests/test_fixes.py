"""Fixes change what they are about and not one byte more."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from gradlint import fixes, linter, showing, texts
from gradlint.events import AttributeAssigned, Called, ModuleFinished, WrittenInPlace
from gradlint.finding import SAFE, UNSAFE, Confidence
from gradlint.proving import cases_of
from gradlint.registry import rules
from gradlint.rule import Edit, Rule

RULES = rules()
CASES = sorted((Path(__file__).parent / "cases").glob("*.py"))
EVERY = (SAFE, UNSAFE)


def fixer(event, key, *edits, **options):
    """A rule that offers these edits wherever the event comes by."""
    rule = Rule("ABC101", "planted", "message", effect="no effect")

    @rule.on(event, *key)
    def check(event):
        node, to = _places(event)
        drafted = (Edit(how, node, *texts, to=to) for how, *texts in edits)
        yield rule.at(node).fix(*drafted, safety="safe", **options)

    return rule


def _places(event):
    """What is edited: where the event came by, the assignment, or a clone with the write it is moved to."""
    if isinstance(event, ModuleFinished):
        clone = next(one for one in event.story if isinstance(one, Called) and one.path == CLONE[1][0])
        return clone.node, next(one for one in event.story if isinstance(one, WrittenInPlace)).node
    return getattr(event, "statement", None) or event.node, None


def fixed(text, rule):
    """The text with all fixes made, and whether there was one at all."""
    found = linter.analyse(text, [rule]).findings
    applied = fixes.apply(text, found)
    return applied.text, bool(applied.fixed)


CLONE = (Called, ("torch.Tensor.clone",))
WRITE = (WrittenInPlace, ())
SET = (AttributeAssigned, ("data",))
STORY = (ModuleFinished, ())
ALONE = ("put alone under", "if a:")
UNDER, REST = ("put under", "with a:"), ("put rest under", "with a:")
BEFORE, BEHIND = ("move before",), ("move behind",)


@pytest.mark.parametrize(
    ("heard", "edit", "before", "after"),
    [
        (CLONE, ("replace", "y"), "z = (x.clone()) + 1\n", "z = y + 1\n"),
        (CLONE, ("wrap", "f(", ")"), "z = x.clone()\n", "z = f(x.clone())\n"),
        (CLONE, ("wrap", "", ".detach()"), "z = x.clone()\n", "z = x.clone().detach()\n"),
        (CLONE, ("wrap", "", ".detach()"), "z = (x.clone())\n", "z = (x.clone()).detach()\n"),
        (CLONE, ("rename", "detach().clone"), "z = x.clone()\n", "z = x.detach().clone()\n"),
        (CLONE, ("insert before", "y = 1"), "if x:\n\tx.clone()  # kept\n", "if x:\n\ty = 1\n\tx.clone()  # kept\n"),
        (CLONE, ("insert after", "y = 1"), "if x:\n  x.clone()  # kept\n", "if x:\n  x.clone()  # kept\n  y = 1\n"),
        (CLONE, ("insert after", "y = 1"), "if x:\n  x.clone()", "if x:\n  x.clone()\n  y = 1"),
        (CLONE, ("delete",), "if x:\n    x.clone()\n    y = 1\n", "if x:\n    y = 1\n"),
        (CLONE, ("delete",), "if x:\n    x.clone()  # why\n", "if x:\n    pass  # why\n"),
        (CLONE, ("delete",), "y = 1\nx.clone()", "y = 1\n"),
        (CLONE, ("set keyword", "a", "1"), "x.clone()\n", "x.clone(a=1)\n"),
        (CLONE, ("set keyword", "a", "1"), "x.clone(b=(2),)\n", "x.clone(b=(2), a=1,)\n"),
        (CLONE, ("set keyword", "a", "1"), "x.clone(a=2, b=3)\n", "x.clone(a=1, b=3)\n"),
        (CLONE, ("drop keyword", "a"), "x.clone(a=2, b=3)\n", "x.clone(b=3)\n"),
        (CLONE, ("drop keyword", "a"), "x.clone(b=3, a=2)\n", "x.clone(b=3)\n"),
        (CLONE, ("drop keyword", "a"), "x.clone(a=2)\n", "x.clone()\n"),
        (CLONE, REST, "x.clone()  # a\n\nif y:\n    z = 1\ny", "with a:  # a\n\n    if y:\n        z = 1\n    y"),
        (WRITE, UNDER, "x.add_(1)  # why\n", "with a:\n    x.add_(1)  # why\n"),
        (WRITE, UNDER, "if y:\n    x.add_(\n      1)\n", "if y:\n    with a:\n        x.add_(\n          1)\n"),
        (CLONE, ALONE, "(\n  x.clone())  # why\n", "if a:\n    (\n      x.clone())  # why\n"),
        (SET, ALONE, "x.data = x\n", "if a:\n    x.data = x\n"),
        (STORY, BEHIND, "(\n x.clone())  # why\nif y:\n  x.add_(1)", "if y:\n  x.add_(1)\n(\n x.clone())  # why"),
        (STORY, BEFORE, "x.add_(1)\ny\nx.clone()  # why\n", "x.clone()  # why\nx.add_(1)\ny\n"),
        (STORY, BEFORE, "if y:\n  x.add_(1)\n  x.clone()", "if y:\n  x.clone()\n  x.add_(1)\n"),
        (SET, ("give to", "x.copy_(", ")"), "x.data = (x\n + 1)  # why\n", "x.copy_((x\n + 1))  # why\n"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", texts.BOM])
def test_an_edit_changes_its_stretch_alone(heard, edit, before, after, newline, mark):
    preface = "import torch\nx = torch.ones(3)\ny = 'ü'\n"
    text, expected = ((mark + preface + part).replace("\n", newline) for part in (before, after))
    assert fixed(text, fixer(*heard, edit)) == (expected, True)


@pytest.mark.parametrize(
    ("heard", "edit", "text"),
    [
        pytest.param(CLONE, ("delete",), "x.clone(); y = 1\n", id="shares its line"),
        pytest.param(CLONE, ("insert before", "y = 1"), "if x: x.clone()\n", id="stands beside its if"),
        pytest.param(CLONE, ("insert before", "y = 1"), "if y:\n    pass\nelif x.clone():\n    pass\n", id="elif"),
        pytest.param(CLONE, ("insert after", "y = 1"), "def f():\n    return x.clone()\n", id="nothing behind it runs"),
        pytest.param(CLONE, ("drop keyword", "b"), "x.clone(a=1)\n", id="no such argument"),
        pytest.param(CLONE, ("drop keyword", "a"), "x.clone(a=1,)\n", id="a comma would be left"),
        pytest.param(CLONE, ALONE, "z = x.clone()\n", id="the statement does more"),
        pytest.param(CLONE, ALONE, "x.clone().sum()\n", id="the expression does more"),
        pytest.param(CLONE, REST, "if y:\n    x.clone()\n", id="nothing follows"),
        pytest.param(CLONE, REST, "x.clone()\ndef f(): pass\n", id="a definition follows"),
        pytest.param(STORY, BEFORE, "x.add_(1)\nif y:\n    x.clone()\n    y = 1\n", id="another block"),
        pytest.param(STORY, BEFORE, "if y:\n    x.add_(1)\nx.clone()\n", id="an inner block"),
        pytest.param(STORY, BEFORE, "x.add_(1) + x.clone()\n", id="the statement itself"),
        pytest.param(WRITE, UNDER, "x.add_(len('''\n'''))\n", id="a row begins in a string"),
    ],
)
def test_what_the_layout_does_not_allow_is_not_offered(heard, edit, text):
    text = f"import torch\nx = torch.ones(3)\ny = input()\n{text}"
    found = linter.analyse(text, [fixer(*heard, edit)]).findings
    assert found
    assert not any(finding.fixes for finding in found)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import torch\nx = torch.ones(3)\n", "import copy\nimport torch\nx = torch.ones(3)\n"),
        ('"""Doc."""\nfrom __future__ import annotations\n\nimport torch\nx = torch.ones(3)\n',) * 2,
        ("import torch, copy\nx = torch.ones(3)\n",) * 2,
        ("import torch\nimport copy.any\nx = torch.ones(3)\n",) * 2,
    ],
)
def test_what_the_new_text_names_is_imported_once(before, after):
    if before == after and "copy" not in before:
        after = before.replace("import torch", "import copy\nimport torch")
    line, cured = "x.clone(), x.clone()\n", "copy.copy(x.clone()), copy.copy(x.clone())\n"
    assert fixed(before + line, fixer(*CLONE, ("wrap", "copy.copy(", ")"), imports=("copy",))) == (after + cured, True)


@pytest.mark.parametrize(
    "line", ["from copy import copy\n", "copy = 1\n", "def f(copy): pass\n", "import os as copy\n"]
)
def test_a_name_that_means_something_else_is_not_used(line):
    text = f"import torch\n{line}x = torch.ones(3)\nx.clone()\n"
    assert fixed(text, fixer(*CLONE, ("wrap", "copy.copy(", ")"), imports=("copy",))) == (text, False)


def test_of_two_fixes_in_each_others_way_the_first_is_made():
    text = "import torch\nx = torch.ones(3)\ny = x.clone().clone()\n"
    rule = fixer(*CLONE, ("wrap", "f(", ")"))
    applied = fixes.apply(text, linter.analyse(text, [rule]).findings)
    assert applied.text.endswith("y = f(x.clone()).clone()\n") or applied.text.endswith("y = f(x.clone().clone())\n")
    assert [len(applied.fixed), len(applied.left)] == [1, 1]


def test_only_fixes_that_are_asked_for_are_made():
    text = "import torch\nx = torch.ones(3)\nx.clone()\n"
    found = linter.analyse(text, [fixer(*CLONE, ("delete",))]).findings
    assert fixes.apply(text, found, (UNSAFE,)).text == text
    assert fixes.apply(text, found, (SAFE,)).text != text


TEXTS = [pytest.param(path.read_text(encoding="utf-8"), id=path.stem) for path in CASES]
TEXTS += [
    pytest.param(case.source.text, id=f"{rule.code}-{case.name}")
    for rule in RULES
    for case in cases_of(rule, RULES)
    if case.is_bad
]


def reported(text):
    """What is found in a text at all, and what of it is shown by default."""
    found = linter.analyse(text, RULES).findings
    return found, showing.shown(found, RULES, Confidence.LIKELY)


def codes(findings):
    return Counter(finding.code for finding in findings)


MOST_FIXES = 4
"""The most fixes of a text that are made one by one: each has the whole text analysed anew."""


def spread(findings):
    """Return the findings of a text of which the fixes are made: some at even distances, and the first of each rule
    that is not among them."""
    some = [findings[number * len(findings) // MOST_FIXES] for number in range(MOST_FIXES)] if findings else []
    first = {finding.code: finding for finding in reversed(findings)}
    there = {finding.code for finding in some}
    return [*dict.fromkeys(some), *(finding for code, finding in first.items() if code not in there)]


YIELDING = {rule.code: rule.yields_to for rule in RULES}
"""What was silent for the sake of the finding that is cured may speak now."""
NEEDED = {"GRD504": ("GRD120",)}
"""What keeps a graph for the part that all iterations shared keeps it for nothing once that part is gone."""


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", TEXTS)
def test_each_fix_takes_its_finding_away_and_a_safe_one_brings_no_other(text):
    every, usual = reported(text)
    for finding in spread(usual):
        applied = fixes.apply(text, [finding], EVERY)
        if applied.fixed:
            ast.parse(applied.text)
            found, shown = reported(applied.text)
            assert codes(found)[finding.code] < codes(every)[finding.code], f"still there:\n{applied.text}"
            if finding.fixes[0].safety == SAFE:
                new = {
                    code
                    for code in codes(shown) - codes(usual)
                    if finding.code not in (*YIELDING.get(code, ()), *NEEDED.get(code, ()))
                }
                assert not new, f"{finding.code} is cured and {new} comes up:\n{applied.text}"
