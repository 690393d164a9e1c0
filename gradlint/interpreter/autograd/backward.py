"""Differentiating: which gradients a backward fills, in what unit, and what it frees of the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from gradlint import events
from gradlint.domain.facts import MAYBE, NO, PLAIN, SCALED, UNSURE, YES, Truth, Unit, truth
from gradlint.domain.fields import Aspect, names_of
from gradlint.domain.objects import Node, Tensor, with_mark
from gradlint.domain.provenance import Belief, Cause, CauseKind
from gradlint.domain.refs import APART, ASTRAY, NOWHERE, OPAQUE, Alternatives, Ref
from gradlint.domain.state import OLDEST
from gradlint.domain.values import UNKNOWN, Value
from gradlint.frozen import frozen, replace
from gradlint.interpreter.autograd.grad import filled
from gradlint.interpreter.autograd.hooks import arriving, run_accumulated, run_arriving
from gradlint.interpreter.autograd.leaf import aliased_gradients
from gradlint.interpreter.autograd.loop_carried import (
    carriers,
    freed_before,
    is_of_before,
    may_be_carried,
    shares_unseen_graph,
)
from gradlint.interpreter.autograd.roots import learn_requires_grad, recorded_by, was_handed_over
from gradlint.interpreter.autograd.terms import terms_of
from gradlint.interpreter.engine import cannot_raise
from gradlint.interpreter.engine.call_summaries import may_be_filled
from gradlint.interpreter.engine.event_log import BOUND
from gradlint.interpreter.engine.history import (
    company,
    in_every,
    in_graph,
    nodes_of,
    past_of,
    past_of_what_stays,
    savers,
    sure_past,
    surely_saves,
    towards,
)
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.steps import CALLS_LEFT_OUT
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.knowledge.properties.zero_gradient import FLAT

SCALE = "GradScaler.scale"
"""The operation by which a GradScaler multiplies."""


@frozen()
class Request:
    """The request of a backward call: `how` is "backward" (fill `.grad`) or "grad" (give gradients back). `inputs` are
    the tensors to differentiate by (None: all leaves), `listed` the values that they are the alternatives of, one for
    each that is asked for, and `exact` says whether these are all known. `renamed`: what is to be retained is said by a
    name that torch has given up. `of` is the expression whose `backward()` is called."""

    how: str
    retain: Truth = NO
    renamed: bool = False
    create: Truth = NO
    gradient: Truth = NO
    inputs: tuple[Ref, ...] | None = None
    listed: tuple[Value, ...] = ()
    exact: bool = True
    allow_unused: Truth = NO
    of: Any = None


@dataclass(slots=True)
class History:
    """All that may have led to the roots, what of it is certain, and the unit in which each node may be reached.
    `starts` are the roots as operands of the graph."""

    starts: list[Alternatives]
    past: dict[Ref, None]
    sure: dict[Ref, None]
    nodes: list[Ref] = field(default_factory=list)
    leaves: list[Ref] = field(default_factory=list)
    plain: dict[Ref, None] | None = None

    def unit(self, ref: Ref, *, certain: bool = False) -> Unit:
        """The unit in which a gradient arrives here. What `certain`ly is reached, or led to the roots, is so by the way
        that is known, whatever opaque nodes stand beside it."""
        unit = PLAIN if self.plain is None else PLAIN | SCALED if ref in self.plain else SCALED
        return unit | Unit.unsure() if OPAQUE in self.past and not certain and ref not in self.sure else unit

    def unit_of_all(self) -> Unit:
        """The units in which gradients arrive at the leaves."""
        if self.plain is None or not self.leaves:
            return self.unit(OPAQUE)
        unit = self.unit(self.leaves[0])
        for ref in self.leaves[1:]:
            unit = unit | self.unit(ref)
        return unit


def backward(m: Interpreter, node: Site, roots: Sequence[Value], request: Request) -> None:
    """Differentiate these roots together: gradients are filled and the graph is freed as the request says."""
    known = all(_requires_grad(m, root) for root in roots)  # what is learned here is true of where it goes well alone
    for root in roots:
        learn_requires_grad(m, node, root)
    if request.how != "grad":
        _retained(m, request.inputs or ())
    history = _looked_at(m, roots)
    m.graphs.used.update(ref.key for ref in history.nodes)
    m.graphs.terms.update(ref.key for ref in terms_of(m, [ref for start in history.starts for ref in start if ref]))
    m.effects.differentiated |= history.past
    spoiled = _spoiled(m, history, _reaching(m, history, request))
    if not m.is_silent:
        for root in roots:
            _tell(m, node, root, history, spoiled, request)
    if any(_is_refused(m, root) for root in roots):
        m.raise_certainly()
        return
    if known and len(roots) == 1 and request == Request("backward", request.retain, of=request.of):
        cannot_raise.for_backward(m, node, roots[0], history.past)
    lacks = any(getattr(m[ref], fault) is YES for ref in spoiled for fault in NOTICED)
    ends = lacks and all(_is_proven(m, root) for root in roots)
    if ends and m.frame.tries:
        m.frame.record_exception_state(
            m.state, certainly=True
        )  # some gradients may arrive before what is lacking is missed
    _run(m, node, roots, history, request)
    if ends:
        m.raise_certainly()


def _retained(m: Interpreter, inputs: Sequence[Ref]) -> None:
    """Retain the gradients of the tensors that a backward differentiates by, before it runs, whatever comes of it."""
    for ref in inputs:
        tensor: Tensor = m[ref]
        if tensor.leaf is not YES:
            m.store_exact(ref, replace(tensor, retains=tensor.retains | YES))


def _run(m: Interpreter, node: Site, roots: Sequence[Value], history: History, request: Request) -> None:
    """Gradients arrive, hooks are called, and what is not kept is freed."""
    hooked = arriving(m, {*history.nodes, *history.leaves})
    if hooked:
        start = m.push(*roots, *hooked)
        run_arriving(m, node, hooked, request.create)
        values = m.pop_from(start)
        roots, hooked = values[: len(roots)], [ref for ref in values[len(roots) :] if type(ref) is Ref]
        history = _looked_at(m, roots)
    reaching = _reaching(m, history, request)
    for ref in history.nodes:
        if reaching is None or ref in reaching:
            certain = reaching is None or (request.exact and reaching[ref])
            _differentiated(m, node, ref, certain and ref in history.sure, request.retain, everything=reaching is None)
    if request.how == "backward":
        _fill(m, node, history, request)
        run_accumulated(m, node, hooked, request.create)


def _is_refused(m: Interpreter, root: Value) -> bool:
    """Return whether a root certainly requires no grad."""
    shown = m.only(root, Tensor)
    return shown is not None and shown.requires_grad is NO and _is_proven(m, root)


def _is_proven(m: Interpreter, root: Value) -> bool:
    """Return whether it is no guess what a root is."""
    shown = m.only(root, Tensor)
    return shown is not None and shown.belief is Belief.PROVEN


def _requires_grad(m: Interpreter, root: Value) -> bool:
    """Return whether it is known that a root requires grad."""
    shown = m.only(root, Tensor)
    return shown is not None and shown.requires_grad is YES


def _looked_at(m: Interpreter, roots: Sequence[Value]) -> History:
    return _history(m, [recorded_by(m, operand) or operand for operand in (in_graph(m, root) for root in roots)])


def _reaching(m: Interpreter, history: History, request: Request) -> dict[Ref, bool] | None:
    """The nodes that are differentiated through, and whether they certainly are; None: all of them. An input
    may lie behind opaque nodes, or anywhere where it is not known."""
    if request.inputs is None:
        return None
    ends = _ends(m, request.inputs)
    found = towards(m, history.starts, ends)
    if not request.exact:
        found = dict.fromkeys(history.nodes, False) | found
    elif OPAQUE in history.past:
        found = dict.fromkeys(towards(m, history.starts, frozenset([OPAQUE])), False) | found
    return found if request.how == "grad" else dict.fromkeys(ends, False) | found


def _history(m: Interpreter, starts: list[Alternatives]) -> History:
    past = past_of(m, [ref for start in starts for ref in start])
    sure: dict[Ref, None] = {}
    for start in starts:
        sure |= sure_past(m, start)
    out = History(starts, past, sure)
    scales = set()
    for ref in past:
        thing = m.state.heap.get(ref)
        if type(thing) is Node:
            out.nodes.append(ref)
            if thing.op == SCALE:
                scales.add(ref)
        elif type(thing) is Tensor and thing.requires_grad is not NO:  # one that was frozen since gets nothing
            out.leaves.append(ref)
    if scales:
        out.plain = past_of(m, [ref for start in starts for ref in start], barred=scales)
    return out


def _ends(m: Interpreter, wanted: Sequence[Ref]) -> frozenset[Ref]:
    """Return the ends of a backward that stops at these tensors: leaves, and the nodes that made the others."""
    ends: set[Ref] = set()
    for ref in wanted:
        ends.add(ref)
        ends.update(node for node in m[ref].node if node is not None)
    return frozenset(ends)


def _tell(m: Interpreter, node: Site, root: Value, history: History, spoiled: Sequence[Ref], request: Request) -> None:
    shown = m.only(root, Tensor)
    if shown is None:
        return
    heap, wanted = m.state.heap, request.inputs
    reached = history.leaves if wanted is None else [ref for ref in history.leaves if ref in wanted]
    leaves = history.leaves if request.how == "grad" else reached
    carried = bool(spoiled) and is_of_before(m, spoiled[0])
    if any(ref.key in m.graphs.found_freed for ref in spoiled):  # unseen code may have raised before
        shown = replace(shown, belief=shown.belief.once_handed_over())
    m.emit(
        events.BackwardRun,
        node,
        root=shown,
        of=request.of,
        made_by=_made_by(m, shown.node),
        name=spelled(request.of),
        leaves=tuple(heap[ref] for ref in leaves),
        freed=_state_of(m, history, spoiled, "freed"),
        stale=_state_of(m, history, spoiled, "stale"),
        corrupt=_state_of(m, history, spoiled, "corrupt"),
        modified_nodes=tuple(heap[ref] for ref in spoiled),
        modified_on_one_path=tuple(
            one for ref in history.nodes if (one := m[ref]).stale is MAYBE and surely_saves(one)
        ),
        earlier_backwards=_kept_by(m, history),
        repeated=freed_before(m, node, history.starts, history.nodes) if m.loops.active and wanted is None else (),
        opaque=shares_unseen_graph(m, history.leaves, history.nodes),
        graph=tuple(ref.key for ref in nodes_of(m, root) if ref is not None),
        from_earlier_iteration=truth(carried),
        carriers=carriers(m, node, spoiled) if carried else (),
        retain=request.retain,
        renamed=request.renamed,
        create_graph=request.create,
        how=request.how,
        unit=history.unit_of_all(),
        gradient=request.gradient,
        inputs=None if wanted is None else tuple(one for each in request.listed if (one := m.only(each, Tensor))),
        unreached=_unreached(m, history, request),
        allow_unused=request.allow_unused,
        zero_gradient_ops=tuple(
            Cause(CauseKind.FLAT, m[ref].at, m[ref].op) for ref in flat_on_all_ways(m, root, history, wanted or ())
        ),
        co_leaves=company(m, nodes_of(m, root), leaves),
        certain=sum(1 << index for index, ref in enumerate(leaves) if ref in history.sure),
        loose=_loose(m, history, leaves),
        aliased=_aliased(m, history, request),
    )


def _loose(m: Interpreter, history: History, leaves: Sequence[Ref]) -> int:
    """Return, as bits, the leaves to which nothing leads but what may have been taken out of the graph."""
    if APART not in history.past:
        return 0
    stays = past_of_what_stays(m, history.starts)
    return sum(1 << index for index, ref in enumerate(leaves) if ref not in stays)


def _kept_by(m: Interpreter, history: History) -> tuple[Any, ...]:
    """The backwards that may have been through a part of a history and kept it. What stands for several older nodes
    may be of this iteration as well as of those before it: it was kept only if the iteration can get hold of it."""
    kept = {ref: mark.node for ref in history.nodes for mark in m[ref].causes if mark.kind is CauseKind.KEPT}
    oldest = [ref for ref in kept if ref.recency == OLDEST]
    if oldest and not may_be_carried(m, oldest):
        kept = {ref: node for ref, node in kept.items() if ref.recency < OLDEST}
    return tuple(dict.fromkeys(kept.values()))


def _aliased(m: Interpreter, history: History, request: Request) -> tuple[Tensor, ...]:
    """The gradients that are certainly added to in place although something else holds them."""
    if request.how != "backward" or request.create is not NO or not request.exact:
        return ()
    wanted = history.leaves if request.inputs is None else request.inputs
    return aliased_gradients(m, [ref for ref in wanted if ref in history.sure and type(m[ref]) is Tensor])


def flat_on_all_ways(m: Interpreter, root: Value, history: History, inputs: Sequence[Ref]) -> list[Ref]:
    """The operations of zero gradient through which every way goes, to the leaves and to the inputs; none if another
    way may exist."""
    flat = {ref for ref in history.nodes if m[ref].op in FLAT}
    if not flat:
        return []
    ways = past_of(m, nodes_of(m, root), barred=flat)
    if any(type(m.state.heap.get(ref)) is not Node for ref in ways):
        return []
    if not _ends(m, inputs).isdisjoint(flat.union(ways)):  # what such an operation gave is itself asked about
        return []
    return [ref for ref in history.nodes if ref in flat]


def _made_by(m: Interpreter, nodes: Sequence[Ref | None]) -> tuple[str, ...]:
    """The operations that made a root, or what a GradScaler multiplied to make it."""
    found = [thing for ref in nodes if ref is not None and type(thing := m.state.heap.get(ref)) is Node]
    if any(thing.op == SCALE for thing in found):
        scaled = [ref for thing in found for slot in thing.inputs[:1] for ref in slot if ref is not None]
        found = [thing for ref in scaled if type(thing := m.state.heap.get(ref)) is Node]
    return tuple(dict.fromkeys(thing.op for thing in found))


def _unreached(m: Interpreter, history: History, request: Request) -> Truth:
    """Return whether some input is certainly not in the history; not asked where the history or the inputs are not
    known. One that only its use tells of may be any in the history of which that is so as well, and any that unseen
    code had."""
    if request.inputs is None:
        return NO
    if OPAQUE in history.past or not request.exact:
        return UNSURE
    if any(m[ref].belief >= Belief.FROM_USAGE for ref in request.inputs) and any(_may_be_met(m, history)):
        return UNSURE
    return YES if any(_ends(m, [ref]).isdisjoint(history.past) for ref in request.inputs) else NO


def _may_be_met(m: Interpreter, history: History) -> Iterator[bool]:
    """Yield for the tensors of a history whether unseen code may have given that very one, or is to be asked for it."""
    yield from (m[ref].belief >= Belief.FROM_USAGE for ref in history.leaves)
    for ref, thing in m.state.heap.items():
        if type(thing) is Tensor and (ref in history.leaves or any(node in history.past for node in thing.node)):
            yield was_handed_over(thing)


WORK_OF_A_BACKWARD, WORK_OF_A_NODE = 8, 25
"""The times that each backward looks at every object, and at every node of the graph."""
NOTICED = names_of(Node, Aspect.LACKING_NOTICED)
"""The ways in which a node lacks what it saved so that torch raises."""
FAULTS = names_of(Node, Aspect.LACKING)


def _spoiled(m: Interpreter, history: History, reaching: dict[Ref, bool] | None) -> list[Ref]:
    """The nodes through which this backward certainly goes, one of them or another, and that certainly lack what they
    saved, or what something behind them saved; oldest first."""
    nodes = history.nodes if reaching is None else [ref for ref in history.nodes if reaching.get(ref)]
    lacking = {ref: faults for ref in nodes if (faults := _faults(m[ref]))}
    if reaching is None:
        swept = [ref for ref in nodes if m[ref].backward_done is YES and ref not in lacking]
        lacking |= {ref: {"freed"} for ref in savers(m, swept)}
    if not lacking:
        return []
    certain = {fault for start in history.starts for fault in in_every(m, start, lambda ref: lacking.get(ref, set()))}
    return sorted((ref for ref in lacking if not certain.isdisjoint(lacking[ref])), key=lambda ref: -ref.recency)


def _faults(thing: Node) -> set[str]:
    """Return the ways in which a node certainly lacks what it certainly saved."""
    if not surely_saves(thing):
        return set()
    return {fault for fault in FAULTS if getattr(thing, fault) is YES}


def _state_of(m: Interpreter, history: History, spoiled: Sequence[Ref], attr: str) -> Truth:
    """Return whether the graph holds a node in that state which needs what it saved."""
    if any(getattr(m[ref], attr) is YES for ref in spoiled):
        return YES
    found = [getattr(m[ref], attr) for ref in history.nodes]
    if any(fact.possibly(YES) for fact in found):
        return MAYBE
    return NO | UNSURE if any(fact.may(YES) for fact in found) else NO


def _differentiated(m: Interpreter, node: Site, ref: Ref, sure: bool, keep: Truth, *, everything: bool) -> None:
    thing: Node = m[ref]
    facts: dict[str, Any] = {"reached": YES if sure else thing.reached | YES}
    m.graphs.kept = m.graphs.kept or keep is YES
    if keep is not YES:
        facts["freed"] = YES if sure and keep is NO else thing.freed | YES
        facts["backward_done"] = YES if sure and keep is NO and everything else thing.backward_done
        facts["causes"] = with_mark(thing.causes, Cause(CauseKind.FREED, syntax(node)))
    else:
        others = tuple(mark for mark in thing.causes if mark.kind != CauseKind.KEPT)
        facts["causes"] = with_mark(others, Cause(CauseKind.KEPT, syntax(node)))
    m.state.heap[ref] = replace(thing, **facts)


def _fill(m: Interpreter, node: Site, history: History, request: Request) -> None:
    """Gradients arrive at leaves and at tensors that retain theirs; through an opaque node, perhaps anywhere. Where
    they may arrive at what was passed in, they are taken to do so."""
    reached, leaves, sure = set(history.nodes), set(history.leaves), history.sure
    may_lie_elsewhere = _may_lie_elsewhere(m, history)
    wanted = None if request.inputs is None else set(request.inputs)
    m.works(WORK_OF_A_BACKWARD * len(m.state.heap) + WORK_OF_A_NODE * len(history.nodes))
    for ref, thing in list(m.state.heap.items()):
        if type(thing) is not Tensor:
            continue
        asked = wanted is not None and ref in wanted
        if wanted is not None and not asked and request.exact and not thing.retains.may(YES):
            continue
        if ref in leaves:
            arrives = _is_passed_in(m, history, ref) or (ref in sure and thing.requires_grad is YES)
            certain = arrives and (wanted is None or asked)
        elif (asked or thing.retains.may(YES)) and reached.intersection(thing.node):
            one = len(thing.node) == 1 and any(made in sure for made in thing.node)
            certain = one and (asked or (thing.retains is YES and wanted is None))
            thing = replace(thing, retains=YES if asked and one else thing.retains | YES) if asked else thing
        elif may_be_filled(thing) and may_lie_elsewhere(thing):
            certain = False
        else:
            continue
        if not request.exact:
            certain = False
        made = next((made for made in thing.node if made is not None), ref)
        unit = history.unit(ref if ref in leaves else made, certain=certain)
        now = filled(thing, node, unit, certain=certain)
        m.store_exact(
            ref, now if certain or ref not in leaves else replace(now, gradient=UNKNOWN), filling=ref in leaves
        )


def _is_passed_in(m: Interpreter, history: History, ref: Ref) -> bool:
    """Return whether a leaf was passed in, if it is one, and is not only one of several that stands for all of them:
    the others get no gradient with it."""
    thing: Tensor = m[ref]
    if thing.belief < Belief.FROM_USAGE or not thing.requires_grad.possibly(YES) or thing.node:
        return False
    slots = [slot for node in history.nodes for slot in m[node].inputs if ref in slot] if thing.is_summary else []
    return not slots or any(NOWHERE not in slot for slot in slots)


def _may_lie_elsewhere(m: Interpreter, history: History) -> Callable[[Tensor], bool]:
    """Return a function that says whether a history may lead to a tensor that is not known to be in it. A graph that
    the program does not show may not lead to one that was made here and that unseen code never had. A leaf that only
    its use tells of may be one that unseen code had, and gave back."""
    opaque, taken = OPAQUE in history.past, any(m[ref].belief >= Belief.FROM_USAGE for ref in history.leaves)
    astray = ASTRAY in history.past or any(m.log.counts[BOUND + one] for one in CALLS_LEFT_OUT)

    def lies_elsewhere(thing: Tensor) -> bool:
        if was_handed_over(thing):
            return opaque or taken
        return opaque and (astray or not thing.belief.seen_made)

    return lies_elsewhere
