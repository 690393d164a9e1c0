"""The gate: whether a text is worth an analysis at all, by the words in it and in what it imports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from gradlint import texts
from gradlint.resolving import View

Needed = tuple[tuple[str, ...], ...]
"""The groups of words: one word at least of each is in a text, or in what it imports, if anything can be found."""


class Tokened(Protocol):
    """The part of a rule that is known here: the words without one of which it finds nothing (none: it needs none)."""

    @property
    def tokens(self) -> tuple[str, ...]: ...


def needed(rules: Sequence[Tokened], words: Iterable[str]) -> Needed:
    """Return the words needed for a finding of these rules: one of the `words` of torch and libraries that work with
    it, most rules need others besides."""
    of_torch = tuple(words)
    if not all(rule.tokens for rule in rules):
        return (of_torch,)
    return of_torch, tuple(sorted({word for rule in rules for word in rule.tokens}))


def is_open(text: str, needed: Needed) -> bool:
    """Return whether a text itself has what is needed."""
    return all(texts.mentions(text, words) for words in needed)


def may_find(text: str, needed: Needed, project: View | None = None) -> bool:
    """Return whether something can be found in a text, or it is no Python.

    What Python parses and LibCST does not is told only where the gate is open.
    """
    return has_words(text, needed, project) or not texts.is_python(text)


def has_words(text: str, needed: Needed, project: View | None = None) -> bool:
    """Return whether a text, together with what it imports, has what is needed."""
    mention = texts.mentions if project is None else project.mention
    return all(mention(text, words) for words in needed)
