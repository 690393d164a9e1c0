"""Inference in eval mode records a graph unless gradients are switched off.

## Why it happens

`eval()` tells dropout, batch norm and the like how to behave; the grad mode is another switch and
stays on. Every call of the model then records its operations and saves what their backward would
need, for each result that depends on parameters that require grad. Nobody differentiates it, and the
graph lives as long as anything computed from it: a list of outputs keeps one graph per batch.

## What it costs

The activations of the whole forward pass instead of one layer's, for as long as the result lives, and
the time to record. A validation loop that collects outputs runs out of memory.

## When it is right to ignore it

Where the caller in another file differentiates the result (saliency, attacks, a frozen network
inside a loss) or has switched gradients off. A single call in a script costs little, and is reported on
request only. A result that a backward may reach, or that goes to code
that is not shown, is never reported; one that is returned to callers that are not shown is believed
less.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gradlint.domain import EVAL, NO, UNSURE, YES, Syntax, Tensor
from gradlint.events import BackwardRun, Event, ModeChanged, ModuleCalled, ModuleFinished, Run
from gradlint.rule import LIKELY, POSSIBLE, Confidence, Draft, Edit, Findings, Rule, believed, only_tested, quoted

from ._volatile import flags_of

rule = Rule(
    "GRD401",
    "inference-without-no-grad",
    "{name} runs in eval mode but gradients are on, so each result keeps a graph that nothing differentiates; "
    "wrap {what} in `with torch.no_grad():`",
    help="`eval()` does not switch gradients off: {cure}, or use `with torch.inference_mode():`",
    effect="keeps memory",
    yields_to=("GRD115",),
    tokens=("eval", "train", "from_pretrained"),
)


def consequence(returned: Any) -> bool:
    """Every result holds a graph."""
    results = returned if isinstance(returned, list) else [returned]
    return all(result.grad_fn is not None for result in results)


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    """Judge the calls at one place together, or apart by what calls the function around them; a call inside another
    module's call is part of that one."""
    runs = {run.index: run for run in event.runs}
    places: dict[Syntax, list[ModuleCalled]] = {}
    for happened in event.story:
        if isinstance(happened, ModuleCalled):
            places.setdefault(happened.node, []).append(happened)
    inside = {place for one in event.story if isinstance(one, BackwardRun) for place in _callers(one, runs)}
    for node, heard in places.items():
        found = [] if node in inside else [*_in_vain(_without_parts(heard), event, runs)]
        if found:
            yield _draft(node, found, event, runs)


Way = tuple[list[ModuleCalled], Syntax | None]
"""Calls at one place, and the call of a function in which they happen (None: all that happen there)."""


def _in_vain(calls: Sequence[ModuleCalled], end: ModuleFinished, runs: Mapping[int, Run]) -> Iterator[Way]:
    """The calls at one place that record in vain: where not all of them do, those that do on a way of their own."""
    ways: list[tuple[Way, int]] = [(([*calls], None), 0)]
    while ways:
        (some, caller), depth = ways.pop()
        kept = not all(call.nested for call in some) and any(_records(call) for call in some)
        if kept and all(_may_record_in_vain(call, end) for call in some):
            yield some, caller
            continue
        parted: dict[Syntax, list[ModuleCalled]] = {}
        for call in some:
            for step in [*_callers(call, runs)][depth : depth + 1]:
                parted.setdefault(step, []).append(call)
        ways += [((those, step), depth + 1) for step, those in parted.items()]


def _draft(node: Syntax, found: Sequence[Way], end: ModuleFinished, runs: Mapping[int, Run]) -> Draft:
    """The finding at a place, believed as the way that is believed most."""
    believed_by = {caller: max(_confidence(call, end, runs) for call in calls) for calls, caller in found}
    most = min(believed_by.values())
    calls = next(calls for calls, caller in found if believed_by[caller] is most)
    callers = [caller for caller, belief in believed_by.items() if belief is most and caller is not None]
    draft = rule.at(node, name=quoted(calls[0].name, "the model"), **(APART if callers else TOGETHER))
    for caller in callers:
        draft = draft.note(caller, "called here, nothing differentiates what it gives")
    if switch := _switched_to_eval(calls[0], end):
        draft = draft.note(switch.node, "eval() leaves the grad mode as it is")
    for flag in flags_of(calls[0].args, end.story):
        draft = draft.note(flag, "marking the input `volatile` does nothing")
    edits = [Edit("put under", place, "with torch.no_grad():") for place in callers or [node]]
    return draft.fix(*edits, safety="unsafe", imports=("torch",)).lowered(most)


TOGETHER = {"what": "it", "cure": "decorate the function with `@torch.no_grad()`"}
APART = {"what": "the call that evaluates", "cure": "put the call that evaluates under `with torch.no_grad():`"}
"""The words of the message where all calls at a place record in vain, and where only those of some callers do."""


def _callers(event: Event, runs: Mapping[int, Run]) -> Iterator[Syntax]:
    """The calls inside which something happened: those inside which gradients are computed need them."""
    run = runs.get(event.run)
    while run is not None and run.caller is not None:
        yield run.caller
        run = runs.get(run.parent)


def _without_parts(calls: Sequence[ModuleCalled]) -> list[ModuleCalled]:
    """The calls at one place without those of the parts of a module that is called there (`Sequential`)."""
    whole = {call.run for call in calls if not call.nested}
    return [call for call in calls if not (call.nested and call.run in whole)]


def _records(call: ModuleCalled) -> bool:
    """Whether the call records a graph, certainly or unless unseen code froze the model meanwhile: no path that is
    shown freezes one of its parameters, and on one the result requires grad."""
    if call.recorded is not None:
        return call.recorded.requires_grad <= YES
    asks = call.result.requires_grad if isinstance(call.result, Tensor) else UNSURE
    return all(flag.possibly(YES) and not flag.possibly(NO) for flag in (asks, call.trainable))


def _may_record_in_vain(call: ModuleCalled, end: ModuleFinished) -> bool:
    """Whether the call may record a graph in eval mode, and nothing may differentiate it: what the next pass of a loop
    around it no longer knows, for unseen code was handed the model, takes nothing from what the pass before knew. A
    model that is frozen there records nothing of its own."""
    frozen = call.recorded is None and call.trainable <= NO
    if frozen or not (call.module.mode <= EVAL and call.grad_mode <= YES and call.graph):
        return False
    return not any(graph in end.used or graph in end.escaped for graph in call.graph)


def _switched_to_eval(call: ModuleCalled, end: ModuleFinished) -> ModeChanged | None:
    """The last switch to eval mode of such a module before the call."""
    found = None
    for happened in end.story:
        if happened is call:
            break
        if isinstance(happened, ModeChanged) and happened.to <= EVAL and happened.module.cls == call.module.cls:
            found = happened
    return found


def _confidence(call: ModuleCalled, end: ModuleFinished, runs: Mapping[int, Run]) -> Confidence:
    """Who returns the result to unseen callers may mean it to be differentiated, less so if it said eval() itself."""
    run = runs.get(call.run)
    name = run.function.name if run and run.function else ""
    if only_tested(call, end) or _also_without_gradients(call, end) or _happens_once(call, run, end):
        return POSSIBLE
    belief = believed(call) if call.recorded is not None else max(LIKELY, believed(call))
    if not any(graph in end.returned for graph in call.graph):
        return belief
    said_so = (switch := _switched_to_eval(call, end)) is not None and switch.run == call.run
    return max(LIKELY if said_so and name != "forward" else POSSIBLE, belief)


def _also_without_gradients(call: ModuleCalled, end: ModuleFinished) -> bool:
    """Whether the same run may call the module with gradients off as well: then gradients are on here on purpose."""
    others = [event for event in end.story if isinstance(event, ModuleCalled) and event.run == call.run]
    return bool(call.name) and any(other.name == call.name and not other.grad_mode <= YES for other in others)


def _happens_once(call: ModuleCalled, run: Run | None, end: ModuleFinished) -> bool:
    """Whether it stands in a script outside of loops and functions: then one graph is kept, and it costs little."""
    in_a_loop = any(
        isinstance(event, ModuleCalled) and event.node is call.node and not event.later <= NO for event in end.story
    )
    return (run is None or run.function is None) and not in_a_loop


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
