"""The interpreter's heart: the abstract heap, the operand stack and the paths. It knows no statement, no expression and
no operation.

The other files of this room are functions over an `Interpreter`, or what it owns. What they share is here: evaluating
a piece of syntax, making and changing objects, parting and joining paths, and emitting what happened.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import libcst as cst

from gradlint.domain.facts import NO, Truth, both, negation
from gradlint.domain.joining import joined
from gradlint.domain.objects import Object
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Ref
from gradlint.domain.state import State, joined_states
from gradlint.domain.value_sets import alternatives, one_of, references
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Unknown, Value
from gradlint.domain.walks import GONE_OVER, is_at, marked, plain
from gradlint.events import Event, Thing
from gradlint.frozen import replace
from gradlint.interpreter.engine.circumstances import Allocations, Blocks, CallStack, Effects, LoopNest
from gradlint.interpreter.engine.dispatch import EXPRESSIONS, STATEMENTS
from gradlint.interpreter.engine.event_log import EventLog
from gradlint.interpreter.engine.frames import File, Frame, Tried
from gradlint.interpreter.engine.program import Definitions, Graphs
from gradlint.interpreter.engine.steps import HEAP_OF_A_STEP, MOST_WORK, WORK_OF_AN_EVENT, Steps, TooMuch
from gradlint.interpreter.static.handlers import calls_alone
from gradlint.interpreter.static.scopes import Scan, scan
from gradlint.interpreter.static.sites import Part, Site, syntax
from gradlint.knowledge.pack_index import NO_PACKS, Packs

if TYPE_CHECKING:
    from gradlint.interpreter.engine.imports import Neighbours
    from gradlint.interpreter.engine.tracing import Trace


ObjectT = TypeVar("ObjectT", bound=Object)
EventT = TypeVar("EventT", bound=Event)
ResultT = TypeVar("ResultT")
NotesT = TypeVar("NotesT")
ValueT = TypeVar("ValueT", bound=Value)

FEW_JOINED, MOST_JOINED = 4, 256
"""The most objects whose facts are joined anew each time, and the most joins of more that are remembered."""


class Interpreter:
    """Runs one program abstractly and emits events to `listen`."""

    neighbours: Neighbours

    def __init__(
        self,
        tree: cst.Module,
        listen: Callable[[Event], None],
        packs: Packs = NO_PACKS,
        found: Scan | None = None,
        trace: Trace | None = None,
    ) -> None:
        self.tree, self.packs, self.trace = tree, packs, trace
        self.torch, self.unmeasured = packs.torch.telling(self.mark_unmeasured), False
        self.scan: Scan = found or scan(tree)
        self.torchless = packs.without_torch(self.scan.imports)
        self.with_torch = packs.with_torch(self.scan.imports)
        self.steps = Steps.of_a_script(self.scan.statements)
        self.given_up: Any = None
        # where it is
        self.state = State()
        self.frame = Frame(0, None, self.scan.scopes[tree], File())
        self.frames: dict[int, Frame] = {0: self.frame}
        self.frame_ids: dict[object, int] = {}
        self.allocations = Allocations()
        self.loops = LoopNest()
        self.calls = CallStack()
        self.effects = Effects()
        self.blocks = Blocks()
        self.assumed_mode = False
        self.conditions: tuple[tuple[Any, bool], ...] = ()
        self.known_not_to_raise: set[Any] | None = None  # the calls of a statement inside `try` that certainly go well
        self.written: list[dict[Ref, bool]] = []  # what code that waits has changed while it was followed, and whether
        # that was more than a gradient
        # what is found
        self.log = EventLog(listen, trace)
        self.defined = Definitions()
        self.graphs = Graphs()
        self.unknown: dict[Any, None] = {}
        self.receivers: dict[Any, str] = {}
        self.noted: dict[object, Any] = {}
        self.joins: dict[tuple[int, ...], Any] = {}

    def notes(self, kind: type[NotesT]) -> NotesT:
        """Return the notes that a file or two keep during this run: one object of a class of their own."""
        found = self.noted.get(kind)
        if found is None:
            found = self.noted[kind] = kind()
        return found

    # ---- running syntax

    def run_body(self, body: Sequence[Any]) -> None:
        """Run statements one after the other until the path ends."""
        for node in body:
            if not self.state.live:
                return
            if self.trace is None:
                self.run_statement(node)
            else:
                self.trace.begin(self, node)
                self.run_statement(node)
                self.trace.end(self, node)

    def run_statement(self, node: Site) -> None:
        """Run one statement; inside `try`, what holds after it may be what a handler finds."""
        if self.state.heap.index.work > MOST_WORK:
            raise TooMuch(node)
        self.steps.left -= 1 + (len(self.state.heap) // HEAP_OF_A_STEP if self.frame.file.foreign else 0)
        if not self.frame.tries or type(node) is cst.SimpleStatementLine:
            STATEMENTS[type(node)](self, node)
            return
        outer, self.known_not_to_raise = self.known_not_to_raise, set()
        STATEMENTS[type(node)](self, node)
        (calls, known_not_to_raise), self.known_not_to_raise = (calls_alone(node), self.known_not_to_raise), outer
        if calls and known_not_to_raise.issuperset(calls) and not self.state.refused:
            self.frame.tries[-1] = Tried(self.frame.tries[-1].raised, self.fork())
        elif self.state.live:
            self.frame.record_exception_state(self.state)
        elif (waiting := self.frame.tries[-1].waiting) is not None:
            self.frame.add_exception_edge(waiting)

    def raise_certainly(self) -> None:
        """A line certainly raises here: a handler finds the state, and what is behind the line is not run."""
        if self.frame.tries:
            self.frame.record_exception_state(self.state, certainly=True)
        self.state.refused = True

    def raises(self) -> None:
        """An error is certainly raised here: a handler finds the state, and the path ends."""
        if self.frame.tries:
            self.frame.record_exception_state(self.state, certainly=True)
        self.end_path()

    def refuses(self, value: Value, refused: Collection[Ref]) -> bool:
        """Return whether torch certainly refuses a value since it refuses these: all that it may be, known well enough.

        Of a parameter that unseen callers passed in, it is more likely that they switched gradients off; what unseen
        code has had may have been changed there, so that the path goes on.
        """
        weakest = Belief.PROVEN if self.assumed_mode else Belief.FROM_USAGE
        beliefs = [self[ref].belief for ref in refused]
        known = Belief.UNTOUCHED not in beliefs and max(beliefs, default=weakest) <= weakest
        return bool(refused) and known and len(refused) == len(alternatives(value))

    def value(self, node: Site) -> Value:
        """Evaluate an expression."""
        if (deep := self.scan.deep) and node in deep:
            self.log.exceeded("depth of an expression")
            return UNKNOWN
        found = EXPRESSIONS[type(node)](self, node)
        log = self.log
        if not log.muted:
            log.counts["expressions"] += 1
            if type(found) is Unknown and self.state.live:
                self.unknown[node] = None
                self.works(len(found.reach))
        return found

    def values(self, nodes: Iterable[Any]) -> list[Value]:
        """Evaluate several expressions in order; earlier results stay true while later ones run."""
        start, count = len(self.state.stack), 0
        for node in nodes:
            found = self.value(node)
            self.state.stack.append(found)
            count += 1
        out = self.pop_from(start)
        return out if self.state.live else [UNKNOWN] * count  # a path that has ended keeps nothing in order

    def push(self, *values: Value) -> int:
        """Keep values true while something else runs; give the index for `pop_from`."""
        start = len(self.state.stack)
        self.state.stack.extend(values)
        return start

    def pop_from(self, start: int) -> list[Value]:
        """Take back the values held since `start`."""
        flight = self.state.stack
        out = flight[start:]
        del flight[start:]
        return out

    def keeping(self, run: Callable[[], ResultT], *values: ValueT) -> tuple[ResultT, list[ValueT]]:
        """Run something while values are kept true: what it gives, and the values as they are then."""
        start = self.push(*values)
        result = run()
        return result, self.pop_from(start)  # type: ignore[return-value]

    # ---- sites and objects

    def part_of(self, node: Site, part: str) -> Part:
        """A place inside another that makes objects of its own; findings there point at the outer one."""
        return Part(syntax(node), f"{node.part if isinstance(node, Part) else ''}{part};")

    def copy_site(self, node: Site, ref: Ref) -> Part:
        """The place at which a copy of an object is made."""
        return self.part_of(node, f"copy of {ref.site}.{ref.part}.{ref.context}.{ref.recency}")

    def new(self, node: object, part: str, thing: Object) -> Ref:
        """Put a new object on the heap."""
        return self.store_new(self.memory(node, part), thing)

    def store_new(self, ref: Ref, thing: Object) -> Ref:
        """Put a new object on the heap under a reference made for it."""
        known = self.state.heap.get(ref)
        self.state.makes(ref)
        self.state.heap[ref] = thing if known is None else joined(thing, known)
        return ref

    def memory(self, node: object, part: str) -> Ref:
        """A reference made here; on its own it stands for fresh memory, which is no object but ages like one."""
        allocations = self.allocations
        ref = Ref(allocations.site(node), part, self.frame.id, allocations.age)
        allocations.made.add(ref.origin)
        self.frame.made.add(ref.origin)
        return ref

    def classes_by_ref(self, cls: Ref) -> object:
        """The syntax of a class of the program."""
        return getattr(self.state.heap.get(cls), "node", None)

    def all(self, value: Value, kind: type[ObjectT]) -> list[tuple[Ref, ObjectT]]:
        """The objects of this kind among the alternatives of a value."""
        heap = self.state.heap
        if self.effects.looked is not None:
            self.effects.looked |= {(ref, ""): None for ref in references(value)}
        if type(value) is Ref:
            return [(value, thing)] if type(thing := heap.get(value)) is kind else []
        out: list[tuple[Ref, Any]] = []
        for option in alternatives(value):
            if type(option) is Ref and type(thing := heap.get(option)) is kind:
                out.append((option, thing))
        return out

    def only(self, value: Value, kind: type[ObjectT]) -> ObjectT | None:
        """Return the object of a value, joined, if every alternative is an object of this kind."""
        if type(value) is Ref:
            if self.effects.looked is not None:
                self.effects.looked[value, ""] = None
            return thing if type(thing := self.state.heap.get(value)) is kind else None
        found = self.all(value, kind)
        if not found or len(found) != len(alternatives(value)):
            return None
        return self.all_joined([thing for _, thing in found])

    def all_joined(self, things: Sequence[ObjectT]) -> ObjectT:
        """Return the join of these objects. What was joined last is remembered: statements need one of many over and
        over."""
        if len(things) <= FEW_JOINED:
            return reduce(joined, things)
        key = tuple(map(id, things))
        if (known := self.joins.get(key)) is None:
            if len(self.joins) >= MOST_JOINED:
                self.joins.clear()
            known = self.joins[key] = things, reduce(joined, things)  # kept, for an id to stay its own
        found: ObjectT = known[1]
        return found

    def may_be(self, value: Value, kind: type[ObjectT]) -> bool:
        """Return whether some alternative is an object of this kind."""
        return bool(self.all(value, kind))

    def __getitem__(self, ref: Ref) -> Any:
        return self.state.heap[ref]

    def store(self, ref: Ref, thing: Object, *, sure: bool = True, filling: bool = False) -> None:
        """Change an object: certainly (`sure`) where it is the one meant, else it may also be as before; `filling`: it
        is the gradient of a tensor that changes, and nothing else."""
        old = self.state.heap[ref]
        if thing is old:
            self._note_written(ref, filling=filling)
            return
        self.store_exact(ref, thing if sure and self.is_single(ref, old) else joined(old, thing), filling=filling)

    def _note_written(self, ref: Ref, *, filling: bool) -> None:
        for written in self.written:
            for one in (ref, self.own(ref)):
                written[one] = written.get(one, False) or not filling

    def is_single(self, ref: Ref, thing: object) -> bool:
        """Return whether an update of one of a reference's objects is one of each: it is one, or a loop goes over
        all."""
        return ref.recency < 2 and (not getattr(thing, "is_summary", False) or ref in self.loops.sweeping)

    def store_exact(self, ref: Ref, thing: Object, *, filling: bool = False) -> None:
        """An object is like this from now on, whoever knows it by whatever reference; `filling` as in `store`."""
        heap = self.state.heap
        self._note_written(ref, filling=filling)
        heap[ref] = thing
        if self.loops.walks:
            own, here = self.own(ref), [walk for walk in self.loops.walks if is_at(ref, walk)]
            for other in self.same(own):
                if other != ref and not any(is_at(other, walk + GONE_OVER) for walk in here):
                    heap[other] = thing if ref == own else joined(heap[other], thing)

    def own(self, ref: Ref) -> Ref:
        """The reference by which an object is known outside of the loops that are at it."""
        return own if self.loops.walks and (own := plain(ref)) in self.state.heap else ref

    def same(self, ref: Ref) -> tuple[Ref, ...]:
        """All references of an object: while loops go over it, that are several."""
        if not self.loops.walks:
            return (ref,)
        own, heap = plain(ref), self.state.heap
        return tuple(one for mark in ("", *self.loops.walks) for one in marked(own, mark) if one in heap)

    def is_strong(self, found: Sequence[tuple[Ref, Any]]) -> bool:
        """Return whether an update of these objects is strong: there is one, or a loop goes over all."""
        return len(found) == 1 or all(ref in self.loops.sweeping for ref, _ in found)

    def is_strong_for_objects(self, found: Sequence[tuple[Ref, Any]]) -> bool:
        """The same for a change of the objects themselves and of nothing else: no path may have two of them."""
        return self.is_strong(found) or self.state.are_apart([ref for ref, _ in found])

    def is_strong_update(self, value: Value, found: Sequence[tuple[Ref, Any]]) -> bool:
        """Return whether a change meant for what a value is happens to these objects: it is nothing else than they."""
        return self.is_strong_for_objects(found) and len(alternatives(not_none(value))) == len(found)

    def one_of_these(self, value: Value, kind: type[ObjectT]) -> Iterator[Ref]:
        """Go over the objects of a kind to one of which something happens: afterwards each may be as it was before as
        well, unless it is the one that is meant, or a loop goes over all."""
        found = self.all(value, kind)
        sure = self.is_strong_update(value, found)
        for ref, before in found:
            yield ref
            if not sure:
                self.state.heap[ref] = joined(before, self[ref])

    def update_fields(self, value: Value, kind: type[ObjectT], **facts: Any) -> None:
        """Change these fields of all objects of the kind that the value may be."""
        found = self.all(value, kind)
        for ref, thing in found:
            self.store(ref, replace(thing, **facts), sure=self.is_strong_for_objects(found))

    def thing(self, value: Value) -> Thing:
        """Return the thing that an event shows for a value."""
        if type(value) is Ref:
            return self.state.heap.get(value, UNKNOWN)
        options = alternatives(value)
        if len(options) == 1:
            return value
        heap = self.state.heap
        shown = [heap[option] for option in options if type(option) is Ref and option in heap]
        if not shown:
            return value
        if len(shown) < len(options) or any(type(thing) is not type(shown[0]) for thing in shown):
            return UNKNOWN
        return self.all_joined(shown)

    # ---- paths

    def switch(self, frame: Frame) -> None:
        """Switch to another frame; steps in other files are counted apart."""
        if frame.file.foreign != self.frame.file.foreign:
            self.steps.swap()
        self.frame = frame

    def fork(self) -> State:
        """A copy of the state for another path."""
        return self.state.copy()

    def join(self, states: Sequence[State]) -> None:
        """Join these paths; where none is live, the path ends here."""
        if any(state.live for state in states):
            self.state = joined_states(states)
        else:
            flight = self.state.stack  # what runs on until its end still takes from it what it put there
            self.state = states[0] if states else self.state
            self.state.stack, self.state.live = flight, False

    def maybe(self, happening: Callable[[], ResultT], uncertain: bool = True) -> ResultT:
        """Something that may happen or not."""
        before = self.fork() if uncertain else None
        result = happening()
        if before is not None:
            self.join([self.state, before])
        return result

    def end_path(self) -> None:
        """End this path: nothing after this is reached."""
        self.state.live = False

    @property
    def is_silent(self) -> bool:
        """Return whether nobody hears what happens now: neither rules nor a trace."""
        return self.log.muted > 0 and self.trace is None

    def once(self, key: object, run: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
        """Run something, or `otherwise` where it is running already: what calls itself is not followed without end."""
        if key in self.calls.running:
            self.log.exceeded("recursion")
            return otherwise()
        self.calls.running.append(key)
        found = run()
        self.calls.running.pop()
        return found

    def works(self, objects: int) -> None:
        """Count objects that are gone over one by one."""
        self.state.heap.index.work += objects

    # ---- what is known of torch

    def has(self, path: str) -> bool:
        """Return whether torch has what is called by a path, in the version that the program is for."""
        if path in self.torch.told:
            self.mark_unmeasured()
        return path not in self.torch.absent

    def mark_unmeasured(self) -> None:
        """Mark a use of what no measurement shows in this version: all that happens from now on may rest on it."""
        self.unmeasured = True

    # ---- events

    def emit(self, kind: type[EventT], node: Site, **facts: Any) -> None:
        """Emit an event, with the facts that hold now."""
        if self.is_silent or not self.state.live:
            return
        self.works(WORK_OF_AN_EVENT)
        belief = max((_belief(facts.get(name)) for name in kind.believed_from), default=Belief.PROVEN)
        if kind.depends_on_mode and self.assumed_mode:
            belief = max(belief, Belief.FROM_USAGE)
        if self.unmeasured:
            belief = Belief.FROM_NAME
        event = kind(
            node=syntax(node),
            grad_mode=self.state.grad_mode,
            inference=self.state.inference,
            later=self.loops.later,
            assumed_mode=self.assumed_mode,
            belief=belief,
            expected=self.calls.expected > 0,
            swallowed=self.calls.swallowed > 0,
            after_error=self.state.refused or self.state.unexplained_edge,
            run=self.log.run,
            conditions=self.conditions,
            guards=self.state.guards,
            loops=self.frame.loops(),
            file=self.frame.file.path,
            calls=self.frame.calls() if self.frame.file.foreign else (),
            **facts,
        )
        if self.trace is not None:
            self.trace.happened(self, event)
        if self.log.muted:
            return
        if not event.after_error:
            self.log.come_by.add(event.node)
        self.log.append(event)

    # ---- graphs

    @property
    def recording(self) -> Truth:
        """Return whether operations are put into the graph now."""
        mode, inference = self.state.grad_mode, self.state.inference
        return mode if inference is NO else both(mode, negation(inference))


def _belief(fact: Any) -> Belief:
    if type(fact) is tuple:
        return _belief(fact[0]) if fact else Belief.PROVEN
    return getattr(fact, "belief", Belief.PROVEN)


def not_none(value: Value) -> Value:
    """The value without the alternative None, with which the line would have raised."""
    kept = [option for option in alternatives(value) if option != NONE_VALUE]
    return one_of(kept, len(kept)) if kept else value
