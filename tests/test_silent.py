"""Rules whose mistake raises nothing, held against runs of torch: the oracles can contradict, can find, and agree."""

from __future__ import annotations

import random
from functools import cache

import pytest

from gradlint.finding import Finding, Place
from gradlint.proving import examples
from gradlint.registry import rules
from gradlint.rule import Evidence, Rule
from tests.fuzz import mistakes
from tests.fuzz.comparing import judged
from tests.fuzz.silent import SEEN, Held, held, unclassed

RULES = rules()
PROGRAMS = 80


def is_whole(rule: Rule, evidence: Evidence) -> bool:
    return rule.default and not evidence.files


PLANTED = {
    "GRD608": """\
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x * nn.Parameter(torch.ones(2))

Net()(torch.ones(2))
"""
}
"""Where no example of a rule is run to where the mistake shows: its measurement does that."""
EVIDENCE = [
    pytest.param(rule, evidence, id=f"{rule.code}-{evidence.example.__name__}")
    for rule in RULES
    for evidence in rule.evidence
    if rule.code in SEEN and is_whole(rule, evidence)
]


@cache
def written_out(rule: Rule, example: object) -> str:
    """An example as a program that runs."""
    (evidence,) = [one for one in rule.evidence if one.example is example]
    return examples.read(rule, evidence).text


def against_torch(text: str) -> Held:
    return held(text, judged(text)[1], RULES)


def test_every_default_rule_is_in_one_class() -> None:
    assert not [*unclassed(RULES)]


@pytest.mark.parametrize(("rule", "evidence"), EVIDENCE)
def test_examples_agree(rule: Rule, evidence: Evidence) -> None:
    """What a rule says of its own examples is what a run of them shows."""
    found = against_torch(written_out(rule, evidence.example))
    assert not found.contradictions
    assert not found.misses


@pytest.mark.parametrize("code", sorted(SEEN))
def test_wrong_findings_are_contradicted(code: str) -> None:
    """A finding where nothing of the kind happens."""
    text = "import torch\nx = torch.ones(2)\ny = x + 1\n"
    wrong = Finding(code, "planted", "planted", Place(3, 1, 3, 10))
    assert held(text, [wrong], RULES).contradicted[code] == 1


@pytest.mark.parametrize("code", sorted(code for code, oracle in SEEN.items() if oracle.certain is not None))
def test_mistakes_are_seen_without_gradlint(code: str) -> None:
    """An example of the mistake about which nothing is said."""
    (rule,) = [one for one in RULES if one.code == code]
    bad = [written_out(rule, one.example) for one in rule.evidence if one.cures is None and is_whole(rule, one)]
    missed = Held()
    for text in [PLANTED[code]] if code in PLANTED else bad:
        missed.update(held(text, [], RULES))
    assert missed.missed[code]


def test_what_is_revealed_is_not_used() -> None:
    """An iterator that was used up is asked again by a line that reads its name, but not by one that reveals it."""
    text = """\
import torch

given = torch.nn.Linear(2, 1).parameters()
held = list(given)
reveal(given, held)
{}
"""
    for line, missed in (("reveal(given)", 0), ("more = list(given)", 1)):
        assert held(text.format(line), [], RULES).missed["GRD712"] == missed


LATER = {
    "GRD120": """
w = torch.randn(3, requires_grad=True) * 0.1
seen = w.grad
w.detach_()
""",
    "GRD206": """
w = torch.ones(3, requires_grad=True)
y = w * 2
y.sum().backward()
y.retain_grad()
seen = y.grad
y.detach_()
""",
    "GRD618": """
encoder, head = nn.Linear(2, 3), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    head(encoder(torch.ones(4, 2)).detach()).mean().backward()
    optimizer.step()
encoder.requires_grad_(False)
""",
    "GRD121": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2)).double()

    def forward(self, x):
        return x * self.scale

net = Net()
seen = net.scale.grad
net.scale.detach_()
""",
}


@pytest.mark.parametrize("code", LATER)
def test_flags_are_those_of_the_moment(code: str) -> None:
    """What becomes of a tensor's flags later changes nothing of what was seen."""
    found = against_torch("import torch\nfrom torch import nn\n" + LATER[code])
    assert found.findings[code]
    assert not found.contradictions


def test_programs_agree() -> None:
    """Situations in which silent mistakes happen, and near misses."""
    total = Held()
    for number in range(PROGRAMS):
        total.update(against_torch(mistakes.program(random.Random(f"silent:{number}"))))
    assert not total.contradictions
    found, missed = total.found.total(), total.missed.total()
    assert found > PROGRAMS / 2
    assert found / (found + missed) >= 0.9, total.misses
