"""Optimizers that were passed in: nobody saw them made, but what they are to train was passed in with them.

This is an assumption, so it is believed no more than what use shows. Where several optimizers were passed in nobody
knows which of them holds what.
"""

from __future__ import annotations

from gradlint.domain.facts import NO, READY, UNSURE, YES
from gradlint.domain.objects import MOST_PARAMETERS, Container, Iterator, Module, Optimizer, Tensor
from gradlint.domain.provenance import Belief, Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.values import UNKNOWN, Value
from gradlint.frozen import replace
from gradlint.interpreter.engine.dispatch import annotated
from gradlint.interpreter.engine.escape import in_reach
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import parameters
from gradlint.interpreter.engine.unseen import is_opaque, refine
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge import ROWS

BASES = frozenset({"torch.optim.Optimizer", "torch.optim.optimizer.Optimizer"})


def assume_holds_all_parameters(m: Interpreter, owner: Value) -> None:
    """Assume, before the use of a passed optimizer, alone of its kind, that it holds the parameters of all modules that
    were passed in, and that no GradScaler has left anything undone."""
    found = m.all(owner, Optimizer)
    if len(found) != 1 or _is_entrusted(found[0][1]) or not _is_handed_over(found[0][1]):
        return
    ref, thing = found[0]
    heap = m.state.heap
    if sum(type(one) is Optimizer and _is_handed_over(one) for one in heap.values()) > 1:
        return
    modules = [module for module, one in heap.items() if type(one) is Module and not one.belief.seen_made]
    held: dict[Ref, None] = {inner: None for module in modules for _, inner in parameters(m, module)[0]}
    if 0 < len(held) <= MOST_PARAMETERS:
        others = [slot for slot in thing.groups if held.keys().isdisjoint(slot)]
        whole = replace(thing, groups=(*((inner,) for inner in held), *others))
        believed = max(thing.belief, Belief.FROM_USAGE)
        m.store(ref, whole if thing.groups else replace(whole, open=NO, stage=READY, belief=believed))


def _is_entrusted(thing: Optimizer) -> bool:
    """Return whether that is known already, on every path: what was passed in does not depend on where it is used."""
    return bool(thing.groups) and not any(None in slot for slot in thing.groups)


def driven(m: Interpreter, node: Site, value: Value) -> Value:
    """Return the argument of a GradScaler's `unscale_` or `step`: if nothing else shows its kind, then an optimizer.
    What is taken out of an argument may be another one each time."""
    if type(value) is Ref and value.part == "argument" and is_opaque(m.state.heap.get(value)):
        refine(m, value, optimizer_over(m, node, "driven", ()))
    assume_holds_all_parameters(m, value)
    return value


def _is_handed_over(thing: Optimizer) -> bool:
    return not thing.belief.seen_made and thing.cls == UNKNOWN


def unknown_optimizer(m: Interpreter, node: Site, part: str, belief: Belief, path: str) -> Ref:
    """An optimizer of the class at a path that somebody else made."""
    kind = "" if path in BASES else path.rpartition(".")[2]
    return m.new(node, part, Optimizer(kind, open=UNSURE, belief=belief, causes=(Cause(CauseKind.MADE, node),)))


annotated(*BASES, *(row.path for row in ROWS["optimizers"]))(
    lambda m, node, path: unknown_optimizer(m, node, "annotated", Belief.ANNOTATED, path)
)


def optimizer_over(m: Interpreter, node: Site, part: str, reach: tuple[Ref, ...]) -> Ref:
    """Return the optimizer that unknown code makes of modules or of their parameters, if no other holds these."""
    things = [m.state.heap.get(ref) for ref in reach]
    beside = any(type(thing) is Optimizer for thing in things)
    held = [] if beside else [*dict.fromkeys(one for ref in reach for one in _parameters(m, ref))]
    groups = tuple((ref,) for ref in held[:MOST_PARAMETERS])
    made = Optimizer(
        groups=groups, open=NO if held else UNSURE, belief=Belief.FROM_USAGE, causes=(Cause(CauseKind.MADE, node),)
    )
    return m.new(node, part, made)


def _parameters(m: Interpreter, ref: Ref) -> list[Ref]:
    """The parameters of a module, or among what is listed one by one."""
    thing = m.state.heap.get(ref)
    if type(thing) is Module:
        return [inner for _, inner in parameters(m, ref)[0]]
    listed = in_reach(m, [ref]) if type(thing) in (Container, Iterator, Tensor) else {}
    return [one for one, inner in listed.items() if type(inner) is Tensor and inner.parameter is YES]
