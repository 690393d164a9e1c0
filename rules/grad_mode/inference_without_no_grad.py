"""Inference records a graph that nothing differentiates unless gradients are switched off.

## Why it happens

`eval()` tells dropout, batch norm and the like how to behave; the grad mode is another switch and
stays on. In either mode every call of the model records its operations and saves what their backward would
need, for each result that depends on parameters that require grad. If what it gives is only measured, shown, saved
or detached, nobody differentiates that, and the graph lives as long as anything computed from it: a list of outputs
keeps one graph per batch.

## What it costs

The activations of the whole forward pass instead of one layer's, for as long as the result lives, and
the time to record. A validation loop that collects outputs runs out of memory.

## What is reported

A forward in eval mode, or in a function that evaluates by its name or by a flag it is called with
(`validate`, `sample`, `train=False`), or of which all results leave the graph (`.item()`, `.detach()`, `argmax`,
NumPy) or are printed as they are, where no backward may get to it; a forward that gives whole numbers records its
graph all the same. Where one helper serves training and evaluation, the calls are told apart, and so are the phases
of a loop (`for phase in ("train", "valid")`).
Code that is not shown and that by its names measures, logs or saves is taken to read what it is handed; any other may
differentiate it.

## When it is right to ignore it

Where the caller in another file differentiates the result (saliency, attacks, a frozen network
inside a loss) or has switched gradients off. A single call in a script costs little where the script neither loads
weights nor switches to eval mode, and so does trying a network on made-up inputs: both are reported on request only,
and so is a method of a module that returns features.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from gradlint.domain import EVAL, NO, YES, Syntax
from gradlint.events import ModuleCalled, ModuleFinished, ResultDiscarded
from gradlint.rule import Degrees, Draft, Edit, Findings, Rule, quoted

from ._in_vain import MOST_CALLERS, Way, Whole, exit_of, ways
from ._meant import signs
from ._volatile import flags, flags_of

rule = Rule(
    "GRD401",
    "inference-without-no-grad",
    "{name} {runs} with gradients enabled: {waste}",
    help="wrap the call in `with torch.no_grad():`, or use `torch.inference_mode()`",
    effect="memory",
    yields_to=(
        "GRD112",
        "GRD115",
        "GRD402",
        "GRD601",
        "GRD602",
        "GRD603",
        "GRD604",
        "GRD610",
        "GRD618",
    ),
)


def consequence(returned: Any) -> bool:
    """Every result holds a graph."""
    results = returned if isinstance(returned, list) else [returned]
    return all(result.grad_fn is not None for result in results)


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """Judge the calls at one place together, or apart by what calls the function around them; a call inside another
    module's call is part of that one."""
    whole = Whole(event)
    volatile = flags(event.story)
    statements: dict[int, list[Syntax]] = {}
    for one in event.story:
        if isinstance(one, ResultDiscarded) and one.called in MODES:
            statements.setdefault(one.run, []).append(one.node)
    for node, found, others in ways(whole):
        draft, first = _draft(node, found, others, whole)
        for statement in statements.get(first.run, ()):
            draft = draft.note(statement, "does not change the grad mode as a statement")
        for flag in flags_of(first.args, volatile):
            draft = draft.note(flag, "marking the input `volatile` does nothing")
        yield draft


def _draft(node: Syntax, found: Sequence[Way], others: Sequence[Syntax], whole: Whole) -> tuple[Draft, ModuleCalled]:
    """The finding at a place, believed as the way that is believed most, and the first call that shows it. Its fix
    covers the `others` as well that make one forward with it."""
    shown_by = {caller: [sign for call in calls for sign in signs(call, whole)] for calls, caller in found}
    believed_by = {caller: Degrees.of(shown).weakest for caller, shown in shown_by.items()}
    most = min(believed_by.values())
    calls, first = next((calls, caller) for calls, caller in found if believed_by[caller] is most)
    callers = [caller for caller, belief in believed_by.items() if belief is most and caller is not None]
    in_eval = calls[0].module.mode <= EVAL
    recording = {call for call in whole.places[node] if not call.grad_mode <= NO}
    phased = not callers and recording > {call for some, _ in found for call in some}
    trains = any(whole.trains(call) for call in calls)
    advice = PHASED if phased else APART if callers else BLOCK if trains else TOGETHER
    method = whole.shared_at(callers[0], calls[0]) if callers else ""
    runs = "runs in eval mode" if in_eval else "is evaluated"
    waste = SOME_CALLERS if callers and not method else NEVER
    name = f"`{method}()`" if method else quoted(calls[0].name, "the model")
    draft = rule.at(callers[0] if method else node, name=name, runs=runs, waste=waste).advising(advice)
    noted = callers or whole.evaluating(calls)
    if method:
        noted = list(dict.fromkeys([*callers[1:], *(call for call, _ in whole.alike(callers))]))[:MOST_CALLERS]
    for caller in noted:
        draft = draft.note(caller, "called here, and its result is never differentiated")
    if method:
        draft = draft.note(node, "a module is called here")
    for other in [] if callers or phased else _with_parameters(others, whole)[:MOST_CALLERS]:
        draft = draft.note(other, "called here for nothing as well")
    for function in whole.called_elsewhere(calls):
        draft = draft.note(function.node, "called with gradients enabled in another file")
    if in_eval and (switch := whole.switched_to_eval(calls[0])):
        draft = draft.note(switch.node, "`eval()` does not change the grad mode")
    if (left := exit_of(calls[0], whole)) is not None:
        draft = draft.note(left.node, "its result is detached here")
    if not phased:
        edits = [Edit("put under", place, "with torch.no_grad():") for place in callers or [node, *others]]
        draft = draft.fix(*edits, safety="unsafe", imports=("torch",))
    return draft.showing(*shown_by[first]), calls[0]


def _with_parameters(places: Iterable[Syntax], whole: Whole) -> list[Syntax]:
    """The places at which something with parameters is called: a criterion records nothing of its own."""
    return [one for one in places if any(call.trainable.possibly(YES) for call in whole.places[one])]


NEVER, SOME_CALLERS = "autograd records a graph that is never used", "some callers never use its graph"
TOGETHER = "wrap the call in `with torch.no_grad():`, or decorate the function with `@torch.no_grad()`"
BLOCK = "wrap the call in `with torch.no_grad():`"
PHASED = "switch gradients by the phase: `with torch.set_grad_enabled(training):`"
APART = "wrap the call that evaluates in `with torch.no_grad():`"
"""The words of the message where all calls at a place record in vain, where the function trains besides, where only
those of some phases do, and where only those of some callers do."""
MODES = frozenset({"torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad"})
"""The managers that switch gradients off where they are entered, and do nothing as a statement."""


@rule.bad
def outputs_collected_in_eval_mode():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))

    def evaluate(model, batches):
        model.eval()
        outputs = []
        for batch in batches:
            outputs.append(model(batch))  # GRD401
        return outputs

    return evaluate(model, [torch.ones(16, 8), torch.zeros(16, 8)])


@rule.good(cures=outputs_collected_in_eval_mode)
def outputs_collected_without_gradients():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))

    @torch.no_grad()
    def evaluate(model, batches):
        model.eval()
        outputs = []
        for batch in batches:
            outputs.append(model(batch))
        return outputs

    return evaluate(model, [torch.ones(16, 8), torch.zeros(16, 8)])


@rule.bad
def eval_taken_for_a_grad_switch():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1)).eval()
    score = model(torch.ones(1, 4))  # GRD401
    return score


@rule.good(cures=eval_taken_for_a_grad_switch)
def eval_and_inference_mode():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1)).eval()
    with torch.inference_mode():
        score = model(torch.ones(1, 4))
    return score


@rule.bad
def one_helper_for_both_phases():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def run(batches, train):
        model.train(train)
        losses = []
        for batch in batches:
            loss = model(batch).pow(2).mean()  # GRD401
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                loss = loss.detach()
            losses.append(loss)
        return losses

    run([torch.ones(2, 4), torch.zeros(2, 4)], True)
    losses = run([torch.ones(2, 4)], False)
    return losses


@rule.good(cures=one_helper_for_both_phases)
def gradients_off_for_one_phase():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def run(batches, train):
        model.train(train)
        losses = []
        for batch in batches:
            loss = model(batch).pow(2).mean()
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                loss = loss.detach()
            losses.append(loss)
        return losses

    run([torch.ones(2, 4), torch.zeros(2, 4)], True)
    with torch.no_grad():
        losses = run([torch.ones(2, 4)], False)
    return losses


@rule.bad
def teacher_detached_afterwards():
    import torch
    from torch import nn

    student, teacher = nn.Linear(8, 2), nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for batch in (torch.randn(16, 8), torch.randn(16, 8)):
        raw = teacher(batch)  # GRD401
        loss = (student(batch) - raw.detach()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return raw


@rule.good(cures=teacher_detached_afterwards)
def teacher_without_gradients():
    import torch
    from torch import nn

    student, teacher = nn.Linear(8, 2), nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 2))
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    for batch in (torch.randn(16, 8), torch.randn(16, 8)):
        with torch.no_grad():
            raw = teacher(batch)
        loss = (student(batch) - raw.detach()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return raw


@rule.bad
def sampling_by_its_name():
    import torch
    from torch import nn

    generator = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))

    def sample(count):
        return [generator(torch.randn(1, 4)) for _ in range(count)]  # GRD401

    return sample(3)


@rule.good(cures=sampling_by_its_name)
def sampling_without_gradients():
    import torch
    from torch import nn

    generator = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))

    @torch.no_grad()
    def sample(count):
        return [generator(torch.randn(1, 4)) for _ in range(count)]

    return sample(3)


@rule.bad
def one_loop_for_both_phases():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loaders = {"train": [torch.ones(2, 4)], "valid": [torch.ones(2, 4)]}
    for phase in ("train", "valid"):
        if phase == "train":
            model.train()
        else:
            model.eval()
        for batch in loaders[phase]:
            result = model(batch)  # GRD401
            loss = result.pow(2).mean()
            if phase == "train":
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    return result


@rule.good(cures=one_loop_for_both_phases)
def gradients_switched_by_the_phase():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loaders = {"train": [torch.ones(2, 4)], "valid": [torch.ones(2, 4)]}
    for phase in ("train", "valid"):
        if phase == "train":
            model.train()
        else:
            model.eval()
        for batch in loaders[phase]:
            with torch.set_grad_enabled(phase == "train"):
                result = model(batch)
                loss = result.pow(2).mean()
            if phase == "train":
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    return result
