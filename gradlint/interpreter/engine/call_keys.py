"""Keys of calls: what of the arguments a call can notice.

Two calls with the same key differ in nothing that either could notice of its arguments: an object among these is
described by what its fields declare (`gradlint.domain.objects`), and which of the objects and memories are the same is
told by numbers, in the order in which they are mentioned.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from gradlint.domain.keys import IN_KEY, InKey, mentioned
from gradlint.domain.objects import Container, Instance, Object, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.state import OLDEST
from gradlint.domain.value_sets import references as references_in
from gradlint.domain.values import UNKNOWN, Bound, OneOf, Unknown, Value
from gradlint.interpreter.engine.machine import Interpreter

MOST_DEEP = 3
"""The depth to which containers among the arguments are compared by their elements."""
MOST_DESCRIBED = 1_000
"""The most objects that are described for one call: larger containers, as tables of data, are compared by identity."""


@dataclass(slots=True)
class Given:
    """The arguments of a call as its key has them: the objects that are described and the names that are numbered, in
    the order in which they are mentioned, and the references that stand for themselves."""

    m: Interpreter
    described: dict[Ref, int] = field(default_factory=dict)
    numbered: dict[Ref, int] = field(default_factory=dict)
    themselves: list[Ref] = field(default_factory=list)

    def key(self, value: Value | None, depth: int = 0) -> Hashable:
        """Return the key of a value in a call."""
        if type(value) is Ref:
            return self._reference(value, depth)
        if type(value) is OneOf:
            return tuple([self.key(option, depth) for option in value.values])
        if type(value) is Bound:
            self.themselves += () if value.function is None else references_in(value.function)
            return value.name, value.function, self.key(value.owner, depth)
        if type(value) is Unknown and value.reach:
            return UNKNOWN, tuple([self.key(ref, depth) for ref in value.reach])
        if value is not None:
            self.themselves += references_in(value)
        return value

    def _reference(self, ref: Ref, depth: int) -> Hashable:
        number = self.described.get(ref)
        if number is not None:
            return number
        thing = self.m.state.heap.get(ref)
        declared = None if thing is None else IN_KEY[type(thing)]
        if thing is None or declared is None or self._is_by_reference(thing, depth):
            self.themselves.append(ref)
            return ref
        number = self.described[ref] = len(self.described)
        sweeping = self.m.loops.sweeping
        meant = ref.recency < OLDEST, bool(sweeping) and ref in sweeping
        return number, meant, declared.itself(thing), self._numbers(declared, thing), self._rest(declared, thing, depth)

    def _numbers(self, declared: InKey, thing: Object) -> Hashable:
        """Return an object's memories and nodes, numbered by identity, and the memories that counts are of."""
        numbered = self.numbered
        return tuple([
            tuple([
                None if ref is None else (
                    numbered.setdefault(ref, len(numbered)), ref.recency < OLDEST,
                    self._of_memory(ref) if ref.part.endswith(COUNT) else -1,
                )
                for ref in slot
            ])
            for slot in declared.numbered(thing)
        ])  # fmt: skip

    def _of_memory(self, count: Ref) -> int:
        memory = count._replace(part=count.part.removesuffix(COUNT))
        return self.numbered.setdefault(memory, len(self.numbered))

    def _rest(self, declared: InKey, thing: Object, depth: int) -> Hashable:
        """Return the key of the objects that an object mentions."""
        contents = declared.described(thing)
        if contents == declared.empty:
            return None
        return tuple([self._content(*mentioned(*one), depth + 1) for one in zip(declared.joins, contents, strict=True)])

    def _content(self, besides: object, values: Iterable[Value | None], depth: int) -> Hashable:
        return besides, tuple([self.key(value, depth) for value in values])

    def _is_by_reference(self, thing: Object, depth: int) -> bool:
        """Return whether an object of a class that could be described is not: nobody would know what was meant, it lies
        too deep, or too many are described."""
        if type(thing) is Tensor:
            return depth > MOST_DEEP
        if type(thing) is Container:
            return depth >= MOST_DEEP or len(self.described) >= MOST_DESCRIBED
        return type(thing) is Instance and (thing.cls != UNKNOWN or bool(thing.attributes))


COUNT = " count"
