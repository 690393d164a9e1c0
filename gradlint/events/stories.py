"""Stories: what holds of a whole loop, function, class or file."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import field
from enum import Enum

from gradlint.domain import UNSURE, Cause, Class, Function, Graph, Instance, Module, Syntax, Truth
from gradlint.events.base import Event
from gradlint.frozen import frozen


class Role(Enum):
    """The role of a function, as far as names and flags show: a method of a module is one whatever else it is."""

    TRAINING = "training"
    EVALUATION = "evaluation"
    OF_MODULE = "method of a module"


@frozen()
class Run:
    """One run of a function: who called it (None: it ran on its own), the grad mode on entry, its events in order.

    `parent` is the index of the run in which the caller stands, `left_mode` the grad mode that the caller is left in;
    `conditions` and `guards` are those under which the run began, so that further ones of its events are its own.
    `roles` are what the function is for, by its names and by the flags it is called with.
    """

    index: int
    function: Function | None
    caller: Syntax | None
    grad_mode: Truth
    story: tuple[Event, ...]
    parent: int = 0
    conditions: tuple[tuple[Syntax, bool], ...] = ()
    left_mode: Truth = UNSURE
    guards: Set[tuple[Syntax, bool]] = frozenset()
    roles: frozenset[Role] = frozenset()


@frozen(kw_only=True, eq=False)
class LoopFinished(Event):
    """A loop ended: `story` is what happened in it, first iteration and later ones. `periodic` are the tests of the
    file (see `conditions`) that hold every so many times. `alone`: it goes to its end over one element, which is no
    part of a network. `listed`: it goes over a list that is written where it begins; `counted`: over nothing, for it
    counts, or asks a test; `over_parts`: over parts or parameters of networks."""

    story: tuple[Event, ...]
    periodic: Set[Syntax] = frozenset()
    alone: bool = False
    listed: bool = False
    counted: bool = False
    over_parts: bool = False


@frozen(kw_only=True, eq=False)
class FunctionFinished(Event):
    """All runs of one function; `all_callers_seen` says whether others may call it."""

    function: Function
    runs: tuple[Run, ...]
    all_callers_seen: bool


@frozen()
class Method:
    """A method that the body of a class defines, and its runs: `parameters` are the names it takes by position, `self`
    or `ctx` among them, of which `required` have no default; `starred` says whether it takes any number of others.
    `reads` are the attributes of the first that it reads, `hands_on` whether it passes the first to other code. Of a
    custom function `given` is the most arguments that a call of `apply` passes its `forward`, and `mentions` are all
    attributes of the first that it writes down, with where that is and whether they are read there, rather than set or
    deleted."""

    function: Function
    parameters: tuple[str, ...]
    required: int
    starred: bool
    reads: frozenset[str]
    hands_on: bool
    runs: tuple[Run, ...]
    mentions: tuple[tuple[str, Syntax, bool], ...] = ()
    given: int = 0

    @property
    def name(self) -> str:
        """Return its name."""
        return self.function.name


@frozen(kw_only=True, eq=False)
class ClassFinished(Event):
    """A class, its methods, and an instance as its methods left it (None where every method has callers in the file:
    then there is no typical one). `derived` are the import paths of the library classes it derives from."""

    cls: Class
    instance: Module | Instance | None
    methods: tuple[Method, ...]
    derived: frozenset[str] = frozenset()

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs of all its methods."""
        return tuple(run for method in self.methods for run in method.runs)


@frozen(kw_only=True, eq=False)
class ModuleFinished(Event):
    """The whole file. `used`: graphs that a backward may have reached; `escaped`: graphs, memories and optimizers that
    were passed to code that the file does not show, but for what this by its names only reads; `read`: those that were
    passed to libraries that only read, and `read_by_name` to code of which a name alone says so; `differentiated`:
    those that were passed to such code as by its names computes gradients; `returned`: those returned to callers that
    were not all seen; `left`: those of which an operation made something outside of them, and the first that did.
    `tests`: the file imports what runs tests; `collected` are the functions that a test runner can call by itself.
    `alike` are calls that did what one before did: the caller of the run that tells of both, the call, and the index of
    the run in which it is. `left_on`: those of `escaped` that methods left on their objects, and nobody else is seen to
    get. `not_followed` are the functions that ran and may be called elsewhere as well, so that nobody knows what
    becomes there of what they give. `with_modes`: a network is loaded, and its project makes layers that compute
    something else in train mode than in eval mode."""

    story: tuple[Event, ...]
    runs: tuple[Run, ...]
    tests: bool = False
    collected: frozenset[Syntax] = field(default=frozenset())
    used: frozenset[Graph] = field(default=frozenset())
    escaped: frozenset[Graph] = field(default=frozenset())
    read: frozenset[Graph] = field(default=frozenset())
    read_by_name: frozenset[Graph] = field(default=frozenset())
    differentiated: frozenset[Graph] = field(default=frozenset())
    returned: frozenset[Graph] = field(default=frozenset())
    left_on: frozenset[Graph] = field(default=frozenset())
    not_followed: frozenset[Syntax] = field(default=frozenset())
    with_modes: bool = False
    left: tuple[tuple[Graph, Cause], ...] = ()
    alike: tuple[tuple[Syntax, Syntax, int], ...] = ()
