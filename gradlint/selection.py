"""The rules that are asked for: codes, beginnings of codes, names, or ALL.

The more exact word wins (`--select GRD1 --ignore GRD101`), and of two equally exact ones the one that ignores.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from gradlint.frozen import frozen

ALL = "ALL"
_EXACT = 1000
_NUMBERED = re.compile(r"[A-Za-z]{3}[0-9]+")


class Selectable(Protocol):
    """A thing that can be asked for."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def default(self) -> bool: ...


@frozen()
class ImportPath:
    """A report that gradlint makes by itself, not by a rule: it is asked for always, unless `default` says that it must
    be selected, and can be ignored as rules can."""

    code: str
    name: str
    default: bool = True


NOT_LINTED = ImportPath("GRD002", "not-linted")
UNREADABLE = ImportPath("GRD000", "unreadable-file")
OF_FILES = frozenset({UNREADABLE.code, NOT_LINTED.code})
"""The reports on a file that was not linted, or not to its end."""
UNUSED = ImportPath("GRD001", "unused-suppression", default=False)


class UnknownRule(Exception):
    """A word that names no rule; the message has the nearest one that does."""


@frozen()
class Layer:
    """The choices of rules in one place: a configuration file, or the command line. `select` of None says nothing."""

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    origin: str = "the command line"


def selected(rules: Sequence[Selectable], layers: Iterable[Layer]) -> frozenset[str]:
    """The codes that are asked for. Each layer goes on from what the ones before left, or with `select` starts anew.

    Raises `UnknownRule`.
    """
    codes = {rule.code for rule in rules if rule.default}
    always = {rule.code for rule in rules if isinstance(rule, ImportPath) and rule.default}
    for layer in layers:
        chosen = [(word, matching(word, rules, layer.origin)) for word in (*(layer.select or ()), *layer.extend_select)]
        dropped = [(word, matching(word, rules, layer.origin)) for word in layer.ignore]
        if layer.select is not None:
            codes &= always
        for exactness in sorted({_exactness(word, rules) for word, _ in (*chosen, *dropped)}):
            codes.update(*(found for word, found in chosen if _exactness(word, rules) == exactness))
            codes.difference_update(*(found for word, found in dropped if _exactness(word, rules) == exactness))
    return frozenset(codes)


def matching(word: str, rules: Sequence[Selectable], origin: str) -> frozenset[str]:
    """The codes that a word stands for. Raises `UnknownRule`."""
    if word.upper() == ALL:
        return frozenset(rule.code for rule in rules)
    named = frozenset(rule.code for rule in rules if rule.name == word.lower())
    begun = frozenset(rule.code for rule in rules if rule.code.startswith(word.upper()))
    found = named or begun
    if not found or not word:
        raise UnknownRule(_unknown(word, rules, origin))
    return found


def names(layer: Layer, rule: Selectable) -> bool:
    """Return whether a layer selects a rule by its own code or name."""
    words = (*(layer.select or ()), *layer.extend_select)
    return any(word.lower() == rule.name or word.upper() == rule.code for word in words)


def _exactness(word: str, rules: Sequence[Selectable]) -> int:
    if word.upper() == ALL:
        return 0
    return _EXACT if any(word.lower() == rule.name or word.upper() == rule.code for rule in rules) else len(word)


def _unknown(word: str, rules: Sequence[Selectable], origin: str) -> str:
    return unknown(word, [spelling for rule in rules for spelling in (rule.code, rule.name)] + [ALL], origin)


def unknown(word: str, spellings: Iterable[str], origin: str) -> str:
    """Return the message on a word that is none of these: where it stands, and the nearest that is one."""
    return f"unknown rule `{word}` in {origin}; {meant(word, spellings)}"


def meant(word: str, spellings: Iterable[str]) -> str:
    """Return the words that may have been meant. For a number the family is named and no other number: those that look
    alike mean other things."""
    known = {spelling.lower(): spelling for spelling in spellings}
    if _NUMBERED.fullmatch(word):
        family = word.upper()[:4]
        return f"`gradlint rule {family}` lists its family" if _begins(family, known) else "`gradlint rules` lists all"
    near = difflib.get_close_matches(word.lower(), known, n=1)
    return f"did you mean `{known[near[0]]}`?" if near else "`gradlint rules` lists all"


def _begins(family: str, known: Iterable[str]) -> bool:
    return any(spelling.startswith(family.lower()) for spelling in known)
