"""GradScalers: losses are scaled, gradients come back scaled, and a step unscales them."""

from __future__ import annotations

from functools import partial, reduce
from operator import or_

from gradlint import events
from gradlint.domain.facts import BOOL, FLOAT, INTEGER, NO, PLAIN, READY, SCALED, STEPPED, UNSCALED, YES, Stage, Truth
from gradlint.domain.objects import Container, Optimizer, Scaler, Tensor
from gradlint.domain.provenance import Belief, Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import one_of, truth_of
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Constant, PythonNumber, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.backward import SCALE
from gradlint.interpreter.autograd.compute import apply
from gradlint.interpreter.autograd.grad import joined_gradients, tensors_of
from gradlint.interpreter.autograd.in_place import Change, memory_written
from gradlint.interpreter.autograd.requires_grad import perhaps_the_same
from gradlint.interpreter.autograd.results import Requested
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import by_name
from gradlint.interpreter.engine.dispatch import MODELS, Method, TypeSlot, annotated, implements
from gradlint.interpreter.engine.escape import havoc
from gradlint.interpreter.engine.iteration import SEQUENCES
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.containers import container
from gradlint.interpreter.static.scopes import argument, receiver, spelled
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.training.assumed_optimizer import driven
from gradlint.interpreter.training.optimizer import held, stepped, surely_held
from gradlint.knowledge import ROWS
from gradlint.knowledge.schema import Operation, Result

ROW = Operation(
    SCALE, (), (), ("outputs", "factor"), "", results=(Result(dtype="promote"),), saves=("factor if outputs",)
)
UNSCALING = {SCALED: PLAIN}


def _built(path: str, m: Interpreter, node: Site, args: Arguments) -> Value:
    row = m.torch.scalers[path]
    asked = Constant(True) if not args.unknown else PythonNumber(BOOL)
    enabled = truth_of(args.get("enabled", row.enabled, asked))
    made = Scaler(enabled, begun=NO, storage=(m.memory(node, "factor"),), causes=(Cause(CauseKind.MADE, node),))
    return m.new(node, "scaler", made)


def unknown_scaler(m: Interpreter, node: Site, part: str, belief: Belief) -> Ref:
    """A scaler that somebody else made."""
    factor = m.memory(node, f"{part} factor")
    return m.new(node, part, Scaler(storage=(factor,), belief=belief, causes=(Cause(CauseKind.MADE, node),)))


annotated(*(row.path for row in ROWS["scalers"]))(
    lambda m, node, path: unknown_scaler(m, node, "annotated", Belief.ANNOTATED)
)


MODELS |= {row.path: partial(_built, row.path) for row in ROWS["scalers"]}


def enabled(m: Interpreter, owner: Value) -> Truth:
    """Return whether a scaler does anything."""
    return reduce(or_, [thing.enabled for _, thing in m.all(owner, Scaler)])


# ---- scaling


def scale(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`scale(loss)`: the loss times the factor; lists and tuples element by element."""
    outputs = args.get("outputs", 0, UNKNOWN)
    shown = m.only(owner, Scaler)
    if shown is not None:
        name = spelled(receiver(node))
        m.emit(events.ScalerUsed, node, what="scale", scaler=shown, value=m.thing(outputs), name=name)
    on = enabled(m, owner)
    if on is NO:
        return outputs
    start = m.push(owner, outputs)
    scaled = _scaled(m, node, start, outputs)
    owner, outputs = m.pop_from(start)[:2]
    for ref, thing in m.all(owner, Scaler):
        m.store(ref, replace(thing, begun=YES if on is YES else thing.begun | YES), sure=True)
    return scaled if on is YES else one_of((scaled, outputs))


def _scaled(m: Interpreter, node: Site, start: int, outputs: Value) -> Value:
    storage = tuple(memory for _, thing in m.all(m.state.stack[start], Scaler) for memory in thing.storage)
    factor: Value = fresh(m, node, "factor", dtype=FLOAT, storage=storage, inference=NO)
    thing = m.only(outputs, Container)
    if thing is None or thing.kind not in SEQUENCES:
        return _multiplied(m, node, outputs, factor, "")
    if thing.rest != NOTHING:
        return m.new(node, "scaled", Container(thing.kind, rest=_multiplied(m, node, thing.rest, factor, "rest ")))
    m.push(factor)
    for index in range(len(thing.items)):
        factor = m.state.stack[start + 2]
        listed = m.only(m.state.stack[start + 1], Container)
        assert listed is not None
        m.push(_multiplied(m, node, listed.items[index][1], factor, f"{index} "))
    return container(m, node, thing.kind, m.state.stack[start + 3 :], "scaled")


def _multiplied(m: Interpreter, node: Site, outputs: Value, factor: Value, part: str) -> Value:
    made = apply(m, node, ROW, [("outputs", outputs), ("factor", factor)], Requested(part=part))
    if type(outputs) is Unknown:
        m.update_fields(made, Tensor, may_be_structured=True)
    return made


# ---- unscaling and stepping


def _told(m: Interpreter, node: Site, what: str, owner: Value, optimizer: Value) -> None:
    shown = m.only(owner, Scaler)
    if shown is None or m.is_silent:
        return
    driven = m.only(optimizer, Optimizer)
    parameters = tensors_of(m, held(m, optimizer))
    grad, unit = joined_gradients(parameters)
    stage = driven.stage if driven is not None else Stage.unsure()
    m.emit(
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


def _staged(m: Interpreter, owner: Value, optimizer: Value, stage: Stage, on: Truth) -> None:
    """The optimizer is at that stage now, and its gradients are in their own unit, if the scaler does anything."""
    found = m.all(optimizer, Optimizer)
    sure = on is YES and len(found) == 1
    certain = surely_held(m, optimizer) if on is YES else ()
    refs = held(m, optimizer)
    for ref in (*refs, *perhaps_the_same(m, refs)):
        tensor: Tensor = m[ref]
        now = tensor.unit.mapped(UNSCALING)
        m.store_exact(ref, replace(tensor, unit=now if ref in certain else tensor.unit | now))
    if any(thing.open.may(YES) for _, thing in found) or not found:
        _anywhere(m)
    for ref, thing in found:
        m.store(ref, replace(thing, stage=stage), sure=sure)
    for ref, scaler in m.all(owner, Scaler):
        m.store(ref, replace(scaler, optimizers=tuple(dict.fromkeys((*scaler.optimizers, *(r for r, _ in found))))))


def _anywhere(m: Interpreter) -> None:
    """An optimizer that may hold others than were seen: any parameter may have been unscaled."""
    for ref, thing in list(m.state.heap.items()):
        if type(thing) is Tensor and thing.parameter.may(YES):
            m.store_exact(ref, replace(thing, unit=thing.unit | thing.unit.mapped(UNSCALING)))


def unscale(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`unscale_(optimizer)`: the gradients are divided in place."""
    optimizer = driven(m, node, args.get("optimizer", 0, UNKNOWN))
    _told(m, node, "unscale_", owner, optimizer)
    if (on := enabled(m, owner)) is not NO:
        _staged(m, owner, optimizer, UNSCALED, on)
    return NONE_VALUE


def step(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`step(optimizer)`: gradients are unscaled, and the optimizer steps unless one of them is not finite."""
    optimizer = driven(m, node, args.get("optimizer", 0, UNKNOWN))
    _told(m, node, "step", owner, optimizer)
    on = enabled(m, owner)
    if on is not NO:
        _staged(m, owner, optimizer, STEPPED, on)
    if not m.may_be(optimizer, Optimizer):
        havoc(m, [optimizer, *args.values()])
        return UNKNOWN
    closure, name = args.get("closure", 1, NONE_VALUE), spelled(argument(node, 0))
    given = stepped(m, node, optimizer, closure, certain=on is NO, name=name)
    return one_of((given, NONE_VALUE)) if on is not NO else given


def update(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`update()`: the factor is adjusted in place, and every optimizer may be stepped again."""
    _told(m, node, "update", owner, NOTHING)
    found = m.all(owner, Scaler)
    for _, thing in found:
        if thing.enabled is NO:
            continue
        sure = len(found) == 1 and thing.enabled is YES
        memory_written(m, thing.storage, Change(sure, noticed=YES))
        for ref in thing.optimizers:
            driven = m.state.heap.get(ref)
            if type(driven) is Optimizer:
                m.store(ref, replace(driven, stage=READY), sure=sure)
    return NONE_VALUE


def _is_enabled(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """A scaler that is to be enabled is not where its device is missing."""
    return Constant(False) if enabled(m, owner) is NO else PythonNumber(BOOL)


NUMBERS = ("growth_factor", "backoff_factor", "growth_interval")
METHODS: dict[str, Method] = {
    "scale": scale,
    "unscale_": unscale,
    "step": step,
    "update": update,
    "is_enabled": _is_enabled,
    "state_dict": lambda m, node, owner, args: m.new(
        node, "state", Container("dict", rest=PythonNumber(FLOAT | INTEGER))
    ),
    "load_state_dict": lambda m, node, owner, args: NONE_VALUE,
}
METHODS |= {f"get_{word}": lambda m, node, owner, args: PythonNumber(FLOAT | INTEGER) for word in ("scale", *NUMBERS)}
METHODS |= {f"set_{word}": lambda m, node, owner, args: NONE_VALUE for word in NUMBERS}

implements(TypeSlot.CALL_METHOD, Scaler)(by_name(METHODS))

implements(TypeSlot.TRUTH, Scaler)(lambda m, thing: YES)
