"""Joining objects: what one is that may be as either of two paths left it, derived from what its fields declare."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from collections.abc import Container as Holding
from dataclasses import MISSING, fields
from functools import partial
from operator import attrgetter, or_
from typing import Any, TypeVar

from gradlint.domain.facts import UNSURE
from gradlint.domain.fields import Join, PerClass, declarations
from gradlint.domain.items import Items
from gradlint.domain.objects import MAPPINGS, MOST_ITEMS, Container, Instance, Module, Object, Optimizer, OwnerT
from gradlint.domain.provenance import MOST_CAUSES, Cause
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import one_of, with_certain
from gradlint.domain.values import NOTHING, Constant, PlainObject, Value
from gradlint.frozen import frozen, replace

ObjectT = TypeVar("ObjectT", bound=Object)

FEW = 8
"""Up to how many alternatives a look at each is faster than a set of them."""


def _join_union(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    known = a if len(a) <= FEW else frozenset(a)
    more = [one for one in b if one not in known]
    return (*a, *more) if more else a


def _join_perhaps(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    return _join_union(a or (None,), b or (None,))


def _join_parts(a: tuple[Any, ...], b: tuple[Any, ...]) -> tuple[Any, ...]:
    """Slot by slot; a slot that only one path has may also be missing (None)."""
    if len(a) < len(b):
        a, b = b, a
    padded = b + ((None,),) * (len(a) - len(b))
    return tuple(_join_union(x, y) for x, y in zip(a, padded, strict=True))


def _join_items(a: Items, b: Items) -> Items:
    out = dict(a)
    for key, value in b:
        mine = out.setdefault(key, value)
        if mine is not value and mine != value:
            out[key] = one_of((mine, value))
    return tuple(out.items())


def _join_marks(a: tuple[Cause, ...], b: tuple[Cause, ...]) -> tuple[Cause, ...]:
    return _join_union(a, b)[:MOST_CAUSES]


@frozen()
class Sides:
    """The objects that two paths that meet have made: all that the second one has, and those that only it has."""

    second: Holding[Ref]
    second_only: Holding[Ref]


def _join_certain(a: tuple[Ref, ...], b: tuple[Ref, ...], sides: Sides | None) -> tuple[Ref, ...]:
    if sides is None:
        return tuple(ref for ref in a if ref in b)
    mine = [ref for ref in a if ref in b or ref not in sides.second]
    return (*mine, *(ref for ref in b if ref in sides.second_only and ref not in a))


Joining = Callable[[Any, Any], Any]
_JOINS: dict[Join, Joining] = {
    Join.FACT: or_,
    Join.WEAKEST: max,
    Join.ALTERNATIVES: _join_union,
    Join.PERHAPS: _join_perhaps,
    Join.PARTS: _join_parts,
    Join.ITEMS: _join_items,
    Join.VALUE: lambda a, b: one_of((a, b), MOST_ITEMS),
    Join.VALUES: lambda a, b: tuple(one_of(pair) for pair in zip(a, b, strict=False)),
    Join.MARKS: _join_marks,
    Join.NAMES: or_,
}


def _plan(cls: type) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[tuple[str, Joining | None], ...]]:
    """Return a reader of all fields of a class, and the name and join of each (None: sides must be known)."""
    defaults = {one.name: None if one.default is MISSING else one.default for one in fields(cls)}
    joins = {
        one.name: None if says.join is Join.CERTAIN else _JOINS.get(says.join, partial(_agreed_on, defaults[one.name]))
        for one, says in declarations(cls)
    }
    return attrgetter(*joins), tuple(joins.items())


def _agreed_on(default: Any, a: Any, b: Any) -> Any:
    return default


_PLANS = PerClass(_plan)


def joined(a: ObjectT, b: ObjectT, sides: Sides | None = None) -> ObjectT:
    """The object that may be as either path left it; `a` or `b` itself where the other adds nothing. Without `sides`
    both know the same objects."""
    if a is b:
        return a
    if type(a) is not type(b):
        return Instance(open=UNSURE)  # type: ignore[return-value]
    if (aligned := _ALIGNED.get(type(a))) is not None:
        a, b = aligned(a, b)
    changed: dict[str, Any] = {}
    as_b = True
    read, plan = _PLANS[type(a)]
    for x, y, (name, join) in zip(read(a), read(b), plan, strict=True):
        if x is y or x == y:
            continue
        both: Any = _join_certain(x, y, sides) if join is None else join(x, y)
        if both is not x and both != x:
            changed[name] = both
        as_b = as_b and (both is y or both == y)
    if not changed:
        return a
    return b if as_b else replace(a, **changed)


def _same_length(a: Container, b: Container) -> tuple[Container, Container]:
    """Sequences of different lengths join by their elements; a key that only one mapping has is not certain."""
    mine, its = [k for k, _ in a.items], [k for k, _ in b.items]
    if mine == its:
        return a, b
    if a.kind not in MAPPINGS:
        return summarised(a), summarised(b)
    return _uncertain_but(a, frozenset(its)), _uncertain_but(b, frozenset(mine))


def _same_parts(a: Module, b: Module) -> tuple[Module, Module]:
    """Lists of modules of different lengths join by their parts."""
    if a.attributes == b.attributes:
        return a, b
    if _numbered(a) != _numbered(b):
        a, b = unnumbered(a), unnumbered(b)
    return _perhaps_absent(a, b)


def _perhaps_absent(a: OwnerT, b: OwnerT) -> tuple[OwnerT, OwnerT]:
    """Mark what only one of two objects has as absent on some path."""
    one_sided = {name for name, _ in a.attributes} ^ {name for name, _ in b.attributes}
    if not one_sided:
        return a, b
    return replace(a, absent=a.absent | one_sided), replace(b, absent=b.absent | one_sided)


_ALIGNED: dict[type, Callable[[Any, Any], tuple[Any, Any]]] = {
    Container: _same_length,
    Module: _same_parts,
    Instance: _perhaps_absent,
    Optimizer: _perhaps_absent,
}
"""The two objects of a kind as they are before their fields are joined one by one, where fields depend on each
other."""


def _numbered(module: Module) -> set[str]:
    return {name for name, _ in module.attributes if isinstance(name, str) and name.isdecimal()}


def unnumbered(module: Module) -> Module:
    """The same module with all parts that are counted, not named, in its summary."""
    counted = _numbered(module)
    kept = tuple((name, value) for name, value in module.attributes if name not in counted)
    parts = [value for name, value in module.attributes if name in counted]
    if not counted:
        return module
    rest = one_of([*parts, module.rest], MOST_ITEMS)
    return replace(module, attributes=kept, rest=rest, certain=with_certain(module.certain, parts))


def _uncertain_but(mapping: Container, certain: frozenset[object]) -> Container:
    """The mapping with all values but those under the certain keys in its summary."""
    kept = tuple((key, value) for key, value in mapping.items if key in certain)
    if len(kept) == len(mapping.items):
        return mapping
    others = [value for key, value in mapping.items if key not in certain]
    keys, there = keys_with(mapping, (k for k, _ in mapping.items)), with_certain(mapping.certain, others)
    return replace(mapping, items=kept, rest=one_of([*others, mapping.rest]), keys=keys, certain=there)


def summarised(container: Container) -> Container:
    """The same container with all elements in one summary."""
    if not container.items:
        return container
    values = [value for _, value in container.items]
    keys = keys_with(container, (key for key, _ in container.items))
    certain = with_certain(container.certain, values)
    return replace(container, items=(), rest=one_of([*values, container.rest]), keys=keys, certain=certain)


def thinned(container: Container) -> Container:
    """The same container with all elements in one summary, of which none is certain: some may have been taken out."""
    return replace(summarised(container), certain=())


def keys_with(mapping: Container, more: Iterable[object]) -> Value:
    """Return the keys of a mapping's summary when these constants are among them."""
    known = mapping.keys if mapping.rest != NOTHING else NOTHING
    return one_of([known, *(PlainObject("str") if isinstance(key, str) else Constant(key) for key in more)])
