"""An update by hand uses the sum of all gradients so far, unless the gradient is cleared after it.

## Why it happens

`backward()` adds to what is in `.grad`. An optimizer comes with `zero_grad()`, which people remember; a loop that
updates its weights by hand has to clear each gradient itself, and if it does not, the second update uses the first
gradient once more, the third the first two, and so on. So it is where nothing is updated and one input is asked for its
gradient again, in a loop or by a function that is called twice: what is read is the sum of all that was asked.

## What it costs

The steps point in the wrong direction and grow. Training may still go down for a while, then oscillates or diverges.

## When it is right to ignore it

Where the sum of all gradients is wanted (a kind of momentum). A gradient that is cleared, or asked for with
`torch.autograd.grad()`, is not reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradlint.domain import FRESH, MIXED, NO, USED, YES, Memory, Syntax, Tensor, memories
from gradlint.events import (
    BackwardRun,
    Event,
    GradientRead,
    GradientsCleared,
    LoopFinished,
    ModuleFinished,
    OptimizerStepped,
    Recorded,
    Returned,
    Stored,
)
from gradlint.rule import LIKELY, Draft, Edit, Findings, Rule, quoted

from ._by_hand import Reads, Update, Updates, is_of_tensor, target_of

rule = Rule(
    "GRD314",
    "stale-manual-gradient",
    "the gradient of {name} is never cleared: `backward()` adds to earlier {rounds}",
    help="set `w.grad = None` after each update",
    effect="wrong result",
    tokens=("grad",),
)


def consequence(returned: Any, cured: Any) -> bool:
    """The weights are others than with gradients of their own in each iteration."""
    return not returned.equal(cured)


@rule.on(LoopFinished)
def check(event: LoopFinished) -> Findings:
    updates = Updates.among(one for one in event.story if isinstance(one, Update) and one.updates and _is_by_hand(one))
    told: dict[Memory, tuple[tuple[Update, ...], tuple[Edit, ...]]] = {}
    reads: Reads | None = None
    for run in event.story if updates.found else ():
        if isinstance(run, BackwardRun) and run.how == "backward" and run.later <= YES:
            left = tuple(ref for leaf in run.leaves if _is_left(leaf) for ref in leaf.storage)
            if left not in told:
                found = updates.of(left)
                reads = reads or (Reads.told(event.story) if found else None)
                told[left] = found, _curing(found, reads) if reads else ()
            meant, edits = told[left]
            if meant and reads:
                draft = rule.at(run.node, name=quoted(_name(meant[0]), "a tensor"), rounds="iterations")
                draft = draft.note(meant[0].node, "used here")
                if (read := reads.before.get(meant[0])) is not None:
                    draft = draft.note(read.node, "read here")
                yield draft.resting_on(run, meant[0]).fix(*edits, safety="unsafe")


@rule.on(ModuleFinished)
def check_read_again(end: ModuleFinished) -> Findings:
    """Report a read that holds the gradient that was read there before as well: a loop, or a function that is called
    again, asks by the same input, which nobody steps."""
    if not any(isinstance(one, GradientRead) and one.use == "needed" for one in end.story):
        return
    kept = memories(tensor for one in end.story if isinstance(one, OptimizerStepped) for tensor in one.parameters)
    updates = [one for one in end.story if isinstance(one, Update) and one.updates and is_of_tensor(one)]
    kept |= memories(map(target_of, updates))
    read: dict[Memory, set[Syntax]] = {}
    left: tuple[BackwardRun, frozenset[Memory]] | None = None
    again: tuple[BackwardRun, GradientRead] | None = None
    told: set[Syntax] = set()
    for event in end.story:
        for memory in _begun_anew(event) if read else ():
            read.pop(memory, None)
        if isinstance(event, BackwardRun) and event.how == "backward":
            held = memories(leaf for leaf in event.leaves if _is_left(leaf) and leaf.parameter <= NO) - kept
            left, again = (event, held) if held else None, None
        elif isinstance(event, GradientRead) and event.use == "needed" and not event.guard:
            own = memories([event.tensor])
            before = any(event.node in read.get(memory, ()) for memory in own)
            if left is not None and own <= left[1] and before:
                again = left[0], event
            for memory in own:
                read.setdefault(memory, set()).add(event.node)
        elif again is not None and _makes_use(event) and event.run == again[1].run == again[0].run:
            if again[0].node not in told:
                told.add(again[0].node)
                yield _read_twice(*again)
            again = None


def _begun_anew(event: Event) -> frozenset[Memory]:
    """Return the memories whose gradients begin anew here: those cleared, and those of a tensor that is made."""
    if isinstance(event, GradientsCleared):
        return memories(event.parameters)
    if isinstance(event, Recorded) and event.result.leaf <= YES:
        return memories([event.result]) - memories(event.operands)
    return frozenset()


def _makes_use(event: Event) -> bool:
    """Return whether something is made of a gradient, rather than told of it."""
    if isinstance(event, Returned | Stored):
        return isinstance(event.value, Tensor) and bool(event.value.grad_of)
    return isinstance(event, Recorded) and len(event.operands) > 1 and any(one.grad_of for one in event.operands)


def _read_twice(run: BackwardRun, read: GradientRead) -> Draft:
    rounds = "iterations" if run.later <= YES else "calls"
    draft = rule.at(run.node, name=quoted(read.name, "a tensor"), rounds=rounds).note(read.node, "read here each time")
    return draft.resting_on(run, read).advising(CLEAR).lowered(LIKELY, "the sum of them may be wanted")


CLEAR = "set `.grad = None` before `backward()`, or ask by `torch.autograd.grad()`"
"""The cure where nothing is updated."""


def _name(update: Update) -> str:
    return update.name.removesuffix(".data")


def _is_by_hand(update: Update) -> bool:
    """Return whether the program itself updates what is known to be a tensor, and no optimizer does."""
    return is_of_tensor(update) and getattr(update, "by", "") != "step"


def _is_left(leaf: Tensor) -> bool:
    """Return whether the leaf certainly still has the gradient of an earlier iteration."""
    return leaf.grad <= FRESH | USED | MIXED


def _curing(updates: Sequence[Update], reads: Reads) -> tuple[Edit, ...]:
    """Every tensor that is updated by hand is to lose its gradient, behind the last use of it in an iteration."""
    last: dict[str, dict[Syntax, None]] = {}
    for update in updates:
        again = reads.again(update)
        if not _name(update).isidentifier() or any(conditions != update.conditions for conditions in again):
            return ()
        last.setdefault(_name(update), {}).update({} if again else {update.node: None})
    edits = [Edit("insert after", node, f"{name}.grad = None") for name, nodes in last.items() for node in nodes]
    return tuple(edits) if all(last.values()) else ()


@rule.bad
def descent_by_hand():
    import torch

    weight = torch.ones(1, requires_grad=True)
    for _ in range(3):
        (3 * weight).sum().backward()  # GRD314
        with torch.no_grad():
            weight -= 0.1 * weight.grad
    return weight


@rule.good(cures=descent_by_hand)
def descent_by_hand_with_a_clear_gradient():
    import torch

    weight = torch.ones(1, requires_grad=True)
    for _ in range(3):
        (3 * weight).sum().backward()
        with torch.no_grad():
            weight -= 0.1 * weight.grad
        weight.grad = None
    return weight


@rule.bad
def parameters_stepped_through_data():
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    for _ in range(3):
        loss = model(torch.ones(4, 2)).pow(2).mean()
        loss.backward()  # GRD314
        for parameter in model.parameters():
            parameter.data.sub_(0.1 * parameter.grad)
    return model.weight


@rule.good(cures=parameters_stepped_through_data)
def parameters_stepped_and_cleared():
    import torch
    from torch import nn

    torch.manual_seed(0)
    model = nn.Linear(2, 1)
    for _ in range(3):
        loss = model(torch.ones(4, 2)).pow(2).mean()
        model.zero_grad()
        loss.backward()
        for parameter in model.parameters():
            parameter.data.sub_(0.1 * parameter.grad)
    return model.weight


@rule.bad
def data_replaced_by_a_step_of_descent():
    import torch

    weight = torch.ones(1, requires_grad=True)
    for _ in range(3):
        (3 * weight).sum().backward()  # GRD314
        weight.data = weight.data - 0.1 * weight.grad
    return weight


@rule.good(cures=data_replaced_by_a_step_of_descent)
def data_replaced_and_gradient_cleared():
    import torch

    weight = torch.ones(1, requires_grad=True)
    for _ in range(3):
        (3 * weight).sum().backward()
        weight.data = weight.data - 0.1 * weight.grad
        weight.grad = None
    return weight


@rule.bad
def one_input_asked_twice():
    import torch

    place = torch.ones(2, requires_grad=True)

    def slope(power):
        place.pow(power).sum().backward()  # GRD314
        return place.grad.clone()

    slope(2)
    return slope(3)


@rule.good(cures=one_input_asked_twice)
def one_input_asked_without_grad():
    import torch

    place = torch.ones(2, requires_grad=True)

    def slope(power):
        (found,) = torch.autograd.grad(place.pow(power).sum(), place)
        return found.clone()

    slope(2)
    return slope(3)
