"""A module cannot take parts before `Module.__init__` has run.

## Why it happens

`Module.__init__` makes the tables that parameters, buffers and submodules are entered in.
Assigning one of these to an attribute looks for the tables first; a subclass whose `__init__`
does not call `super().__init__()`, or calls it only afterwards, has none yet. Numbers, strings, plain
tensors and lists are stored without them and raise nothing.

## What it costs

The line raises `AttributeError` whenever an instance is made.

## When it is right to ignore it

Where a base class in another file makes the tables in `__new__` or in a metaclass.
"""

from __future__ import annotations

from gradlint.domain import NO, YES, Module, Tensor
from gradlint.events import AttributeAssigned, Called, ModuleFinished
from gradlint.rule import Draft, Edit, Findings, Raises, Rule

INIT = "super().__init__()"

rule = Rule(
    "GRD803",
    "missing-super-init",
    "{part} is given to the module before `Module.__init__` has run",
    help="call `super().__init__()` first",
    tokens=("Module",),
)
consequence = Raises(AttributeError, "before Module.__init__() call")


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """The first part raises; a call of `Module.__init__` that comes later in the same run is noted."""
    waiting: dict[int, tuple[AttributeAssigned | Called, Called | None]] = {}
    for happened in event.story:
        if isinstance(happened, (AttributeAssigned, Called)) and _comes_too_early(happened):
            waiting.setdefault(happened.run, (happened, None))
        elif isinstance(happened, Called) and happened.run in waiting and happened.path.endswith(".__init__"):
            waiting[happened.run] = (waiting[happened.run][0], happened)
    for early, late in waiting.values():
        draft = _draft(early)
        if late is not None:
            draft = draft.note(late.node, "`Module.__init__` runs only here")
        if _is_cured_by_the_call(event, early):
            draft = _with_fix(draft, early, late)
        yield draft.resting_on(early)


REGISTERING = frozenset(f"torch.nn.Module.register_{kind}" for kind in ("buffer", "parameter"))


def _comes_too_early(event: AttributeAssigned | Called) -> bool:
    if isinstance(event, Called):
        owner = event.args[0] if event.path in REGISTERING and event.args else None
        return isinstance(owner, Module) and owner.initialised <= NO
    owner, value = event.owner, event.value
    part = isinstance(value, Module) or (isinstance(value, Tensor) and value.parameter <= YES)
    return part and event.own and isinstance(owner, Module) and owner.initialised <= NO


def _draft(early: AttributeAssigned | Called) -> Draft:
    part = f"`self.{early.attr}`" if isinstance(early, AttributeAssigned) else "the part"
    return rule.at(early.node, part=part)


def _is_cured_by_the_call(event: ModuleFinished, early: AttributeAssigned | Called) -> bool:
    """Return whether it stands in an `__init__` that calls no other one of the program, and passes nothing on."""
    names = {run.index: run.function.name for run in event.runs if run.function is not None}
    others = any(run.parent == early.run and names.get(run.index) == "__init__" for run in event.runs)
    return names.get(early.run) == "__init__" and not others


def _with_fix(draft: Draft, early: AttributeAssigned | Called, late: Called | None) -> Draft:
    """The call is put before the part, and taken away from where it came too late."""
    first = Edit("insert before", early.node, INIT)
    if late is None:
        return draft.fix(first, safety="safe")
    plain = late.path == "torch.nn.Module.__init__" and len(late.args) == 1 and not late.keywords
    return draft.fix(first, Edit("delete", late.node), safety="safe") if plain else draft


@rule.bad
def layer_without_a_call_of_init():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, width):
            self.width = width
            self.layer = nn.Linear(width, 2)  # GRD803
            self.scale = nn.Parameter(torch.ones(1))

        def forward(self, x):
            return self.layer(x) * self.scale

    return Net(4)(torch.ones(1, 4))


@rule.good(cures=layer_without_a_call_of_init)
def layer_after_the_call_of_init():
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.width = width
            self.layer = nn.Linear(width, 2)
            self.scale = nn.Parameter(torch.ones(1))

        def forward(self, x):
            return self.layer(x) * self.scale

    return Net(4)(torch.ones(1, 4))


@rule.bad
def parameter_before_the_call_of_init():
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            self.scale = nn.Parameter(torch.ones(1))  # GRD803
            super().__init__()

        def forward(self, x):
            return x * self.scale

    return Scale()(torch.ones(3))


@rule.good(cures=parameter_before_the_call_of_init)
def parameter_after_the_call_of_init():
    import torch
    from torch import nn

    class Scale(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(1))

        def forward(self, x):
            return x * self.scale

    return Scale()(torch.ones(3))
