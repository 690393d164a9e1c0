"""Which distributions can be differentiated by their parameters is what torch says."""

from __future__ import annotations

import pytest
import torch

from gradlint.knowledge.distributions import DISCRETE, REPARAMETRISED

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("name", sorted(REPARAMETRISED | DISCRETE))
def test_what_has_rsample(name):
    cls = getattr(torch.distributions, name)
    told = cls.has_rsample
    if isinstance(told, property):  # a transformed distribution: as what it transforms
        told = cls(torch.ones(1), torch.ones(1)).has_rsample
    assert told == (name in REPARAMETRISED)
