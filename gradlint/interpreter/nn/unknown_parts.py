"""Modules and parameters that nobody was seen to make, and those that stand where torch takes nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from gradlint.domain.facts import ANY_DTYPE, ANY_GRAD, FLOAT, NO, UNSURE, YES, Unit
from gradlint.domain.items import item_of
from gradlint.domain.objects import Module, Optimizer, Tensor
from gradlint.domain.provenance import Belief, Cause, CauseKind
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives, one_of, references, with_certain
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, ImportPath, Unknown, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.engine.escape import weak_update
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.module_tree import parameters
from gradlint.interpreter.static.sites import Site

MOST_NAMED = 6
"""The most parameters of a layer of torch that have names of their own here."""


def parameter(m: Interpreter, node: Site, part: str, **facts: Any) -> Ref:
    """A new parameter that nobody has changed."""
    known: dict[str, Any] = {
        "dtype": FLOAT,
        "requires_grad": YES,
        "parameter": YES,
        "made": "Parameter",
        "causes": (Cause(CauseKind.MADE, node), Cause(CauseKind.ASKED, node)),
    }
    return fresh(m, node, part, **(known | facts))


def unknown_module(m: Interpreter, node: Site, part: str, belief: Belief, cls: Value = UNKNOWN) -> Ref:
    """A module of which only the kind is known: parameters that require grad unless frozen, with gradients of any
    state."""
    rows = [m.torch.modules.get(one.path) if type(one) is ImportPath else None for one in alternatives(cls)]
    facts = {"belief": max(belief, Belief.FROM_USAGE), "grad": ANY_GRAD, "inference": NO}
    few = rows[0] is not None and all(row is not None and row.parameters == rows[0].parameters for row in rows)
    names = rows[0].parameters if rows[0] is not None and few and len(rows[0].parameters) <= MOST_NAMED else ()
    attributes = tuple(
        (name, one_of([parameter(m, node, f"{part} {name}", **facts), *([NONE_VALUE] if name == "bias" else [])]))
        for name in names
    )
    rest = NOTHING if names else parameter(m, node, f"{part} own", is_summary=True, dtype=ANY_DTYPE, **facts)
    made = Module(
        cls=cls,
        attributes=attributes,
        rest=rest,
        certain=with_certain((), [rest]),
        belief=belief,
        causes=(Cause(CauseKind.MADE, node),),
    )
    return m.new(node, part, made)


def unseen_module(m: Interpreter, node: Site, part: str, reach: tuple[Ref, ...], cls: Value = UNKNOWN) -> Ref:
    """A module that unseen code made of all that is in reach: it may be frozen if a module that was passed in is."""
    made = unknown_module(m, node, part, Belief.FROM_USAGE, cls)
    handed = one_of([ref for ref in reach if type(m.state.heap.get(ref)) is Module], max(len(reach), 1))
    given = parameters(m, handed)[0]
    if given and not any(m[ref].requires_grad.possibly(YES) for _, ref in given):
        leave_open_whether_frozen(m, made)
    same = tuple(dict.fromkeys(ref for _, ref in given))
    marks = tuple(dict.fromkeys(mark for ref in same for mark in m[ref].causes if mark.kind is CauseKind.MADE))
    for ref, tensor in m.all(m[made].rest, Tensor) if same else ():
        m.store_exact(ref, replace(tensor, base=(*same, None), causes=(*tensor.causes, *marks)))
    return made


def was_part_of(m: Interpreter, owner: Ref, part: Ref) -> None:
    """A part of a module of an unseen class is asked for the first time: it was there all along, frozen if that was and
    held by the optimizers that were given its parameters."""
    module = m[owner]
    if type(module) is not Module or type(m[part]) is not Module:
        return
    own = {ref for ref, _ in m.all(module.rest, Tensor)}
    mine = [ref for _, ref in parameters(m, part)[0] if ref not in own]
    if not own or not mine:
        return
    if not any(m[ref].requires_grad.possibly(YES) for ref in own):
        leave_open_whether_frozen(m, part)
    for ref, thing in list(m.state.heap.items()):
        if type(thing) is Optimizer and any(not own.isdisjoint(group) for group in thing.groups):
            m.store_exact(ref, replace(thing, groups=(*thing.groups, *((one,) for one in mine))))


def leave_open_whether_frozen(m: Interpreter, made: Ref) -> None:
    """Leave open whether the parameters of what unseen code made require grad."""
    for ref, tensor in m.all(getattr(m[made], "rest", NOTHING), Tensor):
        m.store_exact(ref, replace(tensor, requires_grad=UNSURE))


def unseen_parameter(m: Interpreter, node: Site, part: str, reach: Iterable[Ref]) -> Ref:
    """A parameter that unseen code gave; it may be one that it was passed, or share its memory."""
    same = tuple(ref for ref in reach if type(thing := m.state.heap.get(ref)) is Tensor and thing.parameter.may(YES))
    facts: dict[str, Any] = dict.fromkeys(("requires_grad", "leaf", "retains", "inference"), UNSURE)
    facts |= {"grad": ANY_GRAD, "unit": Unit.unsure(), "base": (*same, None) if same else ()}
    return parameter(m, node, part, **facts, unseen=YES, made="", belief=Belief.FROM_USAGE, causes=())


def taken_as_part(m: Interpreter, node: Site, value: Value, kind: type, part: str) -> Value:
    """The value as what torch would raise for if it were not: a module, or a parameter if the `kind` is that of a
    tensor, where unseen code gave it."""
    if not _is_strange(m, value):
        return value
    reach = value.reach if type(value) is Unknown else references(value)
    weak_update(m, Unknown(tuple(reach)))  # what is done to the stand-in from now on
    return unseen_module(m, node, part, tuple(reach)) if kind is Module else unseen_parameter(m, node, part, reach)


def _is_strange(m: Interpreter, value: Value) -> bool:
    """Return whether it is unknown, or what only its use or the name of who gave it tells to be a tensor."""
    thing = m.thing(value)
    if type(thing) is Tensor:
        told = thing.belief >= Belief.FROM_USAGE and thing.parameter is not YES
        return told and (thing.parameter is not NO or thing.may_be_structured)
    return type(value) is Unknown


def replacing(m: Interpreter, node: Site, module: Module, name: str, value: Value) -> Value:
    """The value as what it is in the place of a part of a module that bears this name."""
    old = NOTHING if name in module.absent else item_of(module.attributes, name, NOTHING)
    tensor = m.only(old, Tensor)
    if tensor is not None and tensor.parameter is YES:
        return taken_as_part(m, node, value, Tensor, f"replaced {name}")
    return value if m.only(old, Module) is None else taken_as_part(m, node, value, Module, f"replaced {name}")
