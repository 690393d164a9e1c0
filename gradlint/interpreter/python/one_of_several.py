"""One of several: an attribute that a constructor makes a module of one class or of another.

What all of them have in common holds anyway. What one of them has is likely: the methods run once more for each way the
instance may have been made, with every such attribute, and what was made of it, as that way leaves it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gradlint.domain.mentions import object_renamed
from gradlint.domain.objects import Instance, Module, Optimizer, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.escape import in_reach
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import parameters, submodules

MOST_WAYS = 2
"""The most ways of making an instance that are followed one by one."""


def ways(m: Interpreter, owner: Value) -> Iterator[dict[Ref, Ref]]:
    """The ways an instance may have been made where its attributes may be modules of several classes: for each module
    that it then does not hold the one it holds instead."""
    thing = m.thing(owner)
    if not isinstance(thing, Module | Instance):
        return
    several = []
    for _, value in thing.attributes:
        found = [ref for ref, _ in m.all(value, Module)]
        if 1 < len(found) == len(alternatives(value)):
            several.append(found)
    for number in range(min(MOST_WAYS, max(map(len, several), default=0))):
        yield {ref: found[min(number, len(found) - 1)] for found in several for ref in found}


def take(m: Interpreter, owner: Value, way: Mapping[Ref, Ref]) -> None:
    """Go on with an instance as one way made it."""
    held = _parts(m, dict.fromkeys(way.values()))
    gone = _parts(m, [ref for ref in way if ref not in held]) - held
    for ref, thing in in_reach(m, [owner]).items():
        now = _chosen(thing, held, gone) if type(thing) is Optimizer else object_renamed(thing, dict(way))
        if ref in held and isinstance(now, Module | Tensor):
            now = replace(now, belief=max(now.belief, Belief.FROM_USAGE))
        if now is not thing:
            m.store_exact(ref, now)


def _parts(m: Interpreter, modules: Mapping[Ref, None] | list[Ref]) -> set[Ref]:
    """Return these modules, what is in them and their parameters."""
    inner = {part for ref in modules for part in submodules(m, ref)}
    return inner | {tensor for ref in modules for _, tensor in parameters(m, ref)[0]}


def _chosen(thing: Optimizer, held: set[Ref], gone: set[Ref]) -> Optimizer:
    """An optimizer over the parameters of what is held, without those of what is not."""
    groups = [tuple([ref for ref in slot if ref not in gone]) for slot in thing.groups]
    kept = [slot for slot in groups if any(ref is not None for ref in slot)]
    sure = [tuple([ref for ref in slot if ref is not None]) if set(slot) & held else slot for slot in kept]
    return replace(thing, groups=tuple(sure))
