"""Checks of packs: the rows of one must make sense among all packs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradlint.knowledge.pack_index import Packs, beginnings
from gradlint.knowledge.packs import (
    Attribute,
    Call,
    Either,
    Gift,
    Hand,
    Hook,
    LibraryClass,
    New,
    Pack,
    Row,
    Several,
)
from gradlint.versions import fault, told

SOURCE = re.compile(r"\A([\w.=@/-]+ )?[\w./-]+\.py:[A-Za-z_][\w.]*")
Fault = tuple[str, str, str]
"""The row, what is wrong with it, and the cure."""


def faults(pack: Pack, packs: Packs) -> Iterator[Fault]:
    """Yield the faults of a pack."""
    for path, row in pack.rows():
        yield from ((path, fault, cure) for fault, cure in _evidence(row))
        for gift in _gifts(row):
            path_of = gift.path if isinstance(gift, New) else ""
            if path_of and not path_of.startswith("torch.") and packs.cls(path_of) is None:
                yield path, f"no pack has a class {path_of}", "give it a row"
        if isinstance(row, LibraryClass):
            yield from _misplaced(path, row, pack, packs)
        yield from ((path, *fault) for fault in _misnamed(row))


def _evidence(row: Row) -> Iterator[tuple[str, str]]:
    """Every row says where its fact comes from, and holds in a version of torch that was measured."""
    if (wrong := fault(row)) is not None:
        yield wrong
    elif told(row):
        yield "no version of torch it holds in was measured", "leave the row out"
    if not row.source and not row.test:
        yield "says not where it comes from", "give a `source` or a `test`"
    if row.source and not SOURCE.fullmatch(row.source):
        yield f"`{row.source}` is no source", "name what was read, like `package/file.py:Class.method`"


def _misplaced(path: str, row: LibraryClass, pack: Pack, packs: Packs) -> Iterator[Fault]:
    for one in row.paths:
        if not any(root in pack.roots for root in beginnings(one)):
            yield path, f"{one} is outside {', '.join(pack.roots)}", "add its top-level module to `roots`"
    for base in row.bases:
        if packs.cls(base) is None:
            yield path, f"no pack has the base {base}", "give it a row"


def _misnamed(row: Row) -> Iterator[tuple[str, str]]:
    """Effects and results name parameters of their row."""
    known = {"self", *getattr(row, "parameters", ())}
    for one in (*getattr(row, "does", ()), *_given(row)):
        name = getattr(one, "of", "self")
        if isinstance(name, str) and name not in known:
            yield f"`{name}` is no parameter", f"add `{name}` to `parameters`"


def _gifts(row: Row) -> list[Gift]:
    """All that a row gives, and all that is passed to functions it calls."""
    hooks = [row] if isinstance(row, Hook) else []
    hooks += [effect.hook for effect in getattr(row, "does", ()) if isinstance(effect, Hand)]
    return [*_given(row), *(gift for hook in hooks for one in hook.handed for gift in _flat(one))]


def _given(row: Row) -> list[Gift]:
    if isinstance(row, LibraryClass):
        return [gift for _, one in row.holds for gift in _flat(one)]
    return _flat(row.gives) if isinstance(row, (Call, Attribute)) else []


def _flat(gift: Gift) -> list[Gift]:
    """A gift and those inside it."""
    inside = (
        gift.of
        if isinstance(gift, (Several, Either))
        else [one for _, one in gift.holding]
        if isinstance(gift, New)
        else ()
    )
    return [gift, *(inner for one in inside for inner in _flat(one))]
