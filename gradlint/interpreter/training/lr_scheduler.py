"""Learning rate schedulers: which optimizer they drive, and when they step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint import events
from gradlint.domain import (
    FLOAT,
    INTEGER,
    NONE_VALUE,
    UNKNOWN,
    YES,
    Bound,
    Container,
    Function,
    Mark,
    Optimizer,
    Ref,
    Scalar,
    Scheduler,
    Value,
    alternatives,
    one_of,
)
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import by_name, call_value
from gradlint.interpreter.engine.dispatch import MODELS, Model, TypeSlot, implements
from gradlint.interpreter.engine.iteration import elements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import receiver, spelled
from gradlint.knowledge import ROWS


def _built(path: str) -> Model:
    def build(it: Interpreter, node: Any, args: Arguments) -> Value:
        row = it.torch.schedulers[path]
        first = args.get("schedulers" if row.chained else "optimizer", 0, UNKNOWN)
        start = it.hold(elements(it, node, first) if row.chained else first)
        for value in (*args.positional[1:], *args.keywords.values()):
            _asked(it, node, value)
        driven = it.land(start)[0]
        optimizers = tuple(ref for ref, _ in it.all(driven, Optimizer))
        optimizers += tuple(ref for _, thing in it.all(driven, Scheduler) for ref in thing.optimizers)
        kind = path.rpartition(".")[2]
        made = Scheduler(kind, tuple(dict.fromkeys(optimizers)), marks=(Mark("made", node),))
        return it.new(node, "scheduler", made)

    return build


def _asked(it: Interpreter, node: Any, value: Value) -> None:
    """A function among the arguments is called with the number of the epoch, now and at every step."""
    for option in alternatives(elements(it, node, value) if it.may_be(value, Container) else value):
        if type(option) is Function:
            it.escaped_functions[option.node] = None
            call_value(it, it.place_of(node, "rate"), option, Arguments([Scalar(INTEGER)]), "")


MODELS |= {row.path: _built(row.path) for row in ROWS["schedulers"]}


def step(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`step()`: the learning rates change; no tensor does."""
    shown = it.only(owner, Scheduler)
    if shown is not None and not it.unheard:
        driven, name = it.only(_driven(shown), Optimizer), spelled(receiver(node))
        it.emit(events.SchedulerStepped, node, scheduler=shown, optimizer=driven, name=name)
    return NONE_VALUE


def _driven(thing: Scheduler) -> Value:
    return one_of(thing.optimizers) if thing.optimizers else UNKNOWN


def _rates(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return it.new(node, "rates", Container("list", rest=Scalar(FLOAT | INTEGER)))


def _state_dict(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return it.new(node, "state", Container("dict", rest=UNKNOWN))


def _nothing(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return NONE_VALUE


METHODS: dict[str, Callable[[Interpreter, Any, Value, Arguments], Value]] = {
    "step": step,
    "get_last_lr": _rates,
    "get_lr": _rates,
    "state_dict": _state_dict,
    "load_state_dict": _nothing,
}

ATTRIBUTES: dict[str, Callable[[Interpreter, Any, Ref], Value]] = {
    "optimizer": lambda it, node, owner: _driven(it[owner]),
    "last_epoch": lambda it, node, owner: Scalar(INTEGER),
    "base_lrs": lambda it, node, owner: _rates(it, node, owner, Arguments()),
}

implements(TypeSlot.CALL_METHOD, Scheduler)(by_name(METHODS))


@implements(TypeSlot.GET_ATTRIBUTE, Scheduler)
def _get_attribute(it: Interpreter, node: Any, owner: Ref, name: str, chain: str, guard: bool) -> Value:
    reader = ATTRIBUTES.get(name)
    return Bound(owner, name) if reader is None else reader(it, node, owner)


implements(TypeSlot.TRUTH, Scheduler)(lambda it, thing: YES)
