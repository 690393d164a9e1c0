"""The beginning of a new rule: its file and its case file, with everything that is to be written marked as missing."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from gradlint.frozen import frozen
from gradlint.registry import CODE, NAME, OWN_CODES

_RULE = '''\
"""One sentence: what is a mistake.

## Why it happens

In terms of autograd: leaves, grad mode, graph, saved tensors.

## What it costs

What the user loses, and whether anything is raised.

## When it is right to ignore it

Code that looks like this and is meant.
"""

from __future__ import annotations

from gradlint.domain import YES
from gradlint.events import {event}
from gradlint.rule import Findings, Raises, Rule, quoted

rule = Rule(
    "{code}",
    "{name}",
    "{{name}} does something that it should not",
    help="write something else instead",
    effect="error",
    tokens=(),
)
consequence = Raises(RuntimeError, "words of torch's message")


@rule.on({event})
def check(event: {event}) -> Findings:
    if event.tensor.requires_grad <= YES:  # certainly; what may be otherwise is no finding
        yield rule.at(event.node, name=quoted(event.name, "the tensor"))


@rule.bad
def the_mistake_as_a_sentence():
    import torch

    raise NotImplementedError("write the mistake, and the mark on its line")  # {code}


@rule.good(cures=the_mistake_as_a_sentence)
def the_cure_as_a_sentence():
    import torch

    raise NotImplementedError("write the same program without the mistake")
'''
_CASES = '''\
"""Cases for {code}: at least ten marked lines, at least half of them `# ok: why`."""

import torch


def as_people_write_it():
    raise NotImplementedError
'''
_EVENT = "GradientRead"
_NO_LETTERS = re.compile(r"[^a-z0-9]+")
_OF_A_RULE = re.compile(r'Rule\(\s*+"([A-Z]{3}[0-9]{3})"')


class CannotBegin(Exception):
    """The rule cannot be begun; the message names what is in the way and the cure."""


@frozen()
class Begun:
    """The files that were written."""

    code: str
    files: tuple[str, ...]


def begin(name: str, code: str | None, folder: str, cases: str, taken: Iterable[str]) -> Begun:
    """Write the two files of a rule. `code` None takes the next free one of the folder; `taken` are codes and names
    that are not free. Raises `CannotBegin`."""
    if not NAME.fullmatch(name):
        near = _NO_LETTERS.sub("-", name.lower()).strip("-") or "the-mistake"
        raise CannotBegin(f"`{name}` is no rule name: lower-case words joined by hyphens, like `{near}`")
    unfree = frozenset(taken)
    if name in unfree:
        raise CannotBegin(f"there is a rule `{name}` already; `gradlint rule {name}` shows it")
    chosen = _checked(code, unfree) if code else _next(folder, unfree)
    stem = name.replace("-", "_")
    written = {
        os.path.join(folder, f"{stem}.py"): _RULE.format(code=chosen, name=name, event=_EVENT),
        os.path.join(cases, f"{stem}.py"): _CASES.format(code=chosen),
    }
    for path in written:
        if os.path.lexists(path):
            raise CannotBegin(f"{path} is there already; choose another name")
        if not os.path.isdir(os.path.dirname(path) or "."):
            raise CannotBegin(f"there is no folder {os.path.dirname(path)}; make it, or name another")
    for path, text in written.items():
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    return Begun(chosen, tuple(written))


def _checked(code: str, unfree: frozenset[str]) -> str:
    if not CODE.fullmatch(code) or OWN_CODES.fullmatch(code):
        raise CannotBegin(f"`{code}` is no code for a rule; take three capital letters and three digits, like ABC123")
    if code in unfree:
        raise CannotBegin(f"{code} is taken; leave `--code` out to get the next free one")
    return code


def _next(folder: str, unfree: frozenset[str]) -> str:
    """The first free code behind those of the rules that are in a folder."""
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in sorted(Path(folder).glob("*.py")))
    there = sorted({found for text in texts for found in _OF_A_RULE.findall(text)})
    if not there:
        raise CannotBegin(f"{folder} holds no rule whose code could be counted on from; name one with `--code`")
    letters, number = there[-1][:3], int(there[-1][3:]) + 1
    while f"{letters}{number:03}" in unfree:
        number += 1
    if number > 999:
        raise CannotBegin(f"no code is free behind {there[-1]}; name one with `--code`")
    return f"{letters}{number:03}"
