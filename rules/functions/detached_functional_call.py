"""A functional call with detached parameters gives nothing to differentiate.

## Why it happens

`functional_call` runs a module on the tensors it is handed in the place of its parameters. What
`state_dict()` gives are detached handles, and so is what `{name: p.detach() ...}` gives: operations on them are
not recorded, whatever the module's own parameters say. `dict(model.named_parameters())` gives the parameters.

## What it costs

`backward()` raises `element 0 of tensors does not require grad`, or a loss with other terms silently
trains without this one.

## When it is right to ignore it

Under `torch.func.grad`, which differentiates by its own argument and wants it detached, in inference
and for ensembles: there nothing is differentiated by `backward()`. This rule is off unless asked for.
"""

from __future__ import annotations

from typing import Any

from gradlint.domain import NO, YES, Container, Syntax, Tensor
from gradlint.events import BackwardRun, Called, Event, ModuleFinished, RequiresGradChanged, WrittenInPlace
from gradlint.rule import Edit, Findings, Rule

rule = Rule(
    "GRD911",
    "detached-functional-call",
    "the functional call is given detached parameters, so `backward()` reaches no parameter",
    help="pass `dict(module.named_parameters())`",
    effect="error later",
    default=False,
    tokens=("functional_call",),
)
CALLS = frozenset({"torch.func.functional_call", "torch.nn.utils.stateless.functional_call"})


def consequence(returned: Any) -> bool:
    """No parameter got a gradient."""
    return all(parameter.grad is None for parameter in returned.parameters())


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """A root that requires no grad, differentiated in a run in which a functional call gave what requires none."""
    cut: dict[int, Called] = {}
    for happened in event.story:
        if isinstance(happened, Called) and happened.path in CALLS:
            cut.pop(happened.run, None)
            result = happened.result
            if happened.grad_mode <= YES and isinstance(result, Tensor) and result.requires_grad <= NO:
                cut[happened.run] = happened
        elif isinstance(happened, BackwardRun) and happened.run in cut and _reaches_nothing(happened):
            call = cut[happened.run]
            draft = rule.at(call.node).note(happened.node, "differentiated here").resting_on(happened)
            taken = _taken(call)
            if taken is not None and not any(_changes_what_is_taken(one) for one in event.story):
                draft = draft.fix(Edit("set keyword", taken, "keep_vars", "True"), safety="unsafe")
            yield draft


def _taken(call: Called) -> Syntax | None:
    """The call of `state_dict()` that gave what the module is called with."""
    weights = call.args[1] if len(call.args) > 1 else None
    made = weights.causes if isinstance(weights, Container) and weights.origin else ()
    return made[0].node if len(made) == 1 else None


def _changes_what_is_taken(event: Event) -> bool:
    """Return whether a write to an entry would become one to a parameter, or parameters may not require grad."""
    if isinstance(event, WrittenInPlace):
        return event.target.made == "state_dict"
    return isinstance(event, RequiresGradChanged) and event.to.may(NO)


def _reaches_nothing(event: BackwardRun) -> bool:
    return event.how == "backward" and event.root.requires_grad <= NO


@rule.bad
def weights_from_the_state_dict():
    import contextlib

    import torch
    from torch import nn
    from torch.func import functional_call

    model = nn.Linear(3, 1)
    weights = model.state_dict()
    loss = functional_call(model, weights, (torch.ones(2, 3),)).mean()  # GRD911
    with contextlib.suppress(RuntimeError):
        loss.backward()
    return model


@rule.good(cures=weights_from_the_state_dict)
def weights_from_the_parameters():
    import contextlib

    import torch
    from torch import nn
    from torch.func import functional_call

    model = nn.Linear(3, 1)
    weights = dict(model.named_parameters())
    loss = functional_call(model, weights, (torch.ones(2, 3),)).mean()
    with contextlib.suppress(RuntimeError):
        loss.backward()
    return model
