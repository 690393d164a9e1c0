"""Networks with trained weights, which they came with or were loaded into them."""

from __future__ import annotations

from gradlint.domain import Memory, Syntax, made_at, memories
from gradlint.events import BackwardRun, ModuleBuilt, ModuleCalled, ModuleFinished, StateLoaded, WrittenInPlace
from gradlint.rule import given_weights


def loaded(end: ModuleFinished) -> frozenset[Memory]:
    """The parameters of modules that are called and into which weights were loaded, and those of networks that came
    with some, or of what unseen code made of either."""
    loads = {at for event in end.story if isinstance(event, StateLoaded) for at in made_at(event.module)}
    calls = [event for event in end.story if isinstance(event, ModuleCalled)]
    given = frozenset(one for call in calls if not loads.isdisjoint(made_at(call.module)) for one in call.memories)
    trained, loaded = set[Syntax](), set[Syntax]()
    for event in end.story:
        found = loaded if isinstance(event, WrittenInPlace) else trained
        found.update(at for tensor in given_weights(event) for at in made_at(tensor))
    leaves = [leaf for event in end.story if isinstance(event, BackwardRun) for leaf in event.leaves]
    unseen = [leaf for leaf in leaves if not (leaf.belief.seen_made or loaded.isdisjoint(made_at(leaf)))]
    return given | memories([*unseen, *(leaf for leaf in leaves if not trained.isdisjoint(made_at(leaf)))])


def made_trained(end: ModuleFinished, event: BackwardRun, wasted: frozenset[Memory]) -> list[Syntax]:
    """The first place that made what these parameters are of, with trained weights."""
    made = {at for leaf in event.leaves if leaf.storage in wasted for at in made_at(leaf)}
    built = (one for one in end.story if isinstance(one, ModuleBuilt) and one.trained)
    return [one.node for one in built if any(not made.isdisjoint(made_at(tensor)) for tensor in one.parameters)][:1]
