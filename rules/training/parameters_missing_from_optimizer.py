"""A network whose parameters are in no optimizer is differentiated and never trained.

## Why it happens

An optimizer changes the parameters it was given and no others. If a loss goes through two networks and
the optimizer was built from one of them, `backward()` fills the gradients of both, and `step()` leaves
the second as it was initialised. So it is with a group that is filled and never given to the optimizer, and
with a part that was frozen when the optimizer was built from the parameters that require grad: switching it
on later gives it gradients, and no optimizer.

## What it costs

Half of the model is random and stays so. The loss falls a little, as the other half learns to make do
with it, and nothing warns. The gradients of the second network are never cleared either, and add up.

## When it is right to ignore it

Where the second network is meant to stay as it is: a teacher, a loss network, a random target. One
that is frozen, put into eval mode, loaded from a checkpoint, made with trained weights or written by hand is not
reported, nor one whose results a trained network is to tell from data, which are to be detached (GRD617); say
`requires_grad_(False)` for any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from gradlint.domain import EVAL, FRESH, NO, YES, Graph, ImportPath, Syntax, Tensor
from gradlint.events import (
    BackwardRun,
    Event,
    GradientRead,
    ModeChanged,
    ModuleBuilt,
    ModuleCalled,
    ModuleFinished,
    OptimizerBuilt,
    OptimizerStepped,
    RequiresGradChanged,
    Role,
    StateLoaded,
    Stored,
    WrittenInPlace,
)
from gradlint.rule import LIKELY, Findings, Rule, quoted, words

from ._protocol import holds_others, made_at, memories, some

rule = Rule(
    "GRD721",
    "parameters-missing-from-optimizer",
    "`backward()` fills the gradients of {name}, whose parameters are in no optimizer",
    help="give them to the optimizer, or freeze them with `requires_grad_(False)`",
    effect="wrong result",
    yields_to=("GRD716",),
    tokens=("optim",),
)


TEACHING = frozenset({"ema", "frozen", "pretrained", "reference", "teacher", "teachers"})
"""Words of networks that others are trained by: that no optimizer holds them is right."""
GIVE = "give this group to the optimizer as well"
ADD = "call `optimizer.add_param_group()` for them here, or build the optimizer over all parameters"


def consequence(returned: Any, cured: Any) -> bool:
    """The parameters are as they were, though they have gradients; trained, they are others."""
    (before, after), (_, trained) = returned, cured
    return before.equal(after) and after.grad is not None and not trained.equal(after)


@rule.on(ModuleFinished)
def check(event: ModuleFinished) -> Findings:
    built = [one for one in event.story if type(one) is OptimizerBuilt]
    steps = [one for one in event.story if type(one) is OptimizerStepped]
    if not steps or any(holds_others(one.optimizer) for one in built):
        return
    held = memories(tensor for one in built for tensor in one.parameters)
    held |= memories(tensor for one in steps for tensor in one.parameters)
    repeated = frozenset(run.index for run in event.runs if run.function is not None and run.function.owner is not None)
    seen = _seen(event.story, repeated)
    yield from _unfrozen_too_late(event.story, held, seen)
    trained = memories(tensor for one in steps if some(one.parameters, FRESH) for tensor in one.parameters)
    yield from _never_given(event, built, held, seen)
    own, elsewhere = _made_together(event.story, held, _given_at_once(event, built))
    for one in built:
        mine = memories(one.parameters) & trained
        for beside in (*own.get(one.run, ()), *(made for made in elsewhere if made.run != one.run)):
            for module in beside.alone if beside.has_one_of(mine) else ():
                filled = _filled_in_vain(event.story, module, mine, seen)
                if filled is not None:
                    draft = rule.at(one.node, name=quoted(seen.name(module), "the module built beside it"))
                    draft = draft.note(module.node, "made here").note(filled, "differentiated here with the others")
                    yield draft.resting_on(one, module).lowered(
                        LIKELY, "it may be left out of the optimizer on purpose"
                    )


@dataclass(frozen=True, slots=True)
class _Seen:
    """The uses in a story, by the memory of parameters and by where modules were made.

    `filled` are the backwards of a loop, or of a method that is there to be called again, with all that each reaches;
    `used` are gradients that the program reads or writes itself; `left` is what shows that parameters are not meant
    to be trained, or are by other means, and `left_modules` that modules are not; `given` is where those were made
    that came with trained weights; `modules` are the parameters of each module.
    """

    filled: dict[Graph, list[tuple[Syntax, frozenset[Graph]]]] = field(default_factory=dict)
    used: set[Graph] = field(default_factory=set)
    left: set[Graph] = field(default_factory=set)
    left_modules: set[Syntax] = field(default_factory=set)
    given: set[Syntax] = field(default_factory=set)
    modules: dict[Graph, list[frozenset[Graph]]] = field(default_factory=dict)
    names: dict[Syntax, str] = field(default_factory=dict)

    def filled_together(self, mine: frozenset[Graph], theirs: frozenset[Graph]) -> Syntax | None:
        """Return the backward of a loss that has gone through all of the one and some of the other."""
        known = self.filled.get(next(iter(theirs)), ()) if theirs else ()
        return next((node for node, all_ in known if theirs <= all_ and not mine.isdisjoint(all_)), None)

    def name(self, module: ModuleBuilt) -> str:
        """Return the program's name for a module."""
        return next((self.names[node] for node in made_at(module.module) if node in self.names), "")


def _seen(story: Sequence[Event], repeated: Set[int]) -> _Seen:
    seen = _Seen()
    trained = (event for event in story if type(event) is ModuleBuilt and event.trained)
    seen.given.update(at for event in trained for tensor in event.parameters for at in made_at(tensor))
    for event in story:
        if type(event) is BackwardRun and event.how == "backward" and (event.later <= YES or event.run in repeated):
            certain = (leaf for at, leaf in enumerate(event.leaves) if event.certain >> at & 1)
            reached = memories(leaf for leaf in certain if leaf.requires_grad <= YES)
            for memory in reached:
                seen.filled.setdefault(memory, []).append((event.node, reached))
        elif type(event) is ModuleBuilt:
            theirs = memories(event.parameters)
            for memory in theirs:
                seen.modules.setdefault(memory, []).append(theirs)
        elif type(event) is ModuleCalled and not event.nested and event.name:
            for node in made_at(event.module):
                seen.names.setdefault(node, event.name)
        elif type(event) is StateLoaded or (type(event) is ModeChanged and event.to.may(EVAL)):
            seen.left_modules.update(made_at(event.module))
        elif type(event) is RequiresGradChanged and event.to.may(NO):
            seen.left.update(memories((event.tensor,)))
        elif type(event) is GradientRead:
            seen.used.update(memories((event.tensor,)))
        elif type(event) is WrittenInPlace and not event.later <= NO:
            seen.used.update(memories((event.target,)))
    return seen


def _never_given(end: ModuleFinished, built: Sequence[OptimizerBuilt], held: frozenset[Graph], seen: _Seen) -> Findings:
    """A group that was filled with parameters beside an optimizer, and that no optimizer is given."""
    story = end.story
    for one in built:
        for name, tensors in one.beside:
            theirs = memories(tensors)
            if not (theirs.isdisjoint(held | end.escaped) and theirs.isdisjoint(seen.used)):
                continue
            filled = seen.filled_together(memories(one.parameters), theirs)
            if filled is not None:
                draft = rule.at(one.node, name=quoted(name, "a group")).advising(GIVE)
                stores = [other.node for other in story if type(other) is Stored and _is_among(other.value, theirs)]
                draft = draft.note(stores[-1], "this group is filled here and never given") if stores else draft
                draft = draft.note(filled, "differentiated here with the others").resting_on(one)
                yield draft.lowered(LIKELY, "it may be left out of the optimizer on purpose")


def _is_among(thing: Any, theirs: frozenset[Graph]) -> bool:
    return type(thing) is Tensor and memories((thing,)) <= theirs


@dataclass
class _Together:
    """Modules that a `run` of a function has made together: the memories of their parameters, by each of them, and
    those of which no optimizer holds a parameter."""

    run: int
    theirs: dict[Graph, list[frozenset[Graph]]] = field(default_factory=dict)
    alone: list[ModuleBuilt] = field(default_factory=list)

    def has_one_of(self, mine: frozenset[Graph]) -> bool:
        """Return whether all parameters of one of them are among these."""
        return any(theirs <= mine for memory in mine for theirs in self.theirs.get(memory, ()))


def _given_at_once(end: ModuleFinished, built: Sequence[OptimizerBuilt]) -> frozenset[Syntax]:
    """The places at which the constructor of a module makes layers whose parameters it gives to an optimizer itself:
    each module of its class has one. Who makes a module that makes its layers, and gives these to an optimizer, says
    nothing of the next one."""
    making = {run.index for run in end.runs if Role.OF_MODULE in run.roles}
    layers = {(one.run, one.node) for one in end.story if type(one) is ModuleBuilt and one.run in making}
    given = ((one.run, place) for one in built for tensor in one.parameters for place in made_at(tensor))
    return frozenset(place for run, place in given if (run, place) in layers)


def _made_together(
    story: Sequence[Event], held: frozenset[Graph], given: frozenset[Syntax]
) -> tuple[dict[int, list[_Together]], list[_Together]]:
    """The modules that each run has made, parts of those of another or not, and the whole ones; each of which some are
    in no optimizer: they are not made where all that is made is `given` to one."""
    made: dict[int, list[ModuleBuilt]] = {}
    for one in story:
        if type(one) is ModuleBuilt:
            made.setdefault(one.run, []).append(one)
    own = {run: _by_run(_whole_modules(modules), held, given) for run, modules in made.items()}
    return own, _by_run(_whole_modules(story), held, given)


def _by_run(modules: Iterable[ModuleBuilt], held: frozenset[Graph], given: frozenset[Syntax]) -> list[_Together]:
    """The modules that each run has made together, of which some are in no optimizer."""
    found: dict[int, _Together] = {}
    for one in modules:
        together, theirs = found.setdefault(one.run, _Together(one.run)), memories(one.parameters)
        for memory in theirs:
            together.theirs.setdefault(memory, []).append(theirs)
        places = [place for tensor in one.parameters for place in made_at(tensor)]
        if theirs.isdisjoint(held) and given.isdisjoint(places):
            together.alone.append(one)
    return [together for together in found.values() if together.alone]


def _filled_in_vain(story: Sequence[Event], module: ModuleBuilt, mine: frozenset[Graph], seen: _Seen) -> Syntax | None:
    """Return the backward of a loop that fills gradients of a module that is in no optimizer and is meant to be."""
    theirs = memories(module.parameters)
    filled = seen.filled_together(mine, theirs)
    if (
        filled is None
        or words(seen.name(module)) & TEACHING
        or not seen.left_modules.isdisjoint(made_at(module.module))
        or all(not seen.given.isdisjoint(made_at(tensor)) for tensor in module.parameters)
    ):
        return None
    untouched = theirs.isdisjoint(seen.left) and theirs.isdisjoint(seen.used)
    return filled if untouched and not _is_judged(story, mine, theirs) else None


def _is_judged(story: Sequence[Event], mine: frozenset[Graph], theirs: frozenset[Graph]) -> bool:
    """Return whether the network that is trained is passed what the other gives and, in the same run, what has no
    graph: then it tells the two apart, and what the other gives is to be detached."""
    made: set[Graph] = set()
    judged: set[int] = set()
    beside: set[int] = set()
    for event in story:
        if type(event) is not ModuleCalled or event.nested:
            continue
        own = frozenset(ref.key for memory in event.memories for ref in memory)
        if own and own <= theirs:
            made.update(event.graph)
        elif own and own <= mine:
            (beside if not event.fed_by else judged if made.intersection(event.fed_by) else set()).add(event.run)
    return not judged.isdisjoint(beside)


def _whole_modules(story: Sequence[Event]) -> list[ModuleBuilt]:
    """The modules with parameters that were made, without those that are parts of others. Of what a class of the
    program gets from code that is not shown nobody knows whether it is there to be trained."""
    found: dict[tuple[int, Syntax], ModuleBuilt] = {}
    for one in story:
        if type(one) is ModuleBuilt and one.parameters:
            before = found.setdefault((one.run, one.node), one)
            if memories(before.parameters) < memories(
                one.parameters
            ):  # one call makes a network of a library, part by part
                found[one.run, one.node] = one
    owner: dict[Graph, int] = {}
    for one in found.values():  # a whole is made after its parts
        owner |= dict.fromkeys(memories(one.parameters), id(one))
    wholes = set(owner.values())
    known = (one for one in found.values() if one.open <= NO or isinstance(one.module.cls, ImportPath))
    return [one for one in known if id(one) in wholes]


def _unfrozen_too_late(story: Sequence[Event], held: frozenset[Graph], seen: _Seen) -> Findings:
    """Yield findings at flags that are switched on after the optimizer was built over the parameters that were on, and
    whose parameters are differentiated with these from then on."""
    kept: list[OptimizerBuilt] = []
    late: dict[Syntax, tuple[RequiresGradChanged, OptimizerBuilt, frozenset[Graph]]] = {}
    for one in story:
        if type(one) is OptimizerBuilt:
            kept.append(one)
        elif type(one) is RequiresGradChanged and kept and one.to <= YES and one.node not in late:
            theirs = memories(tensor for tensor in one.each or (one.tensor,) if tensor.requires_grad <= NO) - held
            beside = next((other for other in reversed(kept) if _of_one_module(seen, theirs, other)), None)
            if beside is not None:
                late[one.node] = one, beside, theirs
        elif type(one) is BackwardRun and one.how == "backward":
            reached = memories(leaf for leaf in one.leaves if leaf.requires_grad.may(YES)) if late else frozenset()
            for node in [node for node, (_, _, theirs) in late.items() if theirs <= reached]:
                change, optimizer, theirs = late.pop(node)
                if theirs.isdisjoint(seen.used):
                    draft = rule.at(node, name=quoted(change.name, "what is unfrozen here")).advising(ADD)
                    draft = draft.note(optimizer.node, "built over what required grad before")
                    draft = draft.note(one.node, "differentiated here with the others")
                    yield draft.resting_on(change, optimizer).lowered(
                        LIKELY, "it may be left out of the optimizer on purpose"
                    )


def _of_one_module(seen: _Seen, theirs: frozenset[Graph], optimizer: OptimizerBuilt) -> bool:
    """Return whether an optimizer holds other parameters of a module that has these."""
    known = seen.modules.get(next(iter(theirs)), ()) if theirs else ()
    mine = memories(optimizer.parameters) if known else frozenset[Graph]()
    return any(theirs <= module and not mine.isdisjoint(module) for module in known)


@rule.bad
def only_one_of_two_networks():
    import torch
    from torch import nn

    encoder, head = nn.Linear(2, 2), nn.Linear(2, 1)
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)  # GRD721
    before = encoder.weight.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        loss = head(encoder(torch.ones(4, 2))).mean()
        loss.backward()
        optimizer.step()
    return before, encoder.weight


@rule.good(cures=only_one_of_two_networks)
def both_networks():
    import torch
    from torch import nn

    encoder, head = nn.Linear(2, 2), nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*encoder.parameters(), *head.parameters()], lr=0.1)
    before = encoder.weight.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        loss = head(encoder(torch.ones(4, 2))).mean()
        loss.backward()
        optimizer.step()
    return before, encoder.weight


@rule.bad
def unfrozen_after_the_optimizer_was_built():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model[0].requires_grad_(False)
    optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=0.1)
    before = model[0].weight.detach().clone()
    for epoch in range(4):
        if epoch == 2:
            model[0].requires_grad_(True)  # GRD721
        optimizer.zero_grad()
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()
    return before, model[0].weight


@rule.good(cures=unfrozen_after_the_optimizer_was_built)
def unfrozen_and_given_to_the_optimizer():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    model[0].requires_grad_(False)
    optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=0.1)
    before = model[0].weight.detach().clone()
    for epoch in range(4):
        if epoch == 2:
            model[0].requires_grad_(True)
            optimizer.add_param_group({"params": model[0].parameters()})
        optimizer.zero_grad()
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()
    return before, model[0].weight


@rule.bad
def group_filled_and_left_out():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    groups = []
    group = {"params": list(model[1].parameters()), "lr": 0.1}
    groups.append(group)
    group = {"params": list(model[0].parameters()), "lr": 0.01}
    optimizer = torch.optim.SGD(groups)  # GRD721
    before = model[0].weight.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()
    return before, model[0].weight


@rule.good(cures=group_filled_and_left_out)
def both_groups_given():
    import torch
    from torch import nn

    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    groups = []
    group = {"params": list(model[1].parameters()), "lr": 0.1}
    groups.append(group)
    group = {"params": list(model[0].parameters()), "lr": 0.01}
    groups.append(group)
    optimizer = torch.optim.SGD(groups)
    before = model[0].weight.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.ones(4, 2)).mean().backward()
        optimizer.step()
    return before, model[0].weight
