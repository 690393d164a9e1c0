"""Graphs kept in vain, for the rules on them."""

from __future__ import annotations

from collections.abc import Iterator

from gradlint.domain import EVAL, NO, YES, Syntax, Tensor
from gradlint.events import GraphGrown, ModuleCalled, ModuleFinished, Returned, Role, Stored
from gradlint.rule import LIKELY, Draft, Edit, runs_around

BY_NAME = "a name alone says that unseen code only reads it"
BY_LOSS = "a term of the loss that is differentiated is taken to require grad"
PUT = "setitem"
SUMS = frozenset({"add", "add_", "sub", "sub_", "lerp", "lerp_"})
"""Operations by which something is accumulated."""

BOUNDED = "bounded deque"
"""A container that drops what is old."""

Kept = GraphGrown | Stored


def name_of(found: list[Kept]) -> str:
    """Return the name of what keeps the graphs, wherever the program writes one."""
    return next((one.name for one in found if one.name), "")


def is_attribute(name: str) -> bool:
    """Return whether the program writes what keeps the graphs as an attribute of an object."""
    return "." in name


def sums(end: ModuleFinished) -> Iterator[Kept]:
    """Yield the sums of later iterations of loops, onto what earlier ones have left; a search for the best way is no
    sum, nor is what goes on from layer to layer, and a penalty has no more terms than the network has parts."""
    for event in end.story:
        if isinstance(event, GraphGrown) and _comes_again(event) and _is_sum(event):
            yield event


def _piles(event: Stored) -> bool:
    return event.piles <= YES and event.container.kind != BOUNDED and not event.after_error


def _comes_again(event: GraphGrown) -> bool:
    """Return whether an iteration comes after the first: none does where the first has raised."""
    return event.later <= YES and not event.after_error


def _is_sum(event: GraphGrown) -> bool:
    return event.op in SUMS and not (event.picked or event.recurrent or event.by_part)


def piles(end: ModuleFinished) -> Iterator[Kept]:
    """Yield the values put into containers that hold the same of earlier iterations, or into a tensor: each such write
    is recorded on top of the one before."""
    for event in end.story:
        if isinstance(event, Stored) and _piles(event):
            yield event
        if isinstance(event, GraphGrown) and _comes_again(event) and event.op == PUT and not event.recurrent:
            yield event


def kept_in_vain(kept: Iterator[Kept], end: ModuleFinished) -> Iterator[list[Kept]]:
    """Yield the values kept although certainly nobody differentiates them, place by place: all that happens at one
    place is judged together, and it is enough to know once that what is kept requires grad."""
    places: dict[Syntax, list[Kept]] = {}
    for one in kept:
        places.setdefault(one.node, []).append(one)
    for found in places.values():
        if any(_has_graph(one) for one in found) and all(_is_in_vain(one, end) for one in found):
            yield found


def _given(kept: Kept) -> Syntax | None:
    """Return the addend to what earlier iterations have left, where that is a tensor that can be detached."""
    if isinstance(kept, GraphGrown):
        return kept.added
    return kept.given if isinstance(kept.value, Tensor) else None


def _has_graph(kept: Kept) -> bool:
    if kept.differentiated:
        return True
    if isinstance(kept, GraphGrown):
        return kept.adds_grad <= YES and kept.result.requires_grad <= YES and kept.result.leaf <= NO
    return kept.recorded is not None


def _is_in_vain(kept: Kept, end: ModuleFinished) -> bool:
    """Return whether a graph is kept that no backward goes through, or one that no backward can go through again."""
    if kept.freed <= YES or kept.differentiated:
        return isinstance(kept, Stored) or end.used.isdisjoint(kept.graph)
    reached = end.used | end.escaped | end.returned
    in_vain = reached.isdisjoint(kept.graph) and not _in_forward(kept, end) and not _in_evaluation(kept, end)
    return in_vain and not _is_given_elsewhere(kept, end)


def _is_given_elsewhere(kept: Kept, end: ModuleFinished) -> bool:
    """Return whether a function that may have been called where that was not followed gives it, or gives something with
    a graph: who calls it there may differentiate that."""
    giving = {one.run for one in end.story if isinstance(one, Returned) and one.may_have_graph}
    for run in runs_around(kept, {run.index: run for run in end.runs}):
        if run.function is None or run.index not in giving:
            return False
        if run.function.node in end.not_followed:
            return True
    return False


def _in_forward(kept: Kept, end: ModuleFinished) -> bool:
    """Return whether a module keeps it on the way to its result: itself, or in what its `forward` calls."""
    runs = {run.index: run for run in end.runs}
    run = runs.get(kept.run)
    while run is not None and run.function is not None:
        if run.function.name == "forward":
            return True
        run = runs.get(run.parent) if run.parent != run.index else None
    return False


def _in_evaluation(kept: Kept, end: ModuleFinished) -> bool:
    """Return whether the same run applies a module in eval mode, or evaluates by its name: then gradients are on by
    mistake, which is GRD401's."""
    calls = [one for one in end.story if isinstance(one, ModuleCalled) and one.run == kept.run]
    meant = any(Role.EVALUATION in run.roles for run in end.runs if run.index == kept.run)
    return any(call.module.mode <= EVAL or meant for call in calls)


def what(found: list[Kept]) -> str:
    """Return the name of what is kept: after a backward the saved values are gone."""
    return (
        "the unused graph"
        if all(one.freed <= YES or one.differentiated for one in found)
        else "the unused graph and activations"
    )


def finished(draft: Draft, found: list[Kept], end: ModuleFinished, safety: str) -> Draft:
    """The finding with its cure, believed as its evidence; a name alone shows what is likely."""
    added = dict.fromkeys(_given(one) for one in found if not isinstance(one, GraphGrown) or one.adds_grad.may(YES))
    if added and None not in added:
        draft = draft.fix(*(Edit("wrap", node, after=".detach()") for node in added), safety=safety)
    by_name = any(not one.freed <= YES and not end.read_by_name.isdisjoint(one.graph) for one in found)
    draft = draft.resting_on(*found)
    if all(one.differentiated and not one.freed <= YES for one in found):
        draft = draft.lowered(LIKELY, BY_LOSS)
    return draft.lowered(LIKELY, BY_NAME) if by_name else draft
