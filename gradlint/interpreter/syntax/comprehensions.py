"""Comprehensions: what all their elements are, or each, where these are few and known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import NO, YES, Truth
from gradlint.domain.ground import Name
from gradlint.domain.mentions import object_references
from gradlint.domain.objects import MOST_ITEMS, Container
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import one_of, references, with_certain
from gradlint.domain.values import NOTHING, Value
from gradlint.frozen import frozen
from gradlint.interpreter.autograd.batches import note_taken_apart
from gradlint.interpreter.engine.frames import LoopPaths
from gradlint.interpreter.engine.iteration import MOST_ELEMENTS, consume, element_list, following, iterated
from gradlint.interpreter.engine.loops import Loop, attempted, run_loop
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.rounds import MOST_STATEMENTS_BY_ELEMENT, by_rounds
from gradlint.interpreter.python import containers
from gradlint.interpreter.static.periodic import periodic
from gradlint.interpreter.static.scopes import comprehended
from gradlint.interpreter.syntax.assignment import assign
from gradlint.interpreter.syntax.narrowing import narrow, truthiness


@frozen()
class Comprehended:
    """The results of a comprehension: for each expression all elements in one; `certain` are those objects of the first
    that are certainly among them. A generator expression has not run over its source yet. `rounds` is what each round
    gives, where it is known what is gone over and that this is little."""

    elements: list[Value]
    certain: tuple[Ref, ...]
    empty: Truth
    source: Value
    rounds: tuple[tuple[Value, ...], ...] | None = None


def comprehension(
    m: Interpreter,
    node: cst.BaseComp,
    wanted: Sequence[Any],
    begun: Value | None = None,
    *,
    at_once: bool = False,
) -> Comprehended:
    """Run over all clauses of a comprehension and evaluate these expressions of it; `begun` is what it runs over, where
    that was needed before. A generator expression that runs `at_once` does so by rounds, or not at all."""
    frame, known = m.frame.id, set(m.state.heap)
    before = {(frame, name): m.state.names.get((frame, name)) for name in comprehended(node.for_in)}
    found = m.push(*[NOTHING for _ in wanted])
    empty, only = [YES], [True]

    def inner() -> None:
        values = m.values(wanted)
        only[0] = only[0] and type(values[0]) is Ref
        for index, value in enumerate(values):
            m.state.stack[found + index] = one_of((m.state.stack[found + index], value))
        empty[0] = NO

    over = iterated(m, node.for_in, m.value(node.for_in.iter)) if begun is None else begun
    source = m.push(over)
    there = m.push(*containers.certain(m, m.state.stack[source]))
    left_out: set[Ref] = set()
    declared, own = m.frame.declared, set(comprehended(node.for_in))  # what `global` says is not of these
    m.frame.declared = {name: frame for name, frame in declared.items() if name not in own}
    waits = type(node) is cst.GeneratorExp and not at_once
    rounds = None if waits else _each_round(m, node.for_in, source, wanted)
    if rounds is None and not at_once:
        _clause(m, node.for_in, source, inner, left_out, waits=waits)
    m.frame.declared = declared
    outlived = m.scan.outlived.get(node, {})
    for variable, value in before.items():
        _end(m, variable, value, outlived.get(variable[1]))
    values = m.pop_from(found)
    if rounds is not None:
        return _of_rounds(values[-rounds * len(wanted) :] if rounds else [], len(wanted), values[source - found])
    elements, given = values[: len(wanted)], values[there - found :]
    certain = [ref for ref in references(elements[0]) if only[0] and ref not in known]
    if node.for_in.inner_for_in is None and _named(wanted[0]) & set(comprehended(node.for_in)):
        certain += [ref for ref in given if type(ref) is Ref and ref not in left_out]
    return Comprehended(elements, with_certain((), certain), empty[0] | Truth.unsure(), values[source - found])


def _each_round(m: Interpreter, clause: cst.CompFor, start: int, wanted: Sequence[Any]) -> int | None:
    """Run a comprehension element by element where it is known what it goes over and what its conditions say: what each
    round gives is in flight then, and how many there were comes back. Otherwise nothing has happened."""
    listed = element_list(m, m.state.stack[start])
    if listed is None or len(listed) > MOST_ELEMENTS or clause.inner_for_in is not None:
        return None
    if len(listed) * m.loops.times > MOST_STATEMENTS_BY_ELEMENT:
        return None
    if m.calls.instances_deep and _named(wanted[0]).isdisjoint(comprehended(clause)):
        return None  # parts that are built alike: to know each of them costs more than it shows
    began, passed, outer = len(m.log.story), list[bool | None](), m.frame.loop

    def run() -> bool:
        waiting = m.push(*listed)
        m.frame.loop = LoopPaths(clause, conditions=m.conditions, around=outer)
        with by_rounds(m, max(1, len(listed))):
            passed.extend(_round(m, clause, index, waiting, wanted) for index in range(len(listed)))
        m.frame.loop = outer
        if known := m.state.live and None not in passed:
            del m.state.stack[waiting : waiting + len(listed)]
            consume(m, clause.iter, m.state.stack[start], "comprehension")
        return known

    if not attempted(m, run):
        return None
    if not m.log.muted:
        m.emit(events.LoopFinished, clause, story=tuple(m.log.story[began:]), periodic=periodic(m.scan))
    return sum(map(bool, passed))


def _round(m: Interpreter, clause: cst.CompFor, index: int, waiting: int, wanted: Sequence[Any]) -> bool | None:
    """One element: whether it passes the conditions; None where that cannot be decided."""
    m.loops.later, m.allocations.round = (
        YES if index else m.loops.later,
        m.allocations.site((clause, index)),
    )
    assign(m, clause.target, clause.target, m.state.stack[waiting + index])
    for condition in clause.ifs:
        decided = truthiness(m, m.value(condition.test))
        if decided is not YES:
            return False if decided is NO else None
    m.push(*m.values(wanted))
    return True


def _of_rounds(given: Sequence[Value], width: int, source: Value) -> Comprehended:
    """Return the results of a comprehension that was run element by element."""
    rounds = tuple(tuple(given[at : at + width]) for at in range(0, len(given), width))
    elements = [one_of(given[at::width] or (NOTHING,), MOST_ITEMS) for at in range(width)]
    return Comprehended(elements, (), NO if rounds else YES, source, rounds)


def _end(m: Interpreter, variable: Name, before: Value | None, kept: str | None) -> None:
    """A variable of a comprehension is no more, but for functions made there, for which it is kept as it is in the end;
    the name stands for what it stood for before."""
    names, last = m.state.names, m.state.names.pop(variable, None)
    if kept is not None and last is not None:
        names[variable[0], kept] = one_of((names.get((variable[0], kept), last), last))
    if before is not None:
        names[variable] = before
    if m.effects.looked is not None:
        m.effects.looked.pop(variable, None)


def _named(expression: Any) -> set[str]:
    """The variables that an expression names as what it gives, or as a part of the pair that it gives."""
    parts = [element.value for element in expression.elements] if type(expression) is cst.Tuple else [expression]
    return {part.value for part in parts if type(part) is cst.Name}


def _bound(m: Interpreter, clause: cst.CompFor) -> set[Ref]:
    """Return the values that the variables of a clause may have now."""
    held = [m.state.names.get((m.frame.id, name), NOTHING) for name in comprehended(clause)]
    inside = {ref for value in held for _, pair in m.all(value, Container) for ref in object_references(pair)}
    return inside | {ref for value in held for ref in references(value)}


def _clause(
    m: Interpreter,
    clause: cst.CompFor,
    start: int,
    inner: Callable[[], None],
    left_out: set[Ref],
    *,
    waits: bool = False,
) -> None:
    """Run over what is in flight there, and use it up, unless the expression `waits` for a `next`. What may be left out
    is noted."""

    def step(_: Truth) -> None:
        element = following(m, clause, m.state.stack[start])
        if element == NOTHING:
            m.end_path()
            return
        note_taken_apart(m, m.state.stack[start], clause.target)
        assign(m, clause.target, clause.target, element)
        for condition in clause.ifs:
            decided = truthiness(m, m.value(condition.test))
            if decided is not YES and m.frame.loop is not None:
                aside = m.fork()
                narrow(m, condition.test, False)
                if m.state.live:
                    left_out.update(_bound(m, clause))
                    m.frame.loop.continues.append(m.state)
                m.state = aside
            if decided is NO:
                left_out.update(_bound(m, clause))
                m.end_path()
                return
            narrow(m, condition.test, True)
        if not m.state.live:
            return
        if clause.inner_for_in is not None:
            further = clause.inner_for_in
            _clause(m, further, m.push(iterated(m, further, m.value(further.iter))), inner, left_out)
        else:
            inner()

    def after() -> None:
        if not waits:
            consume(m, clause.iter, m.state.stack[start], "comprehension")

    run_loop(m, clause, Loop(step, after=after, least=0))
