"""Events of single tensors, operations and calls."""

from __future__ import annotations

from typing import ClassVar

from gradlint.domain import NO, UNKNOWN, UNSURE, Cause, Container, Optimizer, Syntax, Tensor, Truth, Value
from gradlint.domain.provenance import AskKind, WriteKind
from gradlint.events.base import Event, Thing
from gradlint.frozen import frozen


@frozen(kw_only=True, eq=False)
class RequiresGradChanged(Event):
    """`tensor` is set to require grad, or not to; `now` says whether it does afterwards.

    `by` is what sets it (where that is a module, `name` is how that is written). `each` are the
    tensors one by one where all of them are set: by a module of all its parameters, by a loop that goes over them and
    leaves none out. `statement` is the assignment where that is all it does. `held` is, of what is certainly no
    leaf, how many names and objects hold it. `counted`: its elements are whole, if the
    bounds are from which they were counted. `repeats` is said of a leaf that is set by itself and that nothing keeps,
    though others are on its memory: whether one of those has the flag already.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("tensor",)

    tensor: Tensor
    to: Truth
    by: AskKind
    now: Truth = UNSURE
    name: str = ""
    each: tuple[Tensor, ...] = ()
    statement: Syntax = None
    held: int = 0
    counted: bool = False
    repeats: bool | None = None


@frozen(kw_only=True, eq=False)
class AttributeAssigned(Event):
    """`owner.attr = value`; `old` is what the attribute held, `name` how the owner is written in the program, `given`
    the expression that is assigned (None: no plain assignment).

    Where a part of a `Sequential` or a list of modules is set by its index, that is `attr`.
    `holders` are the optimizers that hold the old value or a parameter of it, and no other attribute of the owner
    does, unless the new value may be the old one; if there are any, `parameters` are what they would hold of the new
    one. `own` says that a method of the owner's class sets it on `self`; `read_by_class` that a class of the owner
    reads the attribute off `self` or defines it (as a member, a property or by a `__setattr__` of its own), or that
    its bases are not all known; `unread` that it is a module which nothing that is shown reads at any time, the class
    or who has its objects; `taken_by_class` that a property or a `__setattr__` of its own takes the value. `given`
    is what stands on the right of the sign, `statement` is the assignment where that is all it does; `arguments` are
    the parameters of the function whose arguments are kept on the context of a custom function by this. `updates`: a
    tensor's data becomes what was computed from its own gradient.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("owner", "parameters")

    owner: Thing
    attr: str
    value: Thing
    old: Thing = UNKNOWN
    name: str = ""
    given: Syntax | None = None
    holders: tuple[Optimizer, ...] = ()
    parameters: tuple[Tensor, ...] = ()
    own: bool = False
    read_by_class: bool = False
    unread: bool = False
    taken_by_class: bool = False
    statement: Syntax = None
    arguments: tuple[str, ...] = ()
    updates: bool = False

    @property
    def key(self) -> str:
        return self.attr


@frozen(kw_only=True, eq=False)
class LeafRequired(Event):
    """A leaf is required for the use of `tensor`: its gradient is read ("gradient"), or compared with None ("test"), it
    is given to an optimizer ("optimizer") or it is set on a module ("attribute"); the last two are told only where it
    may be none.

    `source_leaf` is the leaf it was computed from, or may be itself, by these `operations` and from nothing else that
    requires grad, if the program holds that leaf no more; `last_operation` is the last step. `holders` are the
    containers that hold what is certainly no leaf.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("tensor",)

    tensor: Tensor
    use: str
    source_leaf: Tensor | None = None
    operations: tuple[str, ...] = ()
    last_operation: Syntax | None = None
    holders: tuple[Container, ...] = ()
    name: str = ""


@frozen(kw_only=True, eq=False)
class Recorded(Event):
    """An operation on tensors ran; where the graph is recorded, `saved` are the tensors that it certainly keeps for
    backward. `numbers` are the cuts behind the numbers among what it is computed from, which were tensors; `others`
    are all operands that are no tensors, each with its place."""

    believed_from: ClassVar[tuple[str, ...]] = ("result",)

    op: str
    operands: tuple[Tensor, ...]
    result: Tensor
    saved: tuple[Tensor, ...]
    grows: Truth
    numbers: tuple[Cause, ...] = ()
    others: tuple[tuple[int, Value], ...] = ()
    depends_on_mode: ClassVar[bool] = True

    @property
    def key(self) -> str:
        return self.op


@frozen(kw_only=True, eq=False)
class Called(Event):
    """Something known by its import path is called: `torch.save`, `torch.Tensor.retain_grad`, `print`.

    For a method the first argument is its owner; `builtins.float.backward` is one of a number that tensors became. A
    flag of tensors that is called (`x.requires_grad(True)`) is told by its name alone, whatever the owner is: `missing`
    says whether the owner has no such method. `callee` is what stands before the parentheses. `written` holds for state
    dictionaries in the arguments: whether their memory was written through another handle since they were made; `taken`
    is where those were made that was.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("args",)

    path: str
    args: tuple[Thing, ...]
    keywords: tuple[tuple[str, Thing], ...] = ()
    result: Thing = UNKNOWN
    written: Truth = NO
    taken: tuple[Cause, ...] = ()
    callee: Syntax = None
    name: str = ""
    missing: Truth = NO

    @property
    def key(self) -> str:
        return self.path


@frozen(kw_only=True, eq=False)
class WrittenInPlace(Event):
    """The memory of `target` is written by `op`, `by` which way.

    `base` is the tensor it is a view of (None: it is certainly no view), `holders` are the containers
    that hold the target (none are looked for where an optimizer steps or a state dict is loaded: these write many
    tensors at once), `noticed` whether torch notices (it does not through `.data` or NumPy).
    `operands` are the tensors that it is computed from besides the target, `saved` those of them that it certainly
    keeps for backward. `updates`: it is
    written with what was computed from its own gradient. `argument`: the function that runs was passed it;
    `arguments` names the parameter of the function that runs whose argument is written itself, no view of it.
    `arrays` are the calls that may have made the NumPy array, if it is written by one.
    `local` says that the code that is shown made the target, or what it is a view of, and does not copy into
    it what unseen callers passed in.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("target", "base")

    target: Tensor
    op: str
    by: WriteKind
    base: Tensor | None
    holders: tuple[Container, ...]
    noticed: Truth
    local: bool
    arguments: tuple[str, ...] = ()
    operands: tuple[Tensor, ...] = ()
    numbers: tuple[Cause, ...] = ()
    saved: tuple[Tensor, ...] = ()
    arrays: tuple[Syntax, ...] = ()
    name: str = ""
    updates: bool = False
    argument: bool = False
    depends_on_mode: ClassVar[bool] = True


@frozen(kw_only=True, eq=False)
class ResultDiscarded(Event):
    """An expression stands alone as a statement, or in a tuple or list comprehension that does, and its value is
    dropped.

    Where it is the call of a tensor's or a module's method, or of something else known by its import path, that is the
    `called` (`torch.Tensor.detach`, and `of` the first argument, its owner); where a `forward` calls a layer of torch,
    its class (and `of` what that is given, `layer` how it is written). Where it is an attribute that is looked up and
    no more, that is its `attribute`, and `of` what it was looked up on; `compared`: the attribute is the left side of
    an `==`. `name` is how the owner is written; `single`: it comes from a batch, and is one tensor of it; `alone`: it
    is a statement of its own. `displayed` are the tensors of a tuple, as a notebook is taken to make of the last call
    of a cell: it shows them.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("value", "of")

    value: Thing
    of: Thing = UNKNOWN
    called: str = ""
    attribute: str = ""
    compared: bool = False
    name: str = ""
    layer: str = ""
    single: bool = False
    alone: bool = True
    displayed: tuple[Tensor, ...] = ()


@frozen(kw_only=True, eq=False)
class Copied(Event):
    """`value` is copied all the way down by `copy.deepcopy`; `tensors` are those that are certainly in it, `of` is
    the expression that is copied (None: not written in the call)."""

    believed_from: ClassVar[tuple[str, ...]] = ("value", "tensors")

    value: Thing
    tensors: tuple[Tensor, ...]
    of: Syntax | None = None
    name: str = ""
