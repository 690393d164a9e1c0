"""Values: what a name, an attribute or an element may hold.

A value is one alternative or, as `OneOf`, a few of them (at most `MOST_ALTERNATIVES`; beyond that
it is Unknown). Things with an identity (tensors, modules, containers ...) are objects on the heap
(`gradlint.domain.objects`) and a value only refers to them. Everything here is immutable and
compares by content; the order of alternatives is the order in which they were met, so nothing
depends on hashes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from enum import Enum, IntEnum
from itertools import chain
from typing import Any, NamedTuple

from gradlint.domain.facts import BOOL, COMPLEX, FLOAT, INTEGER, Dtypes, Truth
from gradlint.frozen import frozen, replace

Syntax = Any
"""A handle on a piece of the program's text: compared and passed on, never looked into."""

Graph = tuple[int, str, int]
"""The name of a graph node whatever its age: its site, part and context."""


class Escape(IntEnum):
    """How far code that the program does not show may go with a graph that it is handed: a library only reads what
    carries it, or it does so by its name alone, nobody knows, or by its name it computes gradients."""

    READ = 0
    READ_BY_NAME = 1
    HELD = 2
    DIFFERENTIATED = 3


Origin = int
"""A site in a context, as one number (asked so often that a pair would be dear)."""

CONTEXT_BITS = 24
MOST_ALTERNATIVES = 5
MOST_CAUSES = 6
MOST_CERTAIN = 1_000
FEW_COMPARED = 16
FEW_REACHED = 64
"""Of a longer reach it is remembered where what is in it stands."""


class Ref(NamedTuple):
    """An object on the heap.

    `site` is the place in the program that makes it and `part` which of the objects made there;
    `context` is the chain of calls it was made under. `recency` tells the objects of one site apart:
    0 the newest, 1 the one before, 2 all older ones together.
    """

    site: int
    part: str
    context: int
    recency: int = 0

    @property
    def origin(self) -> Origin:
        """The site and context it was made at, as one number."""
        return self[0] << CONTEXT_BITS | self[2]

    @property
    def key(self) -> Graph:
        """The object's place of making, whatever its age."""
        return self[:3]


Alternatives = tuple[Ref | None, ...]
"""One part of what something refers to: its alternatives, of which one holds; None among them: or nothing."""

OPAQUE = Ref(-1, "opaque", 0)
"""A graph node of which nothing is known: backward through it may reach all that escaped."""
ASTRAY = Ref(-4, "astray", 0)
"""Beside `OPAQUE`: that graph may be one that the program shows and that was lost sight of, so that it may lead to
anything."""
KEPT = Ref(-2, "kept", 0)
"""Memory inside a summarised call that the graph saved and nothing outside can write."""
NOWHERE = Ref(-3, "nowhere", 0)
"""Among the alternatives of an operand: an operation that was recorded may hand no gradient on to it."""


class Constant:
    """A Python constant: a number, a string, None. Equal only to one of the same type."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is not Constant or type(other.value) is not type(self.value):
            return False
        if type(self.value) in (float, complex):  # 0.0 is not -0.0, and nan is nan
            return repr(other.value) == repr(self.value)
        return bool(other.value == self.value)

    def __hash__(self) -> int:
        value = self.value
        if type(value) is slice:  # no hash before 3.12
            return hash((value.start, value.stop, value.step))
        return hash(value if value == value else repr(value))  # each nan has a hash of its own

    def __repr__(self) -> str:
        return f"Const({self.value!r})"


@frozen()
class Places:
    """The value of a constant index that takes a place in each of several dimensions; no container has such a key."""

    parts: tuple[Constant, ...]


class CauseKind(Enum):
    """What happened at a place in the program, by the word under which a finding's notes speak of it.

    Of tensors and other objects: it was `MADE` there, or `COPIED` (a mapping that was filled at once with what another
    holds, by "leaves" if those can be copied deeply); `CUT`: it left the graph; it was `ASKED` to require grad, or
    something that it was computed from was; `FROZEN`: something that it was computed from was asked not to, so that it
    does not itself; its elements became probabilities (`SQUASHED`); it was told to keep its gradient (`RETAINED`); the
    `INFERENCE` mode in which it was made was switched on; an iterator was gone through (`USED`). Of leaves: the last
    `BACKWARD` that may have filled the gradient, `MIXED` where it certainly added to one that a step had used,
    and since then, the gradient was `CLEARED`, or `RETURNED` by `autograd.grad`; one was `READ`. Of
    graph nodes: a backward `FREED` them or `KEPT` them, what they saved was `WRITTEN` in place, `STEPPED` by an
    optimizer, `LOADED` into a module or `HIDDEN` from torch; `FLAT`: their gradient is zero.
    """

    MADE = "made"
    COPIED = "copied"
    CUT = "cut"
    ASKED = "asked"
    FROZEN = "frozen"
    SQUASHED = "squashed"
    RETAINED = "retained"
    INFERENCE = "inference"
    USED = "used"
    BACKWARD = "backward"
    MIXED = "mixed"
    CLEARED = "cleared"
    RETURNED = "returned"
    READ = "read"
    FREED = "freed"
    KEPT = "kept"
    WRITTEN = "written"
    STEPPED = "stepped"
    LOADED = "loaded"
    HIDDEN = "hidden"
    FLAT = "flat"


@frozen()
class Cause:
    """A place in the program that contributed, and what happened there.

    `by` is what did it: the operation or function that gave a tensor without a graph, or "no_grad" where gradients were
    switched off, "enable_grad" where they were switched on inside inference mode, which goes on; what asked it to
    require grad; "itself" if the operation wrote what it had saved as another operand. `name` is how the program
    writes what it happened to.
    """

    kind: CauseKind
    node: Syntax
    by: str = ""
    name: str = ""


@frozen()
class PythonNumber:
    """A Python number whose value is not known, of one of these kinds; `cuts` are where tensors became such numbers."""

    dtype: Dtypes
    cuts: tuple[Cause, ...] = ()


@frozen()
class PlainObject:
    """A Python object that holds no tensor and that autograd cannot touch: a string, a shape, a device.

    `start` is how a string begins, as far as that is known.
    """

    kind: str
    start: str = ""


@frozen()
class ImportPath:
    """A thing that an import path names, however it was imported: `torch.nn.Linear`."""

    path: str


@frozen()
class Imported:
    """A module of the project, by its dotted name; with a `name`, what that module has under it, not yet looked at."""

    module: str
    name: str = ""


@frozen()
class Function:
    """A function, method or lambda written in the program.

    `frame` is the scope it was defined in; `modes` are the grad modes its decorators run it under,
    outermost first; `kind` is "function", "static", "class" or "property"; `owner` is the
    class whose body it stands in.
    """

    node: Syntax
    name: str
    frame: int
    defaults: tuple[tuple[str, Value], ...] = ()
    modes: tuple[Context, ...] = ()
    decorators: tuple[Value, ...] = ()
    kind: str = "function"
    owner: Syntax = None
    generator: bool = False


@frozen()
class Bound:
    """A method that was looked up on a value and not yet called; `function` is it where its class tells."""

    owner: Value
    name: str
    function: Function | ImportPath | None = None


@frozen()
class Context:
    """A context manager that sets the grad mode, and perhaps inference mode (None: it leaves that alone). `at` is where
    the program makes it."""

    path: str
    to: Truth
    inference: Truth | None = None
    at: Syntax = field(default=None, compare=False)


class Reaching:
    """What remembers where all that it reaches stands, once it was asked for more."""

    __slots__ = ("_index",)

    _index: dict[Ref, int]


@frozen()
class Unknown(Reaching):
    """Anything at all. `reach` is what went into it, and so what its methods may touch."""

    reach: tuple[Ref, ...] = ()


@frozen()
class OneOf:
    """One of several alternatives."""

    values: tuple[Value, ...]


@frozen()
class Super:
    """`super()`: the owner, seen through the bases of this class."""

    owner: Value
    cls: Ref


Value = (
    Super
    | Ref
    | Constant
    | PythonNumber
    | PlainObject
    | ImportPath
    | Imported
    | Function
    | Bound
    | Context
    | Unknown
    | OneOf
)

UNKNOWN = Unknown()
NONE_VALUE = Constant(None)
NOTHING = PlainObject("nothing")
"""No value at all: the elements of what is certainly empty. Joined with a value it gives that value."""

NUMBER_KINDS: dict[type, Dtypes] = {bool: BOOL, int: INTEGER, float: FLOAT, complex: COMPLEX}


def alternatives(value: Value) -> tuple[Value, ...]:
    """The values of which one holds."""
    return value.values if type(value) is OneOf else (value,)


def one_of(values: Iterable[Value], most: int = MOST_ALTERNATIVES) -> Value:
    """The value that may be any of these: Unknown if one of them is, or if they are more than `most`.

    What was allowed to have more alternatives keeps them.
    """
    values = tuple(values)
    if len(values) == 1 and type(values[0]) is not OneOf:
        return values[0]
    most = max([most, *(len(value.values) for value in values if type(value) is OneOf)])
    found = _different([option for value in values for option in alternatives(value) if option != NOTHING])
    if len(found) > 1:
        found = _told_once(found)
    if len(found) == 1:
        return found[0]
    if not found:
        return NOTHING if values else UNKNOWN
    if len(found) > most or any(type(option) is Unknown for option in found):
        if len(numbers := [k for v in found if (k := number_kind(v)) is not None]) == len(found):
            kind = numbers[0]
            for other in numbers:
                kind = kind | other
            return PythonNumber(kind, cuts_of_numbers(found))
        return _anything(found)
    return OneOf(tuple(found))


def _anything(values: list[Value]) -> Unknown:
    """The unknown value that reaches what these mention.

    What is collected piece by piece (elements of a list, what a generator yields) would be gone over anew for each
    piece: the values that grow out of each other share one index of what they reach, of which each has a beginning.
    """
    first, *others = values
    count = len(references(first))
    if not isinstance(first, Unknown) or count < FEW_REACHED or len(index := _index_of(first)) < count:
        return Unknown(tuple(dict.fromkeys(chain.from_iterable(map(references, values)))))
    more = [ref for value in others for ref in references(value) if index.get(ref, count) >= count]
    if not more:
        return first
    if len(index) > count:  # another value grew out of this one
        index = dict(zip(references(first), range(count), strict=True))
    for ref in more:
        index.setdefault(ref, len(index))
    grown = Unknown((*references(first), *dict.fromkeys(more)))
    object.__setattr__(grown, "_index", index)
    return grown


def _index_of(value: Unknown) -> dict[Ref, int]:
    """Where what a value reaches stands in it; what stands behind its end belongs to a value that grew out of it."""
    try:
        return value._index
    except AttributeError:
        index = {ref: place for place, ref in enumerate(value.reach)}
        object.__setattr__(value, "_index", index)
        return index


def with_certain(certain: Iterable[Ref], values: Iterable[Value]) -> tuple[Ref, ...]:
    """Return what is certainly there besides when these values are added: what is one object, not one or another. Of
    very many no more are noted, for all are gone over for each."""
    known = tuple(certain)
    if len(known) >= MOST_CERTAIN:
        return known
    return tuple(dict.fromkeys([*known, *(value for value in values if type(value) is Ref)]))


def _different(values: list[Value]) -> list[Value]:
    """Values, each once, in their order; few are compared with each other, which is quicker than to hash them."""
    if len(values) > FEW_COMPARED:
        return [*dict.fromkeys(values)]
    found: list[Value] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found


def cuts_of_numbers(values: Iterable[Value]) -> tuple[Cause, ...]:
    """Where tensors became these numbers."""
    found = {mark: None for value in values if type(value) is PythonNumber for mark in value.cuts}
    return tuple(found)[:MOST_CAUSES]


def _told_once(values: list[Value]) -> list[Value]:
    """Numbers of one kind that differ only in where they come from are one alternative."""
    kinds: dict[Dtypes, list[Value]] = {}
    for value in values:
        if type(value) is PythonNumber:
            kinds.setdefault(value.dtype, []).append(value)
    if all(len(same) == 1 for same in kinds.values()):
        return values
    merged = {kind: PythonNumber(kind, cuts_of_numbers(same)) for kind, same in kinds.items()}
    return list(dict.fromkeys(merged[value.dtype] if type(value) is PythonNumber else value for value in values))


def number_kind(value: Value) -> Dtypes | None:
    """The kind of a Python number; None for everything else."""
    if type(value) is PythonNumber:
        return value.dtype
    if type(value) is Constant:
        return NUMBER_KINDS.get(type(value.value))
    return None


def key_of(value: Value) -> object | None:
    """The constant key or index that a value is; None where it is not one constant."""
    if type(value) is Constant and isinstance(value.value, (str, int, float, bool, bytes, tuple)):
        return value.value
    return None


def references(value: Value) -> tuple[Ref, ...]:
    """The heap objects that a value mentions itself."""
    if type(value) is Ref:
        return (value,)
    if type(value) is Unknown:
        return value.reach
    if type(value) is OneOf:
        return tuple(ref for option in value.values for ref in references(option))
    if type(value) is Bound:
        return (
            references(value.owner) if value.function is None else references(value.owner) + references(value.function)
        )
    if type(value) is Super:
        return (*references(value.owner), value.cls)
    if type(value) is Function:
        return tuple(ref for _, default in value.defaults for ref in references(default))
    return ()


def renamed(value: Value, now: dict[Ref, Ref]) -> Value:
    """The same value after objects have changed their references."""
    if type(value) is Ref:
        return now.get(value, value)
    if type(value) is OneOf:
        options = [renamed(option, now) for option in value.values]
        return one_of(options, max(MOST_ALTERNATIVES, len(options)))
    if type(value) is Bound:
        function = _function_renamed(value.function, now) if type(value.function) is Function else value.function
        return Bound(renamed(value.owner, now), value.name, function)
    if type(value) is Super:
        return Super(renamed(value.owner, now), now.get(value.cls, value.cls))
    if type(value) is Function:
        return _function_renamed(value, now)
    if type(value) is Unknown and value.reach:
        return Unknown(tuple(dict.fromkeys(now.get(ref, ref) for ref in value.reach)))
    return value


def _function_renamed(function: Function, now: dict[Ref, Ref]) -> Function:
    """A function keeps the objects that its defaults were when it was defined."""
    if not function.defaults:
        return function
    return replace(function, defaults=tuple((name, renamed(default, now)) for name, default in function.defaults))
