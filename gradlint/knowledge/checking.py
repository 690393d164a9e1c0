"""Whether a pack can be used: what its rows say must make sense among all packs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gradlint.knowledge.packs import (
    Attribute,
    Call,
    Gift,
    Hand,
    Hook,
    LibraryClass,
    New,
    Pack,
    Packs,
    Row,
    Several,
)

SOURCE = re.compile(r"[\w./-]+\.pyi?:\d+(-\d+)?")
OF_TORCH = frozenset({"", "torch.nn.Module", "torch.optim.Optimizer"})

Fault = tuple[str, str, str]
"""The row, what is wrong with it, and the cure."""


def faults(pack: Pack, packs: Packs) -> Iterator[Fault]:
    """What is wrong with a pack."""
    for path, row in pack.rows():
        yield from ((path, fault, cure) for fault, cure in _evidence(row))
        for gift in _gifts(row):
            if isinstance(gift, New) and gift.path not in OF_TORCH and packs.cls(gift.path) is None:
                yield path, f"no pack has a class {gift.path}", "give it a row"
        if isinstance(row, LibraryClass):
            yield from _misplaced(path, row, pack, packs)
        if isinstance(row, Call):
            yield from ((path, *fault) for fault in _misnamed(row))


def _evidence(row: Row) -> Iterator[tuple[str, str]]:
    """Every row says where its fact comes from."""
    if not row.source and not row.test:
        yield "says not where it comes from", "give a `source` (file.py:10-20) or a `test`"
    if row.source and not SOURCE.fullmatch(row.source):
        yield f"`{row.source}` is no source", "name a file and lines of the library, like `package/file.py:10-20`"


def _misplaced(path: str, row: LibraryClass, pack: Pack, packs: Packs) -> Iterator[Fault]:
    for one in row.paths:
        if one.partition(".")[0] not in pack.roots:
            yield path, f"{one} is outside {', '.join(pack.roots)}", "add its top-level module to `roots`"
    for base in row.bases:
        if packs.cls(base) is None:
            yield path, f"no pack has the base {base}", "give it a row"
    known = set(row.parameters)
    for attribute, name in row.holds:
        if name not in known:
            yield path, f"`{attribute}` holds `{name}`, which is no parameter", f"add `{name}` to `parameters`"


def _misnamed(row: Call) -> Iterator[tuple[str, str]]:
    """Effects and results name parameters of their row."""
    known = {"self", *row.parameters}
    for one in (*row.does, *_flat(row.gives)):
        name = getattr(one, "of", "self")
        names = [name] if isinstance(name, str) else []
        names += [parameter for _, parameter in one.holding] if isinstance(one, New) else []
        for name in names:
            if name not in known:
                yield f"`{name}` is no parameter", f"add `{name}` to `parameters`"


def _gifts(row: Row) -> list[Gift]:
    if isinstance(row, Hook):
        return [gift for one in row.handed for gift in _flat(one)]
    if isinstance(row, Call):
        hooks = [effect.hook for effect in row.does if isinstance(effect, Hand)]
        return [*_flat(row.gives), *(gift for hook in hooks for gift in _gifts(hook))]
    return _flat(row.gives) if isinstance(row, Attribute) else []


def _flat(gift: Gift) -> list[Gift]:
    """A gift and those inside it."""
    return [gift, *(inner for one in gift.of for inner in _flat(one))] if isinstance(gift, Several) else [gift]
