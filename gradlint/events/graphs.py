"""Events of graphs and of what keeps them: loops, containers, generators, grad modes."""

from __future__ import annotations

from typing import ClassVar

from gradlint.domain import (
    NO,
    UNSURE,
    Cause,
    Container,
    Context,
    Function,
    Graph,
    Iterator,
    Syntax,
    Tensor,
    Truth,
)
from gradlint.events.base import Event, Thing
from gradlint.frozen import frozen


@frozen(kw_only=True, eq=False)
class GraphGrown(Event):
    """An operation is recorded on what an earlier iteration of a loop recorded at the same place: `result` holds the
    graphs of all iterations.

    `name` is how the program writes what it was computed from, `added` the syntax of what came to it (None: not one
    thing). `graph` names its graph nodes, for `used`, `escaped` and `returned` of `ModuleFinished`; `freed` says
    whether a backward has certainly freed a part of it, so that nobody can differentiate it. `adds_grad`
    says whether what came to it requires grad: what this iteration recorded, or a leaf. What earlier iterations may
    have recorded brings nothing new. `picked`: what they did got here through a choice of the best alone. `recurrent`:
    what came to it was computed from it, so that it is no sum. `by_part`: all loops go over parts of a network.
    `differentiated`: what came to it is a term of a loss that a backward has been through, perhaps freeing it.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("result",)

    op: str
    result: Tensor
    graph: tuple[Graph, ...]
    freed: Truth
    name: str = ""
    added: Syntax | None = None
    adds_grad: Truth = UNSURE
    picked: bool = False
    recurrent: bool = False
    by_part: bool = False
    differentiated: bool = False
    depends_on_mode: ClassVar[bool] = True

    @property
    def key(self) -> str:
        return self.op


@frozen(kw_only=True, eq=False)
class GradModeChanged(Event):
    """The grad mode changes; `how`: "with", "decorator" or "statement". `literal`: the statement says True or
    False itself, not a name for what was on before."""

    before: Truth
    to: Truth
    how: str
    literal: bool = False


@frozen(kw_only=True, eq=False)
class ContextEntered(Event):
    """`with manager:`."""

    believed_from: ClassVar[tuple[str, ...]] = ("manager",)

    manager: Thing


@frozen(kw_only=True, eq=False)
class NameRebound(Event):
    """Inside a loop a name that holds the tensor `old` is bound to another one, `value`.

    `looped`: a `for` around it binds the same name, so it says goodbye to the element it went over. `read`: the name
    may be read before it is bound again. `updates`: `value` was computed from the gradient of `old`. `same`: it is
    `old` itself. `holders` are the containers that hold `old`, where the loop binds the name and nothing reads it.
    `target` is the name, `statement` the assignment where that is all it does, and `element` how the program writes
    the place that `old` has in what the loop goes over ("" where the loop does not name it).
    """

    believed_from: ClassVar[tuple[str, ...]] = ("value", "old")

    name: str
    value: Thing
    old: Thing
    read: bool
    looped: bool
    updates: bool
    same: Truth = NO
    holders: tuple[Container, ...] = ()
    target: Syntax = None
    statement: Syntax = None
    element: str = ""


@frozen(kw_only=True, eq=False)
class Yielded(Event):
    """A generator yields a value and waits. `extent` says what set the grad mode it waits in: "with" (which then
    holds for its consumer), "decorator" (which does not) or "" (nothing in the function). `manager`: it is a context
    manager, whose block is meant to run like this. `switches` are the managers of the blocks around that set a mode, as
    far as they are known, `named` says that the value is written as a name, or several."""

    value: Thing
    extent: str
    function: Function | None
    manager: bool
    switches: tuple[Context | None, ...] = ()
    named: bool = False


@frozen(kw_only=True, eq=False)
class Stored(Event):
    """A value is put into a container.

    `name` is how the program writes the container, `given` the syntax of the value where it is an argument. `recorded`
    is a tensor, the value itself or in it, that certainly carries a graph; `graph` names the nodes that made the
    tensors of the value; `piles`: the container already holds what an earlier iteration put into it here, graph and
    all, and `freed` says whether a backward has certainly freed a part of each graph in that. `replaces`: it takes
    the place of an element of a list, which is no longer than before. `by_part`: of all loops that fill it each goes
    over parts of networks (modules, parameters, their names). `differentiated`: each tensor of it that may carry a
    graph is a term of a loss that a backward has been through, perhaps freeing it. `again` are the tensors of a module,
    or of its `state_dict()`, of which the list already holds one.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("container", "value", "recorded")

    container: Container
    value: Thing
    name: str = ""
    given: Syntax | None = None
    recorded: Tensor | None = None
    graph: tuple[Graph, ...] = ()
    piles: Truth = NO
    freed: Truth = NO
    replaces: bool = False
    differentiated: bool = False
    by_part: bool = False
    again: tuple[Tensor, ...] = ()
    depends_on_mode: ClassVar[bool] = True


@frozen(kw_only=True, eq=False)
class IteratorConsumed(Event):
    """An iterator is run through; `element` is what it gives, or gave, and `by` names what did it ("optimizer": it
    is all that an optimizer is given, "group": one of its groups, "handed": it was run through before, and code that
    the file does not show is passed it)."""

    believed_from: ClassVar[tuple[str, ...]] = ("iterator",)

    iterator: Iterator
    element: Thing
    by: str


@frozen(kw_only=True, eq=False)
class Returned(Event):
    """A function passes a value to its caller; `written` as for `Called`, over the whole body of the function.
    `arguments` are the parameters of the function whose arguments are returned. `may_have_graph`: it may be, or hold,
    something that is differentiated."""

    believed_from: ClassVar[tuple[str, ...]] = ("value",)

    value: Thing
    written: Truth
    taken: tuple[Cause, ...] = ()
    arguments: tuple[str, ...] = ()
    name: str = ""
    may_have_graph: bool = True
