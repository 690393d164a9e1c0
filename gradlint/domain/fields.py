"""Declarations of an object's fields, each in one place: all that follows from a field is computed from its own.

A field declares how it joins (`Join`), what of it is in the key of a call (`Key`), and what is still known of it
afterwards (`After`) where the program goes on while code waits (`suspended`) and where code that the program does not
show had hold of the object (`unseen`). A class with a field that declares nothing is refused when it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, field, fields
from enum import Enum, IntEnum
from functools import partial
from typing import Any, TypeVar, dataclass_transform

from gradlint.domain.facts import Fact, Truth
from gradlint.frozen import frozen

T = TypeVar("T")


class Join(Enum):
    """The value of a field where two paths meet."""

    FACT = "union of the answers"
    WEAKEST = "the higher of two numbers"
    ALTERNATIVES = "union of references of which one holds"
    PERHAPS = "the same, or nothing at all: where only one path has any, None is among them afterwards"
    PARTS = "slot by slot: a tuple of things that hold together, each a tuple of alternatives"
    ITEMS = "key by key: pairs of key and value"
    VALUE = "one of both values"
    VALUES = "one by one: a tuple of values"
    MARKS = "union of where something came from, for notes; a few at most"
    CERTAIN = "references that both paths are certain of, or one of them is and only it has made"
    NAMES = "union of names"
    AGREE = "what both agree on, or else the default"


REFERRING = frozenset((Join.ALTERNATIVES, Join.PERHAPS, Join.PARTS, Join.ITEMS, Join.VALUE, Join.VALUES, Join.CERTAIN))
"""The joins of fields that refer to objects."""


class Key(Enum):
    """The part of a field in the key of a call that is given the object, so that two calls which one summary serves can
    notice no difference."""

    ITSELF = "its value"
    NUMBERED = "which of its references are the same, by when they are first mentioned, but not what they are like"
    DESCRIBED = "what the key has of the objects that it mentions, each known by when it is first mentioned"


class After(Enum):
    """The knowledge that is left of a field once others may have changed the object."""

    KEPT = "all: they do not change it"
    UNSURE = "the answers that it had, or any other"
    ONE_WAY = "the same; but what is certainly so stays so"
    FORGOTTEN = "nothing: it is its default"
    REACHED = "a value that is anything made of what the object mentioned"
    THINNED = "what the elements of a container may be, but not where they are, nor that they are there"


class Aspect(Enum):
    """The aspect of a tensor or a graph node that a field tells; one is within another whose name it begins with."""

    NONE = ""
    TYPE = "type"
    MEMORY = "type.memory"
    LAYOUT = "type.memory.layout"
    SIZE = "type.memory.layout.size"
    HANDLE = "handle"
    GRADIENT = "handle.gradient"
    PROVENANCE = "provenance"
    LACKING = "lacking"
    LACKING_NOTICED = "lacking.noticed"

    def within(self, other: Aspect) -> bool:
        """Return whether this is a part of another aspect, or that itself."""
        return f"{self.value}.".startswith(f"{other.value}.")


@frozen()
class Declaration:
    """The rules of a field. `rarely`: unseen code that may change it leaves it alone more often than not; `decides`:
    what is computed with the object depends on it; `shared`: it tells what the object has in common with others, or
    what code that waits has looked at, and nobody gets by it from the object to another; `of` is the aspect."""

    join: Join
    key: Key
    suspended: After
    unseen: After
    rarely: bool = False
    decides: bool = False
    shared: bool = False
    of: Aspect = Aspect.NONE


def declared(
    default: Any = MISSING,
    *,
    suspended: After,
    unseen: After,
    join: Join | None = None,
    key: Key | None = None,
    **more: Any,
) -> Any:
    """A field. Facts join as facts, and how something is known as the weakest; all others say how. In the key of a call
    a field is itself, or described if it refers to objects, unless it says something else.

    Raises TypeError for a field that cannot be what it declares.
    """
    if join is None:
        join = Join.FACT if isinstance(default, Fact) else Join.WEAKEST if isinstance(default, IntEnum) else None
    if join is None:
        raise TypeError(f"a field whose default is {default!r} must declare how it joins (`join`)")
    key = key or (Key.DESCRIBED if join in REFERRING else Key.ITSELF)
    able = {
        After.UNSURE: join is Join.FACT,
        After.ONE_WAY: isinstance(default, Truth),
        After.REACHED: join is Join.VALUE,
        Key.NUMBERED: join in (Join.ALTERNATIVES, Join.PERHAPS),
        Key.DESCRIBED: join in REFERRING,
    }
    for says in (key, suspended, unseen):
        if not able.get(says, True):
            raise TypeError(f"a field that joins as {join.name} and whose default is {default!r} cannot be {says.name}")
    return field(default=default, metadata={DECLARED: Declaration(join, key, suspended, unseen, **more)})


DECLARED = "declared"
fixed = partial(declared, suspended=After.KEPT, unseen=After.KEPT)
"""A field that nobody changes while code waits, and no unseen code ever."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def heap_object() -> Callable[[type[T]], type[T]]:
    """Make a frozen class of objects; raises TypeError for a field that declares nothing."""

    def make(cls: type[T]) -> type[T]:
        made: type[Any] = frozen()(cls)
        for one in fields(made):
            if DECLARED not in one.metadata:
                raise TypeError(
                    f"`{cls.__name__}.{one.name}` does not declare how it joins, what of it is in the key of a call "
                    "and who may change it: make it with `declared` or `fixed`"
                )
        return made

    return make


def declarations(cls: type) -> Iterator[tuple[Field[Any], Declaration]]:
    """The fields of a class with what they declare."""
    return ((one, one.metadata[DECLARED]) for one in fields(cls))


def names_of(cls: type, aspect: Aspect) -> tuple[str, ...]:
    """The fields that describe an aspect, or of one within it."""
    return tuple([one.name for one, says in declarations(cls) if says.of.within(aspect)])


def unknown(cls: type, aspect: Aspect) -> dict[str, Any]:
    """The same fields where nothing is known of them."""
    known = set(names_of(cls, aspect))
    return {one.name: one.default for one in fields(cls) if one.name in known}


class PerClass(dict[type, T]):
    """Results computed from the declarations of each class, when they are first asked for."""

    def __init__(self, compute: Callable[[type], T]) -> None:
        super().__init__()
        self.compute = compute

    def __missing__(self, cls: type) -> T:
        self[cls] = found = self.compute(cls)
        return found
