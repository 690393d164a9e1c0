"""The facts about rules and packs that a run needs before anything is analysed, as plain data that can be kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from typing import Any

from gradlint.frozen import frozen
from gradlint.versions import Version


@frozen()
class Listed:
    """A rule as `gradlint.rule.Rule` has it, without what it says and does."""

    code: str
    name: str
    default: bool = True
    tokens: tuple[str, ...] = ()
    yields_to: tuple[str, ...] = ()
    since: Version | None = None
    until: Version | None = None
    source: str = ""

    @classmethod
    def of(cls, rule: Any) -> Listed:
        """Return the facts of a rule that are known here."""
        version = rule.since, rule.until, rule.source
        return cls(rule.code, rule.name, rule.default, rule.tokens, rule.yields_to, *version)


@frozen()
class Catalogue:
    """The `rules` that are installed, the `words` one of which stands in every text in which something can be found
    (names of `libraries` that work with torch among them), and a `digest` of the code of all that is installed."""

    rules: tuple[Listed, ...]
    words: tuple[str, ...] = ()
    digest: str = ""
    libraries: tuple[str, ...] = ()

    def as_data(self) -> list[Any]:
        """Return the catalogue as JSON can write it."""
        return [[astuple(rule) for rule in self.rules], self.words, self.digest, self.libraries]

    @classmethod
    def from_data(cls, data: Any) -> Catalogue:
        """Return the catalogue that `as_data` wrote. Raises `TypeError` or `ValueError` for anything else."""
        rules, words, digest, libraries = data
        return cls(tuple(map(_listed, rules)), _strings(words), str(digest), _strings(libraries))


def _listed(row: Any) -> Listed:
    code, name, default, tokens, yields_to, since, until, source = row
    return Listed(
        str(code), str(name), bool(default), _strings(tokens), _strings(yields_to), _version(since), _version(until),
        str(source),
    )  # fmt: skip


def _strings(values: Iterable[Any]) -> tuple[str, ...]:
    return tuple(str(value) for value in values)


def _version(value: Sequence[Any] | None) -> Version | None:
    if value is None:
        return None
    major, minor = value
    return int(major), int(minor)
