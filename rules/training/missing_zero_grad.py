"""A training loop that never clears its gradients trains on their sum.

## Why it happens

`backward()` adds to `.grad`, it does not replace it, so that several losses can share one step. A
step reads the gradient and leaves it where it is. If nothing clears it in between, the second step
uses the sum of two gradients, the third one the sum of three, and what the first batch said is said
again in every step that follows.

A network that judges what another makes is in the other's backward, by necessity. If its gradients are cleared after
its own step alone, what the other's round has left in them is used by its next one. Just so an attack that asks for the
gradient of an input fills those of the network, and a training on what it found steps by both.

A worker that computes gradients with a network of its own and hands them to a shared one (`shared.grad = own.grad`)
has to clear its own: the optimizer holds the shared parameters, and its `zero_grad()` lets go of the gradients there.
With zeros, before torch 2.0, it cleared both, as they were one tensor.

## What it costs

Nothing warns. The steps grow with the iterations and point to where the loss once fell: training
oscillates or diverges, or learns more slowly than it could, which is easily taken for a learning rate
that does not fit.

## When it is right to ignore it

Gradients may be accumulated over several batches and used by one step; that is never reported, as
long as they are cleared after it. Whoever sums gradients over steps on purpose, as a momentum that
never fades, is better served by the `momentum` of the optimizer.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from gradlint.domain import FRESH, MIXED, NO, NONE_VALUE, YES, CauseKind, Memory, Syntax, Tensor, memories
from gradlint.events import (
    AttributeAssigned,
    BackwardRun,
    Event,
    GradientRead,
    GradientsCleared,
    LoopFinished,
    ModuleFinished,
    OptimizerStepped,
)
from gradlint.rule import LIKELY, Draft, Edit, Findings, Rule, quoted

from ._handing import Handing, added_to
from ._protocol import pointing_at_uncalled, uncalled

rule = Rule(
    "GRD701",
    "missing-zero-grad",
    "`backward()` accumulates into gradients that {left}",
    help="call `{call}.zero_grad()` once for each step",
    effect="wrong result",
    yields_to=("GRD606",),
    tokens=("backward",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights are others than without what was left over."""
    return not returned.allclose(cured)


CLEAR_OWN = "call `zero_grad()` of the module that is differentiated as well: the optimizer's clears the others alone"
USABLE = FRESH | MIXED
"""The states of a gradient that a backward has certainly added to since the last step."""


@rule.on(LoopFinished)
def check(loop: LoopFinished) -> Findings:
    """Point as well at a `zero_grad` that is not called: that is then the mistake."""
    place, after = uncalled("zero_grad", loop.story), _filled_after(loop.story)
    for event in loop.story:
        if isinstance(event, OptimizerStepped) and event.later <= YES:
            for draft in _left_over(event, loop.story, fixed=event.node not in after):
                yield pointing_at_uncalled(draft, place).resting_on(event)
    if loop.alone:
        yield from _of_one_batch(loop.story)


def _of_one_batch(story: Sequence[Event]) -> Findings:
    """A loop over a batch that is written down is an example of one over more: in the next round the step would find
    what it has used."""
    cleared = memories(one for event in story if isinstance(event, GradientsCleared) for one in event.parameters)
    runs = [event for event in story if isinstance(event, BackwardRun) and event.how == "backward"]
    for step in story:
        if not isinstance(step, OptimizerStepped) or not step.grad <= FRESH or step.closure != NONE_VALUE:
            continue
        mine = memories(step.parameters)
        filling = next((run for run in reversed(runs) if mine & memories(run.leaves)), None)
        if filling is not None and not mine & cleared and step.conditions == filling.conditions:
            left = f"{quoted(step.name, 'the optimizer')} uses and nothing clears"
            draft = rule.at(filling.node, left=left, call=step.name or "optimizer").note(step.node, "used here")
            draft = draft.fix(*_cleared(step), safety="unsafe").resting_on(filling, step)
            yield draft.lowered(LIKELY, "one batch is taken for an example of more")


def _filled_after(story: Sequence[Event]) -> set[Syntax]:
    """The steps behind which another backward fills their gradients in the same round: clearing there is too early."""
    found: set[Syntax] = set()
    seen: set[Syntax] = set()
    filled: set[Memory] = set()
    for event in reversed(story):
        if isinstance(event, BackwardRun):
            filled |= memories(event.leaves)
        elif isinstance(event, GradientsCleared):
            filled -= memories(event.parameters)
        elif isinstance(event, OptimizerStepped) and event.node not in seen:
            seen.add(event.node)
            if not filled.isdisjoint(memories(event.parameters)):
                found.add(event.node)
    return found


def _left_over(event: OptimizerStepped, story: Sequence[Event], *, fixed: bool) -> Findings:
    """The step uses what a backward has added to gradients of the steps before."""
    mixed: dict[Syntax, set[Memory]] = {}
    for parameter in event.parameters:
        for mark in parameter.causes if parameter.grad <= USABLE else ():
            if mark.kind == CauseKind.MIXED:
                mixed.setdefault(mark.node, set()).add(parameter.storage)
    for node, memories_there in mixed.items():
        used = _used_before(event, story, node, memories_there)
        draft = rule.at(
            node, left=f"{quoted(used.name, 'the optimizer')} has already used", call=event.name or "optimizer"
        )
        told = "used by the step here, as in the iteration before" if used is event else "used by the step here"
        draft = draft.note(used.node, told)
        yield draft.fix(*_cleared(event), safety="unsafe") if fixed and used is event else draft


def _used_before(step: OptimizerStepped, story: Sequence[Event], node: Syntax, added: Set[Memory]) -> OptimizerStepped:
    """Return the step that last used these gradients before a backward added to them: that of another optimizer over
    the same parameters, or the one of the iteration before."""
    last, found = step, step
    for event in story:
        if event is step:
            break
        if isinstance(event, OptimizerStepped) and not added.isdisjoint(memories(event.parameters)):
            last = event
        elif isinstance(event, BackwardRun) and event.node is node:
            found = last
    return step if found.node is step.node else found


TAKES_TWO = 2
"""The optimizers that it takes for one to step in the other's round."""


@dataclass
class _Passed:
    """A backward by whose gradients others were stepped, from which the way leads through this parameter: its gradient
    was filled by necessity and waits. `company` are the leaves that lead to it, as bits, `step` is that of the others,
    `by` what added to it afterwards."""

    event: BackwardRun
    company: int
    step: OptimizerStepped | None = None
    by: BackwardRun | None = None


@rule.on(ModuleFinished)
def check_stray(end: ModuleFinished) -> Findings:
    """A network that judges what another makes gets gradients in the other's round, and steps by them in its own."""
    steps = {memories(one.parameters) for one in end.story if isinstance(one, OptimizerStepped)}
    if len(steps) < TAKES_TWO:
        return
    waiting: dict[Memory, _Passed] = {}
    told: set[Syntax] = set()
    for event in end.story:
        if isinstance(event, BackwardRun) and event.how == "backward":
            _add(event, waiting)
        elif isinstance(event, GradientsCleared | AttributeAssigned):
            for memory in _rid_of(event):
                waiting.pop(memory, None)
        elif isinstance(event, OptimizerStepped):
            now = memories(event.parameters)
            mine = [waiting.pop(one.storage) for one in event.parameters if one.storage in waiting]
            for one in mine:
                if one.step is not None and one.by is not None and one.by.node not in told:
                    told.add(one.by.node)
                    yield _stray(one, event)
            stepped: dict[BackwardRun, int] = {}
            for one in waiting.values():
                if one.event not in stepped:
                    stepped[one.event] = sum(
                        1 << index for index, leaf in enumerate(one.event.leaves) if leaf.storage in now
                    )
                if one.step is None and one.company & stepped[one.event]:
                    one.step = event


def _rid_of(event: GradientsCleared | AttributeAssigned) -> frozenset[Memory]:
    """The parameters whose gradients are cleared, or another takes their place."""
    if isinstance(event, GradientsCleared):
        return frozenset(memories(event.parameters))
    if event.attr == "grad" and isinstance(event.owner, Tensor):
        return frozenset(memories([event.owner]))
    return frozenset()


def _add(event: BackwardRun, waiting: dict[Memory, _Passed]) -> None:
    """Take in which gradients a backward fills, and which of those it adds to that another has left."""
    for at, leaf in enumerate(event.leaves):
        if not event.certain >> at & 1 or not leaf.requires_grad <= YES:
            continue
        before = waiting.get(leaf.storage)
        if before is not None and before.step is not None and leaf.grad <= FRESH and before.event.node != event.node:
            before.by = before.by or event
        elif before is None or before.step is None:
            waiting[leaf.storage] = _Passed(event, event.co_leaves[at] if at < len(event.co_leaves) else 0)


def _stray(one: _Passed, step: OptimizerStepped) -> Draft:
    assert one.by is not None and one.step is not None
    draft = rule.at(one.by.node, left="another step has left", call=step.name or "optimizer")
    draft = draft.advising(f"call `{step.name or 'optimizer'}.zero_grad()` before this `backward()`")
    draft = draft.note(one.event.node, "fills them for the other step").note(step.node, "used by this step")
    return draft.resting_on(one.event, one.by, step).lowered(LIKELY, "both gradients may be meant for this step")


@dataclass
class _Asked:
    """A backward that was run for the gradient of an input that is no parameter: whether that was read by now, and
    cleared by itself."""

    event: BackwardRun
    inputs: frozenset[Memory]
    read: bool = False
    cleared: bool = False


@rule.on(ModuleFinished)
def check_attack(end: ModuleFinished) -> Findings:
    """Report gradients that an attack on a network has left and that the step that trains it uses."""
    waiting: dict[Memory, _Asked] = {}
    mixed: dict[Memory, tuple[_Asked, BackwardRun]] = {}
    told: set[Syntax] = set()
    for event in end.story:
        if isinstance(event, BackwardRun) and event.how == "backward":
            _ask(event, waiting, mixed)
        elif isinstance(event, GradientRead):
            for one in waiting.values():
                one.read |= event.tensor.storage in one.inputs
        elif isinstance(event, GradientsCleared):
            gone = memories(event.parameters)
            alone = bool(event.parameters) and all(map(_is_input, event.parameters))
            for one in waiting.values():
                one.cleared |= alone
            for memory in gone:
                waiting.pop(memory, None)
                mixed.pop(memory, None)
        elif isinstance(event, OptimizerStepped):
            found = [mixed[one.storage] for one in event.parameters if one.storage in mixed]
            for memory in memories(event.parameters):
                waiting.pop(memory, None)
                mixed.pop(memory, None)
            for attack, training in found[:1]:
                if training.node not in told:
                    told.add(training.node)
                    yield _attacked(attack.event, training, event)


def _ask(event: BackwardRun, waiting: dict[Memory, _Asked], mixed: dict[Memory, tuple[_Asked, BackwardRun]]) -> None:
    """Take in whose gradients a backward fills, and which of them an attack has filled before: an input whose gradient
    is cleared by itself, or is asked for in a function of its own, is attacked."""
    inputs = memories(leaf for leaf in event.leaves if _is_input(leaf))
    asked = _Asked(event, inputs) if inputs else None
    for at, leaf in enumerate(event.leaves):
        if leaf.storage in inputs or not event.certain >> at & 1 or not leaf.requires_grad <= YES:
            continue
        before = waiting.get(leaf.storage)
        other = before is not None and before.event.node is not event.node and leaf.grad.possibly(USABLE)
        if before is not None and other and before.read and (before.cleared or before.event.run != event.run):
            mixed.setdefault(leaf.storage, (before, event))
        elif asked is not None:
            waiting[leaf.storage] = asked
        else:
            waiting.pop(leaf.storage, None)


def _is_input(leaf: Tensor) -> bool:
    return leaf.parameter <= NO and leaf.requires_grad <= YES


def _attacked(attack: BackwardRun, training: BackwardRun, step: OptimizerStepped) -> Draft:
    call = step.name or "optimizer"
    draft = rule.at(training.node, left="an attack on an input has left", call=call)
    draft = draft.advising(f"call `{call}.zero_grad()` before this `backward()`")
    draft = draft.note(attack.node, "run for the gradient of an input").note(step.node, "used by this step")
    return draft.resting_on(attack, training, step).lowered(LIKELY, "both gradients may be meant for this step")


@rule.on(ModuleFinished)
def check_handed(end: ModuleFinished) -> Findings:
    """Report a network whose gradients another one is given to step by, and that are cleared there alone."""
    told: set[Syntax] = set()
    for handing in added_to(end):
        if handing.filled.node not in told:
            told.add(handing.filled.node)
            yield _handed_on(handing)


def _handed_on(handing: Handing) -> Draft:
    assert handing.step is not None
    draft = rule.at(handing.filled.node, left="another network has stepped by", call="")
    draft = draft.advising(CLEAR_OWN).note(handing.given.node, "given to the parameters that step here")
    draft = draft.note(handing.step.node, "used by the step here, as in the iteration before")
    draft = draft.resting_on(handing.filled, handing.given, handing.step)
    return draft if handing.again else draft.lowered(LIKELY, "it is taken to run again with the same network")


def _cleared(event: OptimizerStepped) -> tuple[Edit, ...]:
    """Clearing right after the step is right however many backwards come before it, but for a closure that it calls."""
    known = event.name and event.closure == NONE_VALUE
    return (Edit("insert after", event.node, f"{event.name}.zero_grad()"),) if known else ()


@rule.bad
def gradients_never_cleared():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(4, 2)).mean()
        loss.backward()  # GRD701
        optimizer.step()
    return model.weight.detach()


@rule.good(cures=gradients_never_cleared)
def gradients_cleared_before_each_backward():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        loss = model(torch.ones(4, 2)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.weight.detach()


@rule.bad
def accumulated_and_never_cleared():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index in range(6):
        loss = model(torch.ones(4, 2)).mean() / 2
        loss.backward()  # GRD701
        if index % 2 == 1:
            optimizer.step()
    return model.weight.detach()


@rule.good(cures=accumulated_and_never_cleared)
def accumulated_and_cleared_after_each_step():
    import torch
    from torch import nn

    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index in range(6):
        loss = model(torch.ones(4, 2)).mean() / 2
        loss.backward()
        if index % 2 == 1:
            optimizer.step()
            optimizer.zero_grad()
    return model.weight.detach()


@rule.bad
def closure_that_clears_nothing():
    import torch

    weight = torch.full((2,), 3.0, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight], lr=0.1, max_iter=3)

    def closure():
        loss = (weight**2).sum()
        loss.backward()  # GRD701
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return weight.detach()


@rule.good(cures=closure_that_clears_nothing)
def closure_that_clears_first():
    import torch

    weight = torch.full((2,), 3.0, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight], lr=0.1, max_iter=3)

    def closure():
        optimizer.zero_grad()
        loss = (weight**2).sum()
        loss.backward()
        return loss

    for _ in range(2):
        optimizer.step(closure)
    return weight.detach()


@rule.bad
def gradients_of_the_makers_round():
    import torch
    from torch import nn

    torch.manual_seed(0)
    maker, judge = nn.Linear(2, 3), nn.Linear(3, 1)
    of_maker = torch.optim.SGD(maker.parameters(), lr=0.1)
    of_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
    for _ in range(2):
        made = maker(torch.ones(4, 2))
        (-judge(made).mean()).backward()
        of_maker.step()
        of_maker.zero_grad()
        loss = judge(made.detach()).mean() - judge(torch.ones(4, 3)).mean()
        loss.backward()  # GRD701
        of_judge.step()
        of_judge.zero_grad()
    return judge.weight.detach()


@rule.good(cures=gradients_of_the_makers_round)
def gradients_of_the_own_round_alone():
    import torch
    from torch import nn

    torch.manual_seed(0)
    maker, judge = nn.Linear(2, 3), nn.Linear(3, 1)
    of_maker = torch.optim.SGD(maker.parameters(), lr=0.1)
    of_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
    for _ in range(2):
        made = maker(torch.ones(4, 2))
        (-judge(made).mean()).backward()
        of_maker.step()
        of_maker.zero_grad()
        loss = judge(made.detach()).mean() - judge(torch.ones(4, 3)).mean()
        of_judge.zero_grad()
        loss.backward()
        of_judge.step()
    return judge.weight.detach()


@rule.bad
def gradients_handed_to_a_shared_network():
    import torch
    from torch import nn

    own, shared = nn.Linear(2, 1), nn.Linear(2, 1)
    own.load_state_dict(shared.state_dict())
    optimizer = torch.optim.SGD(shared.parameters(), lr=0.1)
    first = shared.weight.detach().clone()
    for _ in range(2):
        loss = own(torch.ones(3, 2)).mean()
        optimizer.zero_grad()
        loss.backward()  # GRD701
        for mine, theirs in zip(own.parameters(), shared.parameters(), strict=True):
            theirs._grad = mine.grad
        optimizer.step()
        own.load_state_dict(shared.state_dict())
    return shared.weight.detach() - first


@rule.good(cures=gradients_handed_to_a_shared_network)
def gradients_cleared_where_they_are_filled():
    import torch
    from torch import nn

    own, shared = nn.Linear(2, 1), nn.Linear(2, 1)
    own.load_state_dict(shared.state_dict())
    optimizer = torch.optim.SGD(shared.parameters(), lr=0.1)
    first = shared.weight.detach().clone()
    for _ in range(2):
        loss = own(torch.ones(3, 2)).mean()
        own.zero_grad()
        loss.backward()
        for mine, theirs in zip(own.parameters(), shared.parameters(), strict=True):
            theirs._grad = mine.grad
        optimizer.step()
        own.load_state_dict(shared.state_dict())
    return shared.weight.detach() - first
