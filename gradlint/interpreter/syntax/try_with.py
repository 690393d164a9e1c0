"""`try` and `with`: whatever leaves them passes through what they do at the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain import (
    MAYBE,
    NO,
    NONE_VALUE,
    UNKNOWN,
    UNSURE,
    YES,
    Const,
    Context,
    Modes,
    Named,
    Plain,
    State,
    Truth,
    Unknown,
    Value,
    alternatives,
)
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.dispatch import executes
from gradlint.interpreter.engine.machine import Interpreter, Tried
from gradlint.interpreter.python.functions import call_function, let_out, passing, restoring
from gradlint.interpreter.python.generator_context_managers import is_manager, run_around
from gradlint.interpreter.python.mro import method_of
from gradlint.interpreter.static.handlers import catches_all, is_a_probe, lets_refusals_pass
from gradlint.interpreter.syntax.assignment import assign
from gradlint.interpreter.syntax.narrowing import truthiness
from gradlint.interpreter.torch_api.contexts import EXIT_STACK, bound, saving


@executes(cst.Try, *([cst.TryStar] if hasattr(cst, "TryStar") else []))
def try_(it: Interpreter, node: Any) -> None:
    before = [len(waiting) for waiting in it.frame.pending()]
    tries = it.frame.tries
    tries.append(Tried(waiting=it.fork()))
    probing, refused = is_a_probe(node), it.state.refused
    it.expected += probing
    it.run_body(node.body.body)
    it.expected -= probing
    raised = caught = tries.pop().raised
    if it.state.refused and not refused and lets_refusals_pass(node):
        caught = None
    passes = caught is None or not catches_all(node)
    tries.append(Tried(raised.copy() if raised is not None and passes else None))
    if node.orelse is not None:
        it.run_body(node.orelse.body.body)
    after: list[State] = [it.state]
    for handler in node.handlers:
        it.state = caught.copy() if caught is not None else State(live=False)
        if handler.type is not None:
            it.value(handler.type)
        if handler.name is not None:
            it.bind(handler.name.name.value, Plain("exception"))
        it.run_body(handler.body.body)
        after.append(it.state)
    uncaught = tries.pop().raised
    it.join(after)
    if node.finalbody is not None:
        uncaught = _finally(it, node.finalbody.body.body, before, uncaught)
    let_out(it, uncaught)


def _unexplained(state: State) -> State:
    """A state in which an error is raised of which nobody sees why."""
    state.unexplained = True
    return state


def _finally(it: Interpreter, body: Any, before: list[int], uncaught: State | None) -> State | None:
    """Run the final block on every way out; the first that there is runs aloud, together with the way of what is
    raised: what is told of the block holds of both. What still is uncaught comes back."""
    aloud = it.state.live
    if aloud and uncaught is not None:
        normal, thrown = it.fork(), uncaught.copy()
        thrown.refused = False
        it.join([it.state, thrown])
        it.run_body(body)
        it.state = normal
        with it.silently():
            it.run_body(body)
    elif aloud:
        it.run_body(body)
    elif any(len(waiting) > length for waiting, length in zip(it.frame.pending(), before, strict=False)):
        aloud = True
        passing(it, before, lambda: it.run_body(body))
        before = [len(waiting) for waiting in it.frame.pending()]
    with it.silently(aloud):
        passing(it, before, lambda: it.run_body(body))
        if uncaught is not None:
            normal, it.state = it.state, uncaught
            it.run_body(body)
            uncaught, it.state = it.state, normal
    return uncaught


@executes(cst.With)
def with_(it: Interpreter, node: cst.With) -> None:
    _within(it, node, 0)


def _within(it: Interpreter, node: cst.With, index: int, expected: int = 0) -> None:
    """Enter the managers from this one on, run the block, and leave them; some may expect an error in the block."""
    if index == len(node.items):
        it.expected += expected
        it.run_body(node.body.body)
        it.expected -= expected
        return
    item = node.items[index]
    mode = it.state.modes  # making the manager may already switch
    it.entering = item.item
    manager = it.value(item.item)
    it.emit(events.ContextEntered, item.item, manager=it.thing(manager))

    def block(entered: Value) -> None:
        if item.asname is not None:
            assign(it, item, item.asname.name, entered)
        _within(it, node, index + 1, expected + (not _lets_pass(manager, item.item)))

    if is_manager(it, manager):
        run_around(it, item.item, manager, block)
    else:
        _managed(it, node, item.item, manager, mode, block)


def _managed(
    it: Interpreter,
    node: cst.With,
    place: Any,
    manager: Value,
    mode: Modes,
    block: Callable[[Value], None],
) -> None:
    """A block under a manager that is no generator: afterwards the grad mode is `mode`, if it is the manager's to
    restore."""
    before = [len(waiting) for waiting in it.frame.pending()]
    start = it.hold(manager)
    entered = enter(it, place, manager)
    keeps_in, refused = _may_keep_in(it, manager, place), it.state.refused
    if keeps_in:
        it.frame.tries.append(Tried(_unexplained(it.fork())))
    it.device_entered |= any(type(option) is Plain and option.kind == "device" for option in alternatives(manager))
    switches = any(type(option) is Context for option in alternatives(manager))
    around, switched, crossed = it.frame.switches, it.switched, it.crossed
    if switches:
        it.frame.switches = (*around, manager if type(manager) is Context else None)
    with restoring(it, mode), saving(it, manager):
        block(entered)
    raised = it.frame.tries.pop().raised if keeps_in else None
    it.frame.switches = around
    manager = it.state.flight[start] if len(it.state.flight) > start else manager

    restores = _restores(it, manager)
    if manager == EXIT_STACK and it.switched > switched:
        restores = MAYBE  # what it has not entered it does not leave

    def leave() -> None:
        _exited(it, place, manager)
        if it.crossed > crossed and restores is not NO:  # each brings the modes back that it found
            it.state.modes = (UNSURE, UNSURE, None, None)
        elif restores is YES:
            it.state.modes = mode
        elif restores is not NO:
            it.state.grad_mode, it.state.inference = it.state.grad_mode | mode[0], it.state.inference | mode[1]

    if restores is YES and it.state.modes[:2] != mode[:2] and it.state.live:
        it.emit(events.GradModeChanged, node, before=it.state.grad_mode, to=mode[0], how="with")
    told = it.state.live and raised is not None and _told_of_both(it, place, raised, start)
    if it.state.live:
        with it.silently(told):
            leave()
    with it.silently():
        passing(it, before, leave)
    if raised is not None:
        raised.refused = refused
        _kept_in(it, place, manager, raised)
    it.land(start)


def _told_of_both(it: Interpreter, place: Any, raised: State, start: int) -> bool:
    """Run an `__exit__` written in the program once for both ways out, the block's end and an error in it: what is told
    of its lines holds of both. Whether there is one; the state stays as it is."""
    if method_of(it, it.state.flight[start], "__exit__", "__aexit__") is None:
        return False
    normal, thrown = it.fork(), raised.copy()
    thrown.refused = False
    it.join([it.state, thrown])
    _exited(it, place, it.state.flight[start], UNKNOWN)
    it.state = normal
    return True


def _may_keep_in(it: Interpreter, manager: Value, place: Any) -> bool:
    """Whether a manager may go on behind the block when something is raised in it."""
    return not _lets_pass(manager, place) or method_of(it, manager, "__exit__", "__aexit__") is not None


def _kept_in(it: Interpreter, place: Any, manager: Value, raised: State) -> None:
    """Something was raised in the block: what the manager keeps in goes on behind it, the rest goes on its way."""
    ended, it.state = it.state, raised
    with it.silently():
        verdict = truthiness(it, _exited(it, it.place_of(place, "raised"), manager, UNKNOWN))
    kept = it.state
    let_out(it, kept.copy() if verdict is not YES else None)
    it.state = ended
    if verdict is not NO:
        it.state.refused = kept.refused
        it.join([it.state, kept])


def _restores(it: Interpreter, manager: Value) -> Truth:
    """Whether leaving a manager brings the grad mode back that there was: torch's own do, what is unknown may."""
    if type(manager) is Context or manager == EXIT_STACK:
        return YES
    known = all(type(option) is not Unknown and not may_switch(it, option) for option in alternatives(manager))
    return NO if known and not any(type(option) is Context for option in alternatives(manager)) else MAYBE


def _exited(it: Interpreter, place: Any, manager: Value, error: Value = NONE_VALUE) -> Value:
    """What an `__exit__` written in the program says when it is told of an error, or that there was none."""
    method = method_of(it, manager, "__exit__", "__aexit__")
    if method is None:
        return UNKNOWN
    return call_function(it, it.place_of(place, "exit"), method, Arguments([manager, *[error] * 3]))


EXPECTING = frozenset({"assertRaises", "assertRaisesRegex"})
"""Methods of `unittest.TestCase` for a block that is to raise; projects derive test cases from classes of their own."""


def _lets_pass(manager: Value, place: Any) -> bool:
    """Whether an exception inside surely leaves the block (`contextlib.suppress`, `pytest.raises` keep it in)."""
    func = getattr(place, "func", None)
    expects = type(func) is cst.Attribute and func.attr.value in EXPECTING
    return not expects and not (type(manager) is Plain and manager.kind == "suppress")


def enter(it: Interpreter, node: Any, manager: Value) -> Value:
    """What `as` binds; grad modes are switched on the way."""
    if type(manager) is Context:
        it.emit(events.GradModeChanged, node, before=it.state.grad_mode, to=manager.to, how="with")
        it.state.enter(manager, node)
        return Const(None)
    if (given := bound(it, manager)) is not None:
        return given
    method = method_of(it, manager, "__enter__", "__aenter__")
    if method is not None:
        return call_function(it, node, method, Arguments([manager]))
    if any(type(option) is Context for option in alternatives(manager)):
        it.state.grad_mode = it.state.grad_mode | MAYBE
    elif may_switch(it, manager):
        it.state.grad_mode = it.state.grad_mode | Truth.unsure()
    return manager


def may_switch(it: Interpreter, manager: Value) -> bool:
    """Whether entering something unknown may change the grad mode: what it is called is all we have."""
    if type(manager) is Named:
        return manager.path in it.torch.contexts
    return False
