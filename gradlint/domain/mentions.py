"""Mentions: which heap objects and memories an object refers to, derived from what its fields declare."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import Any

from gradlint.domain.fields import REFERRING, Declaration, Join, PerClass, declarations
from gradlint.domain.items import Items
from gradlint.domain.objects import Object, Tensor
from gradlint.domain.refs import CONTEXT_BITS, OPAQUE, Alternatives, Origin, Ref
from gradlint.domain.value_sets import references, renamed
from gradlint.domain.values import Constant, Value
from gradlint.frozen import replace

Renaming = dict[Ref, Ref]
"""The references that objects have now, by those that they had."""
References = Iterable[Ref | None]


def object_references(thing: Object) -> tuple[Ref, ...]:
    """All heap objects and memories that an object mentions."""
    try:
        return thing._mentions
    except AttributeError:
        found = _mentioned(thing, _REFERRING[type(thing)])
        object.__setattr__(thing, "_mentions", found)
        return found


def handed_on(thing: Object) -> tuple[Ref, ...]:
    """Return the references that code with an object can reach. What has left the graph leads back to it by nothing
    that it shares, but what is not known may be one of the things that it was told to share with."""
    own = _OWN[type(thing)]
    if own == _REFERRING[type(thing)] or (type(thing) is Tensor and OPAQUE in thing.node):
        return object_references(thing)
    try:
        return thing._handed_on
    except AttributeError:
        found = _mentioned(thing, own)
        object.__setattr__(thing, "_handed_on", found)
        return found


def origins(thing: Object) -> frozenset[Origin]:
    """Return the origins of all that an object mentions."""
    try:
        return thing._origins
    except AttributeError:
        found = frozenset([ref[0] << CONTEXT_BITS | ref[2] for ref in object_references(thing)])
        object.__setattr__(thing, "_origins", found)
        return found


def object_renamed(thing: Object, now: Renaming) -> Object:
    """The same object after others have changed their references."""
    if now.keys().isdisjoint(object_references(thing)):
        return thing
    changed: dict[str, Any] = {}
    for name, join in _REFERRING[type(thing)]:
        content = getattr(thing, name)
        if content and (new := _RENAMED.get(join, _slot_renamed)(content, now)) is not content and new != content:
            changed[name] = new
    return replace(thing, **changed) if changed else thing


# ---- what a field mentions, by how it joins


Referring = tuple[tuple[str, Join], ...]
"""Fields that refer to objects, and how they join."""


def _referring(counts: Callable[[Declaration], bool]) -> PerClass[Referring]:
    return PerClass(
        lambda cls: tuple(
            [(one.name, says.join) for one, says in declarations(cls) if says.join in REFERRING and counts(says)]
        )
    )


_REFERRING = _referring(lambda says: True)
_OWN = _referring(lambda says: not says.shared)
"""The fields by which one gets from an object to another."""


def _mentioned(thing: Object, names: Referring) -> tuple[Ref, ...]:
    found: dict[Ref | None, None] = {}
    for name, join in names:
        if content := getattr(thing, name):
            found |= dict.fromkeys(_MENTIONED[join](content) if join in _MENTIONED else content)
    return tuple([ref for ref in found if ref is not None])


def _mentioned_by(values: Iterable[Value]) -> References:
    out: list[Ref] = []
    for value in values:
        if type(value) is Ref:
            out.append(value)
        elif type(value) is not Constant:
            out += references(value)
    return out


_MENTIONED: dict[Join, Callable[[Any], References]] = {
    Join.VALUE: references,
    Join.VALUES: _mentioned_by,
    Join.ITEMS: lambda items: _mentioned_by([value for _, value in items]),
    Join.PARTS: chain.from_iterable,
}
"""The references in the content of a field; of one that is not here, which holds alternatives, each of them."""


def _slot_renamed(refs: Alternatives, now: Renaming) -> Alternatives:
    if now.keys().isdisjoint(refs):
        return refs
    if len(refs) == 1:
        return tuple(map(now.__getitem__, filter(None, refs)))
    return tuple(dict.fromkeys([ref if ref is None else now.get(ref, ref) for ref in refs]))


def _items_renamed(items: Items, now: Renaming) -> Items:
    return tuple([(key, value if type(value) is Constant else renamed(value, now)) for key, value in items])


_RENAMED: dict[Join, Callable[[Any, Renaming], Any]] = {
    Join.VALUE: renamed,
    Join.VALUES: lambda values, now: tuple([renamed(value, now) for value in values]),
    Join.ITEMS: _items_renamed,
    Join.PARTS: lambda parts, now: tuple([_slot_renamed(part, now) for part in parts]),
}
"""The content of a field after a renaming."""
