"""Which distributions can be differentiated by their parameters, and what is drawn of them, is what torch says."""

from __future__ import annotations

import contextlib

import pytest
import torch

from gradlint.events import Called
from gradlint.knowledge.torch.distributions import DISCRETE, PARTS, REPARAMETRISED, WHOLE, file_of
from gradlint.testing.widening import heard_events

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


def _made(name, asks=False):
    """A distribution; `asks`: its parameters require grad."""
    cls = getattr(torch.distributions, name)
    given = MADE_OF.get(name)
    if given is None:
        given = [HALVES if one == "probs" else ONES for one in cls.arg_constraints if one != "logits"]
    return cls(*[one.clone().requires_grad_(asks) if isinstance(one, torch.Tensor) else one for one in given])


def _on_the_graph(made):
    """Which of the parts require grad."""
    found = set()
    for name in PARTS:
        with contextlib.suppress(NotImplementedError):
            part = getattr(made, name, None)
            found |= {name} if isinstance(part, torch.Tensor) and part.requires_grad else set()
    return found


@pytest.mark.parametrize("name", sorted(REPARAMETRISED | DISCRETE))
def test_parts_carry_the_graph_of_the_parameters(name):
    assert _on_the_graph(_made(name, asks=True))
    assert not _on_the_graph(_made(name))


def test_every_part_carries_one_somewhere():
    assert set().union(*[_on_the_graph(_made(name, asks=True)) for name in REPARAMETRISED | DISCRETE]) == PARTS


@pytest.mark.parametrize("name", sorted(REPARAMETRISED | DISCRETE))
def test_what_is_drawn(name):
    assert _made(name).sample().is_floating_point() == (name not in WHOLE)


@pytest.mark.parametrize("name", sorted(REPARAMETRISED | DISCRETE))
def test_a_distribution_is_known_by_the_file_it_is_in(name: str) -> None:
    assert getattr(torch.distributions, name).__module__ == f"torch.distributions.{file_of(name)}"
    text = (
        f"import torch\nfrom torch.distributions.{file_of(name)} import {name}\n"
        "one = torch.ones(3, requires_grad=True)\n"
        f"print({name}(one).log_prob(torch.ones(3)))\n"
    )
    calls = [event.path for event in heard_events(text) if isinstance(event, Called)]
    assert f"torch.distributions.{name}.log_prob" in calls
