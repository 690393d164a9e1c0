"""Loops.

The first iteration is told as it runs; later ones run until another one changes nothing, and only that one is told,
marked `later`: its state holds for every later iteration. Only the two innermost levels are taken apart like this;
loops further out tell only the iteration that holds for all.
"""

from __future__ import annotations

import libcst as cst

from gradlint.domain import (
    NO,
    NOTHING,
    UNSURE,
    YES,
    Const,
    Container,
    Module,
    State,
    Tensor,
    Truth,
    Value,
    alternatives,
    negation,
)
from gradlint.interpreter.engine import per_element
from gradlint.interpreter.engine.dispatch import executes
from gradlint.interpreter.engine.iteration import begin, consume, following, iterated
from gradlint.interpreter.engine.loops import MOST_ROUNDS, leave, open_end, run_loop
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python import containers
from gradlint.interpreter.syntax.assignment import assign
from gradlint.interpreter.syntax.narrowing import narrow, truthiness


@executes(cst.For)
def for_(it: Interpreter, node: cst.For) -> None:
    start = it.hold(iterated(it, node, it.value(node.iter)), NOTHING)  # and what is known of those gone over
    leaves, walk = it.scan.loops[node].leaves, per_element.walk_of(it, node)
    modes, waited = it.state.modes, [False]

    def step(first: Truth) -> None:
        iterable = it.state.flight[start]
        go_on(it.state)
        ended = first is NO and containers.certainly_at_most_one(it, iterable)
        element = NOTHING if ended else following(it, node, iterable)
        if element == NOTHING:
            it.end_path()
            return
        waited[0] = containers.enter_waiting(it, iterable)
        it.loops[-1].over_parts = _are_parts(it, element)
        if leaves:
            assign(it, node.target, node.target, element)
            begin(it, it.state.flight[start])
            it.run_body(node.body.body)
            return
        element = per_element.one_of_several(it, walk, element)
        assign(it, node.target, node.target, element)
        with per_element.at_each(it, walk, element, start + 1):
            it.run_body(node.body.body)

    def go_on(state: State) -> None:
        if waited[0]:
            state.modes = modes  # the generator goes on, and perhaps to its end

    def left(state: State) -> None:
        go_on(state)
        per_element.went_over_all(state, start + 1, containers.certain(it, state.flight[start]))

    def after() -> None:
        consume(it, node.iter, it.state.flight[start], "for")

    def ends(rounds: int) -> Truth:
        length = containers.length(it, it.state.flight[start])
        return UNSURE if length is None or length > MOST_ROUNDS else YES if rounds >= length else NO

    once = containers.certainly_at_most_one(it, it.state.flight[start])
    least = containers.rounds_at_least(it, it.state.flight[start])
    run_loop(it, node, step, node.orelse, after, once=once, least=least, left=left, ends=ends)
    it.land(start)


def _are_parts(it: Interpreter, element: Value) -> bool:
    """Whether a loop goes over modules or parameters, alone or in pairs, or over names that are written down."""
    pairs = [held for _, pair in it.all(element, Container) if pair.kind == "tuple" for _, held in pair.items]
    return any(_is_part(it, value) for value in (element, *pairs))


def _is_part(it: Interpreter, value: Value) -> bool:
    things = [it.thing(option) for option in alternatives(value)]
    return all(
        type(thing) is Module
        or (type(thing) is Tensor and thing.parameter is YES)
        or (type(thing) is Const and isinstance(thing.value, str))
        for thing in things
    )


@executes(cst.While)
def while_(it: Interpreter, node: cst.While) -> None:
    def step(_: Truth) -> None:
        decided = truthiness(it, it.value(node.test))
        if decided is not YES:
            aside = it.fork()
            narrow(it, node.test, False)
            leave(it)
            it.state = aside
        if decided is NO:
            it.end_path()
            return
        narrow(it, node.test, True)
        it.run_body(node.body.body)

    def ends(_: int) -> Truth:
        aside = it.fork()
        with it.silently():
            decided = truthiness(it, it.value(node.test))
        it.state = aside
        return negation(decided)

    run_loop(it, node, step, node.orelse, ends=ends if type(node.test) is cst.Comparison else open_end)
