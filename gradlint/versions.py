"""Versions of torch: which there are, on which of them the tables were measured, and in which of them a row holds."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import cache
from typing import Protocol, TypeVar

from gradlint.frozen import frozen

Version = tuple[int, int]

RELEASES: tuple[Version, ...] = ((1, 13), *((2, minor) for minor in range(16)))
"""All that can be aimed at, oldest first."""
MEASURED: tuple[Version, ...] = ((2, 12), (2, 13), (2, 15))
"""The versions that really ran: every row and every example of a rule was measured on 2.12.1, 2.13.0 and 2.15.0."""
PINNED: Version = (2, 13)
"""The one that every test runs on."""
NEWEST: Version = RELEASES[-1]
"""The one that is aimed at where nobody says otherwise."""


class Ranged(Protocol):
    """A fact that holds in a range of versions: from `since` on, and no more from `until` on. None is no bound.

    `source` names where it is told ("release notes of 2.0"), for what no measured version shows.
    """

    @property
    def since(self) -> Version | None: ...
    @property
    def until(self) -> Version | None: ...
    @property
    def source(self) -> str: ...


@frozen(kw_only=True)
class Versioned:
    """A row with a range of versions (see `Ranged`).

    Of what changes between two measured versions with one between them that did not run, the old row ends behind the
    one measured and the new one begins with the other: between them nothing is known. Where one of the two rows says no
    more than what both say, it holds between them as well, and `source` says so.
    """

    since: Version | None = None
    until: Version | None = None
    source: str = ""


RangedT = TypeVar("RangedT", bound=Ranged)


def holds(one: Ranged, version: Version) -> bool:
    """Return whether it holds in a version."""
    return _within(version, one.since, one.until)


def of(rows: Iterable[RangedT], version: Version) -> tuple[RangedT, ...]:
    """Return the rows that hold in a version."""
    return tuple(row for row in rows if holds(row, version))


def told(one: Ranged) -> bool:
    """Return whether it was measured on no version: it is told, and nothing that rests on it is believed far."""
    return not _is_measured(one.since, one.until)


@cache  # of thousands of rows, nearly all in the same few ranges
def _is_measured(since: Version | None, until: Version | None) -> bool:
    return any(_within(version, since, until) for version in MEASURED)


def _within(version: Version, since: Version | None, until: Version | None) -> bool:
    return (since is None or since <= version) and (until is None or version < until)


def written(version: Version) -> str:
    """A version as people write it."""
    return f"{version[0]}.{version[1]}"


def described(one: Ranged) -> str:
    """The range in words, after "torch"; empty where there is no bound."""
    since = "" if one.since is None else written(one.since)
    until = "" if one.until is None else written(one.until)
    if since and until:
        return f"{since} to before {until}"
    return f"{since} and later" if since else f"before {until}" if until else ""


# ---- from text


_BEGUN = re.compile(r"(\d{1,4})\.(\d{1,4})")
_WRITTEN = re.compile(rf"{_BEGUN.pattern}(?:[.+].*)?")


class UnknownVersion(ValueError):
    """A text that names no version that can be aimed at; the message says which it could be."""


def parse(text: str) -> Version:
    """The version that a text names: `2.13`; what follows behind a further dot or a plus is not looked at.

    Raises `UnknownVersion`.
    """
    found = _WRITTEN.fullmatch(text.strip())
    version = (int(found[1]), int(found[2])) if found else None
    if version in RELEASES:
        return version
    near = difflib.get_close_matches(text, [written(one) for one in RELEASES], n=1, cutoff=0.5)
    meant = f"; did you mean {near[0]}?" if near and not found else ""
    known = f"versions from {written(RELEASES[0])} to {written(NEWEST)} are known"
    raise UnknownVersion(f"`{text}` is no version of torch that gradlint knows ({known}, written like 2.13){meant}")


def nearest(text: str) -> Version:
    """The known version that is closest to one that is installed: itself, or the last one before it."""
    try:
        return parse(text)
    except UnknownVersion:
        found = _BEGUN.match(text)
        given = (int(found[1]), int(found[2])) if found else NEWEST
        return max((one for one in RELEASES if one <= given), default=RELEASES[0])


# ---- whether a range makes sense


def fault(one: Ranged) -> tuple[str, str] | None:
    """Return the fault of a range, and the cure; None where it has none."""
    for word, bound in (("since", one.since), ("until", one.until)):
        if bound is not None and bound not in RELEASES:
            text = ".".join(map(str, bound)) if isinstance(bound, tuple) else repr(bound)
            return f"`{word}` is {text}, which is no version of torch", "write one like `(2, 13)`"
    if one.since is not None and one.until is not None and not one.since < one.until:
        return "it holds in no version", "let `since` come before `until`"
    if told(one) and not one.source:
        return "no version of torch it holds in was measured", "say in `source` where it is told"
    return None
