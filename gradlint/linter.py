"""From text to findings: the only door to the analysis.

`lint` is pure: it reads no files, no clock and no globals, and the same text gives the same findings in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradlint.finding import Confidence, Finding, Place
from gradlint.rule import Rule


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that a run over one text gives. `unknown` are the expressions of which nothing could be said;
    `heard` the places at which each rule heard an event (or judged a story), by code; `counts` how much was run
    (functions, events, expressions, bounds hit)."""

    findings: tuple[Finding, ...]
    unknown: tuple[Place, ...] = ()
    heard: tuple[tuple[str, Place], ...] = ()
    counts: tuple[tuple[str, int], ...] = ()


def analyse(text: str, rules: Sequence[Rule], *, positions: bool = False) -> Analysis:
    """Run the program in `text` abstractly under these rules.

    Findings of every confidence are given, sorted by place. `unknown` and `heard` are filled only where
    `positions` are asked for: they cost time. Raises `source.Unreadable` for text that is no Python.
    """
    raise NotImplementedError


def lint(text: str, rules: Sequence[Rule], *, min_confidence: Confidence = Confidence.LIKELY) -> tuple[Finding, ...]:
    """The findings of at least this confidence."""
    return tuple(f for f in analyse(text, rules).findings if f.confidence <= min_confidence)
