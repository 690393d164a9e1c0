"""Loading for commands: rules, packs of knowledge, and all that is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gradlint.engine import Installation
    from gradlint.knowledge.pack_index import Packs
    from gradlint.rule import Rule

_LIKE_A_CODE = re.compile(r"[A-Z]{3}[0-9]{0,3}")


def rules() -> tuple[Rule, ...]:
    """All rules."""
    from gradlint import registry

    with _telling_what_is_broken():
        return registry.rules()


def installed() -> Installation:
    """All that is installed."""
    from gradlint import registry

    with _telling_what_is_broken():
        return registry.installed()


def packs() -> Packs:
    """All knowledge of libraries."""
    from gradlint import registry

    with _telling_what_is_broken():
        return registry.packs()


@contextmanager
def _telling_what_is_broken() -> Iterator[None]:
    """A pack that is broken is the user's to repair, not an internal error."""
    from gradlint import registry

    try:
        yield
    except registry.BrokenPack as error:
        raise click.ClickException(str(error)) from error


def begun_by(word: str) -> tuple[Rule, ...]:
    """The rules whose codes begin so, if none has this code."""
    every, prefix = rules(), word.upper()
    found = tuple(rule for rule in every if rule.code.startswith(prefix))
    return found if _LIKE_A_CODE.fullmatch(prefix) and prefix not in [rule.code for rule in found] else ()


def find(word: str) -> Rule:
    """The rule of this code or name."""
    from gradlint.selection import meant

    every = rules()
    known = {spelling: rule for rule in every for spelling in (rule.code, rule.name)}
    for spelling in (word, word.upper(), word.lower()):
        if spelling in known:
            return known[spelling]
    raise click.ClickException(f"no rule is called `{word}`; {meant(word, known)}")
