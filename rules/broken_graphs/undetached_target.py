"""A backward that reaches another network's parameters computes gradients that are thrown away.

## Why it happens

In adversarial training the discriminator's loss is computed on what the generator made. Unless that is
detached, backward goes on through the generator. Only the discriminator's optimizer steps then, and the
generator's gradients are cleared before its own step: they were never wanted. Just so a loss that compares with what a
target network or a teacher gives goes through that as well, which no optimizer holds, and so does a term that keeps
the parameters near those of another network. And a trained network that judges
what another makes has to be passed through, but its parameters need no gradients for that.

An attack on the input of a trained network, or a picture of what it looks at, wants the gradient of the input alone;
`backward()` adds to those of all parameters as well, each time.

A value network that is fitted to a gain and a share of the best it gives itself for what comes next has a target that
moves: if that is not detached, gradients lower it as well as they raise the value.

## What it costs

The backward pass of the whole generator, and its activations kept until then. Where its gradients are not cleared
before its own step, it is trained to please the discriminator's loss, the opposite of what it is for.

## What helps

What is handed from one network to the other is detached: the finding stands there, and points at the backward. A target
is computed under `torch.no_grad()`; a network that judges is frozen with `requires_grad_(False)`, through which
gradients pass to what it is given.

## When it is right to ignore it

Where both networks are meant to be trained by this loss; then both optimizers step, which is not reported, nor is
the generator's step, in which gradients go through the discriminator by necessity. Where the gradients are cleared in
time, or nobody ever looks at them, nothing but time and memory is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Any

from gradlint.domain import NO, YES, CauseKind, Memories, Memory, Syntax, memories, places
from gradlint.events import (
    BackwardRun,
    Copied,
    Event,
    GradientsCleared,
    LoopFinished,
    ModuleBuilt,
    ModuleCalled,
    ModuleFinished,
    OptimizerBuilt,
    OptimizerStepped,
)
from gradlint.rule import LIKELY, POSSIBLE, Draft, Edit, Findings, Rule, calls_between, quoted, words

from ._attacks import attacks
from ._goals import chases
from ._holding import cleared_by_somebody, held_by_some, home, read_by_somebody, with_unseen_optimizers
from ._joins import Meeting, meeting
from ._parameters import modules_of
from ._passing import can_be_cut, fed_unseen
from ._proximal import proximal_terms
from ._seams import seams
from ._waiting import Queue, Waiting, led_to
from ._weights import loaded, made_trained

rule = Rule(
    "GRD617",
    "undetached-target",
    "gradients of {name} also reach {whose}, {why}",
    help="detach the output of the other network, or freeze it with `requires_grad_(False)`",
    effect="wrong result",
    yields_to=("GRD618", "GRD620", "GRD721"),
    tokens=("backward",),
)


NOT_STEPPED = "not updated by the step"
OWN = "computed by the network that is fitted to it"
COMPARED_WITH = "the parameters of another network"
FOR_AN_INPUT = "of which only that of the input is used"
ASKED_ALONE = "compute that of the input alone, by `torch.autograd.grad`"
HELD_STILL = "compute the target under `torch.no_grad()`, or detach it"
KEPT_NEAR = "detach the parameters of the other network in this term, or freeze it with `requires_grad_(False)`"
HANDED = "detach what {} before it is passed on"
COMPARED = "freeze {0} with `requires_grad_(False)`, or call {0} under `torch.no_grad()`"
APART = "leave the terms of {} out of this `backward()`: they train nothing here"
PASSED = "freeze {} with `requires_grad_(False)`, through which gradients still pass"
"""The cures: of what is passed to the network that is trained, of a target, of a term of its own, and of a network that
is passed through."""
MOST_NAMED = 2
STANDING_STILL = frozenset(
    "ema fixed frozen guide judge lagged momentum old pretrained ref reference shadow slow target targets tar teacher "
    "teachers tgt t".split()
)
"""Words of networks that give what others are trained by, and are not trained then."""


def consequence(returned: Any) -> bool:
    """The other network has received gradients."""
    return returned.grad is not None


@rule.on(ModuleFinished)
def check_cleared(end: ModuleFinished) -> Findings:
    """Report what only another optimizer trains and is cleared before that steps."""
    trained = {memories(event.parameters) for event in end.story if type(event) is OptimizerStepped}
    fed, waiting = fed_unseen(end), Queue()
    met_first: dict[tuple[Syntax, Memories], Meeting] = {}  # what is differentiated again in later iterations
    for event in _with_later_iterations(end.story):
        if type(event) is BackwardRun and event.how == "backward":
            waiting.add(event)
        elif type(event) is OptimizerStepped:
            waiting.step(memories(event.parameters))
        elif type(event) is GradientsCleared:
            for one, wasted in waiting.wasted(memories(event.parameters)):
                if any(wasted <= own for own in trained) and can_be_cut(one.event, one.stepped, wasted, fed):
                    waiting.drop(one.event)
                    met = meeting(end.story, one.event, wasted, one.stepped)
                    met = met_first.setdefault((one.event.node, places(wasted)), met)
                    draft = _at(end, one, wasted, met)
                    if not _may_ask(one, wasted):
                        draft = draft.lowered(POSSIBLE, "it may ask for gradients of what it does not step on purpose")
                    if wasted.isdisjoint(_reached(one.event)) and not _asks(one, wasted):
                        draft = draft.lowered(POSSIBLE, "no parameter of the other network is certainly reached")
                    yield draft.note(event.node, "these gradients are cleared here before a step used them")


def _with_later_iterations(story: Iterable[Event]) -> Iterator[Event]:
    """Yield the events in turn, and those of each loop once more: one that tells all there is to know in one iteration
    is run once, and what that leaves waits for the next."""
    for event in story:
        yield event
        if type(event) is LoopFinished:
            yield from event.story


@rule.on(ModuleFinished)
def check_held_by_none(end: ModuleFinished) -> Findings:
    """A step trains what one part of the loss was computed from, and no optimizer holds what the other was."""
    built = [event for event in end.story if isinstance(event, OptimizerBuilt)]
    if any(event.optimizer.open.may(YES) for event in built):
        return
    runs = {run.index: run for run in end.runs}
    unseen = with_unseen_optimizers(end, runs, built)
    held = held_by_some(end, built)
    read, cleared = read_by_somebody(end), cleared_by_somebody(end)
    parts = places(memories(one for event in end.story if isinstance(event, ModuleBuilt) for one in event.parameters))
    copies = {event.node for event in end.story if isinstance(event, Copied)}
    calls = {event.memories for event in end.story if isinstance(event, ModuleCalled)}
    with_weights, fed = loaded(end), fed_unseen(end)
    waiting: dict[Syntax, Waiting] = {}
    told = set[Syntax]()
    for event in end.story:
        if type(event) is BackwardRun and event.how == "backward":
            waiting[event.node] = Waiting(event, led_to(event), _held(event, held) | _asked(event))
        elif type(event) is OptimizerStepped:
            now = memories(event.parameters)
            for one in [one for one in waiting.values() if now & one.leaves and home(runs, one.event) not in unseen]:
                del waiting[one.event.node]
                here = _held(one.event, parts) | _copied(one.event, copies)
                wasted = (one.leaves & here) - one.stepped
                if not wasted or wasted & read or one.event.node in told or _in_one_module(calls, wasted, one.stepped):
                    continue
                met = meeting(end.story, one.event, wasted, now & one.leaves)
                given = wasted <= with_weights
                named = given or any(words(name) & STANDING_STILL for name in met.names)
                if not wasted <= _reached(one.event) and not named:
                    continue
                if can_be_cut(one.event, one.stepped, wasted, fed):
                    draft = _at(end, one, wasted, met)
                elif (
                    met.judged is not None
                    and (given or not wasted & cleared)
                    and (named or met.in_eval)
                    and _of_module(now, end)
                ):
                    draft = _at(end, one, wasted, met, passed=True)
                    for node in made_trained(end, one.event, wasted):
                        draft = draft.note(node, "made here with trained weights, which nothing freezes")
                else:
                    continue
                told.add(one.event.node)
                draft = (
                    draft
                    if _asks(one, wasted)
                    else draft.lowered(POSSIBLE, "it may ask for gradients of what it does not step on purpose")
                )
                yield draft.note(event.node, "steps other parameters, and no optimizer holds these")


@rule.on(ModuleFinished)
def check_proximal_term(end: ModuleFinished) -> Findings:
    """Report a term that keeps what is trained near the parameters of another network, which get gradients as well."""
    built = [event for event in end.story if isinstance(event, OptimizerBuilt)]
    runs = {run.index: run for run in end.runs}
    unseen = with_unseen_optimizers(end, runs, built)
    cared_for = held_by_some(end, built) | places(read_by_somebody(end) | cleared_by_somebody(end))
    found = {one.node: one for one in proximal_terms(end.story) if home(runs, one.run) not in unseen}
    for one in found.values():
        if any(event.optimizer.open.may(YES) for event in built) or places(one.others) & cared_for:
            continue
        draft = rule.at(one.node, name=quoted(one.run.name, "the loss"), whose=COMPARED_WITH, why=NOT_STEPPED)
        draft = draft.advising(KEPT_NEAR).note(one.run.node, "gradients go there")
        draft = draft.note(one.step.node, "steps other parameters, and no optimizer holds these")
        yield draft.resting_on(one.run).lowered(LIKELY, "what is not stepped by this step is taken for a target")


@rule.on(ModuleFinished)
def check_own_target(end: ModuleFinished) -> Findings:
    """A network is fitted to a goal that it gives itself, and the goal moves along."""
    for chase in chases(end):
        draft = rule.at(chase.node, name="the loss", whose="its target", why=OWN).advising(HELD_STILL)
        draft = draft.note(chase.goal, "the target is computed here") if chase.goal is not chase.node else draft
        yield draft.resting_on(chase.event).lowered(LIKELY, "gradients may go through the target on purpose")


@rule.on(ModuleFinished)
def check_attack(end: ModuleFinished) -> Findings:
    """Report an attack: only the gradient of the input is wanted, and those of the network pile up."""
    for one in attacks(end):
        names = [quoted(name, "") for name in modules_of(one.network, end.story)]
        whose = " and ".join(names) if 0 < len(names) <= MOST_NAMED else "the network"
        draft = rule.at(one.run.node, name=quoted(one.run.name, "the loss"), whose=whose, why=FOR_AN_INPUT)
        draft = draft.advising(ASKED_ALONE).note(one.read.node, "the gradient of the input is used here")
        yield draft.resting_on(one.run, one.read).lowered(LIKELY, "gradients of the network may be wanted as well")


def _of_module(trained: frozenset[Memory], end: ModuleFinished) -> bool:
    """Return whether these are parameters of modules, so that a network is trained and not an input made to fit."""
    return any(trained & memories(one.parameters) for one in end.story if isinstance(one, ModuleBuilt))


def _reached(event: BackwardRun) -> frozenset[Memory]:
    """The leaves that a backward certainly reaches."""
    return memories(leaf for index, leaf in enumerate(event.leaves) if event.certain >> index & 1)


def _held(event: BackwardRun, held: frozenset[Memory]) -> frozenset[Memory]:
    """The leaves that an optimizer holds, or others that were made where those were."""
    return frozenset(leaf.storage for leaf in event.leaves if leaf.storage and places([leaf.storage]) <= held)


def _copied(event: BackwardRun, copies: set[Syntax]) -> frozenset[Memory]:
    """The parameters whose module is a copy that was made in the file."""
    copied = (
        leaf
        for leaf in event.leaves
        if any(mark.kind == CauseKind.MADE and mark.node in copies for mark in leaf.causes)
    )
    return memories(leaf for leaf in copied if leaf.parameter <= YES)


def _asked(event: BackwardRun) -> frozenset[Memory]:
    """The leaves that are no parameters of modules: gradients go through modules on the way to them."""
    return memories(leaf for leaf in event.leaves if leaf.parameter <= NO and leaf.requires_grad.possibly(YES))


def _at(end: ModuleFinished, one: Waiting, wasted: frozenset[Memory], met: Meeting, *, passed: bool = False) -> Draft:
    """The finding where what other networks gave is handed on, or else at the backward: whose it is, and the cure."""
    names = [quoted(name, "") for name in met.names]
    whose = " and ".join(names) if 0 < len(names) <= MOST_NAMED else "other parameters"
    network = names[0] if len(names) == 1 else "the other networks"
    handed = met.handed is not None
    apart = met.summed and not handed
    cure = PASSED if passed else HANDED if handed else APART if apart else COMPARED
    subject = f"{network} {'gives' if len(names) == 1 else 'give'}" if cure is HANDED else network
    name, place = quoted(one.event.name, "the loss"), met.handed if handed else one.event.node
    draft = rule.at(place, name=name, whose=whose, why=NOT_STEPPED).advising(cure.format(subject))
    if met.place is not None:
        at, told = (one.event.node, "gradients go there") if handed else (met.place, "here they get into the loss")
        draft = draft.note(at, told)
    for other in [other for other in met.hands if handed and other is not place][:MOST_NAMED]:
        draft = draft.note(other, "called here with it as well")
    for call in _calls_to(end, met.handed, one.event) if handed else ():
        draft = draft.note(call, "called here, to hand it on")
    if one.event.retain <= NO and not passed and not apart:
        cuts = seams(end.story, one.event, wasted, one.stepped)
        draft = draft.fix(*(Edit("wrap", argument, after=".detach()") for argument in cuts), safety="unsafe")
    return draft.resting_on(one.event).lowered(LIKELY, "what is not stepped by this step is taken for a target")


def _calls_to(end: ModuleFinished, handed: Syntax, around: BackwardRun) -> list[Syntax]:
    """The calls by which the function that runs a backward gets to where something is handed on."""
    runs = {run.index: run for run in end.runs}
    hands = (event for event in end.story if isinstance(event, ModuleCalled) and event.node is handed)
    return next(filter(None, (calls_between(event, around, runs) for event in hands)), [])


def _asks(one: Waiting, wasted: frozenset[Memory]) -> bool:
    """Return whether the wasted parameters certainly require grad: code that is not shown may have frozen a teacher."""
    return all(leaf.requires_grad <= YES for leaf in one.event.leaves if leaf.storage in wasted)


def _in_one_module(calls: Set[frozenset[Memory]], wasted: frozenset[Memory], stepped: frozenset[Memory]) -> bool:
    """Return whether one module that is called has parameters of both: then a part of it is tuned, and what it is
    computed from lies inside of its forward. `calls` are the parameters of those that are."""
    return any(own & wasted and own & stepped for own in calls)


def _may_ask(one: Waiting, wasted: frozenset[Memory]) -> bool:
    """Return whether nothing that is shown freezes the wasted parameters, which another optimizer steps."""
    return not any(leaf.requires_grad.possibly(NO) for leaf in one.event.leaves if leaf.storage in wasted)


@rule.bad
def generator_output_not_detached():
    import torch
    from torch import nn

    discriminator, generator = nn.Linear(2, 1), nn.Linear(3, 2)
    of_d = torch.optim.SGD(discriminator.parameters(), lr=0.1)
    of_g = torch.optim.SGD(generator.parameters(), lr=0.1)
    fake = generator(torch.ones(4, 3))
    of_d.zero_grad()
    loss = discriminator(fake).mean()  # GRD617
    loss.backward()
    of_d.step()
    seen = generator.weight.detach().clone()
    seen.grad = generator.weight.grad
    of_g.zero_grad()
    (-discriminator(generator(torch.ones(4, 3))).mean()).backward()
    of_g.step()
    return seen


@rule.good(cures=generator_output_not_detached)
def generator_output_detached():
    import torch
    from torch import nn

    discriminator, generator = nn.Linear(2, 1), nn.Linear(3, 2)
    of_d = torch.optim.SGD(discriminator.parameters(), lr=0.1)
    of_g = torch.optim.SGD(generator.parameters(), lr=0.1)
    fake = generator(torch.ones(4, 3))
    of_d.zero_grad()
    loss = discriminator(fake.detach()).mean()
    loss.backward()
    of_d.step()
    seen = generator.weight.detach().clone()
    seen.grad = generator.weight.grad
    of_g.zero_grad()
    (-discriminator(generator(torch.ones(4, 3))).mean()).backward()
    of_g.step()
    return seen


@rule.bad
def target_network_in_the_graph():
    import copy

    import torch
    from torch import nn

    online = nn.Linear(3, 2)
    target = copy.deepcopy(online)
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    for _ in range(2):
        wanted = 0.5 + 0.9 * target(torch.ones(4, 3)).amax(1)
        loss = (online(torch.ones(4, 3)).amax(1) - wanted).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()  # GRD617
        optimizer.step()
        target.load_state_dict(online.state_dict())
    return target.weight


@rule.good(cures=target_network_in_the_graph)
def target_network_outside_of_the_graph():
    import copy

    import torch
    from torch import nn

    online = nn.Linear(3, 2)
    target = copy.deepcopy(online)
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    for _ in range(2):
        with torch.no_grad():
            wanted = 0.5 + 0.9 * target(torch.ones(4, 3)).amax(1)
        loss = (online(torch.ones(4, 3)).amax(1) - wanted).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        target.load_state_dict(online.state_dict())
    return target.weight


@rule.bad
def judge_not_frozen():
    import torch
    from torch import nn

    maker, judge = nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).eval()
    optimizer = torch.optim.SGD(maker.parameters(), lr=0.1)
    for _ in range(2):
        made = maker(torch.ones(5, 3))
        loss = -judge(made).mean()
        optimizer.zero_grad()
        loss.backward()  # GRD617
        optimizer.step()
    return judge[0].weight


@rule.good(cures=judge_not_frozen)
def judge_frozen():
    import torch
    from torch import nn

    maker, judge = nn.Linear(3, 4), nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).eval()
    judge.requires_grad_(False)
    optimizer = torch.optim.SGD(maker.parameters(), lr=0.1)
    for _ in range(2):
        made = maker(torch.ones(5, 3))
        loss = -judge(made).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return judge[0].weight


@rule.bad
def kept_near_another():
    import copy

    import torch
    from torch import nn

    model = nn.Linear(3, 1)
    start = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        loss = model(torch.ones(4, 3)).pow(2).mean()
        for one, other in zip(model.parameters(), start.parameters(), strict=True):
            loss = loss + (one - other).pow(2).sum()  # GRD617
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return start.weight


@rule.good(cures=kept_near_another)
def kept_near_what_is_detached():
    import copy

    import torch
    from torch import nn

    model = nn.Linear(3, 1)
    start = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        loss = model(torch.ones(4, 3)).pow(2).mean()
        for one, other in zip(model.parameters(), start.parameters(), strict=True):
            loss = loss + (one - other.detach()).pow(2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return start.weight


def follows_its_target(returned: Any, cured: Any) -> bool:
    """The gradient is not that of the value alone."""
    return not returned.grad.allclose(cured.grad)


@rule.bad(shows=follows_its_target)
def goal_of_the_same_network():
    import torch
    from torch import nn

    torch.manual_seed(0)
    table = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(table.parameters(), lr=0.1)
    now, following, gain = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4)
    goal = gain + 0.9 * table(following).max(1).values
    loss = nn.functional.mse_loss(table(now)[:, 0], goal)  # GRD617
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return table.weight


@rule.good(cures=goal_of_the_same_network)
def goal_held_still():
    import torch
    from torch import nn

    torch.manual_seed(0)
    table = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(table.parameters(), lr=0.1)
    now, following, gain = torch.randn(4, 3), torch.randn(4, 3), torch.randn(4)
    with torch.no_grad():
        goal = gain + 0.9 * table(following).max(1).values
    loss = nn.functional.mse_loss(table(now)[:, 0], goal)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return table.weight
