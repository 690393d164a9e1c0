"""Which distributions can be differentiated by their parameters, and what is drawn of them, is what torch says."""

from __future__ import annotations

import pytest
import torch

from gradlint.knowledge.distributions import DISCRETE, REPARAMETRISED, WHOLE

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("name", sorted(REPARAMETRISED | DISCRETE))
def test_what_has_rsample(name):
    cls = getattr(torch.distributions, name)
    told = cls.has_rsample
    if isinstance(told, property):  # a transformed distribution: as what it transforms
        told = cls(torch.ones(1), torch.ones(1)).has_rsample
    assert told == (name in REPARAMETRISED)


ONES, HALVES = torch.ones(2), torch.full((2,), 0.5)
MADE_OF = {
    "LowRankMultivariateNormal": (ONES, torch.ones(2, 1), ONES),
    "Multinomial": (3, HALVES),
    "MultivariateNormal": (ONES, torch.eye(2)),
    "RelaxedBernoulli": (ONES, HALVES),
    "RelaxedOneHotCategorical": (ONES, HALVES),
    "Uniform": (ONES, ONES * 2),
} | dict.fromkeys(("Bernoulli", "Categorical", "Geometric", "OneHotCategorical"), (HALVES,))
"""Parameters of those that are not made of up to two tensors of ones."""


def _made(name):
    cls = getattr(torch.distributions, name)
    if name in MADE_OF:
        return cls(*MADE_OF[name])
    names = [one for one in cls.arg_constraints if one != "logits"]
    return cls(*[HALVES if one == "probs" else ONES for one in names])


@pytest.mark.parametrize("name", sorted(REPARAMETRISED | DISCRETE))
def test_what_is_drawn(name):
    assert _made(name).sample().is_floating_point() == (name not in WHOLE)
