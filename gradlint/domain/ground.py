"""The ground: what was there before the code at hand began to run, of which it needs little.

A function that runs on its own can see all that the file made at its top level, and what the files it imports left.
Copying and comparing all of that at every turn would make the cost of a file grow with the square of its length. So
it is laid down in parts, each as small as can be: all that hangs together by references, with the names that hold
it. A state takes a part over when something in it is first needed.

Classes do not tie together what refers to them: a part that mentions a class needs the class's own part besides.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from gradlint.domain.mentions import object_references
from gradlint.domain.objects import Class, Object
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import references
from gradlint.domain.values import Unknown, Value

Name = tuple[int, str]
"""A variable: the frame it belongs to, and its name."""


@dataclass(slots=True)
class Part:
    """Names and objects that hang together, and the parts they need besides."""

    names: dict[Name, Value] = field(default_factory=dict)
    heap: dict[Ref, Object] = field(default_factory=dict)
    needs: dict[int, None] = field(default_factory=dict)


@dataclass(slots=True)
class Ground:
    """All parts, and in which of them names and objects are; what is laid later stands for what was there before."""

    parts: list[Part] = field(default_factory=list)
    of_name: dict[Name, int] = field(default_factory=dict)
    of_ref: dict[Ref, int] = field(default_factory=dict)

    def lay(
        self,
        names: dict[Name, Value],
        heap: dict[Ref, Object],
        together: Callable[[Name], bool],
        keeper: int,
    ) -> None:
        """Lay down these names and objects; names for which `together` holds make one part.

        Others than the names of a part may refer to its objects: a frame that is their `keeper` keeps a state that has
        taken them over from forgetting them.
        """
        groups = _Groups(heap)
        for name, value in names.items():
            groups.tie(name, references(value))
            if together(name):
                groups.tie("together", [name])
        for ref, thing in heap.items():
            groups.tie(ref, () if type(thing) is Class else object_references(thing))
        numbers: dict[Hashable, int] = {}
        for name, value in names.items():
            self.of_name[name] = number = numbers.setdefault(groups.leader(name), len(self.parts))
            self._part(number).names[name] = value
        for ref, thing in heap.items():
            self.of_ref[ref] = number = numbers.setdefault(groups.leader(ref), len(self.parts))
            self._part(number).heap[ref] = thing
        for number in numbers.values():
            part = self.parts[number]
            mentioned = [ref for value in part.names.values() for ref in references(value)]
            mentioned += [ref for thing in part.heap.values() for ref in object_references(thing)]
            part.needs = {self.of_ref[ref]: None for ref in mentioned if ref in self.of_ref}
            part.needs.pop(number, None)
            part.names[keeper, f"part {number}"] = Unknown(tuple(part.heap))

    def _part(self, number: int) -> Part:
        if number == len(self.parts):
            self.parts.append(Part())
        return self.parts[number]


class _Groups:
    """Things that hang together, found by tying one to others."""

    def __init__(self, heap: dict[Ref, Object]) -> None:
        self.classes: set[Hashable] = {ref for ref, thing in heap.items() if type(thing) is Class}
        self.above: dict[Hashable, Hashable] = {}

    def leader(self, thing: Hashable) -> Hashable:
        """The one that stands for all that hang together with a thing."""
        path = []
        while (above := self.above.setdefault(thing, thing)) != thing:
            path.append(thing)
            thing = above
        for one in path:
            self.above[one] = thing
        return thing

    def tie(self, thing: Hashable, others: tuple[Hashable, ...] | list[Hashable]) -> None:
        """Tie these together, but for classes."""
        mine = self.leader(thing)
        for other in others:
            if other not in self.classes:
                self.above[self.leader(other)] = mine
