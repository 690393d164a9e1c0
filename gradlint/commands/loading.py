"""What commands load: rules, packs of knowledge, and all that is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gradlint.engine import Installation
    from gradlint.knowledge.together import Packs
    from gradlint.rule import Rule


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


def find(word: str) -> Rule:
    """The rule of this code or name."""
    import difflib

    known = {spelling: rule for rule in rules() for spelling in (rule.code, rule.name)}
    for spelling in (word, word.upper(), word.lower()):
        if spelling in known:
            return known[spelling]
    near = difflib.get_close_matches(word.lower(), [s.lower() for s in known], n=1)
    meant = next((s for s in known if near and s.lower() == near[0]), "")
    hint = f"did you mean `{meant}`?" if meant else "`gradlint rules` lists all"
    raise click.ClickException(f"no rule is called `{word}`; {hint}")
