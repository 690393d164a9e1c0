"""State dictionaries: what a module gives of itself, and how it takes it back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from gradlint import events
from gradlint.domain.facts import ANY_DEVICE, ANY_DTYPE, ANY_GRAD, ANY_PRECISION, MAYBE, NO, UNSURE, YES, Truth, either
from gradlint.domain.objects import MOST_ITEMS, Container, Module, Tensor
from gradlint.domain.provenance import Belief, Cause, CauseKind, WriteKind
from gradlint.domain.refs import ASTRAY, OPAQUE, Ref
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, PlainObject, Value
from gradlint.frozen import replace
from gradlint.interpreter.autograd.backward_arguments import flag
from gradlint.interpreter.autograd.detach import cut_by
from gradlint.interpreter.autograd.in_place import Write, written_without_graph
from gradlint.interpreter.autograd.tensor import fresh
from gradlint.interpreter.autograd.version_counter import counts_alone
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.history import cut_at
from gradlint.interpreter.engine.machine import Interpreter, not_none
from gradlint.interpreter.engine.module_tree import buffers, certain_parts, parameters, submodules
from gradlint.interpreter.nn.module import depends_on_mode, of_lazy_layers
from gradlint.interpreter.static.sites import Site


def state_dict(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`state_dict()`: new handles on the module's own memory, without gradients; of a lazy layer that was not called
    before, the parameters themselves."""
    items: dict[object, Value] = {}
    rest: Value = NOTHING
    origin = tuple(ref for ref, _ in m.all(owner, Module))
    found = [*parameters(m, owner)[0], *buffers(m, owner, saved=True)[0]]
    keeps = flag(args, "keep_vars", 2)
    lazily = of_lazy_layers(m, owner)
    for index, (name, ref) in enumerate(found):
        handle: Value = ref if keeps is YES else _entry(m, node, index, m[ref])
        handle = one_of((handle, ref)) if ref in lazily or keeps.may(YES) else handle
        if name and len(found) <= MOST_ITEMS and name not in items:
            items[name] = handle
        else:
            rest = one_of((rest, handle), MOST_ITEMS)
    belief = m.only(owner, Module)
    return m.new(
        node,
        "state",
        Container(
            "OrderedDict",
            tuple(items.items()),
            rest,
            origin,
            belief.belief if belief else Belief.PROVEN,
            (Cause(CauseKind.MADE, node),),
        ),
    )


def _entry(m: Interpreter, node: Site, index: int, tensor: Tensor) -> Ref:
    """Return a state dict's entry of a parameter: a handle of its own on the same memory."""
    alone = counts_alone(tensor)
    left = (cut_by(node, "state_dict"),) if tensor.requires_grad.possibly(YES) else ()
    return fresh(
        m,
        node,
        f"entry {index}",
        dtype=tensor.dtype,
        made="state_dict",
        storage=tensor.storage,
        alone=alone,
        count=tensor.count,
        inference=tensor.inference,
        is_summary=tensor.is_summary,
        belief=tensor.belief,
        causes=(Cause(CauseKind.MADE, node), *left),
    )


def load_state_dict(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    source = args.get("state_dict", 0, UNKNOWN)
    own = [*parameters(m, owner)[0], *buffers(m, owner)[0]]
    memories = {memory for _, ref in own for memory in m[ref].storage}
    given = [thing for _, thing in m.all(source, Container)]
    inside = [value for thing in given for value in thing.held]
    loaded = [tensor for value in inside for _, tensor in m.all(value, Tensor)]
    cut_at(m, cut_by(node, "load_state_dict"), inside)
    shares = _shares(m, source, loaded, memories)
    shown = m.only(owner, Module)
    if shown is not None:
        m.emit(
            events.StateLoaded,
            node,
            module=shown,
            source=m.thing(not_none(source)),
            shares=shares,
            written=either([tensor.overwritten for tensor in loaded]) if loaded else UNSURE,
            taken=tuple(mark for thing in given for mark in thing.causes),
            matters=depends_on_mode(m, owner),
        )
    assigns, certain = flag(args, "assign", 2), certain_parts(m, owner)
    for _, ref in own if assigns is not YES else ():
        happens = YES if assigns is NO and ref in certain else MAYBE
        this = Write(node, "load_state_dict", WriteKind.LOAD)
        written_without_graph(m, ref, this, sure=assigns is NO, same=shares is YES, happens=happens)
    if assigns.may(YES):
        every = assigns is YES and flag(args, "strict", 1, default=True) is YES
        for part in submodules(m, owner):
            _take_over(m, node, part, loaded, every=every)
    return UNKNOWN if shown is None else PlainObject("keys")


def _shares(m: Interpreter, source: Value, loaded: Sequence[Tensor], memories: set[Ref]) -> Truth:
    """Return whether what is loaded is the module's own memory."""
    known = [option for option in alternatives(source) if option != NONE_VALUE]
    if not loaded or any(not m.may_be(option, Container) for option in known):
        return UNSURE
    inside = [bool(memories.intersection(tensor.storage)) for tensor in loaded]
    return YES if all(inside) else MAYBE if any(inside) else NO


def _take_over(m: Interpreter, node: Site, part: Ref, loaded: Sequence[Tensor], *, every: bool) -> None:
    """Replace the tensors of a module by loaded ones, as `assign=True` does; they themselves stay as they are. Not
    `every` one is replaced where some may be missing."""
    module: Module = m[part]
    registered = dict(module.buffers)

    def taken_over(name: str, value: Value) -> Value:
        found = [
            (ref, tensor) for ref, tensor in m.all(value, Tensor) if tensor.parameter.may(YES) or name in registered
        ]
        if not found:
            return value
        new = [_taken(m, node, part, f"{name} {number}", tensor, loaded) for number, (_, tensor) in enumerate(found)]
        kept = [option for option in alternatives(value) if not every or option not in [ref for ref, _ in found]]
        return one_of([*new, *kept], MOST_ITEMS)

    start = m.push(part)
    attributes = tuple((name, taken_over(str(name), value)) for name, value in module.attributes)
    rest = taken_over("", module.rest)
    now = m.pop_from(start)[0]
    certain = tuple(ref for ref in module.certain if type(m.state.heap.get(ref)) is Module)
    m.update_fields(now, Module, attributes=attributes, rest=rest, certain=certain)


def _taken(m: Interpreter, node: Site, part: Ref, name: str, old: Tensor, loaded: Sequence[Tensor]) -> Ref:
    """Return the tensor in another's place: a parameter keeps the old one's flag, a buffer is what was loaded."""
    place, handle = m.part_of(node, f"{part.site} {name}"), f"assigned {part.recency}"
    made_there = reduce(or_, [one.inference for one in loaded]) if loaded else UNSURE
    storage = (*dict.fromkeys(memory for one in loaded for memory in one.storage), m.memory(place, "loaded"))
    facts: dict[str, Any] = {
        "dtype": ANY_DTYPE,
        "storage": storage,
        "inference": made_there,
        "is_summary": old.is_summary,
        "grad": ANY_GRAD,
        "precision": ANY_PRECISION,
        "device": ANY_DEVICE,
    }
    if old.parameter is YES:
        asks = {"requires_grad": old.requires_grad, "parameter": YES, "scalar": old.scalar, "size": old.size}
        return fresh(m, place, handle, made="load_state_dict", belief=old.belief, **facts, **asks)
    made = fresh(m, place, handle, made="load_state_dict", belief=old.belief, **facts)
    unsure = dict.fromkeys(("requires_grad", "leaf", "retains", "parameter", "unwritable"), UNSURE)
    m.store(made, replace(m[made], node=(None, OPAQUE, ASTRAY), **unsure))
    return made
