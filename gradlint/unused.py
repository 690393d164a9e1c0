"""Suppressions that silence nothing, and words in suppressions that name no rule.

A suppression is in use if it silences a finding of any confidence, also one that yields to another, or that another
file of the run leads to: a run that shows less must not have it taken away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from gradlint import selection, texts
from gradlint.finding import SAFE, Edit, Finding, Fix, Place
from gradlint.frozen import frozen
from gradlint.selection import NOT_LINTED, UNREADABLE, UNUSED, Selectable
from gradlint.suppression import Comment, Statements, Suppression, said, suppressions, unsuppressed

OURS = re.compile(r"GRD[0-9]*")
"""The words of `# noqa` that are ours, in capitals; others are those of other tools."""
MOST_UNKNOWN = 20
"""The most unknown words of a file that are told."""
LONGEST_WORD = 60
"""The most characters of such a word."""
MOST_NAMED = 10
"""The most unused words of a suppression that are named."""
LONGEST_COMMENT = 1_000
"""The most characters of a comment of which another version is offered."""
_NAMED = (UNREADABLE, UNUSED, NOT_LINTED)
_COOKIE_ROW = 3
"""The first row in which the encoding of a file cannot be declared: what stands there must not move up."""
_SPEAKS_TO_OTHERS = re.compile(r"\A[#\s]*+[\w-]++\s*+:")
"""The beginning of prose that would be taken for an instruction if it began a comment."""


@dataclass(frozen=True, slots=True, order=True)
class Silenced:
    """A finding that a comment silences: its `path` where that is not the linted file."""

    path: str
    row: int
    code: str


def silenced(findings: Iterable[Finding], text_of: Callable[[str], str]) -> tuple[Silenced, ...]:
    """Return the findings that a comment in their file silences; `text_of` gives the text of a path."""
    found = set[Silenced]()
    for path, group in groupby(sorted(findings, key=attrgetter("path")), key=attrgetter("path")):
        there = tuple(group)
        shown = frozenset(map(id, unsuppressed(text_of(path), there)))
        found.update(Silenced(path, one.place.row, one.code) for one in there if id(one) not in shown)
    return tuple(sorted(found))


def unknown(text: str, rules: Iterable[Selectable]) -> tuple[tuple[int, str], ...]:
    """The words in suppressions of ours that name no rule, with their rows; the first ones, where they are many."""
    found, _ = suppressions(text)
    if not found:
        return ()
    known = _Known(rules)
    strange = (
        (one.row, one.comment.text[slice(*span)])
        for one in found
        for word, span in zip(one.words or (), one.spans, strict=True)
        if not (known.named_by(one, word) or (one.prefixes and not OURS.fullmatch(word)))
    )
    return tuple(pair for pair, _ in zip(dict.fromkeys(strange), range(MOST_UNKNOWN), strict=False))


def warnings(name: str, found: Sequence[tuple[str, str]], rules: Iterable[Selectable]) -> Iterator[str]:
    """A line about each unknown word of a file that is shown under a name; its row is given as it is written."""
    if not found:
        return iter(())
    spellings = tuple(spelling for rule in (*rules, *_NAMED) for spelling in (rule.code, rule.name))
    return (selection.unknown(word[:LONGEST_WORD], spellings, f"{name}:{row}") for row, word in found)


class _Known:
    """The codes that words of suppressions stand for."""

    def __init__(self, rules: Iterable[Selectable]) -> None:
        every = (*rules, *_NAMED)
        self._codes = frozenset(one.code for one in every)
        self._exact = {spelling.upper(): one.code for one in every for spelling in (one.code, one.name)}

    def named_by(self, suppression: Suppression, word: str) -> frozenset[str]:
        """The codes of ours that a word of a suppression stands for."""
        if suppression.is_ours:
            return frozenset({self._exact[word]} if word in self._exact else ())
        begun = frozenset(code for code in self._codes if code.startswith(word))
        return begun if OURS.fullmatch(word) or word in self._codes else frozenset()


# ---- unused ones


@frozen()
class Judge:
    """The judge of the suppressions of a file: the `asked` are the codes that are reported there, `rules` those that
    are mistakes in its version of torch."""

    asked: Collection[str]
    rules: Sequence[Selectable]

    def unused(self, text: str, silenced: Iterable[Silenced]) -> tuple[Finding, ...]:
        """A finding for each suppression in a text that silences none of what there is to be silenced, with a fix."""
        found, statements = suppressions(text)
        uses, known = _Uses(silenced, statements), _Known(self.rules)
        rows = texts.rows(text) if found else []
        told = [
            _finding(one, idle, rows) for one in found if (idle := self._idle(one, uses.codes(one), known)) is not None
        ]
        return unsuppressed(text, told)

    def _idle(self, one: Suppression, used: frozenset[str], known: _Known) -> tuple[int, ...] | None:
        """Return the words of a suppression that silence nothing: none of them where it has no words; None where all
        that it says is in use, or cannot be judged in this run."""
        if not one.words:
            all_asked = all(rule.code in self.asked for rule in self.rules if rule.default)
            says_nothing = one.words is not None or (all_asked and not used)
            return () if one.is_ours and says_nothing else None
        stands_for = [known.named_by(one, word) for word in one.words]
        idle = [at for at, codes in enumerate(stands_for) if self._may_be_judged(codes) and used.isdisjoint(codes)]
        return tuple(idle) or None

    def _may_be_judged(self, codes: frozenset[str]) -> bool:
        return bool(codes) and all(code in self.asked and code not in _OWN for code in codes)


_OWN = frozenset(one.code for one in _NAMED)


class _Uses:
    """The uses of suppressions, by the statement that each is in."""

    def __init__(self, silenced: Iterable[Silenced], statements: Statements) -> None:
        self._statements = statements
        self._everywhere = set[str]()
        self._by_statement: dict[tuple[int, int], set[str]] = {}
        for one in silenced:
            self._everywhere.add(one.code)
            self._by_statement.setdefault(statements.around(one.row), set()).add(one.code)

    def codes(self, one: Suppression) -> frozenset[str]:
        """The codes of what is silenced where a suppression holds."""
        if one.whole_file:
            return frozenset(self._everywhere)
        return frozenset(self._by_statement.get(self._statements.around(one.row), ()))


def _finding(one: Suppression, idle: Sequence[int], rows: Sequence[str]) -> Finding:
    """The finding about a suppression of which these words are idle; all of it is, where it has none."""
    (first, last), at = one.span, one.comment
    words = [at.text[slice(*one.spans[number])] for number in idle]
    told = ", ".join(f"`{word}`" for word in words[:MOST_NAMED]) or f"`{at.text[first:last]}`"
    if len(words) > MOST_NAMED:
        told += f" and {len(words) - MOST_NAMED} more"
    verb = "silences" if len(words) < 2 else "silence"
    where = "in this file" if one.whole_file else "here"
    place = Place(at.row, at.column + first, at.row, at.column + last)
    help = f"take {'it' if len(words) < 2 else 'them'} out"
    fixes = _fixes(one, idle, rows, help)
    message = f"{told} {verb} nothing {where}"
    return Finding(UNUSED.code, UNUSED.name, message, place, consequence="no effect", help=help, fixes=fixes)


# ---- the fix


def _fixes(one: Suppression, idle: Sequence[int], rows: Sequence[str], message: str) -> tuple[Fix, ...]:
    at, row = one.comment, rows[one.row - 1]
    if len(at.text) > LONGEST_COMMENT:
        return ()
    left = _without_words(one, idle) if len(idle) < len(one.spans) else _without(one)
    if left is None:
        return ()
    before = row[: at.column - 1].rstrip()
    end = Place(at.row, at.column, at.row, len(row) + 1)
    if not left and not before:
        must_stay = at.row == len(rows) or (at.row < _COOKIE_ROW <= len(rows) and "coding" in rows[_COOKIE_ROW - 1])
        end = Place(at.row, 1, at.row, len(row) + 1) if must_stay else Place(at.row, 1, at.row + 1, 1)
    elif not left:
        end = Place(at.row, len(before) + 1, at.row, len(row) + 1)
    return (Fix((Edit(end, left),), SAFE, message),)


def _without_words(one: Suppression, idle: Sequence[int]) -> str:
    """The comment without some words of its list: what stands between the others stays."""
    text, kept = one.comment.text, [at for at in range(len(one.spans)) if at not in idle]
    parts = [text[: one.spans[0][0]], text[slice(*one.spans[kept[0]])]]
    for at in kept[1:]:
        parts.append(text[one.spans[at - 1][1] : one.spans[at][1]])
    return "".join((*parts, text[one.spans[-1][1] :]))


def _without(one: Suppression) -> str | None:
    """The comment without a suppression, with the codes of other tools and the prose in it; None where what is left
    would say something new."""
    (first, last), text = one.span, one.comment.text
    before, after = text[:first].rstrip(), text[last:].strip()
    prose = after.lstrip(" \t,;:-")
    if prose and not prose.startswith("#"):
        if _SPEAKS_TO_OTHERS.match(prose):
            return None
        prose = f"# {prose}"
    left = "  ".join(part for part in (before, prose) if part.strip("# \t"))
    others = _said(text)
    others.remove((one.words, one.whole_file))
    return left if _said(left) == others else None


def _said(text: str) -> list[tuple[tuple[str, ...] | None, bool]]:
    """Return the suppressions in a comment, wherever in it."""
    return [(one.words, one.whole_file) for one in said(Comment(1, 1, text))]
