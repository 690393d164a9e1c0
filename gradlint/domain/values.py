"""Values: what a name, an attribute or an element may hold.

A value is one alternative or, as `OneOf`, a few of them (`gradlint.domain.value_sets`: at most `MOST_ALTERNATIVES`,
beyond that it is Unknown). Things with an identity (tensors, modules, containers ...) are objects on the heap
(`gradlint.domain.objects`) and a value only refers to them. Everything here is immutable and compares by content; the
order of alternatives is the order in which they were met, so nothing depends on hashes.
"""

from __future__ import annotations

from dataclasses import field

from gradlint.domain.facts import Dtypes, Truth
from gradlint.domain.provenance import Cause
from gradlint.domain.refs import Ref, Syntax
from gradlint.frozen import frozen


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


@frozen()
class PythonNumber:
    """A Python number whose value is not known, of one of these kinds; `cuts` are where tensors became such numbers.
    `whole`: others of its kind are (the default of a parameter), so that it most likely is a whole number. `row`: it
    may be a row of such numbers as well, as an element of an array of NumPy may."""

    dtype: Dtypes
    cuts: tuple[Cause, ...] = ()
    whole: bool = False
    row: bool = False


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
    outermost first; `assumed` says that an unseen decorator is believed to leave them alone; `kind` is "function",
    "static", "class" or "property"; `owner` is the class whose body it is in.
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
    assumed: bool = False


@frozen()
class Bound:
    """A method that was looked up on a value and not yet called; `function` is it where its class shows it."""

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
    """A value that remembers the positions of all that it reaches, once they were looked up."""

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
SLICE = PlainObject("slice")
"""A slice whose bounds are not known."""
NOTHING = PlainObject("nothing")
"""No value at all: the elements of what is certainly empty. Joined with a value it gives that value."""
