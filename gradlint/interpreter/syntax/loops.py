"""Loops.

The first iteration emits its events; later ones run until another one changes nothing, and only that one is told,
marked `later`: its state holds for every later iteration. Only the two innermost levels are taken apart like this;
loops further out emit only the iteration that holds for all.
"""

from __future__ import annotations

import libcst as cst

from gradlint.domain.facts import NO, UNSURE, YES, Truth, negation
from gradlint.domain.objects import Container, Module, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import ASTRAY, OPAQUE
from gradlint.domain.state import State
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import NOTHING, UNKNOWN, Constant, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.batches import note_taken_apart
from gradlint.interpreter.autograd.tensor import own_count
from gradlint.interpreter.engine import per_element
from gradlint.interpreter.engine.dispatch import executes
from gradlint.interpreter.engine.iteration import begin, consume, element_list, following, iterated
from gradlint.interpreter.engine.loops import MOST_ROUNDS, Loop, leave, open_end, run_loop
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.rounds import Rounds, ran, to_run
from gradlint.interpreter.python import containers
from gradlint.interpreter.syntax.assignment import assign
from gradlint.interpreter.syntax.narrowing import narrow, truthiness


@executes(cst.For)
def for_(m: Interpreter, node: cst.For) -> None:
    start = m.push(iterated(m, node, m.value(node.iter)), NOTHING)  # and what is known of those gone over
    leaves, walk = m.scan.loops[node].leaves, per_element.iteration_of(m, node)
    modes, waited, computed = m.state.modes, [False], _only_computed(m, m.state.stack[start])

    def step(first: Truth) -> None:
        iterable = m.state.stack[start]
        go_on(m.state)
        ended = first is NO and containers.certainly_at_most_one(m, iterable)
        like = computed if first is NO else None
        element = NOTHING if ended else _another(m, node, like) if like else following(m, node, iterable)
        if element == NOTHING:
            m.end_path()
            return
        waited[0] = containers.enter_waiting(m, iterable)
        run(element)

    def run(element: Value) -> None:
        m.loops.active[-1].over_parts = _are_parts(m, element)
        note_taken_apart(m, m.state.stack[start], node.target)
        if leaves:
            assign(m, node.target, node.target, element)
            begin(m, m.state.stack[start])
            m.run_body(node.body.body)
            return
        element = per_element.one_of_several(m, walk, element)
        assign(m, node.target, node.target, element)
        partial = containers.is_partial(m, m.state.stack[start])
        with per_element.at_each(m, walk, element, start + 1, partial=partial):
            m.run_body(node.body.body)

    def go_on(state: State) -> None:
        if waited[0]:
            state.modes = modes  # the generator goes on, and perhaps to its end

    def left(state: State) -> None:
        go_on(state)
        per_element.mark_all_visited(state, start + 1, containers.certain(m, state.stack[start]))

    def after() -> None:
        consume(m, node.iter, m.state.stack[start], "for")

    def visited(element: Value) -> None:
        there = containers.certain_elements(m, Container("tuple", items=((0, element),)))
        per_element.mark_all_visited(m.state, start + 1, there)
        m.state.stack[start + 1] = NOTHING

    listed = to_run(m, node, m.state.stack[start])
    if listed and ran(m, Rounds(node, start, len(listed), run, visited, after), listed):
        m.pop_from(start)
        return

    def ends(rounds: int) -> Truth:
        length = containers.length(m, m.state.stack[start])
        return UNSURE if length is None or length > MOST_ROUNDS else YES if rounds >= length else NO

    once = containers.certainly_at_most_one(m, m.state.stack[start])
    least = containers.rounds_at_least(m, m.state.stack[start])
    run_loop(m, node, Loop(step, node.orelse, after, once, least, left, ends))
    m.pop_from(start)


def _only_computed(m: Interpreter, value: Value) -> Tensor | None:
    """The only element that a caller passed in for a loop, if it was computed from tensors."""
    known = element_list(m, value) if m.only(value, Container) is not None else None
    if known is None or len(known) != 1 or containers.certainly_at_most_one(m, value):
        return None
    tensor = m.only(known[0], Tensor)
    return tensor if tensor is not None and tensor.node and tensor.leaf is NO else None


def _another(m: Interpreter, node: cst.For, like: Tensor) -> Value:
    """An element like the only one that this caller has passed in: another caller passes more, each with its own
    graph."""
    memory = m.memory(node, "another element")
    made = replace(
        like, node=(OPAQUE, ASTRAY), storage=(memory,), base=(), count=own_count(memory), grad_of=(), hooks=(),
        gradient=UNKNOWN, belief=max(like.belief, Belief.FROM_USAGE),
    )  # fmt: skip
    return m.new(node, "another element", made)


def _are_parts(m: Interpreter, element: Value) -> bool:
    """Return whether a loop goes over modules or parameters, alone or in pairs, or over names that are written down."""
    pairs = [held for _, pair in m.all(element, Container) if pair.kind == "tuple" for _, held in pair.items]
    return any(_is_part(m, value) for value in (element, *pairs))


def _is_part(m: Interpreter, value: Value) -> bool:
    things = [m.thing(option) for option in alternatives(value)]
    return all(
        type(thing) is Module
        or (type(thing) is Tensor and thing.parameter is YES)
        or (type(thing) is Constant and isinstance(thing.value, str))
        for thing in things
    )


@executes(cst.While)
def while_(m: Interpreter, node: cst.While) -> None:
    def step(_: Truth) -> None:
        decided = truthiness(m, m.value(node.test))
        if decided is not YES:
            aside = m.fork()
            narrow(m, node.test, False)
            leave(m)
            m.state = aside
        if decided is NO:
            m.end_path()
            return
        narrow(m, node.test, True)
        m.run_body(node.body.body)

    def ends(_: int) -> Truth:
        aside = m.fork()
        with m.log.silently():
            decided = truthiness(m, m.value(node.test))
        m.state = aside
        return negation(decided)

    run_loop(m, node, Loop(step, node.orelse, ends=ends if type(node.test) is cst.Comparison else open_end))
