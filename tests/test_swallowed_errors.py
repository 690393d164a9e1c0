"""A handler that tells of an error and goes on the same way is no cure of what raises it, where training goes on."""

from __future__ import annotations

import itertools
import re
import textwrap
from typing import Any

import pytest

from gradlint import linter
from gradlint.finding import Confidence, Effect
from gradlint.registry import rules
from gradlint.showing import shown

START = """
import logging
import torch
from torch import nn

net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
before = net.weight.detach().clone()
failed = 0

def batches():
    for _ in range(2):
        yield torch.rand(2, 3), torch.rand(2, 1)
"""
LOOP = """
for x, y in batches():
    optimizer.zero_grad()
    loss = (net(x).detach() - y).pow(2).mean()
    try:
        loss.backward()
    {}
    optimizer.step()
"""
FUNCTION = """
def train_step(x, y):
    optimizer.zero_grad()
    hidden = net(x).exp()
    hidden += 1
    loss = (hidden - y).pow(2).mean()
    loss.backward()
    optimizer.step()

for x, y in batches():
    try:
        train_step(x, y)
    {}
"""
MAIN = """
def epoch():
    for x, y in batches():
        loss = (net(x).detach() - y).pow(2).mean()
        loss.backward()
        optimizer.step()

def main():
    epoch()

try:
    main()
{}
"""
TRAINING = {"loop": LOOP, "function": FUNCTION, "main": MAIN}
TELLING = {
    "pass": "except RuntimeError: pass",
    "count": "except RuntimeError: failed += 1",
    "print": "except RuntimeError as e: print('skipped', e)",
    "log": "except RuntimeError as e: logging.debug('skipped: %s', e)",
    "memory": """
        except RuntimeError as e:
            if "out of memory" in str(e):
                torch.cuda.empty_cache()
            else:
                print(e)
        """,
}
SHOWN = {
    "second backward": """
        loss = net(torch.rand(2, 3)).exp().sum()
        loss.backward()
        try:
            loss.backward()
        except RuntimeError as e:
            print(e)
        """,
    "a leaf": """
        leaf = torch.ones(2, requires_grad=True)
        try:
            leaf.add_(1)
        except RuntimeError as e:
            print("as expected:", e)
        """,
    "each in turn": """
        for value in (0.5, 2.0):
            leaf = torch.ones(2, requires_grad=True)
            try:
                leaf *= value
            except RuntimeError as e:
                print(value, e)
        """,
}
OTHERWISE = {
    "computes it anew": """
        except RuntimeError:
                loss = (net(x) - y).pow(2).mean()
                loss.backward()
        """,
    "raises something else": "except RuntimeError as e: raise ValueError('no graph') from e",
    "gives another value": "except RuntimeError: loss = None",
}


def raising(text: str) -> list[Any]:
    """The findings that a line raises, or that a later one does on account of it."""
    found = shown(linter.analyse(text, rules()).findings, rules(), Confidence.LIKELY)
    return [one for one in found if one.consequence in (Effect.ERROR, Effect.ERROR_LATER)]


def handled(program: str, handler: str) -> str:
    """A program with a handler, as deep as its place says."""
    text = textwrap.dedent(handler).strip()
    line = next(line for line in program.splitlines() if "{}" in line)
    return START + program.replace(line, textwrap.indent(text, line.removesuffix("{}")))


@pytest.mark.parametrize(("program", "handler"), [*itertools.product(TRAINING, TELLING)])
def test_a_handler_that_only_tells_is_no_cure(program: str, handler: str) -> None:
    text = handled(TRAINING[program], TELLING[handler])
    have: dict[str, Any] = {}
    exec(compile(text, "program", "exec"), have)
    assert bool((have["net"].weight == have["before"]).all())
    assert [one.confidence for one in raising(text)] == [Confidence.LIKELY]


@pytest.mark.parametrize("shown_as", SHOWN)
def test_an_error_that_is_shown_on_purpose_is_none(shown_as: str) -> None:
    text = START + textwrap.dedent(SHOWN[shown_as])
    exec(compile(text, "program", "exec"), {})
    assert not raising(text)
    assert raising(re.sub(r"except .*:", "finally:", text.replace(", e)", ")").replace("(e)", "()")))


@pytest.mark.parametrize("otherwise", OTHERWISE)
def test_a_handler_that_goes_on_in_another_way_was_meant(otherwise: str) -> None:
    assert not raising(handled(LOOP, OTHERWISE[otherwise]))


def suppressed(program: str) -> str:
    """A program with `contextlib.suppress` in the place of its `try`."""
    text = program.replace("try:", "with contextlib.suppress(RuntimeError):")
    return "import contextlib\n" + START + "".join(line for line in text.splitlines(keepends=True) if "{}" not in line)


@pytest.mark.parametrize("program", TRAINING)
def test_an_error_that_a_step_of_training_suppresses_is_likely_none(program: str) -> None:
    text = suppressed(TRAINING[program])
    have: dict[str, Any] = {}
    exec(compile(text, "program", "exec"), have)
    assert bool((have["net"].weight == have["before"]).all())
    assert [one.confidence for one in raising(text)] == [Confidence.LIKELY]


def test_an_error_that_is_suppressed_to_show_it_is_none() -> None:
    shown_here = "leaf = torch.ones(2, requires_grad=True)\nwith contextlib.suppress(RuntimeError):\n    leaf.add_(1)\n"
    exec(compile("import contextlib\n" + START + shown_here, "program", "exec"), {})
    assert not raising("import contextlib\n" + START + shown_here)


def test_an_error_that_a_test_waits_for_is_none() -> None:
    text = suppressed(LOOP).replace("contextlib.suppress", "pytest.raises")
    assert not raising(text.replace("import contextlib", "import pytest"))
