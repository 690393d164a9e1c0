"""Events: what happened while the program ran abstractly, in the words that rules hear.

Every event carries the facts from just before it took effect, so a rule sees what torch would have
seen. `node` is the expression that a report would point at. An event that has a `key` can be
subscribed by it: `rule.on(Called, "torch.save")`.

Objects in events (tensors, modules, containers ...) are joined over all alternatives; where the
alternatives are of different kinds the field holds `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import field, fields
from enum import Enum
from typing import ClassVar

from gradlint.domain import (
    NO,
    UNKNOWN,
    UNSURE,
    Belief,
    Class,
    Container,
    Context,
    Function,
    Grad,
    Graph,
    Instance,
    Iterator,
    Mark,
    Mode,
    Module,
    Node,
    Object,
    Optimizer,
    Ref,
    Scaler,
    Scheduler,
    Stage,
    Syntax,
    Tensor,
    Truth,
    Unit,
    Value,
)
from gradlint.frozen import frozen

Thing = Value | Object
"""What an event shows of a value: the object itself where it has one, else the value."""


# Two events are never compared, and their classes are a good part of a start: no comparison is made for each.
@frozen(kw_only=True, eq=False)
class Event:
    """Something that happened at `node`.

    `grad_mode` and `inference` are the modes that held. `later` is yes in passes of a loop that stand
    for its second and following iterations. `assumed_mode` says that the grad mode is a guess: the
    function runs on its own and nobody saw its callers. `belief` is the weakest of what the facts
    were taken from. `expected` says that the program waits for an error here (`with pytest.raises(...)`, or a single
    statement that is tried for a RuntimeError), `behind` that a line before has certainly raised; in the story of a
    whole file, that other paths come by here as well.
    `run` is the index of the innermost function run in which it happened. `conditions` are those under which it
    did, outermost first, those of the callers too: the tests of `if` statements, and whether they held. `guards` are
    the tests that nobody can decide which it took to get there: those around it, and those on whose other side the
    program has gone another way, but not those on whose other side it only raises. `file` is the path of the one it
    happened in (nothing: the linted one), `calls` those that led there from the linted file, the one in that first.
    """

    node: Syntax
    grad_mode: Truth
    inference: Truth
    later: Truth = NO
    assumed_mode: bool = False
    belief: Belief = Belief.PROVEN
    expected: bool = False
    behind: bool = False
    run: int = 0
    conditions: tuple[tuple[Syntax, bool], ...] = ()
    guards: Set[tuple[Syntax, bool]] = frozenset()
    file: str = ""
    calls: tuple[Syntax, ...] = ()

    depends_on_mode: ClassVar[bool] = False
    """Whether what the event says depends on the grad mode; then a guessed mode weakens its belief."""
    believed_from: ClassVar[tuple[str, ...]] = ()
    """The fields whose objects the event's belief is the weakest of."""

    def __repr__(self) -> str:
        told = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self))
        return f"{type(self).__name__}({', '.join(told)})"

    @property
    def key(self) -> str:
        """What it can be subscribed by; empty for most."""
        return ""


@frozen(kw_only=True, eq=False)
class RequiresGradChanged(Event):
    """`tensor` is asked to require grad, or not to; `now` says whether it does afterwards.

    `by`: "factory", "assign", "method", "Parameter", "Variable" or "module" (whose `name` it then is). `each` are the
    tensors one by one where all of them are asked: by a module of all its parameters, by a loop that goes over them and
    leaves none out. `statement` is the assignment where that is all it does. `held` is, of what is certainly no
    leaf, how many names and objects hold it.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("tensor",)

    tensor: Tensor
    to: Truth
    by: str
    now: Truth = UNSURE
    name: str = ""
    each: tuple[Tensor, ...] = ()
    statement: Syntax = None
    held: int = 0


@frozen(kw_only=True, eq=False)
class AttributeAssigned(Event):
    """`owner.attr = value`; `old` is what the attribute held, `name` how the owner is written in the program, `given`
    the expression that is assigned (None: no plain assignment).

    Where a part of a `Sequential` or a list of modules is set by its index, that is `attr`.
    `holders` are the optimizers that hold the old value or a parameter of it; if there are any, `parameters` are what
    they would hold of the new one. `own` says that a method of the owner's
    class sets it on `self`; `read_by_class` that a class of the owner
    reads the attribute off `self` or defines it (as a member, a property or by a `__setattr__` of its own), or that
    its bases are not all known. `given` is what stands on the right of the sign, `statement` is the assignment where
    that is all it does; `arguments` are the parameters of the function whose arguments are kept on the context of a
    custom function by this.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("owner",)

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
    statement: Syntax = None
    arguments: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return self.attr


@frozen(kw_only=True, eq=False)
class GradientRead(Event):
    """`.grad` of `tensor` is read: for its value, or as a `guard` (compared with None, tested for truth).

    `none` says whether there is certainly nothing to be read. `use` is what is done with it there: "needed" (an
    attribute of it, arithmetic: None raises), "handed" (to a call that does more than look at it) or neither. `bound`
    is the expression that computed the tensor, if its value got the same `name` there.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("tensor",)

    tensor: Tensor
    guard: bool
    reached: Truth
    none: Truth = UNSURE
    use: str = ""
    bound: Syntax | None = None
    name: str = ""


@frozen(kw_only=True, eq=False)
class LeafWanted(Event):
    """Only a leaf will do for what `tensor` is used for: its gradient is read ("gradient"), it is given to an optimizer
    ("optimizer") or it is set on a module ("attribute"); the last two are told only where it may be none.

    `lost` is the leaf it was computed from, or may be itself, by these `steps` and from nothing else that requires
    grad, if the program holds that leaf no more; `at` is the last step. `holders` are the containers that hold what is
    certainly no leaf.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("tensor",)

    tensor: Tensor
    use: str
    lost: Tensor | None = None
    steps: tuple[str, ...] = ()
    at: Syntax | None = None
    holders: tuple[Container, ...] = ()
    name: str = ""


@frozen(kw_only=True, eq=False)
class Recorded(Event):
    """An operation on tensors ran; where the graph is recorded, `saved` are the tensors that it certainly keeps for
    backward. `numbers` are the cuts behind the numbers among what it is computed from, which were tensors."""

    believed_from: ClassVar[tuple[str, ...]] = ("result",)

    op: str
    operands: tuple[Tensor, ...]
    result: Tensor
    saved: tuple[Tensor, ...]
    grows: Truth
    numbers: tuple[Mark, ...] = ()
    depends_on_mode: ClassVar[bool] = True

    @property
    def key(self) -> str:
        return self.op


@frozen(kw_only=True, eq=False)
class GraphGrown(Event):
    """An operation is recorded on what an earlier iteration of a loop recorded at the same place: `result` holds the
    graphs of all iterations.

    `name` is how the program writes what it was computed from, `added` the syntax of what came to it (None: not one
    thing). `graph` names its graph nodes, for `used`, `escaped` and `returned` of `ModuleFinished`; `spent` says
    whether a backward has certainly freed a part of it, so that nobody can differentiate it. `brings`
    says whether what came to it requires grad: what this iteration recorded, or a leaf. What earlier iterations may
    have recorded brings nothing new.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("result",)

    op: str
    result: Tensor
    graph: tuple[Graph, ...]
    spent: Truth
    name: str = ""
    added: Syntax | None = None
    brings: Truth = UNSURE
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
    taken: tuple[Mark, ...] = ()
    callee: Syntax = None
    name: str = ""
    missing: Truth = NO

    @property
    def key(self) -> str:
        return self.path


@frozen(kw_only=True, eq=False)
class ModuleCalled(Event):
    """A module is applied: `how` is "call", "forward" where the program writes `module.forward(...)`, or "held" where
    it took the `forward` off the module before; `callee` is then what stands before the parentheses, and
    `given` what stands in them, where that is written one by one. `recorded` is a
    tensor, the result itself or in it, that certainly carries a graph; `graph` names the graph nodes that made the
    result, for `used` and the like of `ModuleFinished`, `fed_by` those in the history of its arguments. `trainable`
    holds all answers of the module's parameters to whether they require grad (no: it has none). `nested` says that it
    happened inside the call of another module; else `memories` are those of its parameters, and `in_training` is the
    class of a part that certainly computes something else here than in eval mode. `own_call` says that the
    module's class says itself what calling it does. Of `wrapper.module(...)` the wrapper's import path is what it was
    `taken_from`."""

    believed_from: ClassVar[tuple[str, ...]] = ("module", "recorded")

    module: Module
    args: tuple[Thing, ...]
    result: Thing
    how: str
    recorded: Tensor | None = None
    trainable: Truth = UNSURE
    graph: tuple[Graph, ...] = ()
    fed_by: tuple[Graph, ...] = ()
    memories: frozenset[tuple[Ref, ...]] = frozenset()
    in_training: str = ""
    nested: bool = False
    own_call: bool = False
    callee: Syntax = None
    given: tuple[Syntax, ...] = ()
    taken_from: str = ""
    name: str = ""
    depends_on_mode: ClassVar[bool] = True


@frozen(kw_only=True, eq=False)
class WrittenInPlace(Event):
    """The memory of `target` is written by `op`.

    `by`: "method", "augmented", "setitem", "out", "function", "module", "step" (of an optimizer), "load" (of a state
    dict) or "array" (through a NumPy array that shares the memory).

    `base` is the tensor it is a view of (None: it is certainly no view), `holders` are the containers
    that hold the target, `noticed` whether torch notices (it does not through `.data` or NumPy).
    `operands` are the tensors that it is computed from besides the target, `saved` those of them that it certainly
    keeps for backward. `updates`: it is
    written with what was computed from its own gradient. `argument`: the function that runs was handed it;
    `arguments` names the parameter of the function that runs whose argument is written itself, no view of it.
    `arrays` are the calls that may have made the NumPy array, if it is written by one.
    `local` says that the code that is shown made the target, or what it is a view of, and does not copy into
    it what unseen callers handed over.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("target", "base")

    target: Tensor
    op: str
    by: str
    base: Tensor | None
    holders: tuple[Container, ...]
    noticed: Truth
    local: bool
    arguments: tuple[str, ...] = ()
    operands: tuple[Tensor, ...] = ()
    numbers: tuple[Mark, ...] = ()
    saved: tuple[Tensor, ...] = ()
    arrays: tuple[Syntax, ...] = ()
    name: str = ""
    updates: bool = False
    argument: bool = False
    depends_on_mode: ClassVar[bool] = True


@frozen(kw_only=True, eq=False)
class BackwardRun(Event):
    """`root` is differentiated: by `backward()` ("backward") or by `autograd.grad` ("grad").

    `leaves` are the tensors that may be reached; `freed`, `stale` and `corrupt` say whether the graph
    certainly holds a node in that state, `spoiled` are these nodes, oldest first, and `carried` says whether one of
    them was made by an earlier iteration of a loop. `opaque`: a tensor in the history may have a graph that nobody
    shows, which earlier iterations of the innermost loop differentiated as well.
    `carriers` are then the names by which the next iteration gets hold
    of a part of that, if it does by names alone: each with "tensor" or "tuple" (one of tensors) and the last places of
    an iteration that use or bind it. `again` are the backwards that may have been through a part of the graph and kept
    it; `renamed`: `retain` is said by a name that torch has given up; `graph` names the nodes that made the root.
    `unit` is what the root is measured in: "scaled" where a GradScaler multiplied it. `gradient` says whether a
    gradient for the root is given, `inputs` are the tensors
    that are to be differentiated by, as far as they are known (None: all leaves), `unreached` whether one of them is
    certainly not in the history, `allow_unused` whether that is allowed. `flat` are the operations of zero gradient
    (marks "flat") through which every way to the leaves goes; none where there may be a way around. `company` says for
    each leaf, as bits, which leaves may be in the history of an operation that takes it, `certain` which leaves are
    certainly reached. `of` is the expression whose
    `backward()` is called, written as `name` says; `made_by` are the operations that made the root, before a GradScaler
    multiplied it.
    Where the root certainly requires no grad, its marks "cut" tell where what it was computed from left the graph.
    `aliased` are gradients that are certainly added to in place although something else than `.grad` holds them.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("root",)

    root: Tensor
    leaves: tuple[Tensor, ...]
    freed: Truth
    stale: Truth
    corrupt: Truth
    retain: Truth
    create_graph: Truth
    how: str
    unit: Unit
    gradient: Truth
    of: Syntax = None
    name: str = ""
    made_by: tuple[str, ...] = ()
    renamed: bool = False
    opaque: bool = False
    inputs: tuple[Tensor, ...] | None = None
    unreached: Truth = NO
    allow_unused: Truth = NO
    aliased: tuple[Tensor, ...] = ()
    flat: tuple[Mark, ...] = ()
    company: tuple[int, ...] = ()
    certain: int = 0
    spoiled: tuple[Node, ...] = ()
    carried: Truth = NO
    carriers: tuple[tuple[str, str, Syntax], ...] = ()
    again: tuple[Syntax, ...] = ()
    graph: tuple[Graph, ...] = ()
    depends_on_mode: ClassVar[bool] = True


@frozen(kw_only=True, eq=False)
class OptimizerBuilt(Event):
    """An optimizer is made over `parameters`, which come in `parts`, one for each group. `elements` are what certainly
    stands in each part, one by one: each is joined over what it may be, and all that an iteration gives is one.
    `twice` are the elements that certainly stand in two parts, `repeated` those that stand more than once in one.
    `graph` is the
    optimizer's name for `escaped` and `returned` of `ModuleFinished`."""

    believed_from: ClassVar[tuple[str, ...]] = ("optimizer",)

    optimizer: Optimizer
    parameters: tuple[Tensor, ...]
    parts: tuple[tuple[Tensor, ...], ...]
    elements: tuple[tuple[Tensor, ...], ...]
    twice: tuple[Tensor, ...]
    repeated: tuple[Tensor, ...]
    graph: Graph


@frozen(kw_only=True, eq=False)
class OptimizerStepped(Event):
    """`optimizer.step()`, by itself or by a GradScaler: `grad` is joined over its `parameters`, `unit` over those of
    them that may hold a gradient. `closure` is what it was given to run first (None: nothing), `returned` what that
    gave, `name` how the optimizer is written."""

    believed_from: ClassVar[tuple[str, ...]] = ("optimizer", "parameters")

    optimizer: Optimizer
    parameters: tuple[Tensor, ...]
    grad: Grad
    unit: Unit
    closure: Thing
    returned: Thing
    name: str = ""


@frozen(kw_only=True, eq=False)
class ScalerUsed(Event):
    """A method of a GradScaler is called: `what` is "scale", "unscale_", "step" or "update".

    `optimizer` is the one that is unscaled or stepped, `stage` where it stood, `parameters`, `grad` and `unit` as for
    `OptimizerStepped`; `value` is what is scaled. `name` and `optimizer_name` are how the two are written.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("scaler", "optimizer", "parameters")

    what: str
    scaler: Scaler
    optimizer: Optimizer | None = None
    parameters: tuple[Tensor, ...] = ()
    stage: Stage = Stage.unsure()
    grad: Grad = Grad.unsure()
    unit: Unit = Unit.unsure()
    value: Thing = UNKNOWN
    name: str = ""
    optimizer_name: str = ""

    @property
    def key(self) -> str:
        return self.what


@frozen(kw_only=True, eq=False)
class SchedulerStepped(Event):
    """`scheduler.step()`; `optimizer` is the one whose learning rates it sets (None: not known)."""

    believed_from: ClassVar[tuple[str, ...]] = ("scheduler", "optimizer")

    scheduler: Scheduler
    optimizer: Optimizer | None
    name: str = ""


@frozen(kw_only=True, eq=False)
class GradientsClipped(Event):
    """The gradients of `parameters` are clipped by a function of `torch.nn.utils`, not just measured (a norm clipped to
    infinity); `grad` and `unit` as for `OptimizerStepped`."""

    believed_from: ClassVar[tuple[str, ...]] = ("parameters",)

    parameters: tuple[Tensor, ...]
    grad: Grad
    unit: Unit


@frozen(kw_only=True, eq=False)
class Checkpointed(Event):
    """`function` is called through `torch.utils.checkpoint`: `reentrant` is the kind that records one operation on the
    arguments that are handed over by themselves, `told` whether the program says which kind. `inputs` says whether
    one of those arguments requires grad, `parameters` whether one of the function does, as far as that is known."""

    believed_from: ClassVar[tuple[str, ...]] = ("function",)
    depends_on_mode: ClassVar[bool] = True

    function: Thing
    reentrant: Truth
    told: bool
    inputs: Truth
    parameters: Truth


@frozen(kw_only=True, eq=False)
class HookRegistered(Event):
    """`function` will be called by torch whenever `of`, a tensor or a module, comes by.

    `by` is the part of the method's name behind `register_`: "hook" and "post_accumulate_grad_hook" of tensors,
    "forward_pre_hook", "forward_hook", "full_backward_pre_hook", "full_backward_hook" of modules. The gradient that a
    "hook" is handed is a tensor `made` by "hook".
    """

    believed_from: ClassVar[tuple[str, ...]] = ("of",)

    of: Thing
    by: str
    function: Thing


@frozen(kw_only=True, eq=False)
class GradientsCleared(Event):
    """The gradients of `parameters` are cleared: `to_none` says whether they are None afterwards. `by`:
    "optimizer" or "module" (the `zero_grad()` of one, written as `name` says), "assign" (`.grad = None`) or "zero_" (of
    a gradient)."""

    believed_from: ClassVar[tuple[str, ...]] = ("parameters",)

    parameters: tuple[Tensor, ...]
    grad: Grad
    to_none: Truth
    by: str
    name: str = ""


@frozen()
class Unregistered:
    """What a module holds under `attr` and has not registered: `thing`, a module or a parameter that lies in containers
    (`inside`, the outermost first), or a tensor held by itself that is no parameter. `handed` says that the module was
    given it from outside, `trained` are the parameters that are lost by it: those that require grad (or the tensor).
    `alike`: all that is in its container is of its kind."""

    attr: str
    thing: Thing
    inside: tuple[Container, ...]
    handed: bool
    trained: tuple[Tensor, ...]
    alike: bool = True


@frozen(kw_only=True, eq=False)
class ModuleBuilt(Event):
    """A module is made; `parameters` are those that it and its parts have, `own` those of them that it certainly was
    not handed, `open` says whether it may have others, `unregistered` is what one of a class of the program holds and
    has not registered."""

    believed_from: ClassVar[tuple[str, ...]] = ("module",)

    module: Module
    parameters: tuple[Tensor, ...] = ()
    own: tuple[Tensor, ...] = ()
    open: Truth = UNSURE
    unregistered: tuple[Unregistered, ...] = ()


@frozen(kw_only=True, eq=False)
class BufferRegistered(Event):
    """`module.register_buffer(...)`: `name` is the buffer's, empty where it is not known; `trained` says whether the
    module, or a part of it, has a parameter on the same memory."""

    believed_from: ClassVar[tuple[str, ...]] = ("module",)

    module: Module
    tensor: Thing
    name: str = ""
    trained: Truth = UNSURE


@frozen(kw_only=True, eq=False)
class ModeChanged(Event):
    """`train()` or `eval()` of a module, written as `name` says, and of all its parts; `matters` unless it is certain
    that none of them behaves differently in the two modes. `reached` are the modules that it may set: itself and its
    parts, without those that have a `train` of their own."""

    believed_from: ClassVar[tuple[str, ...]] = ("module",)

    module: Module
    to: Mode
    matters: bool
    reached: tuple[Module, ...] = ()
    name: str = ""


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
class ResultDiscarded(Event):
    """An expression stands alone as a statement and its value is dropped.

    Where it is the call of a tensor's or a module's method, or of something else known by its import path, that is the
    `called` (`torch.Tensor.detach`, and `of` the first argument, its owner). Where it is an attribute that is looked up
    and no more, that is its `attribute`, and `of` what it was looked up on. `name` is how that is written.
    """

    believed_from: ClassVar[tuple[str, ...]] = ("value", "of")

    value: Thing
    of: Thing = UNKNOWN
    called: str = ""
    attribute: str = ""
    name: str = ""


@frozen(kw_only=True, eq=False)
class BindingDropped(Event):
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
    """A generator hands out a value and waits. `extent` says what set the grad mode it waits in: "with" (which then
    holds for whoever asked), "decorator" (which does not) or "" (nothing in the function). `manager`: it is a context
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
    all, and `spent` says whether a backward has certainly freed a part of each graph in that. `replaces`: it takes
    the place of an element of a list, which is no longer than before. `by_part`: of all loops that fill it each goes
    over parts of networks (modules, parameters, their names).
    """

    believed_from: ClassVar[tuple[str, ...]] = ("container", "value", "recorded")

    container: Container
    value: Thing
    name: str = ""
    given: Syntax | None = None
    recorded: Tensor | None = None
    graph: tuple[Graph, ...] = ()
    piles: Truth = NO
    spent: Truth = NO
    replaces: bool = False
    by_part: bool = False
    depends_on_mode: ClassVar[bool] = True


@frozen(kw_only=True, eq=False)
class IteratorConsumed(Event):
    """An iterator is run through; `element` is what it gives, or gave, and `by` names what did it ("optimizer": it
    is all that an optimizer is given, "group": one of its groups, "handed": it was run through before, and code that
    the file does not show is handed it)."""

    believed_from: ClassVar[tuple[str, ...]] = ("iterator",)

    iterator: Iterator
    element: Thing
    by: str


@frozen(kw_only=True, eq=False)
class Copied(Event):
    """`value` is copied all the way down by `copy.deepcopy`; `tensors` are those that are certainly in it, `of` is
    the expression that is copied (None: not written in the call)."""

    believed_from: ClassVar[tuple[str, ...]] = ("value", "tensors")

    value: Thing
    tensors: tuple[Tensor, ...]
    of: Syntax | None = None
    name: str = ""


@frozen(kw_only=True, eq=False)
class StateLoaded(Event):
    """`module.load_state_dict(source)`: `shares` says whether the source is the module's own memory, `written`
    whether that memory was written since the source was taken, `matters` as for `ModeChanged`."""

    believed_from: ClassVar[tuple[str, ...]] = ("module", "source")

    module: Module
    source: Thing
    shares: Truth
    written: Truth
    taken: tuple[Mark, ...]
    matters: bool
    name: str = ""


@frozen(kw_only=True, eq=False)
class Returned(Event):
    """A function hands a value to its caller; `written` as for `Called`, over the whole body of the function.
    `arguments` are the parameters of the function whose arguments are handed back."""

    believed_from: ClassVar[tuple[str, ...]] = ("value",)

    value: Thing
    written: Truth
    taken: tuple[Mark, ...] = ()
    arguments: tuple[str, ...] = ()
    name: str = ""


# ---- stories: what holds of a whole loop, function, class or file


class Role(Enum):
    """What a function is for, as far as names and flags tell: a method of a module is one whatever else it is."""

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
    file (see `conditions`) that hold every so many times: they take a remainder."""

    story: tuple[Event, ...]
    periodic: Set[Syntax] = frozenset()


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
    `reads` are the attributes of the first that it asks for, `hands_on` whether it hands the first to other code. Of a
    custom function `mentions` are all attributes of the first that it writes down, with where that is and whether they
    are read there, rather than set or deleted."""

    function: Function
    parameters: tuple[str, ...]
    required: int
    starred: bool
    reads: frozenset[str]
    hands_on: bool
    runs: tuple[Run, ...]
    mentions: tuple[tuple[str, Syntax, bool], ...] = ()

    @property
    def name(self) -> str:
        """What it is called."""
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
    """The whole file. `used`: graphs that a backward may have reached; `escaped`: graphs and optimizers handed to code
    that the file does not show, but for graphs that by its names only reads them; `differentiated`: those handed to
    such code as by its names computes gradients; `returned`: those returned to callers that were not all seen; `left`:
    those of which an operation made something outside of them, and the first that did. `tests`: the file imports
    what runs tests; `collected` are the functions that a test runner can call by itself."""

    story: tuple[Event, ...]
    runs: tuple[Run, ...]
    tests: bool = False
    collected: frozenset[Syntax] = field(default=frozenset())
    used: frozenset[Graph] = field(default=frozenset())
    escaped: frozenset[Graph] = field(default=frozenset())
    differentiated: frozenset[Graph] = field(default=frozenset())
    returned: frozenset[Graph] = field(default=frozenset())
    left: tuple[tuple[Graph, Mark], ...] = ()
