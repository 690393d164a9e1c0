"""Settings of `requires_grad` of a tensor."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from operator import or_
from typing import Any

from gradlint import events
from gradlint.domain.facts import ANY_DTYPE, DISCRETE, INTEGER, NO, UNSURE, YES, Truth, both, either, negation
from gradlint.domain.fields import Aspect, unknown
from gradlint.domain.mentions import object_references
from gradlint.domain.objects import Container, Instance, Module, Tensor
from gradlint.domain.provenance import MOST_CAUSES, AskKind, Belief, Cause, CauseKind
from gradlint.domain.refs import ASTRAY, OPAQUE, Alternatives, Ref
from gradlint.domain.value_sets import references
from gradlint.domain.values import Value
from gradlint.frozen import frozen, replace
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site


@frozen()
class Asked:
    """`requires_grad` is set `to` this at a `site`, by what is called `name`; `statement` is the assignment that does
    nothing else. For `by` see `RequiresGradChanged`."""

    site: Site
    to: Truth
    by: AskKind
    name: str = ""
    statement: Any = None


def set_requires_grad(m: Interpreter, value: Value, this: Asked, sure: Collection[Ref] | None = None) -> None:
    """`requires_grad` is set: of a value's one tensor, or of several at once, certainly of the `sure` ones."""
    to, by = this.to, this.by
    found = m.all(value, Tensor)
    shown = m.only(value, Tensor)
    if shown is not None and not m.is_silent:
        meant = found if sure is None else [(ref, tensor) for ref, tensor in found if ref in sure]
        each = tuple(tensor for _, tensor in meant) if by is AskKind.MODULE or _leaves_none_out(m, found) else ()
        if shown.dtype <= DISCRETE and to is YES:
            each = (*each, *_besides(m))
        now = reduce(or_, [_afterwards(m, tensor, to) for _, tensor in found])
        m.emit(
            events.RequiresGradChanged,
            this.site,
            tensor=shown,
            to=to,
            now=now,
            by=by,
            name=this.name,
            each=each,
            statement=this.statement,
            held=_held(m, [ref for ref, _ in found]) if shown.leaf is NO else 0,
            counted=all(_is_counted(tensor) for _, tensor in found),
            repeats=_repeats(m, found, to) if shown.leaf is YES and by in ALONE else None,
        )
    if by in ALONE and m.refuses(value, [ref for ref, tensor in found if _is_refused(tensor, to, by)]):
        m.raise_certainly()
        return
    for ref, tensor in found:
        now = _afterwards(m, tensor, to)
        marks = _marks(tensor, to, Cause(CauseKind.ASKED, this.site, name=this.name, how=by))
        certain = m.is_strong(found) if sure is None else ref in sure
        m.store(ref, replace(tensor, requires_grad=now, node=_nodes_if_asked(tensor, to), causes=marks), sure=certain)
        if by not in NEW:
            show_on_views(m, ref, tensor, now, sure=certain)
        _show_on_the_same(m, ref, tensor)
    for ref in perhaps_the_same(m, [ref for ref, tensor in found if tensor.belief.seen_made]):
        _leave_open(m, ref, m[ref])


def _show_on_the_same(m: Interpreter, ref: Ref, tensor: Tensor) -> None:
    """Leave open the flags of leaves that unseen code was passed: what it gave may be one of them."""
    for other, thing in perhaps_given_back(m, ref, tensor):
        _leave_open(m, other, thing)


def _leave_open(m: Interpreter, ref: Ref, tensor: Tensor) -> None:
    """Leave open the flag of a leaf: another tensor that may be the same was asked."""
    if tensor.leaf.may(YES) and not tensor.requires_grad.is_unsure:
        m.store_exact(ref, replace(tensor, requires_grad=tensor.requires_grad | UNSURE))


def perhaps_given_back(m: Interpreter, ref: Ref, tensor: Tensor) -> list[tuple[Ref, Tensor]]:
    """The program's own tensors that unseen code was passed and may have returned as this one; none for what was seen
    made."""
    if tensor.belief < Belief.FROM_USAGE:
        return []
    bases = [base for base in tensor.base if base is not None and base in m.state.heap]
    given = [tensor, *(thing for base in bases if type(thing := m[base]) is Tensor)]
    holding = m.state.heap.holding([memory for one in given for memory in one.storage])
    others = dict.fromkeys([*bases, *(other for other, _ in holding)])
    found = [(other, thing) for other in others if type(thing := m[other]) is Tensor]
    return [(other, thing) for other, thing in found if thing.belief.seen_made and other not in m.same(ref)]


def perhaps_the_same(m: Interpreter, refs: Iterable[Ref]) -> list[Ref]:
    """The results of unseen code that may be one of these tensors, which it was passed, and the program's own tensors
    that one of these may be, where it is such a result."""
    if not (known := dict.fromkeys(refs)):
        return []
    tensors = [(ref, thing) for ref, thing in m.state.heap.items() if type(thing) is Tensor and ref not in known]
    given = [ref for ref, thing in tensors if any(one in known for one, _ in perhaps_given_back(m, ref, thing))]
    passed = [one for ref in known for one, _ in perhaps_given_back(m, ref, m[ref]) if one not in known]
    return [*dict.fromkeys((*given, *passed))]


def perhaps_elsewhere(m: Interpreter, given: Iterable[tuple[Ref, Tensor]], memories: Iterable[Ref]) -> None:
    """Let these tensors be in other memory, of any size and kind, if what unseen code gave is one of them."""
    forgotten = unknown(Tensor, Aspect.MEMORY) | unknown(Tensor, Aspect.SIZE) | unknown(Tensor, Aspect.LAYOUT)
    for ref, thing in given:
        either_memory = tuple(dict.fromkeys((*thing.storage, *memories)))
        m.store_exact(ref, replace(thing, dtype=ANY_DTYPE, storage=either_memory, **forgotten))


def _is_refused(tensor: Tensor, to: Truth, by: AskKind) -> bool:
    """Return whether torch certainly refuses to set the flag: of what is no leaf, but that the method may ask it again,
    and of numbers without derivatives."""
    if tensor.leaf is NO and tensor.requires_grad is YES:
        return to is NO or (to is YES and by is AskKind.ASSIGNMENT)
    return to is YES and tensor.dtype <= DISCRETE


def _nodes_if_asked(tensor: Tensor, to: Truth) -> Alternatives:
    """The nodes of a tensor that is set to require grad: where it may have left its graph, it is a leaf instead."""
    if not to.may(YES) or not tensor.node or None in tensor.node or tensor.leaf is NO:
        return tensor.node
    return (*tensor.node, None) if tensor.requires_grad.may(NO) and tensor.unseen.may(YES) else tensor.node


def _is_counted(tensor: Tensor) -> bool:
    """Return whether the elements of a tensor are whole, if those bounds are of which nobody tells."""
    return tensor.dtype.may(INTEGER) and any(mark.kind == CauseKind.COUNTED for mark in tensor.causes)


ALONE = frozenset({AskKind.ASSIGNMENT, AskKind.METHOD})
"""The requests of one tensor by itself, which was there before."""


def _repeats(m: Interpreter, found: Sequence[tuple[Ref, Tensor]], to: Truth) -> bool | None:
    """Return whether another handle on the memory of these tensors that something keeps has the flag already that is
    asked of them; None where there is no other, or something keeps these."""
    refs = [ref for ref, _ in found]
    others = m.state.heap.holding(memory for _, tensor in found for memory in tensor.storage)
    flags = [thing.requires_grad for ref, thing in others if type(thing) is Tensor and ref not in refs]
    if not flags or _held(m, refs):
        return None
    alive = m.state.alive()
    return any(thing.requires_grad is to for ref, thing in others if type(thing) is Tensor and ref in alive - {*refs})


def _held(m: Interpreter, refs: Sequence[Ref]) -> int:
    """Return the number of names and living objects that hold one of these."""
    meant = {one for ref in refs for one in m.same(ref)}
    names = list(m.state.names.values())
    by_name = sum(not meant.isdisjoint(references(value)) for value in names)
    objects = [m.state.heap[ref] for ref in m.state.alive() if ref in m.state.heap]
    holding = [thing for thing in objects if type(thing) in HOLDING and not meant.isdisjoint(object_references(thing))]
    return by_name + len(holding)


HOLDING = (Container, Instance, Module)
"""The objects that hold a value until they are told otherwise."""


def _marks(tensor: Tensor, to: Truth, asked: Cause) -> tuple[Cause, ...]:
    """The marks of a tensor whose flag is set: what has no effect leaves no other."""
    if tensor.requires_grad is to and _is_asked(tensor):
        return tensor.causes
    return (*[mark for mark in tensor.causes if mark.kind != CauseKind.ASKED], asked)[-MOST_CAUSES:]


def _is_asked(tensor: Tensor) -> bool:
    """Return whether a tensor may have been set to require grad itself, not only what it was computed from."""
    return any(mark.kind == CauseKind.ASKED and mark.how for mark in tensor.causes)


def _afterwards(m: Interpreter, tensor: Tensor, to: Truth) -> Truth:
    """Return the flag after a request: a tensor set to require grad does so, for a non-leaf did so before. Only a
    leaf's flag can be cleared, and a view made without the graph then goes on as what it is a view of does."""
    if to is YES:
        return YES
    if tensor.leaf is NO:
        return tensor.requires_grad
    own = to if tensor.leaf is YES else tensor.requires_grad | to
    if tensor.belief >= Belief.FROM_USAGE and None in tensor.base:
        return own | UNSURE  # unseen code gave it: it may be what that was passed, or a view of it
    bases = [NO if base is None else _shown(m, base) for base in tensor.base]
    return reduce(or_, [either([own, base]) for base in bases]) if bases else own


def _shown(m: Interpreter, ref: Ref) -> Truth:
    """Return whether the flag of this shows on a view of it that was made without the graph."""
    thing = m.state.heap.get(ref)
    return both(thing.requires_grad, negation(thing.inference)) if type(thing) is Tensor else UNSURE


def _leaves_none_out(m: Interpreter, found: Sequence[tuple[Ref, Tensor]]) -> bool:
    """Return whether a loop goes over all of these and has come here with each of them, whatever it is."""
    loop = m.frame.loop
    if loop is None or loop.continues or m.conditions != loop.conditions:
        return False
    return all(ref in m.loops.sweeping for ref, _ in found)


def _besides(m: Interpreter) -> list[Tensor]:
    """Return the other tensors that a loop goes over that is run element by element."""
    places = None if m.frame.loop is None else m.frame.loop.listed
    elements = [] if places is None else m.state.stack[slice(*places)]
    pairs = [part for one in elements for _, pair in m.all(one, Container) for _, part in pair.items]
    return [tensor for one in (*elements, *pairs) for _, tensor in m.all(one, Tensor)]


NEW = (AskKind.FACTORY, AskKind.PARAMETER)
"""The requests for a tensor that is being made, so that nobody has a view of it."""


def show_on_views(m: Interpreter, ref: Ref, base: Tensor, to: Truth, *, sure: bool) -> None:
    """A view that was not recorded requires grad as what it is a view of does, or because it was set itself; the
    base is given as it was before it changed. Where that views hidden memory itself, it is that which counts. A view
    of what was made in inference mode has a flag of its own."""
    if to is base.requires_grad or base.inference is YES:
        return
    sure = sure and m.is_single(ref, base)
    for other, thing in list(m.state.heap.items()):
        if type(thing) is Tensor and ref in thing.base and thing.leaf is not NO:
            alone = sure and thing.base == (ref,) and base.inference is NO
            certain = alone and thing.leaf is YES and (to is YES or not _is_asked(thing))
            now = to if certain else thing.requires_grad | to
            m.store_exact(other, replace(thing, requires_grad=now, **(_half_in_graph(thing) if to.may(YES) else {})))


@implements(TypeSlot.ASKED_UNSEEN, Tensor)
def _asked_unseen(m: Interpreter, handed: Iterable[Ref]) -> None:
    """The flag of what unseen code has shows on views that were not recorded, though it does not have those."""
    for ref in m.state.heap.views_of(asked := dict.fromkeys(handed)):
        view: Any = m.state.heap[ref]
        if ref not in asked and view.leaf is not NO:
            m.store_exact(ref, replace(view, requires_grad=view.requires_grad | UNSURE, **_half_in_graph(view)))


def _half_in_graph(view: Tensor) -> dict[str, Any]:
    """Return a view after its base's flag is set: torch shows a leaf, from which no gradient goes on, until the
    next write to their memory, and from then on a result of the base."""
    return {
        "leaf": view.leaf | NO,
        "node": tuple(dict.fromkeys((*view.node, OPAQUE, ASTRAY))),
        "showing": view.showing | YES,
    }
