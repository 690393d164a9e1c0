"""Optimizers over networks of many parameters hold all of them and no others, however they are handed over."""

from __future__ import annotations

from typing import Any

import pytest

from gradlint import linter, registry
from gradlint.domain import NO
from gradlint.events import Event, OptimizerBuilt

PACKS = registry.packs()
NETWORKS = """\
import itertools
import torch
from torch import nn, optim

class Deep(nn.Module):
    def __init__(self):
        super().__init__()
{layers}

first, second = Deep(), Deep()
"""
LAYERS = 40
FORMS = {
    "first.parameters()": 1,
    "list(first.parameters())": 1,
    "[p for p in first.parameters() if p.requires_grad]": 1,
    "filter(lambda p: p.requires_grad, first.parameters())": 1,
    "filter(lambda p: p.requires_grad, list(first.parameters()))": 1,
    "list(first.parameters()) + list(second.parameters())": 2,
    "[*first.parameters(), *second.parameters()]": 2,
    "itertools.chain(first.parameters(), second.parameters())": 2,
    "filter(lambda p: p.requires_grad, list(first.parameters()) + list(second.parameters()))": 2,
    "[{'params': list(first.parameters())}, {'params': second.parameters()}]": 2,
}


@pytest.mark.parametrize("form", FORMS)
def test_all_parameters_of_large_networks_are_held(form):
    """As torch has them."""
    layers = "\n".join(f"        self.layer{number} = nn.Linear(2, 2)" for number in range(LAYERS))
    text = NETWORKS.format(layers=layers) + f"optimizer = optim.SGD({form}, lr=0.1)\n"
    heard: list[Event] = []
    linter.analyse(text, (), packs=PACKS, watch=linter.Watch(listen=heard.append))
    (built,) = [event for event in heard if isinstance(event, OptimizerBuilt)]
    names: dict[str, Any] = {}
    exec(text, names)
    held = sum(len(group["params"]) for group in names["optimizer"].param_groups)
    assert (len(built.parameters), built.optimizer.open) == (held, NO)
    assert held == FORMS[form] * LAYERS * 2
