"""The language of packs: facts about a library that works with torch, or that only looks like it.

A pack is a table, and this is the language of its rows. Its module is named by an entry point of the group
`gradlint.knowledge` and holds a `Pack` under the name `pack`:

from gradlint.knowledge.packs import Argument, Backward, Call, LibraryClass, Pack

pack = Pack(
        library="mylib",
        version="mylib==1.2.0",
        roots=("mylib",),
        classes=(
            LibraryClass(
                ("mylib.Runner",),
                source="mylib/run.py:Runner",
                members=(Call("backward", ("loss",), does=(Backward("loss"),), source="mylib/run.py:Runner.backward"),),
            ),
        ),
    )

A row says where its fact comes from: `source` is what was read of the pinned version, a file and the class or function
in it, `test` the name of a test that ran the library. A row may hold in some versions of torch only: from `since` on,
and no more from `until` on (`since=(2, 9)`); a version that gradlint was measured on must be among them. What no row
speaks of is unknown: it may do anything to the objects passed to it.

Functions, classes and methods are known by their import paths, and a method is the function at the path of its
class: `mylib.Runner.backward`, whose first parameter is `self`. Effects and results name parameters.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from gradlint.frozen import frozen
from gradlint.versions import Versioned

GradMode = Literal["on", "off", "inference", "?"]
"""The grad modes: on, off, in `inference_mode()` or `no_grad()` (the caller chooses), not known."""
ModuleMode = Literal["train", "eval", "?"]
Answer = Literal["yes", "no", "?"]


# ---- what something gives


@frozen()
class Anything:
    """Something of which nothing is said."""


@frozen()
class Python:
    """A Python thing without tensors: "bool", "int", "float", "str", "none", or any other word for a kind."""

    kind: str


@frozen()
class Argument:
    """The argument itself, or something that stands in for it and shares its parameters, mode and gradients.

    `perhaps`: if it is an optimizer, its `step()` and `zero_grad()` may be held back from now on. `wrapped`: if it is
    a module, a new module of that class comes back which holds it as its part `module`.
    """

    of: str
    perhaps: bool = False
    wrapped: str = ""


@frozen()
class Arguments:
    """The positional arguments as `Argument` says: one alone as it is, several as a tuple."""

    perhaps: bool = False
    wrapped: str = ""


@frozen()
class Copy:
    """A deep copy of an argument; `mode` and `requires_grad` of a module where the copy is changed at once."""

    of: str
    mode: ModuleMode | None = None
    requires_grad: Literal["yes", "no"] | None = None


@frozen()
class Several:
    """A tuple of these."""

    of: tuple[Gift, ...]


@frozen()
class Either:
    """One of these."""

    of: tuple[Gift, ...]


@frozen()
class New:
    """A new object of the class at this path, of a pack or of torch; without a path, of the class whose method this is.

    `holding` are attributes that it has from the start (for a class of torch, arguments of its constructor, but the
    parts of a `torch.nn.Module`, which stands for any); `mode` is the mode of a module that is not made as its class
    says.
    """

    path: str = ""
    holding: tuple[tuple[str, Gift], ...] = ()
    mode: ModuleMode | None = None


@frozen()
class OptimizerOver:
    """A new optimizer over the parameters of an argument (a module, parameters, or groups of them)."""

    of: str
    kind: str = ""


@frozen()
class OptimizersFrom:
    """The optimizers that a method of the program returns: one alone as it is, several as a list."""

    method: str


@frozen()
class ATensor:
    """A tensor of which nothing else is said; `requires_grad` where that is known."""

    requires_grad: Answer = "?"


@frozen()
class Computed:
    """The result of an operation of torch (`by`, its path) for these arguments; without names for all positional ones
    that are tensors. Where not all of them are tensors, or lists of tensors, nothing is said.

    `itself`: where there is nothing to do the first argument comes back instead.
    """

    by: str
    of: tuple[str, ...] = ()
    itself: bool = False


@frozen()
class Chosen:
    """The gift that a constant argument chooses, by its values; nothing is said where it is another, or no constant."""

    by: str
    gives: tuple[tuple[str, Gift], ...]


@frozen()
class Decorator:
    """A decorator that gives back what it decorates."""


@frozen()
class Block:
    """A context manager or decorator: the grad mode inside."""

    gradients: GradMode


Gift = (
    Anything
    | Python
    | Argument
    | Arguments
    | Copy
    | Several
    | Either
    | New
    | OptimizerOver
    | OptimizersFrom
    | ATensor
    | Computed
    | Chosen
    | Block
    | Decorator
)
NOTHING_AT_ALL = Python("none")


# ---- what something does


@frozen()
class Backward:
    """An argument is differentiated; `retain` and `create` name the parameters that request the graph."""

    of: str
    retain: str = "retain_graph"
    create: str = "create_graph"


@frozen()
class Step:
    """An optimizer steps, or whatever optimizer there is over a module; `perhaps`: or it is held back."""

    of: str
    perhaps: bool = False


@frozen()
class ZeroGrad:
    """The gradients of an optimizer or a module are cleared; `perhaps`: or they are left."""

    of: str
    perhaps: bool = False


@frozen()
class Freeze:
    """All parameters of a module are set to require grad, or not to."""

    of: str
    to: Literal["yes", "no"]


@frozen()
class SetMode:
    """A module is put into a mode."""

    of: str
    to: ModuleMode


@frozen()
class Consume:
    """An argument is iterated over once (the parameters whose gradients are clipped)."""

    of: str


@frozen()
class Touch:
    """Unknown code gets hold of an argument and may do anything to it."""

    of: str


@frozen()
class Hand:
    """A function of the program is passed in; the library calls it as the hook says."""

    of: str
    hook: Hook


Effect = Backward | Step | ZeroGrad | Freeze | SetMode | Consume | Touch | Hand


# ---- rows


@frozen()
class Hook(Versioned):
    """A method that a class of the program defines and the library calls, or a function that is passed to it.

    `gradients` is the grad mode in which that happens and `mode` the mode its modules are in: `self` if it is a
    module, and the modules among `handed`. `handed` says what its parameters are, in order (without `self`).
    `loss`: what it returns, alone or under the key "loss", is differentiated, unless the attribute of `self` named by
    `unless` was set to False.
    """

    name: str
    gradients: GradMode = "?"
    mode: ModuleMode = "?"
    handed: tuple[Gift, ...] = ()
    loss: bool = False
    unless: str = ""
    test: str = ""


@frozen()
class Call(Versioned):
    """A function, or a method (`path` is then its name alone): what it does to its arguments and what it gives.

    It changes nothing but what `does` says, and keeps nothing. `parameters` are those that matter, in order (a
    method's without `self`). `of_class`: a static or class method. `also` are other import paths of a function.
    """

    path: str
    parameters: tuple[str, ...] = ()
    does: tuple[Effect, ...] = ()
    gives: Gift = Anything()
    of_class: bool = False
    also: tuple[str, ...] = ()
    test: str = ""


@frozen()
class Attribute(Versioned):
    """An attribute that objects of a class have: what reading it gives."""

    path: str
    gives: Gift = Anything()
    test: str = ""


@frozen()
class LibraryClass(Versioned):
    """A class of a library.

    `paths` are its import paths, the first the one we call it by; a `*` stands for anything. `kind` is what its
    instances are, "foreign": none of torch's things. `bases` are the paths of other rows whose members and hooks it
    has too. `parameters` are those of its constructor, in order, `holds` the attributes that it sets, `does` what it
    does besides. `members` are methods and attributes, `hooks` what classes derived from it may define.

    Of modules: `mode` and `requires_grad` (of its parameters) as they are made; `own`: it has parameters that the
    program does not show; `open`: it may have parts that are not said; `forwards`: the attribute that calls go to;
    `outputs`: the attributes of what a call gives, tensors all of them.
    """

    paths: tuple[str, ...]
    kind: Literal["module", "optimizer", "object", "foreign"] = "object"
    bases: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    holds: tuple[tuple[str, Gift], ...] = ()
    does: tuple[Effect, ...] = ()
    members: tuple[Call | Attribute, ...] = ()
    hooks: tuple[Hook, ...] = ()
    mode: ModuleMode = "train"
    requires_grad: Answer = "yes"
    own: bool = False
    open: bool = True
    forwards: str = ""
    outputs: tuple[str, ...] = ()
    test: str = ""

    @property
    def path(self) -> str:
        """Return our name for it."""
        return self.paths[0]


Row = LibraryClass | Call | Attribute | Hook


def calls(names: str, gives: Gift, source: str) -> tuple[Call, ...]:
    """Methods that do nothing to their arguments, by their names in one string, read in the class at `source`."""
    return tuple(Call(name, gives=gives, source=f"{source}.{name}") for name in names.split())


def attributes(names: str, gives: Gift, source: str) -> tuple[Attribute, ...]:
    """Attributes that give the same, by their names in one string, read in the class at `source`."""
    return tuple(Attribute(name, gives, source=f"{source}.{name}") for name in names.split())


@frozen()
class Pack:
    """All that is said about one library.

    `version` is what was read or run, as a requirement (`accelerate==1.15.0`); `roots` are the top-level modules
    it is imported by, or a part of one. `foreign`: it is no library of torch, however alike its names are, and whatever
    they name has nothing to do with autograd. Not `on_torch`: who imports it need not work with torch.
    """

    library: str
    version: str
    roots: tuple[str, ...]
    classes: tuple[LibraryClass, ...] = ()
    functions: tuple[Call, ...] = ()
    foreign: bool = False
    on_torch: bool = True
    source: str = ""

    def rows(self) -> Iterator[tuple[str, Row]]:
        """All rows, each with its path."""
        yield from ((row.path, row) for row in self.functions)
        for cls in self.classes:
            yield cls.path, cls
            yield from ((f"{cls.path}.{row.path}", row) for row in cls.members)
            yield from ((f"{cls.path}.{hook.name}", hook) for hook in cls.hooks)
