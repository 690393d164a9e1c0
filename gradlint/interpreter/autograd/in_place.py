"""Writing in place: who else holds the memory, which graphs had saved it, and what moves on to a new node."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradlint import events
from gradlint.domain.facts import DISCRETE, FRESH, LOST, NO, NONE, UNSURE, YES, Truth, Unit, both, either, negation
from gradlint.domain.joining import joined
from gradlint.domain.mentions import object_references
from gradlint.domain.objects import Container, Iterator, Node, Object, Tensor, with_mark
from gradlint.domain.provenance import MOST_CAUSES, Belief, Cause, CauseKind, WriteKind
from gradlint.domain.refs import KEPT, Alternatives, Ref
from gradlint.domain.state import OLDEST
from gradlint.domain.value_sets import alternatives, cuts_of_numbers, one_of, references
from gradlint.domain.values import UNKNOWN, Constant, Unknown, Value
from gradlint.frozen import frozen, replace
from gradlint.interpreter.autograd.detach import cuts
from gradlint.interpreter.autograd.growth import Growth, emit_grown, goes_on_from
from gradlint.interpreter.autograd.operands import Operand, operand
from gradlint.interpreter.autograd.record import Saves
from gradlint.interpreter.autograd.tensor import CLEARING, made_of, memories_behind_gradients
from gradlint.interpreter.autograd.version_counter import comparing, count_through, is_silent, unnoticed
from gradlint.interpreter.engine.arguments import arguments_in
from gradlint.interpreter.engine.dispatch import TypeSlot, implements
from gradlint.interpreter.engine.history import grows, nodes_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge.properties.probabilities import SQUASHING
from gradlint.knowledge.properties.zeroing import KEEPING_SOME, KEEPING_ZEROS


@frozen()
class Write:
    """One write in place at `node`: by which operation (`op`), seen as what (`by`), with which other operands, through
    what `name`; it `saves` some memories for backward. `added` is the syntax of the only operand.

    An operation that is not `checked` is none of autograd's: it may write a leaf that requires grad, nobody needs to
    hear of it, and it leaves every handle on the graph node where that was.
    """

    node: Site
    op: str
    by: WriteKind
    operands: Sequence[Value] = ()
    name: str = ""
    differentiable: bool = True
    checked: bool = True
    saves: Saves = Saves()
    added: Any = None


def write(m: Interpreter, target: Value, this: Write) -> None:
    """The memory of a tensor is written in place."""
    found = m.all(target, Tensor)
    _write_unknown(m, target)
    if not found:
        return
    noticed = negation(either([unnoticed(m, tensor) for _, tensor in found]))
    if this.checked:
        _emit_written(m, target, this, negation(either([is_silent(m, tensor) for _, tensor in found])))
    cut, before = cuts(m, this.operands), nodes_of(m, target)
    others = [operand(m, "", value) for value in this.operands]
    wants = either([one.requires_grad for one in others])
    sure = m.is_strong(found)
    refused = {ref for ref, tensor in found if this.checked and _raises(m, tensor, wants)}
    if m.refuses(target, refused):
        m.raise_certainly()
        return
    for ref, tensor in found:
        if ref in refused:
            continue
        mark = Cause(_kind(noticed), syntax(this.node), name=this.name)
        count = count_through(tensor)
        memory_written(m, tensor.storage, Change(sure, noticed, ref, mark=mark, count=count))
        gradients_written(m, tensor.storage, this.op, this.operands)
        _leave_marks(m, this, ref, cut, sure)
        if this.differentiable and this.checked:
            _doubt_flags(m, ref, others)
            _rebase(m, this, ref, wants, sure)
    if not m.is_silent and (now := m.only(target, Tensor)) is not None and _has_grown(m, now):
        recurrent = goes_on_from(m, before, others)
        emit_grown(m, this.node, this.op, now, Growth(this.name, this.added, others, recurrent))


def maybe_written(m: Interpreter, happening: Callable[[], Any]) -> None:
    """Run a write that may happen or not: no event is emitted, and torch may refuse it or not."""
    refused = m.state.refused
    with m.log.silently():
        m.maybe(happening)
    m.state.refused = refused


def _write_unknown(m: Interpreter, target: Value) -> None:
    """Write an unknown value: the write may be in the memory of all that it is made of, or in a gradient of that."""
    reach = [ref for option in alternatives(target) if type(option) is Unknown for ref in option.reach]
    if reach:
        _, memories = made_of(m, reach)
        memory_written(m, memories, UNSEEN)
        gradients_written(m, memories)


def _emit_written(m: Interpreter, target: Value, this: Write, noticed: Truth) -> None:
    found, shown = m.all(target, Tensor), m.only(target, Tensor)
    if shown is None:
        return
    refs = [ref for ref, _ in found]
    m.emit(
        events.WrittenInPlace,
        this.node,
        target=shown,
        op=this.op,
        base=viewed(m, shown),
        holders=holders(m, refs),
        by=this.by,
        noticed=noticed,
        local=is_local(m, found) and not (this.op == "copy_" and _from_strangers(m, this.operands)),
        arguments=arguments_in(m, target) if not m.is_silent else (),
        operands=tuple(m[one] for value in this.operands for one, _ in m.all(value, Tensor)),
        numbers=cuts_of_numbers(this.operands),
        saved=_saved(m, this, shown),
        name=this.name,
        updates=updates(m, shown, this.operands),
        argument=_is_argument(m, [m.own(ref) for ref in refs]),
    )


def _saved(m: Interpreter, this: Write, target: Tensor) -> tuple[Tensor, ...]:
    """The operands that a write which is certainly recorded on a target that is in the graph certainly keeps."""
    recorded = this.checked and this.differentiable and m.recording is YES and target.inference is NO
    if not recorded or target.requires_grad is not YES or target.leaf is not NO or _raises(m, target, YES):
        return ()
    memories = {memory for slot in this.saves.before if None not in slot for memory in slot}
    given = [m.only(value, Tensor) for value in this.operands]
    return tuple(one for one in given if one is not None and not memories.isdisjoint(one.storage))


def _leave_marks(m: Interpreter, this: Write, ref: Ref, cut: Sequence[Cause], sure: bool) -> None:
    """Mark a written tensor: its values may have been cut off the graph, and this operation may squash them."""
    tensor: Tensor = m[ref]
    base = this.op.removesuffix("_")
    squashed = base if base in SQUASHING else ""
    if squashed != tensor.probability_op:
        marks = tuple(mark for mark in tensor.causes if mark.kind != CauseKind.SQUASHED)
        now = (Cause(CauseKind.SQUASHED, syntax(this.node)), *marks)[:MOST_CAUSES] if squashed else marks
        m.store(ref, replace(tensor, probability_op=squashed, causes=now), sure=sure)
    if cut:
        marks = tuple(dict.fromkeys((*m[ref].causes, *cut)))[:MOST_CAUSES]
        m.store(ref, replace(m[ref], causes=marks), sure=sure)


def updates(m: Interpreter, target: Tensor, operands: Iterable[Value]) -> bool:
    """Return whether a tensor is written with what was computed from its own gradient."""
    owners = [m.state.heap.get(ref) for value in operands for _, one in m.all(value, Tensor) for ref in one.grad_of]
    return any(type(owner) is Tensor and not set(target.storage).isdisjoint(owner.storage) for owner in owners)


def _is_argument(m: Interpreter, refs: Sequence[Ref]) -> bool:
    """Return whether a parameter of the running function holds one of these, made before the function began."""
    function, frame = m.frame.function, m.frame.id
    if m.is_silent or function is None or not any(ref.context < frame for ref in refs):
        return False
    params = (*function.node.params.posonly_params, *function.node.params.params)
    held = [m.state.names.get((frame, one.name.value)) for one in params]
    return any(ref in held for ref in refs if ref.context < frame)


def _has_grown(m: Interpreter, tensor: Tensor) -> bool:
    """Return whether the last that was recorded on a tensor was recorded on the same place's own earlier work."""
    made = [m.state.heap.get(ref) for ref in tensor.node if ref is not None]
    return any(type(one) is Node and one.grows.possibly(YES) for one in made)


def gradients_written(m: Interpreter, memories: Iterable[Ref], op: str = "", operands: Sequence[Value] = ()) -> None:
    """A gradient in this memory that the program itself writes, or gives another memory, may be in any unit afterwards;
    one that had been cleared may be there again, and one that was there may be cleared."""
    found = _with_gradients_in(m, memories)
    if found and _may_be_zeros(m, memories, operands):
        op = ""
    for ref in found:
        thing = m.state.heap.get(ref)
        if type(thing) is Tensor:
            refilled = thing.grad.may(NONE | LOST) and op not in KEEPING_ZEROS
            grad = thing.grad | FRESH if refilled else thing.grad
            grad = grad if op in KEEPING_SOME else grad | CLEARING.of(thing)
            m.store_exact(ref, replace(thing, grad=grad, unit=thing.unit | Unit.unsure()))


def _may_be_zeros(m: Interpreter, memories: Iterable[Ref], operands: Sequence[Value]) -> bool:
    """Return whether this write may leave zeros, whatever was there: times zero, or less itself."""
    reach = [ref for value in operands for one in alternatives(value) if type(one) is Unknown for ref in one.reach]
    others = {memory for value in operands for _, other in m.all(value, Tensor) for memory in other.storage}
    return Constant(0) in operands or not (others | set(made_of(m, reach)[1])).isdisjoint(memories)


def _with_gradients_in(m: Interpreter, memories: Iterable[Ref]) -> dict[Ref, None]:
    """The tensors whose gradients are in this memory."""
    of = memories_behind_gradients(memories)
    handles = {ref: thing for ref, thing in m.state.heap.holding(memories) if type(thing) is Tensor}
    found = dict.fromkeys(leaf for thing in handles.values() if thing.made == "grad" for leaf in thing.grad_of)
    found |= {ref: None for ref, thing in m.state.heap.holding(of) if type(thing) is Tensor}
    for ref, thing in m.state.heap.with_gradients(handles):
        if thing.gradient is not UNKNOWN and not handles.keys().isdisjoint(alternatives(thing.gradient)):
            found[ref] = None
    return found


def written_without_graph(
    m: Interpreter, ref: Ref, this: Write, *, sure: bool, same: bool = False, happens: Truth = YES
) -> None:
    """A parameter is written by code of torch that has switched gradients off: a step, a load; with the `same` numbers
    where it is loaded with its own memory. Whether it `happens` may hang on whether the module has the parameter."""
    tensor: Tensor = m[ref]
    mode, m.state.grad_mode = m.state.grad_mode, NO
    m.emit(events.WrittenInPlace, this.node, target=tensor, op=this.op, base=None, holders=(), by=this.by,
           noticed=happens, local=is_local(m, [(ref, tensor)]))  # fmt: skip
    m.state.grad_mode = mode
    mark = Cause(WRITERS[this.by], syntax(this.node))
    noticed, count = negation(unnoticed(m, tensor)), count_through(tensor)
    doubted = this.by is WriteKind.STEP and tensor.grad.is_unsure
    memory_written(m, tensor.storage, Change(sure, noticed, ref, mark=mark, same=same, count=count, doubted=doubted))


WRITERS = {WriteKind.STEP: CauseKind.STEPPED, WriteKind.LOAD: CauseKind.LOADED}
"""The marks of those that switch gradients off themselves on the tensors they write."""


def _raises(m: Interpreter, tensor: Tensor, wants: Truth) -> bool:
    """Return whether torch certainly refuses the write: of a leaf that requires grad or of a view of one, or, where it
    `wants` to be recorded, of a view that may not be written then. Nothing is recorded on inference tensors."""
    if m.recording is not YES or tensor.inference.possibly(YES):
        return False
    if tensor.unwritable is YES and YES in (wants, tensor.requires_grad):
        return True
    base = viewed(m, tensor) or tensor
    return base.leaf is YES and base.requires_grad is YES and (not tensor.base or tensor.requires_grad is YES)


def viewed(m: Interpreter, tensor: Tensor) -> Tensor | None:
    """Return the base of a view; None where it certainly is no view, or where that is not known."""
    bases = [base for base in tensor.base if base is not None and base in m.state.heap]
    if not bases or None in tensor.base:
        return None
    return m.only(one_of(bases), Tensor)


def is_local(m: Interpreter, found: Sequence[tuple[Ref, Tensor]]) -> bool:
    """Return whether code that is shown made the target, or what it is a view of."""
    made = [base if base is not None else ref for ref, tensor in found for base in (tensor.base or (ref,))]
    return all(m[ref].belief.seen_made for ref in made if ref in m.state.heap)


def _from_strangers(m: Interpreter, values: Iterable[Value]) -> bool:
    """Return whether values that unseen code made are among these."""
    options = [option for value in values for option in alternatives(value)]
    things = [m.state.heap.get(option) if type(option) is Ref else option for option in options]
    return any(type(thing) is Unknown or not getattr(thing, "belief", Belief.PROVEN).seen_made for thing in things)


def holders(m: Interpreter, refs: Sequence[Ref]) -> tuple[Container, ...]:
    """The containers that hold one of these objects and are themselves held by something."""
    found = _holding(m, refs)
    if not found:
        return ()
    named = {ref for value in (*m.state.names.values(), *m.state.stack) for ref in references(value)}
    alive = named if named.issuperset(ref for ref, _ in found) else m.state.alive()
    return tuple(thing for ref, thing in found if ref in alive)


def lasting_holders(m: Interpreter, refs: Sequence[Ref]) -> tuple[Container, ...]:
    """The same without what an iterator makes for each iteration: a batch of a loader is gone with the next."""
    found = _holding(m, refs)
    if not found:
        return ()
    lasting = m.state.reach((*m.state.names.values(), *m.state.stack), _besides_elements)
    return tuple(thing for ref, thing in found if ref in lasting)


def _holding(m: Interpreter, refs: Sequence[Ref]) -> list[tuple[Ref, Container]]:
    """The containers that hold one of these objects."""
    meant = {one for ref in refs for one in m.same(ref)}
    return [
        (ref, thing)
        for ref, thing in m.state.heap.containers()
        if not meant.isdisjoint(option for value in thing.held for option in alternatives(value))
    ]


def _besides_elements(thing: Object) -> tuple[Ref, ...]:
    """The objects that an object mentions; of an iterator what it runs over, and not what it gives."""
    return object_references(replace(thing, element=UNKNOWN) if type(thing) is Iterator else thing)


@frozen()
class Change:
    """A write to memory: whether it certainly happened (`sure`), and whether it is `noticed` by nodes that compare the
    count; through which handle (`by`), whose `count` moved, which is noticed by whoever compares it, whatever memory
    was written. `known` says that the write was seen, which left this `mark`; else unknown code may have done it.
    Where the `same` numbers are written, the nodes notice all the same. `doubted`: unseen code may have seen to it that
    nothing is written."""

    sure: bool
    noticed: Truth
    by: Ref | None = None
    known: bool = True
    mark: Cause | None = None
    same: bool = False
    count: Ref | None = None
    doubted: bool = False


UNSEEN = Change(sure=False, noticed=UNSURE, known=False)
"""A write by unknown code."""


def memory_written(m: Interpreter, memories: Iterable[Ref], change: Change) -> None:
    """Nodes that saved one of these memories, and other handles on it, no longer hold what they held."""
    memories = tuple(memories)
    written = frozenset(memories)
    known, mark, noticed = change.known, change.mark, change.noticed
    perhaps = UNSURE if not known else YES | UNSURE if change.doubted else YES
    certain = change.sure and _is_one(written)
    same_one = () if change.by is None else m.same(change.by)
    compared = comparing(change.count) if change.sure else frozenset()
    noticing = dict.fromkeys([*memories, *(one for each in sorted(compared) for one in each)])
    m.effects.wrote |= noticing
    for ref, thing in m.state.heap.holding(noticing):
        if not known and _in_doubt(thing):
            continue
        if type(thing) is Node and ref.recency < OLDEST and not compared.isdisjoint(thing.saves):
            m.state.heap[ref] = _outdated(thing, mark)
        elif type(thing) is Node and any(written.intersection(slot) for slot in thing.saves):
            spoiled = _spoiled(thing, thing.saves, written, noticed, certain and ref.recency < 2, perhaps)
            if any(getattr(thing, name) is not fact for name, fact in spoiled.items()):
                marks = thing.causes if mark is None else with_mark(thing.causes, mark)
                m.state.heap[ref] = replace(thing, causes=marks, **spoiled)
        elif (
            type(thing) is Tensor and ref not in same_one and not change.same and not written.isdisjoint(thing.storage)
        ):
            strong = certain and written.issuperset(thing.storage) and ref.recency < 2
            now = YES if strong else thing.overwritten | perhaps
            if thing.overwritten is not YES and now is not thing.overwritten:
                m.store_exact(
                    ref, replace(thing, overwritten=now, probability_op="" if known else thing.probability_op)
                )


def all_written(m: Interpreter, memories: Sequence[Ref], mark: Cause) -> None:
    """All of these memories have been written: a node that saved one or another of them lacks it, whichever it was."""
    written = frozenset(memory for memory in memories if memory.recency < OLDEST)
    for ref, thing in m.state.heap.holding(memories) if len(written) > 1 else ():
        if type(thing) is Node and thing.stale is not YES and any(written.issuperset(slot) for slot in thing.saves):
            m.state.heap[ref] = replace(thing, stale=YES, causes=with_mark(thing.causes, mark))


@implements(TypeSlot.WRITTEN_UNSEEN, Tensor)
def _written_unseen(m: Interpreter, memories: Iterable[Ref]) -> None:
    memory_written(m, memories, UNSEEN)


def _is_one(memories: frozenset[Ref]) -> bool:
    """Return whether these are certainly the one memory that is meant."""
    return len(memories) == 1 and next(iter(memories)).recency < 2


def _kind(noticed: Truth) -> CauseKind:
    return CauseKind.HIDDEN if noticed is NO else CauseKind.WRITTEN


def _outdated(node: Node, mark: Cause | None) -> Node:
    """The node once the count has certainly moved that it compares; who does not compare it may not see the write."""
    if mark is None:
        return replace(node, stale=YES)
    seen = replace(mark, kind=CauseKind.WRITTEN) if mark.kind is CauseKind.HIDDEN else mark
    return replace(node, stale=YES, causes=with_mark(node.causes, seen))


def _in_doubt(thing: Object) -> bool:
    """Return whether a write that nobody saw says nothing new of an object."""
    if type(thing) is Node:
        return not thing.saves or (thing.stale.is_unsure and thing.corrupt.is_unsure)
    return type(thing) is not Tensor or thing.overwritten.is_unsure or thing.overwritten is YES


def _spoiled(
    thing: Node, saves: Iterable[Alternatives], written: frozenset[Ref], noticed: Truth, certain: bool, verdict: Truth
) -> dict[str, Any]:
    """Return the graph node after a write to its saved memories. Who counts the writes to a copy, or through a handle
    that counts alone, nobody knows."""
    saved = [slot for slot in saves if written.intersection(slot)]
    strong = certain and any(written.issuperset(slot) for slot in saved)
    if not strong and any(KEPT in slot for slot in saved):
        noticed = NO | YES
    out: dict[str, Any] = {}
    if noticed.may(YES):
        out["stale"] = YES if strong and noticed is YES else thing.stale | verdict
    if noticed.may(NO):
        out["corrupt"] = YES if strong and noticed is NO else thing.corrupt | verdict
    return out


WORK_OF_A_VIEW = 50
"""The cost of moving a view on to a new node, in objects that are only looked at."""
COPYING = frozenset({"copy_", "setitem"})
"""The operations that copy into integers and booleans unrecorded; others are recorded there."""


def _doubt_flags(m: Interpreter, ref: Ref, others: Iterable[Operand]) -> None:
    """Believe the flags of a written handle, and of what shares its memory, no more than those of the other operands
    that they follow from, where the write may be recorded."""
    tensor: Tensor = m[ref]
    own = {ref: None, **{base: None for base in tensor.base if base is not None}}
    doubted = any(one.tensor is not None and one.tensor.belief > Belief.ANNOTATED for one in others)
    if not doubted or m.recording is NO:
        return
    for other in m.state.heap.views_of(own):
        member = m.state.heap.get(other)
        if type(member) is Tensor and member.requires_grad is not YES:  # else it stays in the graph
            m.store_exact(other, replace(member, belief=member.belief.once_handed_over()))


def _rebase(m: Interpreter, this: Write, ref: Ref, wants: Truth, sure: bool) -> None:
    """A written handle, what it is a view of and the other views of that move on to a new graph node."""
    tensor = m[ref]
    if this.op in COPYING and tensor.dtype <= DISCRETE:
        return
    if both(m.recording, either([wants, tensor.requires_grad])) is NO:
        return
    inputs = tuple(nodes_of(m, value) for value in (ref, *this.operands))
    again = grows(m, this.node, "written ", inputs)
    behind, before = this.saves
    made = Node(this.op, syntax(this.node), inputs, (*behind, *before), grows=again)
    written = frozenset(tensor.storage)
    compared = comparing(count_through(tensor)) if sure else frozenset()
    if not compared.isdisjoint(before):
        made = _outdated(made, Cause(CauseKind.WRITTEN, syntax(this.node), "itself", this.name))
    elif any(written.intersection(slot) for slot in before):  # it is written while it is an operand as well
        noticed, certain = negation(unnoticed(m, tensor)), _is_one(written)
        mark = Cause(_kind(noticed), syntax(this.node), "itself", this.name)
        made = replace(made, causes=(mark,), **_spoiled(made, before, written, noticed, certain, YES))
    moved = m.new(this.node, "written node", made)
    own = {ref: None, **{base: None for base in tensor.base if base is not None}}
    one = sure and len(tensor.base) <= 1 and all(m.is_single(member, m.state.heap.get(member)) for member in own)
    family = m.state.heap.views_of(own)
    m.works(WORK_OF_A_VIEW * len(family))
    recorded = _recorded(tensor, wants)
    for other in family:
        member = m.state.heap.get(other)
        if type(member) is Tensor:
            there = either([recorded, _recorded(member, NO)])
            now = _moved(m, member, there, moved)
            if other != ref and member.requires_grad is YES and member.leaf.may(YES):
                now = _asking(m, member, now, there, moved)
            m.store(other, now, sure=sure if other == ref else one and len(member.base) <= 1)


def _asking(m: Interpreter, member: Tensor, now: Tensor, recorded: Truth, node: Ref) -> Tensor:
    """Return a possible leaf that requires grad after a recorded write to its memory: unchanged if it is no view, for a
    view goes along with its base."""
    if member.leaf is not YES or not member.base or recorded is NO:
        return joined(member, now)
    along = replace(member, leaf=NO, node=(node,))
    certain = recorded is YES and m.recording is YES and viewed(m, member) is not None
    return along if certain else joined(member, along)


def _recorded(tensor: Tensor, wants: Truth) -> Truth:
    """Return whether a recorded write is recorded on a tensor: autograd refuses to write a leaf that requires grad."""
    return either([wants, NO if tensor.leaf is YES else tensor.requires_grad])


def _moved(m: Interpreter, tensor: Tensor, recorded: Truth, node: Ref) -> Tensor:
    """The tensor after a write: on the new node where that was recorded, as it was where gradients are off. A leaf that
    requires grad was written without, or is none of those that were written."""
    if tensor.leaf is YES and tensor.requires_grad is YES:
        return tensor
    nodes: Alternatives = (node,) if recorded is YES else (node, None)
    now = replace(tensor, requires_grad=recorded, leaf=negation(recorded), node=nodes)
    if m.recording is YES:
        return now
    stays = replace(tensor, node=tensor.node or (None,))
    return joined(stays, now) if recorded.may(YES) else tensor
