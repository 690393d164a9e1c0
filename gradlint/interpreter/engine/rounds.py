"""Loops over few elements that are known: each iteration is run by itself, with its own element, and what it makes is
its own.

What all iterations do is known without a fixpoint then, and the names that are gone over are constants. Where it turns
out on the way that it is not known any more what comes next, nothing has happened, and the loop is run as others are.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import libcst as cst

from gradlint import events
from gradlint.domain.facts import NO, YES
from gradlint.domain.objects import Container, Iterator, Module
from gradlint.domain.provenance import IteratorKind
from gradlint.domain.refs import Ref
from gradlint.domain.values import Constant, Value
from gradlint.interpreter.engine.circumstances import ActiveLoop
from gradlint.interpreter.engine.frames import LoopPaths
from gradlint.interpreter.engine.iteration import MOST_ELEMENTS, RESTARTING, element_list, listed_by
from gradlint.interpreter.engine.loops import attempted, goes_over, run_once
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.numbered_parts import names_parts
from gradlint.interpreter.static.periodic import periodic

MOST_STATEMENTS_BY_ELEMENT = 128
"""The most statements that such loops may run, as far as their text shows: those of the body, times the iterations,
times those of the loops around that are run so."""
MOST_STATEMENTS_BY_NUMBER = 32
"""The same where only numbers are gone over, which are the places or names of parts."""
MOST_STATEMENTS_OF_A_CONSTRUCTOR = 12
"""The same while an instance is built, where each makes many objects."""
COUNTED = 4
"""The number of iterations that count as steps: so many passes a loop takes that is run to a fixpoint."""


@dataclass(slots=True)
class Rounds:
    """A loop that is run element by element: what it goes over is on the operand stack at `start`, the elements from
    `listed` on. `step` runs one iteration for an element, `visited` what follows whichever way it ends, `after` what
    happens when there is nothing more to go over."""

    node: cst.For
    start: int
    count: int
    step: Callable[[Value], None]
    visited: Callable[[Value], None]
    after: Callable[[], None]
    listed: int = 0


def ran(m: Interpreter, rounds: Rounds, elements: Sequence[Value]) -> bool:
    """Run a loop element by element. Whether that was possible: otherwise nothing has happened."""
    began, outer, around = len(m.log.story), m.frame.loop, m.allocations.round

    def run() -> bool:
        paths = m.frame.loop = LoopPaths(rounds.node, conditions=m.conditions, around=outer)
        made, m.allocations.made = m.allocations.made, set()
        m.loops.active.append(ActiveLoop(m.allocations.made))
        rounds.listed = m.push(*elements)
        paths.listed = rounds.listed, rounds.listed + rounds.count
        with by_rounds(m, rounds.count):
            known = all(_round(m, rounds, paths, index, around) for index in range(rounds.count))
        m.frame.loop = outer
        m.loops.active.pop()
        made |= m.allocations.made
        m.allocations.made = made
        if known:
            _end(m, rounds, paths)
        return known

    if not attempted(m, run):
        return False
    if not m.is_silent:
        story = tuple(m.log.story[began:])
        m.emit(events.LoopFinished, rounds.node, story=story, periodic=periodic(m.scan), **goes_over(rounds.node))
    return True


@contextmanager
def by_rounds(m: Interpreter, count: int) -> Generator[None]:
    """Run so many iterations one by one inside this block."""
    around, later, times = m.allocations.round, m.loops.later, m.loops.times
    m.loops.times *= count
    yield
    m.allocations.round, m.loops.later, m.loops.times = around, later, times


def _round(m: Interpreter, rounds: Rounds, paths: LoopPaths, index: int, around: int) -> bool:
    """Run an iteration, where the path has not ended. Whether it was known what it is for."""
    if not m.state.live:
        return True
    element = _element(m, rounds, index)
    if element is None:
        return False
    m.allocations.round = around
    m.allocations.round = m.allocations.site((rounds.node, index))
    paths.rounds.append(m.allocations.round)
    left, elsewhere = m.steps.left, m.steps.elsewhere
    if index:
        m.loops.later = YES
    run_once(m, paths, partial(rounds.step, element), NO if index else YES)
    if m.state.live:
        rounds.visited(m.state.stack[rounds.listed + index])
    m.state.sweep()
    if index >= COUNTED:
        m.steps.left, m.steps.elsewhere = left, elsewhere
    return True


def _end(m: Interpreter, rounds: Rounds, paths: LoopPaths) -> None:
    """Join all the ends of the loop."""
    if m.state.live:
        rounds.after()
        if rounds.node.orelse is not None:
            m.run_body(rounds.node.orelse.body.body)
    m.join([m.state, *paths.breaks])


def _element(m: Interpreter, rounds: Rounds, index: int) -> Value | None:
    """Return the next element; None where it is not known any more."""
    value, element = m.state.stack[rounds.start], m.state.stack[rounds.listed + index]
    iterator = m.only(value, Iterator)
    if iterator is None:
        there = element_list(m, value)
        return there[index] if there is not None and len(there) == rounds.count else None
    if iterator.used is not NO and not m.scan.loops[rounds.node].leaves:
        return None
    if m.only(iterator.source, Module) is None or iterator.by is IteratorKind.PARAMETERS:
        return element if iterator.by not in RESTARTING or element_list(m, value) is not None else None
    now = listed_by(m, iterator.source, iterator.by)
    if now is None or index >= len(now):
        return None
    name, ref = now[index]
    return element if _object(m, element) in (ref, Constant(name)) else None


def _object(m: Interpreter, element: Value) -> Value:
    """The object that an element is or, of a name and an object, has."""
    pair = m.only(element, Container)
    return element if pair is None else pair.items[-1][1]


def to_run(m: Interpreter, node: cst.For, value: Value) -> list[Value]:
    """The elements that a loop goes over, where these are to be run one by one; none where they are not."""
    found = element_list(m, value)
    if found is None or not 1 < len(found) <= MOST_ELEMENTS:
        return []
    statements = m.scan.loops[node].statements * len(found) * m.loops.times
    bound = MOST_STATEMENTS_OF_A_CONSTRUCTOR if m.calls.instances_deep else MOST_STATEMENTS_BY_ELEMENT
    most = _most_statements(m, node, found) if statements <= bound else 0
    return found if statements <= most else []


def _most_statements(m: Interpreter, node: cst.For, elements: Sequence[Value]) -> int:
    """Return the most statements an iteration is worth by the facts about its element: few if that is a number."""
    parts = [part for element in elements for part in _parts(m, element)]
    if any(type(part) is Ref or (type(part) is Constant and isinstance(part.value, str)) for part in parts):
        return MOST_STATEMENTS_BY_ELEMENT
    told = m.notes(Numbered)
    if node not in told:
        told[node] = names_parts(node)
    return MOST_STATEMENTS_BY_NUMBER if told[node] else 0


class Numbered(dict[cst.For, bool]):
    """The loops over numbers, each with whether it names parts by them."""


def _parts(m: Interpreter, element: Value) -> list[Value]:
    pair = m.only(element, Container)
    return [element] if pair is None or pair.kind != "tuple" else [inner for _, inner in pair.items]
