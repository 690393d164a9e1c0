"""Events of modules: built, called, switched, loaded."""

from __future__ import annotations

from typing import ClassVar

from gradlint.domain import UNSURE, Cause, Container, Graph, Mode, Module, Ref, Syntax, Tensor, Truth
from gradlint.events.base import Event, Thing
from gradlint.frozen import frozen


@frozen(kw_only=True, eq=False)
class ModuleCalled(Event):
    """A module is applied: `how` is "call", "forward" where the program writes `module.forward(...)`, or "held"
    where it took the `forward` off the module before; `callee` is then what stands before the parentheses, and
    `given` what stands in them, where that is written one by one. `recorded` is a tensor, the result itself or in
    it, that certainly carries a graph; `graph` names the graph nodes that made the result, for `used` and the like
    of `ModuleFinished`, `fed_by` those in the history of its arguments, and `made_of` are the memories of the
    parameters that unseen code may have computed these from. `trainable` holds all answers of the module's
    parameters to whether they require grad (no: it has none). `nested` says that it happened inside the call of
    another module; else `memories` are those of its parameters, and `in_training` is the class of a part that
    certainly computes something else here than in eval mode. `frozen_norms` are the batch norms in a network whose
    `forward` nobody sees that move their statistics although they are frozen, each with one of its parameters.
    `own_call` says that the module's class says itself what calling it does. Of `wrapper.module(...)` the wrapper's
    import path is what it was `taken_from`. `on_test_data`: what it is given, or the loop around goes over, is
    called data to evaluate on."""

    believed_from: ClassVar[tuple[str, ...]] = ("module", "recorded")

    module: Module
    args: tuple[Thing, ...]
    result: Thing
    how: str
    recorded: Tensor | None = None
    trainable: Truth = UNSURE
    graph: tuple[Graph, ...] = ()
    fed_by: tuple[Graph, ...] = ()
    made_of: frozenset[tuple[Ref, ...]] = frozenset()
    memories: frozenset[tuple[Ref, ...]] = frozenset()
    in_training: str = ""
    frozen_norms: tuple[tuple[Module, Tensor], ...] = ()
    nested: bool = False
    own_call: bool = False
    callee: Syntax = None
    given: tuple[Syntax, ...] = ()
    taken_from: str = ""
    name: str = ""
    on_test_data: bool = False
    depends_on_mode: ClassVar[bool] = True


@frozen()
class Unregistered:
    """The content that a module holds under `attr` and has not registered: `thing`, a module or a parameter that lies
    in containers (`inside`, the outermost first), or a tensor held by itself that is no parameter. `handed` says that
    the module was given it by somebody who has it still, `trained` are the parameters that are lost by it: those that
    require grad (or the tensor). `alike`: all that is in its container is of its kind; `read_elsewhere`: another file
    that makes optimizers reads an attribute of this name."""

    attr: str
    thing: Module | Tensor
    inside: tuple[Container, ...]
    handed: bool
    trained: tuple[Tensor, ...]
    alike: bool = True
    read_elsewhere: bool = False


@frozen(kw_only=True, eq=False)
class ModuleBuilt(Event):
    """A module is made; `parameters` are those that it and its parts have, `own` those of them that it certainly was
    not passed, `open` says whether it may have others, `unregistered` is what one of a class of the program holds and
    has not registered."""

    believed_from: ClassVar[tuple[str, ...]] = ("module",)

    module: Module
    parameters: tuple[Tensor, ...] = ()
    own: tuple[Tensor, ...] = ()
    open: Truth = UNSURE
    unregistered: tuple[Unregistered, ...] = ()
    trained: bool = False


@frozen(kw_only=True, eq=False)
class ModuleKept(Event):
    """A module from before a loop that goes on is given one more name where a comparison says that it is the best so
    far: `name`, which is read elsewhere. `given` is the expression of the module, where it stands alone, `parameters`
    those that it is known to have."""

    believed_from: ClassVar[tuple[str, ...]] = ("module",)

    module: Module
    parameters: tuple[Tensor, ...]
    name: str
    loop: Syntax
    given: Syntax = None


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
    parts, without those that have a `train` of their own. `memories` are those of the parameters that it has."""

    believed_from: ClassVar[tuple[str, ...]] = ("module",)

    module: Module
    to: Mode
    matters: bool
    reached: tuple[Module, ...] = ()
    memories: frozenset[tuple[Ref, ...]] = frozenset()
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
    taken: tuple[Cause, ...]
    matters: bool
    name: str = ""
