"""Summaries: a call that changed nothing around it need not run again for the same kinds of arguments.

A function is run for the facts of one call. If afterwards every object that was there before is as it was, but for
what unseen code may have done to those that were passed to it (and for attributes that turned out to be there), and
what comes back is made of new objects, then
another call with arguments of the same facts,
over the same objects, gives the same: new tensors with the same facts, recorded in the graph as one operation on
those operands that are in their history. What the summary keeps of the inside is what the outside can notice: which
operands the result depends on, certainly or perhaps, and whose memory the graph saved.

The objects and names of the surroundings that the function can see are part of the key: a summary holds only while
they are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gradlint.domain.facts import YES, Truth
from gradlint.domain.ground import Name
from gradlint.domain.heap import COPIED_AT_ONCE, Heap
from gradlint.domain.items import Items
from gradlint.domain.mentions import object_references, object_renamed
from gradlint.domain.objects import Container, Instance, Module, Node, Object, Tensor
from gradlint.domain.provenance import Cause
from gradlint.domain.refs import OPAQUE, Alternatives, Escape, Ref
from gradlint.domain.state import State, differing
from gradlint.domain.value_sets import alternatives, references, renamed
from gradlint.domain.values import UNKNOWN, Function, Value
from gradlint.frozen import frozen, replace
from gradlint.interpreter.engine import variables
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.call_keys import Given
from gradlint.interpreter.engine.circumstances import Effects, Looked
from gradlint.interpreter.engine.escape import havoc_again
from gradlint.interpreter.engine.event_log import Excerpt
from gradlint.interpreter.engine.history import cut_at, nodes_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.summary_graph import History, have_a_common_trunk, histories_of, recorded_again
from gradlint.interpreter.static.sites import Site, syntax

if TYPE_CHECKING:
    from gradlint.interpreter.engine.tracing import Entry


Holders = tuple[tuple[Ref, Object], ...]
"""Objects on a memory, or that hold a gradient which is."""


@frozen()
class Summary:
    """One call: its arguments that are objects and the memories of these, what it gave, the nodes that new tensors come
    from and the history of these, each after those it builds on, what of the objects around it was passed to unseen
    code, from the graphs of which arguments something was cut, what attributes objects that nobody knows turned out to
    have, and what must be as it was for that to hold again: for other arguments as well, unless the call could get at
    these `elsewhere`."""

    place: tuple[Site, int, int]
    arguments: tuple[Ref, ...]
    numbered: tuple[Ref, ...]
    result: Value
    made: tuple[tuple[Ref, Object], ...]
    recorded: dict[Ref, Alternatives]
    histories: dict[Alternatives, History]
    handed: tuple[tuple[Ref, Escape], ...]
    wrote: tuple[tuple[Ref, Holders], ...]
    differentiated: tuple[Ref, ...]
    cut: tuple[tuple[Ref, Cause], ...]
    looked: Looked | None
    learned: tuple[tuple[Ref, Items], ...]
    seen: tuple[tuple[Ref, Object], ...]
    elsewhere: bool
    names: tuple[tuple[Name, Value], ...]
    excerpt: Excerpt | None
    emitted: bool
    unseen_off: bool
    traced: tuple[Entry, ...] = ()

    def holds(self, m: Interpreter, call: Call) -> bool:
        """Return whether the surroundings are the same, and nothing would be left untold."""
        heap = m.state.heap
        return (
            (not self.elsewhere or (self.arguments, self.numbered) == (call.arguments, call.numbered))
            and (self.excerpt is not None or m.log.muted > 0)
            and (self.looked is not None or m.effects.looked is None)
            and all(variables.held(m, name) == value for name, value in self.names)
            and all((now := heap.get(ref)) is thing or now == thing for ref, thing in self.seen)
            and all(holders_besides(heap, memory, call) == held for memory, held in self.writes(call))
            and (OPAQUE not in self.differentiated or self.fills_the_same(heap, call))
        )

    def writes(self, call: Call) -> list[tuple[Ref, Holders]]:
        """The memories that were there before and are written, for the arguments of a call, and who else holds each."""
        now = dict(zip(self.numbered, call.numbered, strict=True)) if self.wrote else {}
        return [(now.get(memory, memory), held) for memory, held in self.wrote]

    def effects_in(self, call: Call) -> Effects:
        """Return the effects of the call for other arguments; its escapes and cuts are repeated."""
        now = dict(zip(self.arguments, call.arguments, strict=True))
        looked = {
            (now.get(owner, owner) if type(owner) is Ref else owner, name): None for owner, name in self.looked or ()
        }
        return Effects(
            read=dict(self.names),
            wrote=dict.fromkeys([memory for memory, _ in self.writes(call)]),
            differentiated=dict.fromkeys(self.differentiated),
            looked=looked,
            unseen_off=self.unseen_off,
        )

    def fills_the_same(self, heap: Heap, call: Call) -> bool:
        """Return whether there are no other gradients that a backward through what is not known may fill."""
        known = {ref for ref, _ in self.seen}.union(call.arguments)
        return all(ref in known for ref, thing in heap.items() if may_be_filled(thing))


@dataclass(slots=True)
class Call:
    """A call that may be summarised: what holds before it."""

    key: Hashable
    arguments: tuple[Ref, ...]
    numbered: tuple[Ref, ...]
    themselves: tuple[Ref, ...]
    heap: Heap
    names: dict[Name, Value]
    taken: frozenset[int]
    mode: tuple[Truth, Truth]
    escaped: int
    events: int
    runs: int
    traced: int = 0
    old: frozenset[Ref] | None = None


def by_summary(m: Interpreter, node: Site, called: Function | Ref, args: Arguments, run: Callable[[], Value]) -> Value:
    """Return the result of a call of a function or class: by its summary, or by running it."""
    start = m.push(called, *args.values())
    call = begin(m, called, args)
    result = recall(m, node, call)
    if result is None:
        outer = m.effects
        m.effects = Effects(looked=None if outer.looked is None else {})
        index = m.push(run())
        end(m, node, call, outer, m.state.stack[index])
        result = m.pop_from(index)[0]
    m.pop_from(start)
    return result


# ---- before the call


def begin(m: Interpreter, called: Function | Ref, args: Arguments) -> Call:
    """Note what holds before a call."""
    given = Given(m, themselves=list(references(called)))
    signature = (
        called,
        m.state.grad_mode,
        m.state.inference,
        m.assumed_mode,
        m.calls.expected > 0,
        m.calls.swallowed > 0,
        m.blocks.copying > 0,
        len(args.positional),
        tuple(args.keywords),
        args.unknown,
        tuple([given.key(value) for value in args.values()]),
    )
    return Call(
        key=signature,
        arguments=tuple(given.described),
        numbered=tuple(given.numbered),
        themselves=tuple(given.themselves),
        heap=m.state.heap.copy(),
        names=dict(m.state.names),
        taken=frozenset(m.state.taken),
        mode=(m.state.grad_mode, m.state.inference),
        escaped=len(m.graphs.escapes),
        events=len(m.log.story),
        runs=len(m.log.runs),
        traced=m.trace.mark() if m.trace is not None else 0,
    )


def recall(m: Interpreter, node: Site, call: Call) -> Value | None:
    """Return the result of the call by the summary of one like it; None if it must run."""
    summary: Summary | None = m.calls.summaries.get(call.key)
    if summary is None or not summary.holds(m, call):
        return None
    m.effects.include(summary.effects_in(call))
    if m.trace is not None:
        m.trace.repeat(summary.traced, summary.place[0], node, m.loops.later)
    if summary.excerpt is not None:
        m.log.repeats(summary.excerpt.story)
        if m.log.muted == 0:
            m.log.alike[syntax(summary.place[0]), syntax(node), m.log.run] = None
        if not summary.emitted and m.log.muted == 0:
            m.log.replay(summary.excerpt)
            _remember(m, call.key, replace(summary, emitted=True))
    return _replayed(m, node, summary, call)


def _remember(m: Interpreter, key: Hashable, summary: Summary) -> None:
    """Keep a summary; if its events are taken back, they are to be emitted again."""
    summaries = m.calls.summaries
    summaries[key] = summary
    if summary.emitted:
        m.log.undo.append(lambda: summaries.update({key: replace(summaries[key], emitted=False)}))


def _replayed(m: Interpreter, node: Site, summary: Summary, call: Call) -> Value:
    """Make what the summarised call made, of these arguments. A call that runs anew at its place makes the same."""
    place = m.part_of(node, "recalled")
    again = summary.place == (node, m.frame.id, m.allocations.round)
    now: dict[Ref, Ref] = dict(zip(summary.arguments, call.arguments, strict=True))
    for index, (ref, thing) in enumerate(summary.made):
        now[ref] = _made_again(m, ref) if again else m.memory(place, str(index))
        for number, memory in enumerate(_memories(thing)):
            if memory not in now:
                now[memory] = _made_again(m, memory) if again else m.memory(place, f"{index} memory {number}")
    kept = now | dict(zip(summary.numbered, call.numbered, strict=True))
    for ref, mark in summary.cut:
        cut_at(m, mark, [now.get(ref, ref)])
    havoc_again(m, [(now.get(ref, ref), how) for ref, how in summary.handed])
    nodes: dict[Alternatives, Ref] = {}
    for index, (key, history) in enumerate(summary.histories.items()):
        known = key[0] if again and history.last is not None else None
        made = m.memory(place, f"{index} node") if known is None else _made_again(m, known)
        nodes[key] = recorded_again(m, place, made, history, now, kept)
        if len(key) == 1 and key[0] is not None:
            now[key[0]] = made
    for ref, thing in summary.made:
        thing = object_renamed(thing, now)
        if ref in summary.recorded and type(thing) is Tensor:
            made = nodes[summary.recorded[ref]]
            thing = replace(thing, node=(made,) if thing.requires_grad is YES else (made, None))
        m.store_new(now[ref], thing)
    for ref, attributes in summary.learned:
        owner = m.state.heap.get(now.get(ref, ref))
        if type(owner) is Instance:
            more = {name: renamed(value, now) for name, value in attributes}
            m.state.heap[now.get(ref, ref)] = replace(owner, attributes=tuple((more | dict(owner.attributes)).items()))
    return renamed(summary.result, now)


def _made_again(m: Interpreter, ref: Ref) -> Ref:
    """The reference that is made where this one was made before, in the same frame or one that it called."""
    m.allocations.made.add(ref.origin)
    m.frames[ref.context].made.add(ref.origin)
    return Ref(*ref[:3], m.allocations.age)


# ---- after the call


def end(m: Interpreter, node: Site, call: Call, outer: Effects, result: Value) -> None:
    """Summarise a call that has run, if it left everything around it as it was."""
    for number in m.state.taken.keys() - call.taken:
        part = m.state.ground.parts[number]
        call.heap, call.names = call.heap.above(part.heap), part.names | call.names
    changed = [(ref, thing) for ref, thing in differing(call.heap, m.state.heap) if ref in m.state.heap]
    m.works(len(call.heap) // COPIED_AT_ONCE)
    handed = _escaped(m, call, changed) if _ends_as_it_began(m.state, call) else None
    effects, m.effects = m.effects, outer
    outer.include(effects)
    if handed is None:
        return
    learned = [
        (ref, now)
        for ref, thing in changed
        if type(thing) is Instance and type(now := m.state.heap[ref]) is Instance and now is not thing
    ]
    made = _gather(m, call, [result, *(value for _, now in learned for _, value in now.attributes)])
    recorded = {} if made is None else _recorded(made)
    histories = {} if made is None else _histories(m, call, made, recorded)
    if made is None or have_a_common_trunk(histories.values()):
        return  # a backward from one result goes through what the others need
    excerpt = m.log.since(call.events, call.runs)
    walked = _walked(call, effects.differentiated)
    seen, elsewhere = _seen(call, effects.read)
    held = {memory: holders_besides(call.heap, memory, call) for memory in effects.wrote}
    cut = {ref: mark for ref in call.arguments if (mark := _cut_of(call.heap.get(ref), effects.cut)) is not None}
    summary = Summary(
        place=(node, m.frame.id, m.allocations.round),
        arguments=call.arguments,
        numbered=call.numbered,
        result=result,
        made=tuple([(ref, _alone(call, thing)) for ref, thing in made.items()]),
        recorded=recorded,
        histories=histories,
        handed=handed,
        wrote=tuple([(memory, there) for memory, there in held.items() if there or memory in call.numbered]),
        differentiated=tuple(effects.differentiated),
        cut=tuple(cut.items()),
        looked=effects.looked,
        learned=tuple([(ref, now.attributes) for ref, now in learned]),
        seen=(*seen, *walked),
        elsewhere=elsewhere or any(type(thing) is Node for _, thing in walked),
        names=tuple(effects.read.items()),
        excerpt=excerpt,
        emitted=excerpt is not None,
        unseen_off=effects.unseen_off,
        traced=m.trace.since(call.traced) if m.trace is not None else (),
    )
    _remember(m, call.key, summary)


def _ends_as_it_began(state: State, call: Call) -> bool:
    """Return whether a call ends as others do that it may be repeated for, under the modes that it began with."""
    ends = state.live and not state.refused and not state.unexplained_edge
    return ends and (state.grad_mode, state.inference) == call.mode


def _recorded(made: dict[Ref, Object]) -> dict[Ref, Alternatives]:
    """The nodes that new tensors come from, of those that have any."""
    tensors = {ref: thing for ref, thing in made.items() if type(thing) is Tensor}
    found = {ref: tuple([node for node in tensor.node if node is not None]) for ref, tensor in tensors.items()}
    return {ref: nodes for ref, nodes in found.items() if nodes}


def _histories(
    m: Interpreter, call: Call, made: dict[Ref, Object], recorded: dict[Ref, Alternatives]
) -> dict[Alternatives, History]:
    """The histories of the nodes that new tensors come from."""
    memories = {memory for thing in made.values() for memory in _memories(thing)}
    if recorded:
        memories |= _old(m, call)
    operands = {ref: nodes_of(m, ref) for ref in call.arguments if type(call.heap.get(ref)) is Tensor}
    return histories_of(m, call.heap, dict.fromkeys(recorded.values()), memories, operands)


def _old(m: Interpreter, call: Call) -> frozenset[Ref]:
    """The memories that were there before a call."""
    if call.old is None:
        m.works(4 * len(call.heap))
        call.old = frozenset(memory for thing in call.heap.values() for memory in _memories(thing))
    return call.old


def _escaped(m: Interpreter, call: Call, changed: list[tuple[Ref, Object]]) -> tuple[tuple[Ref, Escape], ...] | None:
    """Return the older objects that the call let escape, each with its escape; None if it changed older ones
    otherwise."""
    handed = tuple([(ref, how) for ref, how in m.effects.handed.items() if ref in call.heap])
    before, heap, names = call.heap, m.state.heap, m.state.names
    expected = before
    if changed and handed:
        m.state.heap = expected = before.copy()
        havoc_again(m, handed)
        m.state.heap = heap
    for ref, _ in changed:
        if heap[ref] != expected[ref]:
            if not _learned(expected[ref], heap[ref]):
                return None
            continue
        heap[ref] = expected[ref]  # the comparison with what a summary has seen is quicker so
    if any(names.get(name) != value for name, value in differing(call.names, names)):
        return None
    new_names = [name for name in names if name not in call.names] if len(names) > len(call.names) else []
    if any(m.frames[frame].parent is None for frame, _ in new_names):
        return None
    new = m.graphs.escapes[call.escaped :]
    if new and not handed and not {ref.key for ref in before}.isdisjoint(new):
        return None
    return handed


def _cut_of(argument: Object | None, cut: dict[Ref, Cause]) -> Cause | None:
    """Return the cut that took something off the graph that an argument of a call came from."""
    nodes = argument.node if type(argument) is Tensor else ()
    return next((cut[node] for node in nodes if node is not None and node in cut), None)


def _learned(before: Object, after: Object) -> bool:
    """Return whether all that happened to an object nobody knows is that attributes of it turned out to be there."""
    if type(before) is not Instance or type(after) is not Instance or not before.open.may(YES):
        return False
    known = before.attributes
    return after.attributes[: len(known)] == known and replace(after, attributes=known) == before


def _gather(m: Interpreter, call: Call, results: list[Value]) -> dict[Ref, Object] | None:
    """The new objects that a result consists of; None if there are some that no summary can make again."""
    made: dict[Ref, Object] = {}
    values = list(results)
    while values:
        for option in alternatives(values.pop()):
            if type(option) is Function and (option.frame != 0 or option.defaults):
                return None
            for ref in references(option):
                thing = m.state.heap.get(ref)
                if ref in call.heap or ref in made or thing is None:
                    continue
                if type(thing) is Node or (type(thing) is Tensor and not _separate(m, call, thing)):
                    return None
                made[ref] = thing
                values += _inside(thing)
    return made


def _inside(thing: Object) -> list[Value]:
    """The values an object holds; of a tensor nothing that it was made from."""
    if type(thing) is Tensor:
        return []
    if type(thing) is Module or type(thing) is Instance:
        return [thing.cls, *(value for _, value in thing.attributes), *([thing.rest] if type(thing) is Module else [])]
    if type(thing) is Container:
        return [*thing.held, *thing.origin]
    return list(object_references(thing))


def _memories(thing: Object | None) -> tuple[Ref, ...]:
    """The memories that an object may use, and what counts the writes through it."""
    return (*thing.storage, *(count for count in thing.count if count is not None)) if type(thing) is Tensor else ()


def _separate(m: Interpreter, call: Call, thing: Tensor) -> bool:
    """Return whether a new tensor shares neither memory nor history of views with what was there before."""
    bases = [m.state.heap.get(base) for base in thing.base if base is not None]
    return (
        not references(thing.gradient)
        and not thing.hooks
        and not any(base in call.heap for base in thing.base if base is not None)
        and all(type(base) is Tensor and not (base.leaf.may(YES) and base.requires_grad.may(YES)) for base in bases)
        and _old(m, call).isdisjoint(_memories(thing))
    )


def _alone(call: Call, thing: Object) -> Object:
    """The object without what only the inside of the call knew: the tensors that one was made from on the way."""
    if type(thing) is not Tensor:
        return thing
    return replace(thing, node=(), base=(), grad_of=tuple([ref for ref in thing.grad_of if ref in call.heap]))


def _walked(call: Call, differentiated: dict[Ref, None]) -> Holders:
    """The older nodes and leaves that a backward has looked at; of what is not known, all that it may fill."""
    found = [ref for ref in differentiated if ref in call.heap]
    if OPAQUE in differentiated:
        found += [ref for ref, thing in call.heap.items() if may_be_filled(thing)]
    return tuple([(ref, call.heap[ref]) for ref in dict.fromkeys(found) if ref not in call.arguments])


def may_be_filled(thing: Object) -> bool:
    """Return whether a backward may give a tensor a gradient."""
    return type(thing) is Tensor and thing.requires_grad.may(YES) and (thing.leaf.may(YES) or thing.retains.may(YES))


def holders_besides(heap: Heap, memory: Ref, call: Call) -> Holders:
    """Return the holders that notice a write to a memory, besides the arguments of a call: the tensors on it, the nodes
    that saved it, and the tensors whose gradient is."""
    there = [(ref, thing) for ref, thing in heap.holding([memory]) if _holds(thing, memory)]
    handles = {ref for ref, _ in there}
    if handles:
        there += [
            (ref, thing)
            for ref, thing in heap.items()
            if type(thing) is Tensor
            and thing.gradient is not UNKNOWN
            and not handles.isdisjoint(references(thing.gradient))
        ]
    return tuple([one for one in there if one[0] not in call.arguments])


def _holds(thing: Tensor | Node, memory: Ref) -> bool:
    return any(memory in slot for slot in (thing.saves if isinstance(thing, Node) else (thing.storage,)))


def _seen(call: Call, read: dict[Name, Value]) -> tuple[tuple[tuple[Ref, Object], ...], bool]:
    """The objects the function could see: all in reach of its arguments and of the names it read, but for graphs and
    the arguments whose facts are in the key. And whether it could see an argument, or its memory, on another way as
    well: what it recorded on that one does not say on which."""
    found: dict[Ref, Object] = {}
    elsewhere, memories = False, frozenset(call.numbered)
    todo = [ref for value in read.values() for ref in references(value)] + list(call.themselves)
    while todo:
        ref = todo.pop()
        thing = call.heap.get(ref)
        elsewhere |= ref in call.arguments or not memories.isdisjoint(_memories(thing))
        if thing is None or ref in found or ref in call.arguments or type(thing) is Node:
            continue
        found[ref] = thing
        if type(thing) is not Tensor:
            todo += object_references(thing)
    return tuple(found.items()), elsewhere
