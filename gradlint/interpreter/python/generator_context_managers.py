"""Context managers written as generators: their body runs around the block, which stands where they yield."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint.domain.facts import MAYBE, NO
from gradlint.domain.objects import Instance
from gradlint.domain.refs import Ref
from gradlint.domain.values import Constant, Function, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.escape import havoc
from gradlint.interpreter.engine.frames import Frame
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.functions import enter, passing, run_function, too_deep
from gradlint.interpreter.static.sites import Site

Block = Callable[[Value], None]


def is_manager(m: Interpreter, value: Value) -> bool:
    """Return whether a value is what a function under `@contextmanager` gave."""
    thing = m.only(value, Instance)
    return thing is not None and type(thing.cls) is Function


def run_around(m: Interpreter, node: Site, manager: Value, block: Block) -> None:
    """Run the body of the manager and in it the block; what leaves that early passes through the rest of the body."""
    thing = m.only(manager, Instance)
    assert thing is not None and type(thing.cls) is Function
    function = thing.cls
    positional = [value for key, value in thing.attributes if isinstance(key, int)]
    keywords = {str(key): value for key, value in thing.attributes if not isinstance(key, int)}
    args = Arguments(positional, keywords, thing.open is not NO)
    if too_deep(m, function, args):
        havoc(m, args.values())
        m.state.grad_mode = m.state.grad_mode | MAYBE
        block(Constant(None))
        return
    entry = m.fork()
    before = [len(waiting) for waiting in m.frame.pending()]
    met: list[None] = []

    def here(value: Value) -> None:
        met.append(None)
        block(value)

    _run(m, node, function, args, here)
    if not met:
        block(Constant(None))
    with m.log.silently():
        passing(m, before, lambda: _leave(m, node, function, args, entry))


def _leave(m: Interpreter, node: Site, function: Function, args: Arguments, entry: Any) -> None:
    """Run the rest of the body on a state that left the block: up to the yield the body runs on the state before."""
    left, m.state = m.state, entry.copy()

    def go_on(value: Value) -> None:
        m.state = left.copy()

    _run(m, node, function, args, go_on)


def _run(m: Interpreter, node: Site, function: Function, args: Arguments, block: Block) -> None:
    outer = (m.frame, m.loops.sweeping, m.log.run)
    frame = enter(m, node, function, args)

    def around(value: Value) -> None:
        inner = (m.frame, m.loops.sweeping, m.log.run)
        _go_on_in(m, *outer)
        block(value)
        _go_on_in(m, *inner)

    frame.around = around
    run_function(m, node, frame, function, caller=node)


def _go_on_in(m: Interpreter, frame: Frame, sweeping: list[Ref], run: int) -> None:
    m.switch(frame)
    m.loops.sweeping, m.log.run = sweeping, run
