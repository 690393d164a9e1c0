"""The result of one file, linted without a command."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.engine import Engine
from gradlint.finding import Confidence
from gradlint.knowledge.pack_index import NO_PACKS, Packs
from gradlint.results import Result
from gradlint.rule import Rule
from gradlint.settings import Known, Terms


def result(
    data: bytes,
    name: str,
    rules: Sequence[Rule],
    least: Confidence = Confidence.POSSIBLE,
    packs: Packs = NO_PACKS,
    *,
    named: bool = False,
) -> Result:
    """What these rules give for a file of this name; of one that is `named` with what lies around it."""
    terms = Terms(tuple(rule.code for rule in rules), (), least, Known())
    return Engine(rules, packs).lint(data, name, name, terms, named=named)
