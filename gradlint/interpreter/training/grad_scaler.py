"""GradScalers: losses are scaled, gradients come back scaled, and a step unscales them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint import events
from gradlint.domain import (
    BOOL,
    FLOAT,
    INTEGER,
    NO,
    NONE_VALUE,
    NOTHING,
    PLAIN,
    READY,
    SCALED,
    STEPPED,
    UNKNOWN,
    UNSCALED,
    YES,
    Const,
    Container,
    Mark,
    Optimizer,
    Scalar,
    Scaler,
    Stage,
    Tensor,
    Truth,
    Unknown,
    Value,
    one_of,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd.backward import SCALE
from gradlint.interpreter.autograd.grad import joined_gradients, tensors_of
from gradlint.interpreter.autograd.in_place import memory_written
from gradlint.interpreter.autograd.record import apply
from gradlint.interpreter.autograd.tensor import fresh, truth_of
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import by_name
from gradlint.interpreter.engine.dispatch import MODELS, Model, TypeSlot, implements
from gradlint.interpreter.engine.escape import havoc
from gradlint.interpreter.engine.iteration import SEQUENCES
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.containers import container
from gradlint.interpreter.static.scopes import argument, receiver, spelled
from gradlint.interpreter.training.assumed_optimizer import driven
from gradlint.interpreter.training.optimizer import held, stepped, surely_held
from gradlint.knowledge import ROWS
from gradlint.knowledge.schema import Operation, Result

ROW = Operation(
    SCALE, (), (), ("outputs", "factor"), "", results=(Result(dtype="promote"),), saves=("factor if outputs",)
)
UNSCALING = {SCALED: PLAIN}


def _built(path: str) -> Model:
    def build(it: Interpreter, node: Any, args: Arguments) -> Value:
        row = it.torch.scalers[path]
        asked = Const(True) if not args.unknown else Scalar(BOOL)
        enabled = truth_of(args.get("enabled", row.enabled, asked))
        made = Scaler(enabled, begun=NO, storage=(it.memory(node, "factor"),), marks=(Mark("made", node),))
        return it.new(node, "scaler", made)

    return build


MODELS |= {row.path: _built(row.path) for row in ROWS["scalers"]}


def enabled(it: Interpreter, owner: Value) -> Truth:
    """Whether a scaler does anything."""
    found = [thing.enabled for _, thing in it.all(owner, Scaler)]
    out = found[0]
    for other in found[1:]:
        out = out | other
    return out


# ---- scaling


def scale(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`scale(loss)`: the loss times the factor; lists and tuples element by element."""
    outputs = args.get("outputs", 0, UNKNOWN)
    shown = it.only(owner, Scaler)
    if shown is not None:
        name = spelled(receiver(node))
        it.emit(events.ScalerUsed, node, what="scale", scaler=shown, value=it.thing(outputs), name=name)
    on = enabled(it, owner)
    if on is NO:
        return outputs
    start = it.hold(owner, outputs)
    scaled = _scaled(it, node, start, outputs)
    owner, outputs = it.land(start)[:2]
    for ref, thing in it.all(owner, Scaler):
        it.put(ref, replace(thing, begun=YES if on is YES else thing.begun | YES), sure=True)
    return scaled if on is YES else one_of((scaled, outputs))


def _scaled(it: Interpreter, node: Any, start: int, outputs: Value) -> Value:
    storage = tuple(memory for _, thing in it.all(it.state.flight[start], Scaler) for memory in thing.storage)
    factor = fresh(it, node, "factor", dtype=FLOAT, storage=storage, inference=NO)
    thing = it.only(outputs, Container)
    if thing is None or thing.kind not in SEQUENCES:
        return _multiplied(it, node, outputs, factor, "")
    if thing.rest != NOTHING:
        return it.new(node, "scaled", Container(thing.kind, rest=_multiplied(it, node, thing.rest, factor, "rest ")))
    it.hold(factor)
    for index in range(len(thing.items)):
        factor = it.state.flight[start + 2]  # type: ignore[assignment]
        listed = it.only(it.state.flight[start + 1], Container)
        assert listed is not None
        it.hold(_multiplied(it, node, listed.items[index][1], factor, f"{index} "))
    return container(it, node, thing.kind, it.state.flight[start + 3 :], "scaled")


def _multiplied(it: Interpreter, node: Any, outputs: Value, factor: Value, part: str) -> Value:
    made = apply(it, node, ROW, [("outputs", outputs), ("factor", factor)], part=part)
    if type(outputs) is Unknown:
        it.update(made, Tensor, loose=True)
    return made


# ---- unscaling and stepping


def _told(it: Interpreter, node: Any, what: str, owner: Value, optimizer: Value) -> None:
    shown = it.only(owner, Scaler)
    if shown is None or it.unheard:
        return
    driven = it.only(optimizer, Optimizer)
    parameters = tensors_of(it, held(it, optimizer))
    grad, unit = joined_gradients(parameters)
    stage = driven.stage if driven is not None else Stage.unsure()
    it.emit(
        events.ScalerUsed,
        node,
        what=what,
        scaler=shown,
        optimizer=driven,
        parameters=parameters,
        stage=stage,
        grad=grad,
        unit=unit,
        name=spelled(receiver(node)),
        optimizer_name=spelled(argument(node, 0)),
    )


def _staged(it: Interpreter, owner: Value, optimizer: Value, stage: Stage, on: Truth) -> None:
    """The optimizer stands there now, and its gradients are in their own unit, if the scaler does anything."""
    found = it.all(optimizer, Optimizer)
    sure = on is YES and len(found) == 1
    certain = surely_held(it, optimizer) if on is YES else ()
    for ref in held(it, optimizer):
        tensor: Tensor = it[ref]
        now = tensor.unit.mapped(UNSCALING)
        it.set(ref, replace(tensor, unit=now if ref in certain else tensor.unit | now))
    if any(thing.open.may(YES) for _, thing in found) or not found:
        _anywhere(it)
    for ref, thing in found:
        it.put(ref, replace(thing, stage=stage), sure=sure)
    for ref, scaler in it.all(owner, Scaler):
        it.put(ref, replace(scaler, optimizers=tuple(dict.fromkeys((*scaler.optimizers, *(r for r, _ in found))))))


def _anywhere(it: Interpreter) -> None:
    """An optimizer that may hold others than were seen: any parameter may have been unscaled."""
    for ref, thing in list(it.state.heap.items()):
        if type(thing) is Tensor and thing.parameter.may(YES):
            it.set(ref, replace(thing, unit=thing.unit | thing.unit.mapped(UNSCALING)))


def unscale(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`unscale_(optimizer)`: the gradients are divided in place."""
    optimizer = driven(it, node, args.get("optimizer", 0, UNKNOWN))
    _told(it, node, "unscale_", owner, optimizer)
    if (on := enabled(it, owner)) is not NO:
        _staged(it, owner, optimizer, UNSCALED, on)
    return NONE_VALUE


def step(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`step(optimizer)`: gradients are unscaled, and the optimizer steps unless one of them is not finite."""
    optimizer = driven(it, node, args.get("optimizer", 0, UNKNOWN))
    _told(it, node, "step", owner, optimizer)
    on = enabled(it, owner)
    if on is not NO:
        _staged(it, owner, optimizer, STEPPED, on)
    if not it.may_be(optimizer, Optimizer):
        havoc(it, [optimizer, *args.values()])
        return UNKNOWN
    closure, name = args.get("closure", 1, NONE_VALUE), spelled(argument(node, 0))
    given = stepped(it, node, optimizer, closure, certain=on is NO, name=name)
    return one_of((given, NONE_VALUE)) if on is not NO else given


def update(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """`update()`: the factor is adjusted in place, and every optimizer may be stepped again."""
    _told(it, node, "update", owner, NOTHING)
    found = it.all(owner, Scaler)
    for _, thing in found:
        if thing.enabled is NO:
            continue
        sure = len(found) == 1 and thing.enabled is YES
        memory_written(it, thing.storage, sure=sure, noticed=YES)
        for ref in thing.optimizers:
            driven = it.state.heap.get(ref)
            if type(driven) is Optimizer:
                it.put(ref, replace(driven, stage=READY), sure=sure)
    return NONE_VALUE


def _is_enabled(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    """A scaler that is asked to be enabled is not where its device is missing."""
    return Const(False) if enabled(it, owner) is NO else Scalar(BOOL)


def _state_dict(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return it.new(node, "state", Container("dict", rest=Scalar(FLOAT | INTEGER)))


def _number(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return Scalar(FLOAT | INTEGER)


def _set(it: Interpreter, node: Any, owner: Value, args: Arguments) -> Value:
    return NONE_VALUE


METHODS: dict[str, Callable[[Interpreter, Any, Value, Arguments], Value]] = {
    "scale": scale,
    "unscale_": unscale,
    "step": step,
    "update": update,
    "is_enabled": _is_enabled,
    "state_dict": _state_dict,
    "load_state_dict": _set,
} | {
    f"{verb}_{word}": method
    for verb, method in (("get", _number), ("set", _set))
    for word in ("scale", "growth_factor", "backoff_factor", "growth_interval")
    if (verb, word) != ("set", "scale")
}

implements(TypeSlot.CALL_METHOD, Scaler)(by_name(METHODS))

implements(TypeSlot.TRUTH, Scaler)(lambda it, thing: YES)
