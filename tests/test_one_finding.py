"""One mistake is one finding: a rule reports nothing twice at one place."""

from collections import Counter
from pathlib import Path

import pytest

from gradlint import linter, registry, showing
from gradlint.disk import InMemory
from gradlint.finding import Confidence
from gradlint.project import Project
from gradlint.rule import Rule
from gradlint.testing.programs import MAIN, Program, read_program

ROOT = Path(__file__).parent
RULES = registry.rules()
FOLDERS = ("tests/cases", "tests/programs", "tests/programs/*", "tests/semantics/*", "tests/packs", "rules/*")
TEXTS = [
    path
    for folder in FOLDERS
    for path in sorted(ROOT.parent.glob(f"{folder}/*.py"))
    if path.name == MAIN or not folder.endswith("programs/*")
]


def reported_twice(program: Program, rules: list[Rule]) -> list[tuple[str, int, int]]:
    """The codes and places that several findings have."""
    project = Project(InMemory(dict(program.files))).at(MAIN)
    found = linter.analyse(program.text, rules, packs=registry.packs(), project=project).findings
    found = showing.shown(found, rules, Confidence.POSSIBLE)
    counted = Counter((one.code, one.place.row, one.place.column) for one in found)
    return [what for what, number in counted.items() if number > 1]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_two_findings_of_one_rule_at_one_place(path: Path):
    assert reported_twice(read_program(path), RULES) == []


START = ("total = 0", "total = torch.zeros(())")
ADDING = (
    "total += loss",
    "total -= loss",
    "total = total + loss",
    "total = loss + total",
    "total = total + loss * 2 + loss",
    "total = loss * 2 + total + loss",
    "total = loss + (total + loss * 2)",
    "total = 0.9 * total + 0.1 * loss",
    "total = total + loss - loss * 2 + loss.abs()",
)


@pytest.mark.parametrize("adding", ADDING)
@pytest.mark.parametrize("start", START)
def test_a_sum_that_outlives_two_loops_is_reported_once(start: str, adding: str):
    text = f"""
import torch
from torch import nn

model = nn.Linear(4, 1)
{start}
for epoch in range(epochs):
    for x, y in loader:
        loss = model(torch.ones(2, 4)).pow(2).mean()
        {adding}
print(total)
"""
    found = [one for one in linter.lint(text, RULES) if one.code == "GRD501"]
    assert len(found) == 1


def test_what_is_reported_twice_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Two operators of one sum begin at one place, and are two pieces of syntax."""
    from gradlint.events import Recorded
    from gradlint.rule import Findings

    rule = Rule("XXX001", "every-operation", "an operation")

    @rule.on(Recorded)
    def check(event: Recorded) -> Findings:
        yield rule.at(event.node)

    path = tmp_path / "program.py"
    path.write_text("import torch\nw = torch.ones(2, requires_grad=True)\nw + 1 + 2\n")
    assert reported_twice(read_program(path), [rule]) == []
    monkeypatch.setattr(showing, "one_at_each_place", list)
    assert reported_twice(read_program(path), [rule]) == [("XXX001", 3, 1)]
