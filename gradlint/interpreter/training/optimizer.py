"""Optimizers: what they were given, what a step does, how gradients are cleared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any

from gradlint import events
from gradlint.domain.facts import FLOAT, FRESH, INTEGER, LOST, MIXED, NO, NONE, READY, UNSURE, USED, YES, Truth, either
from gradlint.domain.items import Items, with_item
from gradlint.domain.joining import joined
from gradlint.domain.objects import MOST_PARAMETERS, Class, Container, Optimizer, Tensor
from gradlint.domain.provenance import Cause, CauseKind, ClearKind, WriteKind
from gradlint.domain.refs import Alternatives, Ref
from gradlint.domain.value_sets import number_kind, one_of, truth_of
from gradlint.domain.values import (
    NONE_VALUE,
    NOTHING,
    UNKNOWN,
    Bound,
    Constant,
    ImportPath,
    PlainObject,
    PythonNumber,
    Unknown,
    Value,
)
from gradlint.frozen import replace
from gradlint.interpreter.autograd import in_place
from gradlint.interpreter.autograd.grad import (
    clear_gradients,
    has_gradient,
    is_held,
    joined_gradients,
    left_as_none,
    may_lack_gradient,
    tensors_of,
)
from gradlint.interpreter.autograd.requires_grad import perhaps_the_same
from gradlint.interpreter.autograd.tensor import STEP
from gradlint.interpreter.autograd.version_counter import unnoticed
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.calls import call_value
from gradlint.interpreter.engine.dispatch import Method, TypeSlot, implements
from gradlint.interpreter.engine.escape import havoc, result_of_unknown
from gradlint.interpreter.engine.loops import Loop, run_loop
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.python.containers import append, container
from gradlint.interpreter.python.descriptors import member_of
from gradlint.interpreter.python.functions import call_function
from gradlint.interpreter.python.mro import ancestry, find_member, method_of
from gradlint.interpreter.static.scopes import receiver, spelled
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.interpreter.training.assumed_optimizer import BASES, assume_holds_all_parameters
from gradlint.interpreter.training.optimizer_state import (
    load_state_dict,
    note_training,
    remembers,
    state,
    state_dict,
)
from gradlint.interpreter.training.param_groups import (
    Given,
    Parts,
    certainly_given,
    given_elements,
    given_parts,
    given_tensors,
    groups_beside,
    under_params,
)
from gradlint.knowledge.training.clearing import OF_OPTIMIZERS


def build(m: Interpreter, node: Site, path: str, args: Arguments) -> Value:
    """An optimizer of torch is made; by the path of their base one of which nobody knows the class."""
    empty = unfilled("" if path in BASES else path.rpartition(".")[2], UNKNOWN, node)
    made, tell = _filled(m, node, empty, args)
    ref = m.new(node, "optimizer", made)
    tell(ref)
    return ref


def _filled(m: Interpreter, node: Site, thing: Optimizer, args: Arguments) -> tuple[Optimizer, Callable[[Ref], None]]:
    """The optimizer with the parameters that it is given, and the evidence for where it is."""
    given = args.get("params", 0, UNKNOWN)
    elements = given_elements(m, given)
    certain = certainly_given(m, given)
    parts = given_parts(m, node, given)
    refs = [ref for part in parts.all for ref in part]
    numbers = tuple((key, value) for key, value in args.keywords.items() if type(value) is Constant)
    made = replace(
        thing,
        groups=_slots(m, given, refs[:MOST_PARAMETERS], certain),
        open=parts.open if len(refs) <= MOST_PARAMETERS else UNSURE,
        options=numbers,
        differentiable=(recorded := _differentiable(args)),
        recorded=NOTHING if recorded is NO else result_of_unknown(args.values()),
    )
    made = replace(made, listing=_listing(m, node, made, parts))
    return made, lambda ref: _emit_built(m, node, ref, parts.all, elements, remembers(m, made.kind, args))


def _differentiable(args: Arguments) -> Truth:
    """Return whether the steps of an optimizer are to be recorded. Settings that are not seen (`**settings`) are taken
    not to set that: hardly anybody does."""
    return truth_of(args.keywords.get("differentiable", Constant(value=False)))


def _slots(m: Interpreter, given: Value, refs: Iterable[Ref], certain: AbstractSet[Ref]) -> tuple[Alternatives, ...]:
    """Return the params of an optimizer, tensor by tensor (or none, where that is not certain); where only one or
    another is given, these together."""
    either = _one_or_another(m, given)
    loose = {ref for slot in either for ref in slot}
    alone = [ref for ref in dict.fromkeys(refs) if ref not in loose]
    return (*((ref,) if ref in certain else (ref, None) for ref in alone), *either)


def _one_or_another(m: Interpreter, given: Value) -> list[Alternatives]:
    """Return the tensors of each place that holds one or another."""
    found, listing = tuple(ref for ref, _ in m.all(given, Tensor)), m.only(given, Container)
    if found:
        return [found] if len(found) > 1 else []
    parts = () if listing is None else (part for _, part in listing.items)
    return [slot for part in parts for slot in _one_or_another(m, part)]


def _emit_built(m: Interpreter, node: Site, ref: Ref, parts: list[list[Ref]], given: Given, remembers: Truth) -> None:
    shown = tuple(tensors_of(m, part) for part in parts)
    m.emit(
        events.OptimizerBuilt,
        node,
        optimizer=m[ref],
        parameters=tuple(tensor for part in shown for tensor in part),
        parts=shown,
        elements=given.elements,
        in_two_groups=given.twice,
        duplicated=given.repeated,
        graph=ref.key,
        beside=groups_beside(m, (held for part in parts for held in part)),
        remembers=remembers,
    )


# ---- optimizers whose class is written in the program


def torch_optimizer(m: Interpreter, cls: Value) -> bool:
    """Return whether a class derives from an optimizer of torch."""
    return any(
        type(one) is ImportPath and (one.path in m.torch.optimizers or one.path in BASES) for one in ancestry(m, cls)
    )


def unfilled(kind: str, cls: Value, node: Site) -> Optimizer:
    """An optimizer before its parameters are given to it."""
    return Optimizer(kind, open=NO, stepped=NO, stage=READY, cls=cls, causes=(Cause(CauseKind.MADE, node),))


@implements(TypeSlot.NEW, Optimizer)
def _new(m: Interpreter, thing: Class, cls: Ref, node: Site) -> Optimizer | None:
    return unfilled(thing.name, cls, node) if torch_optimizer(m, cls) else None


@implements(TypeSlot.INITIALISE, Optimizer)
def _initialise(m: Interpreter, node: Site, owner: Value, cls: Value, args: Arguments) -> bool:
    """The `__init__` of torch's own classes gives an optimizer its parameters."""
    fill(m, node, owner, args)
    return m.may_be(owner, Optimizer)


def fill(m: Interpreter, node: Site, owner: Value, args: Arguments) -> None:
    for ref, _ in m.all(owner, Optimizer):
        (made, tell), (ref,) = m.keeping(partial(_filled, m, node, m[ref], args), ref)
        m.store(ref, made)
        tell(ref)


def _listing(m: Interpreter, node: Site, thing: Optimizer, parts: Parts) -> Ref:
    """`param_groups`: a list of dicts whose "params" are lists of tensors. Schedulers change the numbers in them."""
    numbers = tuple(
        (key, PythonNumber(INTEGER | FLOAT)) for key, value in thing.options if number_kind(value) is not None
    )
    groups = []
    for index, part in enumerate(parts.all):
        items: Items = (("params", m.new(node, f"params {index}", under_params(m, thing, part))), *numbers)
        groups.append(m.new(node, f"group {index}", Container("dict", items=items, rest=Unknown(()))))
    if not parts.perhaps:
        return container(m, node, "list", groups, "groups")
    given = tuple(enumerate(groups[: len(parts.given)]))
    return m.new(node, "groups", Container("list", items=given, rest=one_of(groups[len(parts.given) :])))


def held(m: Interpreter, owner: Value) -> list[Ref]:
    """The tensors that an optimizer certainly or possibly updates."""
    found: dict[Ref, None] = {}
    for _, thing in m.all(owner, Optimizer):
        for group in thing.groups:
            found |= {ref: None for ref in group if ref is not None and type(m.state.heap.get(ref)) is Tensor}
        for ref in _listed(m, thing):
            found.setdefault(ref)
    return list(found)


def surely_held(m: Interpreter, owner: Value) -> AbstractSet[Ref]:
    """Return the tensors updated whichever optimizer it is: what the only one holds, or every one of several."""
    found = [thing for _, thing in m.all(owner, Optimizer)]
    each = [
        {slot[0] for slot in thing.groups if len(slot) == 1 and slot[0] is not None} & _still_listed(m, thing)
        for thing in found
    ]
    return set.intersection(*each) if each else set()


def _still_listed(m: Interpreter, thing: Optimizer) -> AbstractSet[Ref]:
    """The tensors that were not taken out of `param_groups`, as far as that is known."""
    listing = m.only(thing.listing, Container)
    if listing is None:
        return {ref for slot in thing.groups for ref in slot if ref is not None}
    return set(_listed(m, thing)) if listing.items else set()


def _listed(m: Interpreter, thing: Optimizer) -> Iterator[Ref]:
    """The tensors that `param_groups` holds, where the program may have put others."""
    for _, groups in m.all(thing.listing, Container):
        for value in groups.held:
            for _, group in m.all(value, Container):
                for _, params in m.all(dict(group.items).get("params", NOTHING), Container):
                    for element in params.held:
                        yield from (ref for ref, _ in m.all(element, Tensor))


def step(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`step()`, that of its class if the program writes one."""
    method = method_of(m, owner, "step")
    if method is None:
        return _step(m, node, owner, args)
    _emit_step(m, node, owner, args.get("closure", 0, NONE_VALUE), UNKNOWN, spelled(receiver(node)))
    start = m.push(owner)
    given = m.push(call_function(m, node, method, args.with_first(owner)))
    sure = surely_held(m, m.state.stack[start])
    for ref in held(m, m.state.stack[start]):
        note_training(m, ref, m.state.stack[start])
        _used(m, ref, sure=ref in sure)
    m.update_fields(m.state.stack[start], Optimizer, stepped=YES)
    return m.pop_from(start)[given - start]


def _used(m: Interpreter, ref: Ref, *, sure: bool) -> None:
    """A step has used the gradient of a parameter."""
    thing: Tensor = m[ref]
    now = replace(thing, grad=STEP.of(thing))
    m.store_exact(ref, now if sure else joined(thing, now))


def _step(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """The `step()` of torch: the closure runs, if there is one, and the parameters are written, without the graph."""
    name = spelled(receiver(node))
    return stepped(m, node, owner, args.get("closure", 0, NONE_VALUE), certain=True, name=name)


def stepped(m: Interpreter, node: Site, owner: Value, closure: Value, *, certain: bool, name: str) -> Value:
    """An optimizer steps; where that is not `certain` (a GradScaler skips steps) its parameters may stay unwritten."""
    start = m.push(owner)
    returned = NONE_VALUE if closure == NONE_VALUE else _run_closure(m, node, start, closure)
    start = m.push(returned) - 1
    _emit_step(m, node, m.state.stack[start], closure, returned, name)
    update(m, node, m.state.stack[start], certain=certain)
    return m.pop_from(start)[1]


def _emit_step(m: Interpreter, node: Site, owner: Value, closure: Value, returned: Value, name: str) -> None:
    shown = m.only(owner, Optimizer)
    if shown is None or m.is_silent:
        return
    tensors = tensors_of(m, held(m, owner))
    grad, unit = joined_gradients(tensors)
    m.emit(
        events.OptimizerStepped,
        node,
        optimizer=shown,
        parameters=tensors,
        grad=grad,
        unit=unit,
        closure=m.thing(closure),
        returned=m.thing(returned),
        name=name,
    )


def _run_closure(m: Interpreter, node: Site, start: int, closure: Value) -> Value:
    """Return the result of the closure, run with gradients on: once, or again and again, each before a step."""
    place = m.part_of(node, "closure")
    found = m.push(NOTHING)
    again = any(_repeats(m, thing) for _, thing in m.all(m.state.stack[start], Optimizer))

    def run(_: Truth) -> None:
        mode, m.state.grad_mode = m.state.grad_mode, YES
        given = call_value(m, place, closure, Arguments(), "closure")
        m.state.grad_mode = mode
        m.state.stack[found] = one_of((m.state.stack[found], given))
        if again:
            update(m, node, m.state.stack[start], certain=True)

    if again:
        run_loop(m, place, Loop(run, least=1))
    else:
        run(YES)
    return m.pop_from(found)[0]


def _repeats(m: Interpreter, thing: Optimizer) -> bool:
    """Return whether a step may run its closure several times."""
    row = m.torch.optimizers.get(f"torch.optim.{thing.kind}")
    return row is None or row.repeats_closure


def update(m: Interpreter, node: Site, owner: Value, *, certain: bool) -> None:
    """The parameters that have a gradient are written, and their gradients used."""
    refs, sure = held(m, owner), surely_held(m, owner)
    written: list[Ref] = []
    recorded = either([thing.differentiable for _, thing in m.all(owner, Optimizer)])
    for ref in refs:
        if _may_only_be_filled_unseen(m[ref]):
            in_place.memory_written(m, m[ref].storage, in_place.UNSEEN)
        elif has_gradient(m[ref]):
            whole = ref in sure and certain and not may_lack_gradient(m[ref])
            if recorded is not YES:
                in_place.written_without_graph(
                    m, ref, in_place.Write(node, "step", WriteKind.STEP), sure=whole and recorded is NO
                )
                if whole and recorded is NO and unnoticed(m, m[ref]) is NO:
                    written += m[ref].storage
            if recorded is not NO:
                _write_recorded(m, node, ref, owner, sure=whole and recorded is YES)
        note_training(m, ref, owner)
        _used(m, ref, sure=ref in sure)
    in_place.all_written(m, written, Cause(CauseKind.STEPPED, syntax(node)))
    m.update_fields(owner, Optimizer, stepped=YES)
    _others(m, owner, refs)


def _may_only_be_filled_unseen(thing: Tensor) -> bool:
    """Return whether a parameter may have a gradient from unseen code alone, so that nobody sees a write."""
    none_seen = thing.grad.is_unsure and thing.grad.possibly(NONE) and not is_held(thing.gradient)
    return none_seen and not thing.grad.possibly(FRESH | USED | MIXED | LOST)


def _write_recorded(m: Interpreter, node: Site, ref: Ref, owner: Value, *, sure: bool) -> None:
    """A differentiable step switches gradients on, and writes a parameter like any operation."""
    made_of = [thing.recorded for _, thing in m.all(owner, Optimizer)]
    this = in_place.Write(node, "step", WriteKind.STEP, [*made_of, m[ref].gradient])
    modes, m.state.grad_mode = m.state.modes, YES
    if sure:
        in_place.write(m, ref, this)
    else:
        in_place.maybe_written(m, lambda: in_place.write(m, ref, this))
    m.state.modes = modes


def _others(m: Interpreter, owner: Value, refs: list[Ref]) -> None:
    """An optimizer that may hold others than were seen may have written any that it can have got."""
    for ref, thing in _perhaps_held(m, owner, refs):
        seen = in_place.Change(sure=False, noticed=YES, by=ref)
        in_place.memory_written(m, thing.storage, seen if thing.parameter.possibly(YES) else in_place.UNSEEN)
        _used(m, ref, sure=False)
    for ref in perhaps_the_same(m, refs):
        _used(m, ref, sure=False)


def _perhaps_held(m: Interpreter, owner: Value, refs: list[Ref]) -> list[tuple[Ref, Tensor]]:
    """The tensors besides these that an optimizer may hold which may hold others than were seen: parameters, and what
    unseen code has had, which may have given it on."""
    if not any(thing.open.may(YES) for _, thing in m.all(owner, Optimizer)):
        return []
    known = frozenset(refs)
    tensors = [(ref, thing) for ref, thing in m.state.heap.items() if type(thing) is Tensor and ref not in known]
    return [(ref, thing) for ref, thing in tensors if thing.parameter.may(YES) or _may_be_given(thing)]


def _may_be_given(thing: Tensor) -> bool:
    """Return whether a tensor that is no parameter may be one of those that unseen code gave."""
    return thing.unseen.may(YES) and thing.leaf.may(YES) and thing.requires_grad.may(YES)


def zero_grad(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`zero_grad()` of an optimizer."""
    refs = held(m, owner)
    to_none = left_as_none(m, OF_OPTIMIZERS, args)
    m.loops.sweeping += refs
    clear_gradients(m, node, refs, to_none=to_none, by=ClearKind.OPTIMIZER, sure=surely_held(m, owner))
    del m.loops.sweeping[len(m.loops.sweeping) - len(refs) :]
    with m.log.silently():
        for ref in dict.fromkeys([*(ref for ref, _ in _perhaps_held(m, owner, refs)), *perhaps_the_same(m, refs)]):
            clear_gradients(m, node, [ref], to_none=to_none, by=ClearKind.OPTIMIZER, sure=())
    return NONE_VALUE


def add_param_group(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """`add_param_group({"params": ...})`."""
    given = args.get("param_group", 0, UNKNOWN)
    group = m.only(given, Container)
    params = dict(group.items).get("params", UNKNOWN) if group else UNKNOWN
    certain = certainly_given(m, params)
    refs, opened = given_tensors(m, node, params) if group else ([], UNSURE)
    found = m.all(owner, Optimizer)
    if not m.is_silent:
        m.emit(events.Called, node, path="torch.optim.Optimizer.add_param_group", args=(m.thing(owner), m.thing(given)))
    for ref, thing in found:
        groups = (*thing.groups, *_slots(m, params, refs, certain))
        now = replace(thing, groups=groups, open=thing.open | opened)
        m.store(ref, now, sure=len(found) == 1)
        for one, dictionary in m.all(given, Container):
            listed = m.new(node, "params", under_params(m, now, refs))
            m.store(one, replace(dictionary, items=with_item(dictionary.items, "params", listed)))
        append(m, node, param_groups(m, node, ref), given)
    return NONE_VALUE


def param_groups(m: Interpreter, node: Site, owner: Ref) -> Value:
    """`param_groups`, the same list every time."""
    thing: Optimizer = m[owner]
    if thing.listing == NOTHING:
        listing = _listing(m, node, thing, Parts([held(m, owner)], [], thing.open))
        m.store(owner, replace(m[owner], listing=listing))
        return listing
    return thing.listing


ATTRIBUTES: dict[str, Callable[[Interpreter, Any, Ref], Value]] = {
    "param_groups": param_groups,
    "state": state,
    "defaults": lambda m, node, owner: m.new(node, "defaults", Container("dict", m[owner].options, UNKNOWN)),
}


def _hooked(m: Interpreter, node: Site, owner: Value, args: Arguments) -> Value:
    """A hook may do whatever it likes to what it can reach, whenever the optimizer is used."""
    havoc(m, [owner, *args.values()])
    return PlainObject("RemovableHandle")


METHODS: dict[str, Method] = {
    "step": step,
    "zero_grad": zero_grad,
    "add_param_group": add_param_group,
    "state_dict": state_dict,
    "load_state_dict": load_state_dict,
}
METHODS |= {
    f"register_{method}_{when}_hook": _hooked
    for method in ("step", "state_dict", "load_state_dict")
    for when in ("pre", "post")
}

INHERITED = METHODS | {"step": _step}


@implements(TypeSlot.CALL_INHERITED, Optimizer)
def _call_inherited(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments) -> Value | None:
    """Call the optimizer's own method through `super()` in a class of the program."""
    known = INHERITED.get(method)
    return None if known is None else known(m, node, owner, args)


@implements(TypeSlot.CALL_METHOD, Optimizer)
def _call_method(m: Interpreter, node: Site, owner: Value, method: str, args: Arguments, name: str) -> Value | None:
    known = METHODS.get(method)
    if known is None:
        return None
    assume_holds_all_parameters(m, owner)
    if method in ("step", "zero_grad") and any(thing.held_back.may(YES) for _, thing in m.all(owner, Optimizer)):
        return m.maybe(lambda: known(m, node, owner, args))
    return known(m, node, owner, args)


@implements(TypeSlot.GET_ATTRIBUTE, Optimizer)
def _get_attribute(m: Interpreter, node: Site, owner: Ref, name: str, chain: str, guard: bool) -> Value:
    thing: Optimizer = m[owner]
    if thing.attributes or thing.cls != UNKNOWN:
        own = dict(thing.attributes).get(name)
        own = find_member(m, thing.cls, name) if own is None and name != "step" else own
        if own is not None:
            return member_of(m, node, owner, own, name)
    reader = ATTRIBUTES.get(name)
    return Bound(owner, name) if reader is None else reader(m, node, owner)


implements(TypeSlot.TRUTH, Optimizer)(lambda m, thing: YES)
