"""The state of optimizers: what their steps leave to later ones, and which parameters it belongs to."""

from __future__ import annotations

from gradlint import events
from gradlint.domain.facts import MAYBE, UNSURE, YES, Truth
from gradlint.domain.objects import Container, Optimizer
from gradlint.domain.provenance import CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import truth_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Constant, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site


def remembers(m: Interpreter, kind: str, args: Arguments) -> Truth:
    """Return whether the steps of an optimizer go on from what earlier ones left: as its class does, or with momentum
    where that is asked for. Who passes one that is not known wants some, or none: if the function around has it from
    callers, and zero by default, nobody knows."""
    row = m.torch.optimizers.get(f"torch.optim.{kind}")
    if row is None or row.keeps_state:
        return UNSURE if row is None else YES
    asked = truth_of(args.get("momentum", 2, UNKNOWN if args.unknown else Constant(0)))
    default = None if m.frame.function is None else dict(m.frame.function.defaults).get("momentum")
    is_zero = type(default) is Constant and default.value == 0
    return MAYBE if asked.is_unsure and args.given("momentum", 2) and not is_zero else asked


def note_training(m: Interpreter, ref: Ref, owner: Value) -> None:
    """A step of an optimizer leaves state of a parameter behind: it is known by the place that made the optimizer."""
    by = {mark.node for _, thing in m.all(owner, Optimizer) for mark in thing.causes if mark.kind is CauseKind.MADE}
    if not by <= m[ref].trained_by:
        m.store_exact(ref, replace(m[ref], trained_by=m[ref].trained_by | by))


def state(m: Interpreter, node: Site, owner: Ref) -> Value:
    """`state`: what the optimizer remembers of each parameter."""
    inner = m.new(node, "remembered", Container("dict", rest=UNKNOWN))
    return m.new(node, "state", Container("defaultdict", rest=inner))


def state_dict(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`state_dict()`: a copy of the state, which holds no parameters."""
    return m.new(node, "state", Container("dict", rest=UNKNOWN))


def load_state_dict(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`load_state_dict(...)`: it goes on from the state of another one."""
    given = m.thing(args.get("state_dict", 0, UNKNOWN))
    m.emit(events.Called, node, path="torch.optim.Optimizer.load_state_dict", args=(m.thing(owner), given))
    return NONE_VALUE
