"""Learning rate schedulers: which optimizer they drive, and when they step."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gradlint import events
from gradlint.domain.facts import FLOAT, INTEGER, YES
from gradlint.domain.objects import Container, Optimizer, Scheduler
from gradlint.domain.provenance import Belief, Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Bound, Function, PythonNumber, Value
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import by_name, call_value
from gradlint.interpreter.engine.dispatch import MODELS, Method, TypeSlot, annotated, implements
from gradlint.interpreter.engine.iteration import elements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.scopes import receiver, spelled
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge import ROWS

BASES = frozenset({"torch.optim.lr_scheduler.LRScheduler", "torch.optim.lr_scheduler._LRScheduler"})


def _built(path: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    chained = path not in BASES and m.torch.schedulers[path].chained
    first = args.get("schedulers" if chained else "optimizer", 0, UNKNOWN)
    start = m.push(elements(m, node, first) if chained else first)
    for value in (*args.positional[1:], *args.keywords.values()):
        _asked(m, node, value)
    driven = m.pop_from(start)[0]
    optimizers = tuple(ref for ref, _ in m.all(driven, Optimizer))
    optimizers += tuple(ref for _, thing in m.all(driven, Scheduler) for ref in thing.optimizers)
    made = Scheduler(_kind(path), tuple(dict.fromkeys(optimizers)), causes=(Cause(CauseKind.MADE, node),))
    return m.new(node, "scheduler", made)


def _asked(m: Interpreter, node: Site, value: Value) -> None:
    """A function among the arguments is called with the number of the epoch, now and at every step."""
    for option in alternatives(elements(m, node, value) if m.may_be(value, Container) else value):
        if type(option) is Function:
            m.defined.escaped[option.node] = None
            call_value(m, m.part_of(node, "rate"), option, Arguments([PythonNumber(INTEGER)]), "")


def unknown_scheduler(m: Interpreter, node: Site, part: str, belief: Belief, kind: str = "") -> Ref:
    """A scheduler that somebody else made."""
    return m.new(node, part, Scheduler(kind, belief=belief, causes=(Cause(CauseKind.MADE, node),)))


@annotated(*BASES, *(row.path for row in ROWS["schedulers"]))
def _annotated(m: Interpreter, node: Site, path: str) -> Value:
    return unknown_scheduler(m, node, "annotated", Belief.ANNOTATED, _kind(path))


def _kind(path: str) -> str:
    """The class at a path, if it is one that schedules by itself."""
    return "" if path in BASES else path.rpartition(".")[2]


MODELS |= {path: partial(_built, path) for path in (*BASES, *(row.path for row in ROWS["schedulers"]))}


def step(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`step()`: the learning rates change; no tensor does."""
    shown = m.only(owner, Scheduler)
    if shown is not None and not m.is_silent:
        driven, name = m.only(_driven(shown), Optimizer), spelled(receiver(node))
        given = args.unknown or any(value != NONE_VALUE for value in args.values())
        m.emit(events.SchedulerStepped, node, scheduler=shown, optimizer=driven, name=name, given=given)
    return NONE_VALUE


def _driven(thing: Scheduler) -> Value:
    return one_of(thing.optimizers) if thing.optimizers else UNKNOWN


def _rates(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    return m.new(node, "rates", Container("list", rest=PythonNumber(FLOAT | INTEGER)))


METHODS: dict[str, Method] = {
    "step": step,
    "get_last_lr": _rates,
    "get_lr": _rates,
    "state_dict": lambda m, node, owner, args: m.new(node, "state", Container("dict", rest=UNKNOWN)),
    "load_state_dict": lambda m, node, owner, args: NONE_VALUE,
}

ATTRIBUTES: dict[str, Callable[[Interpreter, Any, Ref], Value]] = {
    "optimizer": lambda m, node, owner: _driven(m[owner]),
    "last_epoch": lambda m, node, owner: PythonNumber(INTEGER),
    "base_lrs": lambda m, node, owner: _rates(m, node, owner, Arguments()),
}

implements(TypeSlot.CALL_METHOD, Scheduler)(by_name(METHODS))


@implements(TypeSlot.GET_ATTRIBUTE, Scheduler)
def _get_attribute(m: Interpreter, node: Site, owner: Ref, name: str, chain: str, guard: bool) -> Value:
    reader = ATTRIBUTES.get(name)
    return Bound(owner, name) if reader is None else reader(m, node, owner)


implements(TypeSlot.TRUTH, Scheduler)(lambda m, thing: YES)
