"""Context managers written as generators: their body runs around the block, which stands where they yield."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint.domain import MAYBE, NO, Const, Function, Instance, Ref, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.escape import havoc
from gradlint.interpreter.engine.machine import Frame, Interpreter
from gradlint.interpreter.python.functions import enter, passing, run_function, too_deep

Block = Callable[[Value], None]


def is_manager(it: Interpreter, value: Value) -> bool:
    """Whether a value is what a function under `@contextmanager` gave."""
    thing = it.only(value, Instance)
    return thing is not None and type(thing.cls) is Function


def run_around(it: Interpreter, node: Any, manager: Value, block: Block) -> None:
    """Run the body of the manager and in it the block; what leaves that early passes through the rest of the body."""
    thing = it.only(manager, Instance)
    assert thing is not None and type(thing.cls) is Function
    function = thing.cls
    positional = [value for key, value in thing.attributes if isinstance(key, int)]
    keywords = {str(key): value for key, value in thing.attributes if not isinstance(key, int)}
    args = Arguments(positional, keywords, thing.open is not NO)
    if too_deep(it, function, args):
        havoc(it, args.values())
        it.state.grad_mode = it.state.grad_mode | MAYBE
        block(Const(None))
        return
    entry = it.fork()
    before = [len(waiting) for waiting in it.frame.pending()]
    met: list[None] = []

    def here(value: Value) -> None:
        met.append(None)
        block(value)

    _run(it, node, function, args, here)
    if not met:
        block(Const(None))
    with it.silently():
        passing(it, before, lambda: _leave(it, node, function, args, entry))


def _leave(it: Interpreter, node: Any, function: Function, args: Arguments, entry: Any) -> None:
    """Run the rest of the body on a state that left the block: up to the yield the body runs on the state before."""
    left, it.state = it.state, entry.copy()

    def go_on(value: Value) -> None:
        it.state = left.copy()

    _run(it, node, function, args, go_on)


def _run(it: Interpreter, node: Any, function: Function, args: Arguments, block: Block) -> None:
    outer = (it.frame, it.sweeping, it.run)
    frame = enter(it, node, function, args)

    def around(value: Value) -> None:
        inner = (it.frame, it.sweeping, it.run)
        _go_on_in(it, *outer)
        block(value)
        _go_on_in(it, *inner)

    frame.around = around
    run_function(it, node, frame, function, caller=node)


def _go_on_in(it: Interpreter, frame: Frame, sweeping: list[Ref], run: int) -> None:
    it.switch(frame)
    it.sweeping, it.run = sweeping, run
