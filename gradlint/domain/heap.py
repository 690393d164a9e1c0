"""The heap: objects by their references, and which of them a write in place concerns.

Every write in place looks up who else holds the memory that is written, which nodes have saved it, what is a view of it
and whose gradient it is. Copies of a heap share one index for that, which only grows: it tells who ever was put on one
of them and was so. The caller looks whether it is still so on the heap at hand.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field

from gradlint.domain.objects import Container as Holder
from gradlint.domain.objects import Node, Object, Tensor
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, references
from gradlint.domain.values import UNKNOWN

Refs = dict[Ref, None]

COPIED_AT_ONCE = 4
"""The number of objects that are copied or compared in the time in which one is looked at."""


@dataclass(slots=True)
class Index:
    """The index that the heaps of one analysis share: by memories the tensors and nodes that held them, by tensors
    those that were views of them, by values the tensors whose gradients they were, and all `containers`. `work` counts
    what was gone over one by one, whatever for: objects that were looked at, of some tenths of a microsecond each."""

    holding: dict[Ref | None, Refs] = field(default_factory=dict)
    views: dict[Ref | None, Refs] = field(default_factory=dict)
    gradients: dict[object, Refs] = field(default_factory=dict)
    containers: Refs = field(default_factory=dict)
    work: int = 0


class Heap(dict[Ref, Object]):
    """Objects by their references."""

    __slots__ = ("index",)

    def __init__(self, content: Mapping[Ref, Object], index: Index) -> None:
        super().__init__(content)
        self.index = index
        index.work += len(content) // COPIED_AT_ONCE

    def copy(self) -> Heap:
        """The same objects under the same references, to be changed on another path."""
        return Heap(self, self.index)

    def of(self, kept: Container[Ref]) -> Heap:
        """Return a heap of these objects only, in its order."""
        return Heap({ref: thing for ref, thing in self.items() if ref in kept}, self.index)

    def above(self, ground: Mapping[Ref, Object]) -> Heap:
        """The same objects, and those of the ground that a heap with this index has taken over."""
        return Heap({**ground, **self}, self.index)

    def __setitem__(self, ref: Ref, thing: Object) -> None:
        dict.__setitem__(self, ref, thing)
        if type(thing) is Tensor:
            self._note_tensor(ref, thing)
        elif type(thing) is Node:
            for slot in thing.saves:
                for memory in slot:
                    self.index.holding.setdefault(memory, {})[ref] = None
        elif type(thing) is Holder:
            self.index.containers[ref] = None
            self.index.work += len(references(thing.rest))

    def _note_tensor(self, ref: Ref, tensor: Tensor) -> None:
        index = self.index
        for memory in tensor.storage:
            index.holding.setdefault(memory, {})[ref] = None
        for base in tensor.base:
            index.views.setdefault(base, {})[ref] = None
        if tensor.gradient is not UNKNOWN:
            for value in alternatives(tensor.gradient):
                index.gradients.setdefault(value, {})[ref] = None

    def holding(self, memories: Iterable[Ref]) -> list[tuple[Ref, Tensor | Node]]:
        """The tensors and nodes that may hold one of these memories, each once."""
        found: dict[Ref, None] = {}
        for memory in memories:
            found |= self.index.holding.get(memory, {})
        self.index.work += len(found)
        return [(ref, thing) for ref in found if type(thing := self.get(ref)) is Tensor or type(thing) is Node]

    def with_gradients(self, values: Iterable[Ref]) -> list[tuple[Ref, Tensor]]:
        """The tensors whose gradients may be one of these, each once."""
        found: dict[Ref, None] = {}
        for value in values:
            found |= self.index.gradients.get(value, {})
        self.index.work += len(found)
        return [(ref, thing) for ref in found if type(thing := self.get(ref)) is Tensor]

    def views_of(self, refs: Iterable[Ref]) -> Refs:
        """Tensors that may be views of one of these, or of such a view, besides these themselves."""
        todo, found = list(refs), dict.fromkeys(refs)
        while todo:
            base = todo.pop()
            views = self.index.views.get(base, {})
            self.index.work += len(views)
            for ref in views:
                if ref not in found and type(thing := self.get(ref)) is Tensor and base in thing.base:
                    found[ref] = None
                    todo.append(ref)
        return found

    def containers(self) -> list[tuple[Ref, Holder]]:
        """All containers."""
        self.index.work += len(self.index.containers)
        return [(ref, thing) for ref in self.index.containers if type(thing := self.get(ref)) is Holder]
