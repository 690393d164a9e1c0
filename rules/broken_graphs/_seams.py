"""Seams where what some parameters computed is passed to a module of others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradlint.domain import NO, YES, CauseKind, Memory, Module, Syntax, Tensor, memories
from gradlint.events import BackwardRun, Event, ModuleBuilt, ModuleCalled, Recorded, Thing


def seams(
    story: Sequence[Event], run: BackwardRun, wasted: frozenset[Memory], used: frozenset[Memory]
) -> tuple[Syntax, ...]:
    """The arguments by which a backward goes from modules with the parameters that are used into what those that are
    wasted computed; none where it may get there in another way, or another backward goes through them as well."""
    own = _parameters(story)
    tainted: set[Memory] = set()
    found: dict[Syntax, Syntax] = {}
    for event in _before(run, story):
        if isinstance(event, BackwardRun):
            found = {}
        elif isinstance(event, ModuleCalled):
            parameters = _of(event.module, own)
            entering = [number for number, argument in enumerate(event.args) if _is_in(argument, tainted)]
            if parameters & wasted or (entering and not parameters):
                tainted |= _memory(event.result)
            elif entering and (not parameters & used or len(event.given) != len(event.args)):
                return ()
            else:
                found |= {event.given[number]: event.node for number in entering}
        elif isinstance(event, Recorded) and any(_is_in(operand, tainted) for operand in event.operands):
            if not all(_is_in(operand, tainted) or operand.requires_grad <= NO for operand in event.operands):
                return ()
            tainted |= _memory(event.result)
    shared = any(node in found.values() and following is not run.node for node, following in _followed(story))
    return () if shared or _is_in(run.root, tainted) else tuple(found)


def _before(run: BackwardRun, story: Sequence[Event]) -> Iterator[Event]:
    """Yield the events of the function itself up to a backward, modules taken as a whole."""
    calls = {event.node for event in story if isinstance(event, ModuleCalled)}
    for event in story:
        if event is run:
            return
        inside = (
            event.nested if isinstance(event, ModuleCalled) else isinstance(event, Recorded) and event.node in calls
        )
        if event.run == run.run and not inside:
            yield event


def _parameters(story: Sequence[Event]) -> dict[Syntax, frozenset[Memory]]:
    """The parameters of modules by where these were made."""
    built = [event for event in story if isinstance(event, ModuleBuilt)]
    return {event.node: memories(event.parameters) for event in built}


def _of(module: Module, own: dict[Syntax, frozenset[Memory]]) -> frozenset[Memory]:
    made = (own.get(mark.node, frozenset()) for mark in module.causes if mark.kind is CauseKind.MADE)
    return frozenset[Memory]().union(*made)


def _memory(thing: Thing) -> set[Memory]:
    return {thing.storage} if isinstance(thing, Tensor) and thing.storage else set()


def _is_in(thing: Thing, tainted: set[Memory]) -> bool:
    return isinstance(thing, Tensor) and thing.storage in tainted and thing.requires_grad.may(YES)


def _followed(story: Sequence[Event]) -> Iterator[tuple[Syntax, Syntax]]:
    """Each call of a module with the backward that comes next."""
    following: Syntax = None
    for event in reversed(story):
        if isinstance(event, BackwardRun):
            following = event.node
        elif isinstance(event, ModuleCalled):
            yield event.node, following
