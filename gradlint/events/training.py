"""Events of optimizers, scalers and schedulers."""

from __future__ import annotations

from typing import ClassVar

from gradlint.domain import UNKNOWN, UNSURE, Grad, Graph, Optimizer, Scaler, Scheduler, Stage, Tensor, Truth, Unit
from gradlint.events.base import Event, Thing
from gradlint.frozen import frozen


@frozen(kw_only=True, eq=False)
class OptimizerBuilt(Event):
    """An optimizer is made over `parameters`, which come in `parts`, one for each group. `elements` are what certainly
    stands in each part, one by one: each is joined over what it may be, and all that an iteration gives is one.
    `in_two_groups` are the elements that certainly stand in two parts, `duplicated` those that stand more than
    once in one. `graph` is the optimizer's name for `escaped` and `returned` of `ModuleFinished`. `beside` are
    groups (dicts with "params") that a name of the running function holds and this optimizer holds nothing of, by
    that name. `remembers` says whether its steps go on from what earlier ones left (momentum, moment estimates)."""

    believed_from: ClassVar[tuple[str, ...]] = ("optimizer",)

    optimizer: Optimizer
    parameters: tuple[Tensor, ...]
    parts: tuple[tuple[Tensor, ...], ...]
    elements: tuple[tuple[Tensor, ...], ...]
    in_two_groups: tuple[Tensor, ...]
    duplicated: tuple[Tensor, ...]
    graph: Graph
    beside: tuple[tuple[str, tuple[Tensor, ...]], ...] = ()
    remembers: Truth = UNSURE


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
    """`scheduler.step()`; `optimizer` is the one whose learning rates it sets (None: not known), those of the epoch
    that it is `given`, if it is given one."""

    believed_from: ClassVar[tuple[str, ...]] = ("scheduler", "optimizer")

    scheduler: Scheduler
    optimizer: Optimizer | None
    name: str = ""
    given: bool = False
