"""Events: what happened while the program ran abstractly, in the words that rules hear.

Every event carries the facts from just before it took effect, so a rule sees what torch would have
seen. `node` is the expression that a report would point at. An event that has a `key` can be
subscribed by it: `rule.on(Called, "torch.save")`.

Objects in events (tensors, modules, containers ...) are joined over all alternatives; where the
alternatives are of different kinds the field holds `UNKNOWN`.
"""

from __future__ import annotations

from gradlint.events.base import Event, Thing
from gradlint.events.gradients import (
    AttributeMissing,
    BackwardRun,
    Checkpointed,
    GradientRead,
    GradientsCleared,
    GradientsClipped,
    GradientsGiven,
    HookRegistered,
)
from gradlint.events.graphs import (
    ContextEntered,
    GradModeChanged,
    GraphGrown,
    IteratorConsumed,
    NameRebound,
    Returned,
    Stored,
    Yielded,
)
from gradlint.events.modules import (
    BufferRegistered,
    ModeChanged,
    ModuleBuilt,
    ModuleCalled,
    ModuleKept,
    StateLoaded,
    Unregistered,
)
from gradlint.events.stories import ClassFinished, FunctionFinished, LoopFinished, Method, ModuleFinished, Role, Run
from gradlint.events.tensors import (
    AttributeAssigned,
    Called,
    Copied,
    LeafRequired,
    Recorded,
    RequiresGradChanged,
    ResultDiscarded,
    WrittenInPlace,
)
from gradlint.events.training import OptimizerBuilt, OptimizerStepped, ScalerUsed, SchedulerStepped

__all__ = [
    "AttributeAssigned",
    "AttributeMissing",
    "BackwardRun",
    "BufferRegistered",
    "Called",
    "Checkpointed",
    "ClassFinished",
    "ContextEntered",
    "Copied",
    "Event",
    "FunctionFinished",
    "GradModeChanged",
    "GradientRead",
    "GradientsCleared",
    "GradientsClipped",
    "GradientsGiven",
    "GraphGrown",
    "HookRegistered",
    "IteratorConsumed",
    "LeafRequired",
    "LoopFinished",
    "Method",
    "ModeChanged",
    "ModuleBuilt",
    "ModuleCalled",
    "ModuleFinished",
    "ModuleKept",
    "NameRebound",
    "OptimizerBuilt",
    "OptimizerStepped",
    "Recorded",
    "RequiresGradChanged",
    "ResultDiscarded",
    "Returned",
    "Role",
    "Run",
    "ScalerUsed",
    "SchedulerStepped",
    "StateLoaded",
    "Stored",
    "Thing",
    "Unregistered",
    "WrittenInPlace",
    "Yielded",
]
