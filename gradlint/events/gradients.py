"""Events of gradients: what is differentiated, read, clipped and cleared."""

from __future__ import annotations

from typing import ClassVar

from gradlint.domain import NO, UNSURE, Cause, Grad, Graph, Node, Syntax, Tensor, Truth, Unit
from gradlint.domain.provenance import ClearKind
from gradlint.events.base import Event, Thing
from gradlint.frozen import frozen


@frozen(kw_only=True, eq=False)
class GradientsGiven(Event):
    """`torch.autograd.grad` gives `gradients` with a graph of their own (`create_graph=True`): `graph` names what
    computed them, for `used` and the like of `ModuleFinished`."""

    believed_from: ClassVar[tuple[str, ...]] = ("gradients",)

    gradients: tuple[Tensor, ...]
    graph: Graph


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
class AttributeMissing(Event):
    """An attribute `attr` of `tensor` is read, for its value, that tensors are not known to have."""

    believed_from: ClassVar[tuple[str, ...]] = ("tensor",)

    tensor: Tensor
    attr: str
    name: str = ""

    @property
    def key(self) -> str:
        return self.attr


@frozen(kw_only=True, eq=False)
class BackwardRun(Event):
    """`root` is differentiated: by `backward()` ("backward") or by `autograd.grad` ("grad").

    `leaves` are the tensors that may be reached; `freed`, `stale` and `corrupt` say whether the graph certainly holds a
    node in that state, `modified_nodes` are these nodes, oldest first, `modified_on_one_path` those whose saved tensors
    were written on one path alone, and `from_earlier_iteration` says whether one of the first was made by an earlier
    iteration of a loop. `opaque`: a tensor in the history may have a graph that nobody
    shows, which earlier iterations of the innermost loop differentiated as well. `carriers` are then the names by which
    the next iteration gets hold of a part of that, if it does by names alone: each with "tensor" or "tuple" (one of
    tensors) and the last places of an iteration that use or bind it. `earlier_backwards` are the backwards that may
    have been through a part of the graph and kept it; `repeated` are nodes that this very backward may have freed in an
    earlier iteration, of each place of which the history certainly holds some node; `renamed`: `retain` is said by a
    name that torch has given up; `graph` names the nodes that made the root. `unit` is what the root is measured in:
    "scaled" where a GradScaler multiplied it. `gradient` says whether a gradient for the root is given, `inputs` are
    the tensors that are to be differentiated by, as far as they are known (None: all leaves), `unreached` whether one
    of them is certainly not in the history, `allow_unused` whether that is allowed. `zero_gradient_ops` are the
    operations of zero gradient (causes `FLAT`) through which every way to the leaves goes; none where there may be a
    way around. `co_leaves` says for each leaf, as bits, which leaves may be in the history of an operation that takes
    it, `certain` which leaves are certainly reached, `loose` to which of them nothing leads but the results of code
    that is not followed, and that takes what it gives out of the graph by its text. `of` is the expression whose
    `backward()` is called, written as `name` says; `made_by` are the operations that made the root, before a GradScaler
    multiplied it. Where the root certainly requires no grad, its causes `CUT` tell where what it was computed from left
    the graph. `aliased` are gradients that are certainly added to in place although something else than `.grad` holds
    them.
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
    zero_gradient_ops: tuple[Cause, ...] = ()
    co_leaves: tuple[int, ...] = ()
    certain: int = 0
    loose: int = 0
    modified_nodes: tuple[Node, ...] = ()
    modified_on_one_path: tuple[Node, ...] = ()
    from_earlier_iteration: Truth = NO
    carriers: tuple[tuple[str, str, Syntax], ...] = ()
    earlier_backwards: tuple[Syntax, ...] = ()
    repeated: tuple[Node, ...] = ()
    graph: tuple[Graph, ...] = ()
    depends_on_mode: ClassVar[bool] = True


@frozen(kw_only=True, eq=False)
class GradientsClipped(Event):
    """The gradients of `parameters` are clipped by a function of `torch.nn.utils`, not just measured (a norm clipped to
    infinity); `grad` and `unit` as for `OptimizerStepped`. `joint`: by a norm over all of them."""

    believed_from: ClassVar[tuple[str, ...]] = ("parameters",)

    parameters: tuple[Tensor, ...]
    grad: Grad
    unit: Unit
    joint: bool = True


@frozen(kw_only=True, eq=False)
class Checkpointed(Event):
    """`function` is called through `torch.utils.checkpoint`: `reentrant` is the kind that records one operation on the
    arguments that are passed in by themselves, `told` whether the program says which kind. `inputs` says whether
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
    "hook" is passed is a tensor `made` by "hook".
    """

    believed_from: ClassVar[tuple[str, ...]] = ("of",)

    of: Thing
    by: str
    function: Thing


@frozen(kw_only=True, eq=False)
class GradientsCleared(Event):
    """The gradients of `parameters` are cleared: `to_none` says whether they are None afterwards,
    `by` which way it is, `name` how the program writes the optimizer or module whose `zero_grad()` it is."""

    believed_from: ClassVar[tuple[str, ...]] = ("parameters",)

    parameters: tuple[Tensor, ...]
    grad: Grad
    to_none: Truth
    by: ClearKind
    name: str = ""
