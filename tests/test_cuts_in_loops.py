"""A cut under a test takes the graph of a backward for certain only where no loop stands around the cut alone."""

from __future__ import annotations

import textwrap

import pytest
import torch

from gradlint import linter
from gradlint.finding import Confidence
from gradlint.registry import rules
from gradlint.showing import shown

START = """
import torch
from torch import nn

net = nn.Linear(3, 3)
x = torch.ones(2, 3)
w = torch.ones(3, requires_grad=True)

def cut(tensor):
    cuts.append(tensor)
"""
PROGRAMS = {
    "layer by layer": """
        def run(x):
            for number, layer in enumerate(nn.ModuleList([net, nn.Linear(3, 3), nn.Linear(3, 3)])):
                x = layer(x)
                if number == chosen:
                    cut(x)
                    x = x.detach()
            x.mean().backward()
        """,
    "entry by entry": """
        def run(x):
            parts = {0: w * 2, 1: w * 3}
            for number in parts:
                if number == chosen:
                    cut(x)
                    parts[number] = parts[number].detach()
            sum(part.sum() for part in parts.values()).backward()
        """,
    "comprehension": """
        def run(x):
            losses = [(cut(x), (w * n).sum().detach())[1] if n == chosen else (w * n).sum() for n in range(2)]
            sum(losses).backward()
        """,
    "while": """
        def run(x):
            n = 0
            while n < 3:
                x = net(x)
                if n == chosen:
                    cut(x)
                    x = x.detach()
                n += 1
            x.sum().backward()
        """,
    "inner loop": """
        def run(x):
            for _ in range(2):
                h = x
                for n in range(3):
                    h = net(h)
                    if n == chosen:
                        cut(h)
                        h = h.detach()
                h.sum().backward()
        """,
    "one loop": """
        def run(x):
            for n in range(3):
                loss = net(x).mean()
                if n == chosen:
                    cut(loss)
                    loss = loss.detach()
                loss.backward()
        """,
    "backward in an inner loop": """
        def run(x):
            for n in range(3):
                loss = net(x).mean()
                if n == chosen:
                    cut(loss)
                    loss = loss.detach()
                for _ in range(2):
                    loss.backward(retain_graph=True)
        """,
    "before the loop": """
        def run(x):
            loss = net(x).mean()
            if chosen == 0:
                cut(loss)
                loss = loss.detach()
            for _ in range(2):
                loss.backward(retain_graph=True)
        """,
    "no loop": """
        def run(x):
            loss = net(x).mean()
            if chosen == 0:
                cut(loss)
                loss = loss.detach()
            loss.backward()
        """,
    "numbers": """
        def run(x):
            total = 0.0
            for n in range(3):
                loss = net(x).mean()
                if n == chosen:
                    cut(loss)
                    loss = torch.tensor(loss.item())
                total = total + loss
            total.backward()
        """,
}


def is_lost_by_every_cut(body: str) -> bool:
    """Return whether torch refuses the backward in each run that comes by the cut."""
    refused = []
    for chosen in range(4):
        space: dict[str, object] = {"chosen": chosen, "cuts": (cuts := [])}
        exec(START + textwrap.dedent(body), space)
        try:
            space["run"](torch.ones(2, 3))  # type: ignore[operator]
        except RuntimeError as error:
            refused.append("does not require grad" in str(error))
        else:
            refused += [False] * bool(cuts)
    assert refused
    return all(refused)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_cut_is_told_where_every_run_that_makes_it_is_refused(name: str) -> None:
    body = textwrap.dedent(PROGRAMS[name])
    text = f"from elsewhere import chosen\n{START}{body}\nrun(x)\n".replace("    cuts.append(tensor)", "    pass")
    found = shown(linter.analyse(text, rules()).findings, rules(), Confidence.LIKELY)
    told = [one.code for one in found if one.message.startswith(("on one path",))]
    assert bool(told) == is_lost_by_every_cut(body)


def test_there_are_programs_of_both_kinds() -> None:
    assert len({is_lost_by_every_cut(body) for body in PROGRAMS.values()}) == 2
