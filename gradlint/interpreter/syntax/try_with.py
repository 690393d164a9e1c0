"""`try` and `with`: whatever leaves them passes through what they do at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import MAYBE, NO, UNSURE, YES, Truth
from gradlint.domain.state import Modes, State
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import (
    NONE_VALUE,
    UNKNOWN,
    Constant,
    Context,
    Function,
    ImportPath,
    PlainObject,
    Unknown,
    Value,
)
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import executes
from gradlint.interpreter.engine.frames import Tried
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.places import peek
from gradlint.interpreter.engine.unseen import may_switch_grad_mode
from gradlint.interpreter.python.functions import call_function, let_out, passing, restoring
from gradlint.interpreter.python.generator_context_managers import is_manager, run_around
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.static.handlers import (
    called_by,
    calls_in,
    catches_all,
    goes_on_the_same_way,
    is_a_probe,
    lets_refusals_pass,
    steps,
)
from gradlint.interpreter.static.scopes import dotted
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.syntax.assignment import assign
from gradlint.interpreter.syntax.narrowing import truthiness
from gradlint.interpreter.torch_api.contexts import EXIT_STACK, bound, saving
from gradlint.knowledge.python.duck_typing_names import TRAINS, words

SEVERAL_HANDLERS: tuple[type, ...] = (cst.TryStar,) if hasattr(cst, "TryStar") else ()
"""The statements that run each handler for its part of what was raised, even if one of them raises."""


@executes(cst.Try, *SEVERAL_HANDLERS)
def try_(m: Interpreter, node: cst.Try) -> None:
    before = [len(waiting) for waiting in m.frame.pending()]
    tries = m.frame.tries
    tries.append(Tried(waiting=m.fork()))
    probing, refused = is_a_probe(node), m.state.refused
    swallows = probing and goes_on_the_same_way(node) and _trains(m, node)
    m.calls.expected += probing and not swallows
    m.calls.swallowed += swallows
    m.run_body(node.body.body)
    m.calls.expected -= probing and not swallows
    m.calls.swallowed -= swallows
    raised = caught = tries.pop().raised
    if m.state.refused and not refused and lets_refusals_pass(node):
        caught = None
    passes = caught is None or not catches_all(node)
    tries.append(Tried(raised.copy() if raised is not None and passes else None))
    if node.orelse is not None:
        m.run_body(node.orelse.body.body)
    after: list[State] = [m.state]
    for handler in node.handlers:
        m.state = caught.copy() if caught is not None else State(live=False)
        if caught is not None and isinstance(node, SEVERAL_HANDLERS):
            m.join([m.state, *after[1:], *(one.copy() for one in [tries[-1].raised] if one is not None)])
        if handler.type is not None:
            m.value(handler.type)
        if handler.name is not None and isinstance(handler.name.name, cst.Name):
            variables.bind(m, handler.name.name.value, PlainObject("exception"))
        m.run_body(handler.body.body)
        after.append(m.state)
    uncaught = tries.pop().raised
    m.join(after)
    if node.finalbody is not None:
        uncaught = _finally(m, node.finalbody.body.body, before, uncaught)
    let_out(m, uncaught)


def _trains(m: Interpreter, node: cst.Try | cst.With) -> bool:
    """Return whether a `try` or `with` is a part of training: the loop or function around takes steps, or what it calls
    does."""
    function, loop = m.frame.function, m.frame.loop
    around = loop.node if loop is not None else None if function is None else function.node
    if isinstance(around, cst.CSTNode) and steps(around):
        return True
    todo, seen = [called_by(node)], set[Any]()
    while todo:
        called = todo.pop()
        if not words(dotted(called).rpartition(".")[2]).isdisjoint(TRAINS):
            return True
        found = peek(m, called) if called is not None else None
        functions = [one.node for one in alternatives(found) if type(one) is Function] if found is not None else []
        for one in functions:
            if steps(one):
                return True
            if one not in seen and len(seen) < MOST_FUNCTIONS:
                seen.add(one)
                todo += calls_in(one)
    return False


MOST_FUNCTIONS = 20
"""The most functions that are looked at for steps, of those that the statement of a `try` leads to."""


def _unexplained(state: State) -> State:
    """A state in which an error is raised of which nobody sees why."""
    state.unexplained_edge = True
    return state


def _finally(m: Interpreter, body: Any, before: list[int], uncaught: State | None) -> State | None:
    """Run the final block on every way out; the first that there is runs aloud, together with the way of what is
    raised: what is emitted of the block holds of both. What still is uncaught comes back."""
    aloud = m.state.live
    if aloud and uncaught is not None:
        normal, thrown = m.fork(), uncaught.copy()
        thrown.refused = False
        m.join([m.state, thrown])
        m.run_body(body)
        m.state = normal
        with m.log.silently():
            m.run_body(body)
    elif aloud:
        m.run_body(body)
    elif any(len(waiting) > length for waiting, length in zip(m.frame.pending(), before, strict=False)):
        aloud = True
        passing(m, before, lambda: m.run_body(body))
        before = [len(waiting) for waiting in m.frame.pending()]
    with m.log.silently(aloud):
        passing(m, before, lambda: m.run_body(body))
        if uncaught is not None:
            normal, m.state = m.state, uncaught
            m.run_body(body)
            uncaught, m.state = m.state, normal
    return uncaught


executes(cst.With)(lambda m, node: _within(m, node, 0))


def _within(m: Interpreter, node: cst.With, index: int, expected: int = 0, swallowed: int = 0) -> None:
    """Enter the managers from this one on, run the block, and leave them; some may expect an error in the block, or
    swallow one of a step of training."""
    if index == len(node.items):
        m.calls.expected += expected
        m.calls.swallowed += swallowed
        m.run_body(node.body.body)
        m.calls.expected -= expected
        m.calls.swallowed -= swallowed
        return
    item = node.items[index]
    mode = m.state.modes  # making the manager may already switch
    m.blocks.entering = item.item
    manager = m.value(item.item)
    m.emit(events.ContextEntered, item.item, manager=m.thing(manager))

    def block(entered: Value) -> None:
        if item.asname is not None:
            assign(m, item, item.asname.name, entered)
        swallows = manager == PlainObject(SUPPRESS) and _trains(m, node)
        expects = not swallows and not _lets_pass(manager, item.item)
        _within(m, node, index + 1, expected + expects, swallowed + swallows)

    if is_manager(m, manager):
        run_around(m, item.item, manager, block)
    else:
        _managed(m, node, item.item, manager, mode, block)


def _managed(
    m: Interpreter, node: cst.With, place: Any, manager: Value, mode: Modes, block: Callable[[Value], None]
) -> None:
    """A block under a manager, no generator: afterwards the grad mode is `mode`, if the manager restores it."""
    before = [len(waiting) for waiting in m.frame.pending()]
    start = m.push(manager)
    entered = enter(m, place, manager)
    keeps_in = not _lets_pass(manager, place) or method_of(m, manager, "__exit__", "__aexit__") is not None
    refused = m.state.refused
    if keeps_in:
        m.frame.tries.append(Tried(_unexplained(m.fork())))
    m.blocks.device_entered |= any(
        type(option) is PlainObject and option.kind == "device" for option in alternatives(manager)
    )
    switches = any(type(option) is Context for option in alternatives(manager))
    around, switched, crossed = m.frame.switches, m.blocks.switched, m.blocks.crossed
    if switches:
        m.frame.switches = (*around, manager if type(manager) is Context else None)
    with restoring(m, mode), saving(m, manager):
        block(entered)
    raised = m.frame.tries.pop().raised if keeps_in else None
    m.frame.switches = around
    manager = m.state.stack[start] if len(m.state.stack) > start else manager

    restores = _restores(m, manager)
    if manager == EXIT_STACK and m.blocks.switched > switched:
        restores = MAYBE  # what it has not entered it does not leave

    def leave() -> None:
        _exited(m, place, manager)
        if m.blocks.crossed > crossed and restores is not NO:  # each brings the modes back that it found
            m.state.modes = (UNSURE, UNSURE, None, None)
        elif restores is YES:
            m.state.modes = mode
        elif restores is not NO:
            m.state.grad_mode, m.state.inference = m.state.grad_mode | mode[0], m.state.inference | mode[1]

    if restores is YES and m.state.modes[:2] != mode[:2] and m.state.live:
        m.emit(events.GradModeChanged, node, before=m.state.grad_mode, to=mode[0], how="with")
    told = m.state.live and raised is not None and _told_of_both(m, place, raised, start)
    if m.state.live:
        with m.log.silently(told):
            leave()
    with m.log.silently():
        passing(m, before, leave)
    if raised is not None:
        raised.refused = refused
        _kept_in(m, place, manager, raised)
    m.pop_from(start)


def _told_of_both(m: Interpreter, place: Any, raised: State, start: int) -> bool:
    """Run an `__exit__` written in the program once for both ways out, the block's end and an error in it: what is told
    of its lines holds of both. Whether there is one; the state stays as it is."""
    if method_of(m, m.state.stack[start], "__exit__", "__aexit__") is None:
        return False
    normal, thrown = m.fork(), raised.copy()
    thrown.refused = False
    m.join([m.state, thrown])
    _exited(m, place, m.state.stack[start], UNKNOWN)
    m.state = normal
    return True


def _kept_in(m: Interpreter, place: Any, manager: Value, raised: State) -> None:
    """Leave a block by an exception: what the manager keeps in goes on behind it, the rest goes on its way."""
    ended, m.state = m.state, raised
    with m.log.silently():
        verdict = truthiness(m, _exited(m, m.part_of(place, "raised"), manager, UNKNOWN))
    kept = m.state
    let_out(m, kept.copy() if verdict is not YES else None)
    m.state = ended
    if verdict is not NO:
        m.state.refused = kept.refused
        m.join([m.state, kept])


def _restores(m: Interpreter, manager: Value) -> Truth:
    """Return whether leaving a manager restores the grad mode: torch's own do, what is unknown may."""
    if type(manager) is Context or manager == EXIT_STACK:
        return YES
    known = all(type(option) is not Unknown and not may_switch(m, option) for option in alternatives(manager))
    return NO if known and not any(type(option) is Context for option in alternatives(manager)) else MAYBE


def _exited(m: Interpreter, place: Any, manager: Value, error: Value = NONE_VALUE) -> Value:
    """Return the result of an `__exit__` written in the program when it is passed an error, or none."""
    method = method_of(m, manager, "__exit__", "__aexit__")
    if method is None:
        return UNKNOWN
    return call_function(m, m.part_of(place, "exit"), method, Arguments([manager, *[error] * 3]))


SUPPRESS = "suppress"
"""The kind of the managers of `contextlib.suppress`."""
EXPECTING = frozenset({"assertRaises", "assertRaisesRegex"})
"""Methods of `unittest.TestCase` for a block that is to raise; projects derive test cases from classes of their own."""


def _lets_pass(manager: Value, place: Any) -> bool:
    """Return whether an exception surely leaves the block (`contextlib.suppress`, `pytest.raises` keep it in)."""
    func = getattr(place, "func", None)
    expects = type(func) is cst.Attribute and func.attr.value in EXPECTING
    return not expects and not (type(manager) is PlainObject and manager.kind in KEEPING_IN)


KEEPING_IN = frozenset({SUPPRESS, "raises"})
"""The managers that keep an error in; those of tests wait for one."""


def enter(m: Interpreter, node: Site, manager: Value) -> Value:
    """Return the value that `as` binds; grad modes are switched on the way."""
    if type(manager) is Context:
        m.emit(events.GradModeChanged, node, before=m.state.grad_mode, to=manager.to, how="with")
        m.state.enter(manager, node)
        return Constant(None)
    if (given := bound(m, manager)) is not None:
        return given
    method = method_of(m, manager, "__enter__", "__aenter__")
    if method is not None:
        return call_function(m, node, method, Arguments([manager]))
    if any(type(option) is Context for option in alternatives(manager)):
        m.state.grad_mode = m.state.grad_mode | MAYBE
    elif may_switch(m, manager) or (type(manager) in (Unknown, ImportPath) and may_switch_grad_mode(node)):
        m.state.grad_mode = m.state.grad_mode | UNSURE
    return manager


def may_switch(m: Interpreter, manager: Value) -> bool:
    """Return whether entering something unknown may change the grad mode: what it is called is all we have."""
    return type(manager) is ImportPath and manager.path in m.torch.contexts
