"""The heap: objects by their references, and who may hold a memory.

Every write in place asks who else holds the memory that is written, and which nodes have saved it. Copies of a heap
share one index for that, which only grows: it tells who ever was put on one of them and held a memory. Who asks looks
whether it is still so on the heap at hand.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from gradlint.domain.objects import Node, Object, Tensor
from gradlint.domain.values import Ref

Index = dict[Ref | None, dict[Ref, None]]


class Heap(dict[Ref, Object]):
    """Objects by their references."""

    __slots__ = ("_index",)

    def __init__(self, content: Mapping[Ref, Object], index: Index) -> None:
        super().__init__(content)
        self._index = index

    def copy(self) -> Heap:
        """The same objects under the same references, to be changed on another path."""
        return Heap(self, self._index)

    def of(self, kept: Container[Ref]) -> Heap:
        """Only these of the objects, in the order of the heap."""
        return Heap({ref: thing for ref, thing in self.items() if ref in kept}, self._index)

    def above(self, ground: Mapping[Ref, Object]) -> Heap:
        """The same objects, and those of the ground that a heap with this index has taken over."""
        return Heap({**ground, **self}, self._index)

    def __setitem__(self, ref: Ref, thing: Object) -> None:
        dict.__setitem__(self, ref, thing)
        slots = (thing.storage,) if type(thing) is Tensor else thing.saves if type(thing) is Node else ()
        for slot in slots:
            for memory in slot:
                self._index.setdefault(memory, {})[ref] = None

    def holding(self, memories: Iterable[Ref]) -> list[tuple[Ref, Tensor | Node]]:
        """The tensors and nodes that may hold one of these memories, each once."""
        found: dict[Ref, None] = {}
        for memory in memories:
            found |= self._index.get(memory, {})
        return [(ref, thing) for ref in found if type(thing := self.get(ref)) is Tensor or type(thing) is Node]
