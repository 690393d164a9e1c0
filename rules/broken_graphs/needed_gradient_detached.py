"""Parameters that an optimizer holds get no gradient because the forward left the graph behind them.

## Why it happens

An optimizer steps the parameters that have a gradient and skips those whose `.grad` is None. Where the output of a
network is detached, or was computed under `torch.no_grad()`, before the loss, backward ends there. That is
what the discriminator's step wants; in the generator's own loss, or between a backbone and its head, it
leaves the network untrained. Where another term of the loss still reaches it, the term by which the discriminator
was to judge trains nobody: its gradients go to the discriminator alone, which does not step. A term that was computed
under `torch.no_grad()`, or of what was detached before, is added for nothing just so. `sample()` of a distribution
leaves the graph as well: what computes its parameters learns by `rsample()`, or by the `log_prob()` of the sample.

## What it costs

The parameters stay what they were, without a word. The rest of the model trains, so the loss still goes down.

## When it is right to ignore it

When a part is frozen this way on purpose. Hand the optimizer only what is to be trained, or ask the part by
`requires_grad_(False)`, and nothing is reported. Parameters that the forward does not use, and those
that get a gradient at any other step, are not reported.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from gradlint.domain import NONE, YES, Cause, CauseKind, CutKind, Memory, Syntax
from gradlint.events import BackwardRun, ModuleFinished, OptimizerStepped
from gradlint.rule import LIKELY, Draft, Findings, Rule

from ._cutting import SAMPLE, cut_by, is_cut_elsewhere, is_on_purpose, kind_of, spelled
from ._flowing import cut_off
from ._parameters import modules_of
from ._terms import CUT, REACHES, Loss, Term, losses

rule = Rule(
    "GRD618",
    "needed-gradient-detached",
    "no gradient {reaches} {whose}: {why}",
    help="leave out the cut, or give the optimizer only the parameters to be trained",
    effect="wrong result",
    yields_to=("GRD112", "GRD411"),
    tokens=("step",),
)

MOST_NAMED = 2
LEAVES = "{} detaches their output"
WHAT_IS_TRAINED = "what is trained"
OF_A_TERM, CUT_OFF = "of one term reaches", "it is cut off here"
CUT_LATER = "leave out the cut in this term, and cut in the loss of the other network only"
COMPUTED = "compute this term with gradients on, or leave it out of the loss"
DRAW = "use `rsample()`, which is differentiable, or differentiate the `log_prob()` of the sample"
LEFT_OUT = "leave out the cut, or the term: it trains nothing"
UNDONE = "{} detaches the root of `backward()`"
DIFFERENTIATE = "call `backward()` on the loss computed from these parameters, before the step"


def consequence(returned: Any) -> bool:
    """A parameter of the optimizer has no gradient."""
    return returned.grad is None


@rule.on(ModuleFinished)
def check(end: ModuleFinished) -> Findings:
    without = _never_with_gradient(end)
    if not without:
        return
    behind, uncut = cut_off(end.story, without)
    terms = [(loss, term) for loss in losses(end) for term in loss.constants if not is_on_purpose(term, loss)]
    added = {memory for loss, term in terms for memory in term.lost & loss.trained}
    cuts: dict[int, dict[Cause, None]] = {}
    found: set[Memory] = set()
    for event in end.story:
        if type(event) is BackwardRun:
            marks = [mark for mark in event.root.causes if mark.kind == CauseKind.CUT and _leaves(mark)]
            cuts.setdefault(event.run, {}).update(dict.fromkeys(marks if event.root.requires_grad <= YES else []))
        elif type(event) is OptimizerStepped:
            for mark in cuts.get(event.run, ()):
                left = behind.get(mark.node, {})
                missing = (one.storage for one in event.parameters if one.storage in left and one.storage not in added)
                lost = [memory for memory in missing if memory in without and memory not in found]
                if lost:
                    found.update(lost)
                    whose = _whose(lost, event, end)
                    undone = uncut >= set(lost)
                    draft = _undone(mark, whose, event) if undone else _cut(mark, whose, event, left[lost[0]])
                    yield draft.resting_on(event).lowered(LIKELY, "what is cut is taken for what the step is to train")


@rule.on(ModuleFinished)
def check_term(end: ModuleFinished) -> Findings:
    """A term of the loss was computed from what the step trains, and gradients get by it to parameters alone that no
    step uses then, or to none."""
    told: set[Syntax] = set()
    stepping = any(isinstance(event, OptimizerStepped) for event in end.story)
    for loss in losses(end) if stepping else ():
        if not any(term.way(loss.trained) is REACHES or term.open for term in loss.terms):
            continue
        for term, place, cure in [*_judged(loss), *_computed_without(loss)]:
            if place not in told:
                told.add(place)
                yield _of_term(term, place, loss, end).advising(cure)


def _of_term(term: Term, place: Syntax, loss: Loss, end: ModuleFinished) -> Draft:
    """The finding at the cut of a term."""
    mine = term.lost & loss.trained or loss.trained
    whose = WHAT_IS_TRAINED if loss.step is None else _whose(mine, loss.step, end)
    draft = rule.at(place, reaches=OF_A_TERM, whose=whose, why=CUT_OFF)
    draft = draft.note(term.added, "added here").note(loss.run.node, "differentiated here")
    draft = draft if loss.step is None else draft.note(loss.step.node, "stepped here").resting_on(loss.step)
    return draft.resting_on(loss.run).lowered(LIKELY, "what is cut is taken for what the step is to train")


def _judged(loss: Loss) -> Iterator[tuple[Term, Syntax, str]]:
    """The terms by which gradients get to others alone, which were given what is cut, and where that is. A term that is
    weighed by what is cut, as by an advantage, is there for the others."""
    if loss.strange and not any(term.open for term in loss.terms):
        for term in loss.terms:
            if term.way(loss.trained) is CUT and term.fed and term.reached and term.reached <= loss.strange:
                yield term, term.cut, CUT_LATER


def _computed_without(loss: Loss) -> Iterator[tuple[Term, Syntax, str]]:
    """The terms that were computed where nothing is recorded, or from what was detached before, whoever gave it."""
    for term in loss.constants:
        known = term.way(loss.trained) is CUT
        if known and (mark := cut_by(CutKind.MODE, term.marks)) is not None:
            yield term, mark.node, COMPUTED
        elif (known or term.dim) and is_cut_elsewhere(term) and not is_on_purpose(term, loss):
            yield term, term.cut, LEFT_OUT


def _leaves(mark: Cause) -> bool:
    """Return whether a cut may have been no wish: what rounds or compares has no derivative that would be missed."""
    return kind_of(mark) in (CutKind.DETACHED, CutKind.MODE) or mark.by == SAMPLE


def _cut(mark: Cause, whose: str, step: OptimizerStepped, computed: Syntax) -> Draft:
    """The finding at the cut through which all goes that is computed from the parameters."""
    draft = rule.at(mark.node, reaches="reaches", whose=whose, why=LEAVES.format(spelled(mark))).note(
        step.node, "stepped here"
    )
    draft = draft.advising(DRAW) if mark.by == SAMPLE else draft
    return draft if computed is mark.node else draft.note(computed, "computed from them here")


def _undone(mark: Cause, whose: str, step: OptimizerStepped) -> Draft:
    """The finding at the step, where something is computed from them that is not cut off, and not differentiated."""
    draft = rule.at(step.node, reaches="reaches", whose=whose, why=UNDONE.format(spelled(mark))).advising(DIFFERENTIATE)
    return draft.note(mark.node, "the graph is left here")


def _whose(lost: Collection[Memory], step: OptimizerStepped, end: ModuleFinished) -> str:
    """Return the message's name for the parameters: the modules that have them, or the optimizer that holds them."""
    names = [f"`{name}`" for name in modules_of(lost, end.story)]
    if 0 < len(names) <= MOST_NAMED:
        return " and ".join(names)
    return f"{'the' if len(lost) == len(step.parameters) else 'some'} parameters of the optimizer"


def _never_with_gradient(end: ModuleFinished) -> frozenset[Memory]:
    """The parameters that ask for a gradient and have certainly none at every step."""
    none: set[Memory] = set()
    some: set[Memory] = set()
    for event in end.story:
        for parameter in event.parameters if type(event) is OptimizerStepped else ():
            is_none = parameter.grad <= NONE and parameter.requires_grad <= YES
            (none if is_none else some).add(parameter.storage)
    return frozenset(none - some)


@rule.bad
def generator_loss_on_a_detached_fake():
    import torch
    from torch import nn

    discriminator, generator = nn.Linear(2, 1), nn.Linear(3, 2)
    optimizer = torch.optim.SGD(generator.parameters(), lr=0.1)
    fake = generator(torch.ones(4, 3))
    loss = -discriminator(fake.detach()).mean()  # GRD618
    loss.backward()
    optimizer.step()
    return generator.weight


@rule.good(cures=generator_loss_on_a_detached_fake)
def generator_loss_on_the_fake():
    import torch
    from torch import nn

    discriminator, generator = nn.Linear(2, 1), nn.Linear(3, 2)
    optimizer = torch.optim.SGD(generator.parameters(), lr=0.1)
    fake = generator(torch.ones(4, 3))
    loss = -discriminator(fake).mean()
    loss.backward()
    optimizer.step()
    return generator.weight


@rule.bad
def encoder_detached_beside_a_target():
    import torch
    from torch import nn

    encoder, head, teacher = nn.Linear(4, 3), nn.Linear(3, 1), nn.Linear(4, 1)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
    x = torch.ones(2, 4)
    features = encoder(x).detach()  # GRD618
    with torch.no_grad():
        target = teacher(x)
    (head(features) - target).pow(2).mean().backward()
    optimizer.step()
    return encoder.weight


@rule.good(cures=encoder_detached_beside_a_target)
def only_the_target_outside_of_the_graph():
    import torch
    from torch import nn

    encoder, head, teacher = nn.Linear(4, 3), nn.Linear(3, 1), nn.Linear(4, 1)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
    x = torch.ones(2, 4)
    features = encoder(x)
    with torch.no_grad():
        target = teacher(x)
    (head(features) - target).pow(2).mean().backward()
    optimizer.step()
    return encoder.weight


def other_gradients(returned: Any, cured: Any) -> bool:
    """The gradient is that of the other terms alone."""
    return not returned.grad.allclose(cured.grad)


@rule.bad(shows=other_gradients)
def judged_behind_a_cut():
    import torch
    from torch import nn

    torch.manual_seed(0)
    judge, maker = nn.Linear(2, 1), nn.Linear(3, 2)
    optimizer = torch.optim.SGD(maker.parameters(), lr=0.0)
    of_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
    for _ in range(2):
        made = maker(torch.ones(4, 3))
        fooling = -judge(made.detach()).mean()  # GRD618
        loss = fooling + 0.1 * made.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        of_judge.zero_grad()
        judge(made.detach()).mean().backward()
        of_judge.step()
    return maker.weight


@rule.good(cures=judged_behind_a_cut)
def judged_through_the_graph():
    import torch
    from torch import nn

    torch.manual_seed(0)
    judge, maker = nn.Linear(2, 1), nn.Linear(3, 2)
    optimizer = torch.optim.SGD(maker.parameters(), lr=0.0)
    of_judge = torch.optim.SGD(judge.parameters(), lr=0.1)
    for _ in range(2):
        made = maker(torch.ones(4, 3))
        fooling = -judge(made).mean()
        loss = fooling + 0.1 * made.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        of_judge.zero_grad()
        judge(made.detach()).mean().backward()
        of_judge.step()
    return maker.weight


@rule.bad
def code_of_an_autoencoder_sampled():
    import torch
    from torch import nn

    encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
    optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
    x = torch.ones(3, 4)
    code = torch.distributions.Normal(encoder(x), 1.0).sample()  # GRD618
    (decoder(code) - x).pow(2).mean().backward()
    optimizer.step()
    return encoder.weight


@rule.good(cures=code_of_an_autoencoder_sampled)
def code_of_an_autoencoder_reparametrised():
    import torch
    from torch import nn

    encoder, decoder = nn.Linear(4, 2), nn.Linear(2, 4)
    optimizer = torch.optim.SGD([*encoder.parameters(), *decoder.parameters()], lr=0.1)
    x = torch.ones(3, 4)
    code = torch.distributions.Normal(encoder(x), 1.0).rsample()
    (decoder(code) - x).pow(2).mean().backward()
    optimizer.step()
    return encoder.weight
