"""A sum that a function gives is kept in vain only if every call of the function was followed: another caller, on
something that nobody knows, may differentiate what it gets."""

from __future__ import annotations

import pytest
import torch

from gradlint import linter
from gradlint.disk import InMemory
from gradlint.project import Project
from gradlint.registry import rules
from gradlint.testing.programs import MAIN

RULES = rules()
STORE = """
import torch
from torch import nn


class Store:
    def __init__(self):
        self.net = nn.Linear(3, 2)
        self.rows, self.kept = 4, []

    def lookup(self, key):
        BODY

    def summed(self, key):
        total = 0
        for index in range(self.rows):
            total += self.net(key + index)
        return total
"""
BODIES = {
    "a sum": """
        total = 0
        for index in range(self.rows):
            total += self.net(key + index)
        return total / self.rows""",
    "a list": """
        found = []
        for index in range(self.rows):
            found.append(self.net(key + index))
        return torch.stack(found).mean(0)""",
    "the list itself": """
        found = []
        for index in range(self.rows):
            found.append(self.net(key + index))
        return found""",
    "what another method sums": """
        return self.summed(key)""",
}
ONLY_READ = {
    "a number": """
        total = 0
        for index in range(self.rows):
            total += self.net(key + index).mean()
        return total.item()""",
    "nothing": """
        total = 0
        for index in range(self.rows):
            total += self.net(key + index).mean()
        print(total)""",
    "something detached": """
        found = []
        for index in range(self.rows):
            found.append(self.net(key + index))
        return torch.stack(found).detach()""",
}
SCRIPT = """
IMPORT
store = Store()
optimizer = torch.optim.SGD(store.net.parameters(), lr=0.1)


def train(stores, batches):
    for kind, key, goal in batches:
        found = CALL
        loss = sum((one - goal).pow(2).mean() for one in found)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


for key in torch.rand(5, 2, 3):
    for one in store.lookup(key):
        print(one.argmax().item())
"""
TRAINED = "\ntrain([store], [(0, torch.rand(2, 3), 1.0)])\n"
STRANGERS = ["stores[kind].lookup(key)", "next(iter(stores)).lookup(key)", "batches.stores.lookup(key)"]
CODES = {"GRD501", "GRD502"}


def script(body: str, call: str, imported: str = "") -> str:
    """A script that looks things up to print them, and by another call to train on them."""
    return SCRIPT.replace("IMPORT", imported or STORE.replace("BODY", body.strip())).replace("CALL", call)


def codes(text: str, **files: str) -> set[str]:
    project = Project(InMemory({f"{name}.py": text for name, text in files.items()})).at(MAIN)
    found = linter.analyse(text, RULES, project=project)
    return CODES & {one.code for one in (*found.findings, *found.elsewhere)}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("call", STRANGERS[:2])
def test_who_calls_it_on_a_stranger_may_differentiate_what_it_gives(body: str, call: str) -> None:
    names: dict[str, object] = {}
    exec(script(BODIES[body], call) + TRAINED, names)
    net = names["store"].net  # type: ignore[attr-defined]
    assert torch.count_nonzero(net.weight.grad)
    assert not codes(script(BODIES[body], call))


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("call", ["stores[kind].other(key)", "[torch.ones(2, requires_grad=True)]"])
def test_what_no_other_call_may_give_is_kept_in_vain(body: str, call: str) -> None:
    assert codes(script(BODIES[body], call))


@pytest.mark.parametrize("body", ONLY_READ)
def test_what_gives_no_graph_keeps_it_in_vain_whoever_calls_it(body: str) -> None:
    text = script(ONLY_READ[body], STRANGERS[0]).replace("for one in store.lookup(key):", "if store.lookup(key):")
    assert codes(text.replace("print(one.argmax().item())", "print(key)"))


LONG = "\n".join(["        key = key + 0"] * 300)
"""Statements that cost so much that few calls of them are followed."""


@pytest.mark.parametrize("body", ["a sum", "a list"])
@pytest.mark.parametrize(("call", "most"), [("store.lookup(key)", 20), ("[key.requires_grad_()]", 3)])
def test_a_call_for_which_no_steps_are_left_may_be_such_a_one(body: str, call: str, most: int) -> None:
    """The first calls, which only print, are followed; the last, which trains, is not."""
    own = STORE.replace("BODY", f"{LONG.strip()}{BODIES[body]}")
    before = "".join(f"print(store.lookup(torch.rand({n}, 3)).argmax().item())\n" for n in range(1, most))
    text = script("", call, "import torch\nfrom own import Store").partition("for key in torch.rand")[0]
    assert bool(codes(f"{text}{before}{TRAINED}", own=own)) == (call != "store.lookup(key)")
