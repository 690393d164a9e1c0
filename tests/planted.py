"""A small rule pack whose evidence is sound, and a linter that reports what it is told: to plant faults in."""

from __future__ import annotations

from dataclasses import replace

from gradlint.finding import Finding, Place
from gradlint.linter import Analysis
from gradlint.proving import Case, cases_of
from gradlint.rule import Evidence, Grows, Raises, Rule, Warns

CODE = "ABC101"


def fake_analyse(needle="requires_grad=True"):
    """An `analyse` that reports ABC101 on every line with these words and understands nothing else."""

    def analyse(text, rules, **options):
        rows = [row for row, line in enumerate(text.splitlines(), 1) if needle in line and "#!" not in line]
        return Analysis(tuple(Finding(CODE, "planted", "m", Place(row, 1, row, 2)) for row in rows))

    return analyse


def planted(bad, good, consequence, **changes):
    """The two examples as evidence of one rule; `changes` are made to the bad one's."""
    rule = Rule(CODE, "planted", "message")
    rule.consequence = consequence
    rule.evidence = [replace(Evidence(bad), **changes), Evidence(good, cures=bad)]
    if good is None:
        rule.evidence.pop()
    return rule


def cases(rule) -> tuple[Case, ...]:
    """The bad and the good case of a rule."""
    return tuple(cases_of(rule, [rule]))


# ---- evidence that holds, one pair for each kind of consequence

REFUSES = Raises(RuntimeError, "dtype can require gradients")
WARNS = Warns("is not a leaf Tensor")


def whole_numbers():
    import torch

    weights = torch.tensor([1, 2], requires_grad=True)  # ABC101
    return weights


def decimal_numbers():
    import torch

    weights = torch.tensor([1.0, 2.0])
    return weights


def gradient_read():
    import torch

    weight = torch.ones(3, requires_grad=True) * 2  # ABC101
    return weight.grad


def gradient_not_read():
    import torch

    weight = torch.ones(3) * 2
    return weight.grad


def requires_grad(returned):
    return returned.requires_grad


def asked():
    import torch

    return torch.ones(2, requires_grad=True)  # ABC101


def not_asked():
    import torch

    return torch.ones(2)


def differ(returned, cured):
    return not returned.equal(cured)


def scaled():
    import torch

    torch.ones(1, requires_grad=True)  # ABC101
    return torch.rand(3) * 2


def not_scaled():
    import torch

    torch.ones(1)
    return torch.rand(3)


def losses_kept(steps):
    import torch

    weight = torch.ones(3, requires_grad=True)  # ABC101
    total = 0
    for _ in range(steps):
        total = total + weight.exp().sum()
    return {"total": [total]}


def losses_dropped(steps):
    import torch

    weight = torch.ones(3)
    total = 0
    for _ in range(steps):
        total = total + weight.exp().sum()
    return {"total": [total]}


SOUND = {
    "raises": (whole_numbers, decimal_numbers, REFUSES),
    "warns": (gradient_read, gradient_not_read, WARNS),
    "measured": (asked, not_asked, requires_grad),
    "compared": (scaled, not_scaled, differ),
    "grows": (losses_kept, losses_dropped, Grows()),
}
