"""The interpreter's heart: state, sites, frames, events. It knows no statement, no expression and no operation.

The other files of this room are functions over an `Interpreter`, gathered in dispatch tables. What they
share is here: evaluating a piece of syntax, making and changing objects, parting and joining paths, and
telling what happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import libcst as cst

from gradlint.domain import (
    NO,
    NONE_VALUE,
    UNKNOWN,
    Belief,
    Escape,
    Function,
    Graph,
    Instance,
    Mark,
    Module,
    Object,
    Origin,
    Ref,
    State,
    Syntax,
    Truth,
    Unknown,
    Value,
    alternatives,
    both,
    joined,
    joined_states,
    negation,
    one_of,
    references,
)
from gradlint.domain.ground import Name
from gradlint.domain.walks import GONE_OVER, is_at, marked, plain
from gradlint.events import Event, Run, Thing
from gradlint.frozen import replace
from gradlint.interpreter.engine.dispatch import EXPRESSIONS, STATEMENTS
from gradlint.interpreter.engine.frames import File, Frame, Tried
from gradlint.interpreter.engine.steps import Steps
from gradlint.interpreter.static.handlers import calls_alone
from gradlint.interpreter.static.scopes import Scan, scan
from gradlint.interpreter.static.sites import Part, Site, syntax
from gradlint.knowledge.pack_index import NO_PACKS, Packs
from gradlint.knowledge.packs import Hook

if TYPE_CHECKING:
    from gradlint.interpreter.engine.imports import Neighbours
    from gradlint.interpreter.engine.tracing import Trace
    from gradlint.interpreter.static.grad_reads import Reads


Looked = dict[tuple[Ref | int, str], None]
"""Objects that were looked at (with no name), attributes of objects that were read, and variables by their frames."""
ObjectT = TypeVar("ObjectT", bound=Object)
EventT = TypeVar("EventT", bound=Event)
ResultT = TypeVar("ResultT")

MOST_CALLS_DEEP = 8
"""How many calls of functions of the program are followed into each other."""
HEAP_OF_A_STEP = 150
"""A statement of another file counts once more for each so many objects there are: so much longer it takes."""
MOST_WORK = 70_000_000
"""How many objects may be gone over one by one (see `Index.work`) until a file is given up: where as many are there as
it has statements, the cost of each statement grows with their number."""
FEW_JOINED, MOST_JOINED = 4, 256
"""What is known of any of so many objects is joined anew each time; of more it is remembered, so many times at most."""
BOUND = "bound: "
"""How the counts begin that tell of a bound that was hit."""
STEPS = "steps"
"""The bound on how many statements are run."""
CALLS_LEFT_OUT = frozenset({"depth of calls", "depth of instances", "depth of modules", "recursion", STEPS})
"""The bounds behind which calls are not followed."""


@dataclass(slots=True)
class ActiveLoop:
    """A loop that runs: the origins of what was made in it, not in a loop inside it, and whether it goes over parts of
    networks, of which there are as many as there are."""

    made: set[Origin]
    over_parts: bool = False


class TooMuch(Exception):
    """A program is given up at this `node` since it would take too long."""

    def __init__(self, node: Site) -> None:
        super().__init__()
        self.node = node


class Interpreter:
    """Runs one program abstractly and tells `listen` what happens."""

    neighbours: Neighbours

    def __init__(
        self,
        tree: cst.Module,
        listen: Callable[[Event], None],
        packs: Packs = NO_PACKS,
        found: Scan | None = None,
        trace: Trace | None = None,
    ) -> None:
        self.tree, self.listen, self.packs, self.trace = tree, listen, packs, trace
        self.torch, self.unmeasured = packs.torch.telling(self.mark_unmeasured), False
        self.scan: Scan = found or scan(tree)
        self.state = State()
        self.frame = Frame(0, None, self.scan.scopes[tree], File())
        self.frames: dict[int, Frame] = {0: self.frame}
        self.frame_ids: dict[object, int] = {}
        self.sites: dict[object, int] = {}
        self.made: set[Origin] = set()
        self.age = 0
        self.entered: set[int] = set()
        self.muted = 0
        self.later: Truth = NO
        self.peeled = 0
        self.loops_deep = 0
        self.loops: list[ActiveLoop] = []
        self.round = 0  # tells apart what the rounds make of a comprehension that is run element by element
        self.assumed_mode = False
        self.expected = 0
        self.known_not_to_raise: set[Any] | None = (
            None  # the calls of a statement inside `try` that certainly went well
        )
        self.entering: Any = None
        self.switched = 0  # how often a mode was set that no block takes back
        self.crossed = 0  # how often a mode was set in a block that may be left before another takes it back
        self.conditions: tuple[tuple[Any, bool], ...] = ()
        self.copying = 0
        self.device_entered = False
        self.reads: Reads | None = None
        self.story: list[Event] = []
        self.runs: list[Run] = []
        self.run = 0
        self.running: list[object] = []
        self.called: dict[object, None] = {}
        self.escaped_functions: dict[object, None] = {}
        self.seen_by_hooks: dict[Value, None] = {}  # the modules around whose calls hooks may keep what they are handed
        self.functions: dict[object, Function] = {}
        self.classes: dict[object, Ref] = {}
        self.lines: dict[Value, tuple[tuple[Value, ...], tuple[Object | None, ...]]] = {}  # of bases, by classes, and
        # what each of the line was when it was found
        self.instances: dict[object, Module | Instance | None] = {}
        self.defined_anew: dict[Ref, frozenset[object]] = {}  # by the classes that derive from each
        self.sweeping: list[Ref] = []
        self.walks: list[str] = []
        self.at_hand: list[frozenset[Value]] = []  # what each variable of the loops around may be, object by object
        self.written: list[dict[Ref, bool]] = []  # what code that waits has changed while it was followed, and whether
        # that was more than a gradient
        self.looked: Looked | None = None  # what such code has looked at
        self.inside_module = 0
        self.instances_deep = 0
        self.building: list[object] = []
        self.used: set[Graph] = set()
        self.kept = False  # whether a backward has kept its graph
        self.escaped: dict[Graph, Escape] = {}
        self.escapes: list[Graph] = []  # each as often as more became known of what may be done with it
        self.cut: dict[Ref, Mark] = {}  # nodes of graphs that something computed from them has left
        self.left: dict[Graph, Mark] = {}  # all of these there ever were, and the first that left each
        self.around: dict[Graph, dict[Graph, None]] = {}  # for nodes inside summarised calls, those that stood for them
        self.repeated: dict[int, tuple[Event, ...]] = {}  # what happened in calls that a summary told again
        self.summaries: dict[object, Any] = {}
        self.told_summaries: list[object] = []
        self.read: dict[Name, Value] = {}
        self.handed: dict[Ref, Escape] = {}
        self.wrote: dict[Ref, None] = {}  # memories and counts that were written
        self.differentiated: dict[Ref, None] = {}  # nodes and leaves that a backward has looked at
        self.come_by: set[Any] = set()
        self.given_up: Any = None
        self.sums: dict[Any, Any] = {}  # by operators of sums that a loop makes longer, the first operator of the sum
        self.returned: set[Graph] = set()
        self.handed_gradients: dict[Any, int] = {}
        self.frozen_on_request: dict[Any, None] = {}  # calls of unseen code that is asked for no gradients
        self.hooked: dict[Any, Hook] = {}
        self.unknown: dict[Any, None] = {}
        self.receivers: dict[Any, str] = {}
        self.counts: Counter[str] = Counter()
        self.joins: dict[tuple[int, ...], tuple[Sequence[Any], Any]] = {}
        self.torchless = packs.without_torch(self.scan.imports)
        self.with_torch = packs.with_torch(self.scan.imports)
        self.steps = Steps.of_a_script(self.scan.statements)
        self.mentions_torch: dict[Any, bool] = {}  # by functions of other files

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
        """A line certainly raises here: a handler finds the state, and what stands behind the line is not run."""
        if self.frame.tries:
            self.frame.record_exception_state(self.state, certainly=True)
        self.state.refused = True

    def raises(self) -> None:
        """An error is certainly raised here: a handler finds the state, and the path ends."""
        if self.frame.tries:
            self.frame.record_exception_state(self.state, certainly=True)
        self.end_path()

    def refuses(self, value: Value, refused: Collection[Ref]) -> bool:
        """Whether torch certainly refuses a value since it refuses these: all that it may be, known well enough.

        Of a parameter that unseen callers handed over, it is more likely that they switched gradients off.
        """
        weakest = Belief.PROVEN if self.assumed_mode else Belief.BY_USE
        known = all(self[ref].belief <= weakest for ref in refused)
        return bool(refused) and known and len(refused) == len(alternatives(value))

    def value(self, node: Site) -> Value:
        """Evaluate an expression."""
        if (deep := self.scan.deep) and node in deep:
            self.exceeded("depth of an expression")
            return UNKNOWN
        found = EXPRESSIONS[type(node)](self, node)
        if not self.muted:
            self.counts["expressions"] += 1
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

    # ---- sites and objects

    def site(self, node: object) -> int:
        """The number of a place that makes objects."""
        place = (node, self.round) if self.round else node
        number = self.sites.get(place)
        if number is None:
            number = self.sites[place] = len(self.sites) + 1
        return number

    def part_of(self, node: Site, part: str) -> Part:
        """A place inside another that makes objects of its own; findings there point at the outer one."""
        return Part(syntax(node), f"{node.part if isinstance(node, Part) else ''}{part};")

    def copy_site(self, node: Site, ref: Ref) -> Part:
        """The place at which a copy of an object is made."""
        return self.part_of(node, f"copy of {ref.site}.{ref.part}.{ref.context}.{ref.age}")

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
        ref = Ref(self.site(node), part, self.frame.id, self.age)
        self.made.add(ref.origin)
        self.frame.made.add(ref.origin)
        return ref

    def made_again(self, ref: Ref) -> Ref:
        """The reference that is made where this one was made before, in the same frame or one that it called."""
        self.made.add(ref.origin)
        self.frames[ref.context].made.add(ref.origin)
        return Ref(*ref[:3], self.age)

    def begin(self, frame: Frame) -> None:
        """A frame begins: what it made the last time grows older, unless the pass of a loop has seen to that."""
        if frame.id in self.entered:
            self.state.age(frame.made)
        self.entered.add(frame.id)

    def classes_by_ref(self, cls: Ref) -> object:
        """The syntax of a class of the program."""
        return getattr(self.state.heap.get(cls), "node", None)

    def all(self, value: Value, kind: type[ObjectT]) -> list[tuple[Ref, ObjectT]]:
        """The objects of this kind among the alternatives of a value."""
        heap = self.state.heap
        if self.looked is not None:
            self.looked |= {(ref, ""): None for ref in references(value)}
        if type(value) is Ref:
            return [(value, thing)] if type(thing := heap.get(value)) is kind else []
        out = []
        for option in alternatives(value):
            if type(option) is Ref and type(thing := heap.get(option)) is kind:
                out.append((option, thing))
        return out  # type: ignore[return-value]

    def only(self, value: Value, kind: type[ObjectT]) -> ObjectT | None:
        """What is known of a value if every alternative is an object of this kind."""
        if type(value) is Ref:
            if self.looked is not None:
                self.looked[value, ""] = None
            return thing if type(thing := self.state.heap.get(value)) is kind else None
        found = self.all(value, kind)
        if not found or len(found) != len(alternatives(value)):
            return None
        return self.all_joined([thing for _, thing in found])

    def all_joined(self, things: Sequence[ObjectT]) -> ObjectT:
        """What is known of any of these objects. What was joined last is remembered: statements ask over and over for
        what one of many is."""
        if len(things) <= FEW_JOINED:
            return reduce(joined, things)  # type: ignore[arg-type]
        key = tuple(map(id, things))
        if key not in self.joins:
            if len(self.joins) >= MOST_JOINED:
                self.joins.clear()
            self.joins[key] = things, reduce(joined, things)  # type: ignore[arg-type]  # kept, for an id to stay its own
        return self.joins[key][1]  # type: ignore[no-any-return]

    def may_be(self, value: Value, kind: type[ObjectT]) -> bool:
        """Whether some alternative is an object of this kind."""
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
        """Whether what happens to one that this reference stands for happens to each: it is one, or a loop goes over
        all."""
        return ref.age < 2 and (not getattr(thing, "many", False) or ref in self.sweeping)

    def store_exact(self, ref: Ref, thing: Object, *, filling: bool = False) -> None:
        """An object is like this from now on, whoever knows it by whatever reference; `filling` as in `put`."""
        heap = self.state.heap
        self._note_written(ref, filling=filling)
        heap[ref] = thing
        if self.walks:
            own, here = self.own(ref), [walk for walk in self.walks if is_at(ref, walk)]
            for other in self.same(own):
                if other != ref and not any(is_at(other, walk + GONE_OVER) for walk in here):
                    heap[other] = thing if ref == own else joined(heap[other], thing)

    def own(self, ref: Ref) -> Ref:
        """The reference by which an object is known outside of the loops that are at it."""
        return own if self.walks and (own := plain(ref)) in self.state.heap else ref

    def same(self, ref: Ref) -> tuple[Ref, ...]:
        """All references of an object: while loops go over it, that are several."""
        if not self.walks:
            return (ref,)
        own, heap = plain(ref), self.state.heap
        return tuple(one for mark in ("", *self.walks) for one in marked(own, mark) if one in heap)

    def join_with_previous(self, old: ObjectT, new: ObjectT) -> ObjectT:
        """The object that may have been changed or not."""
        return joined(old, new)  # type: ignore[return-value]

    def is_strong(self, found: Sequence[tuple[Ref, Any]]) -> bool:
        """Whether a change meant for one of these objects happens to each: there is one, or a loop goes over all."""
        return len(found) == 1 or all(ref in self.sweeping for ref, _ in found)

    def is_strong_for_objects(self, found: Sequence[tuple[Ref, Any]]) -> bool:
        """The same for a change of the objects themselves and of nothing else: no path may have two of them."""
        return self.is_strong(found) or self.state.are_apart([ref for ref, _ in found])

    def is_strong_update(self, value: Value, found: Sequence[tuple[Ref, Any]]) -> bool:
        """Whether a change meant for what a value is happens to these objects: it is nothing else than they."""
        return self.is_strong_for_objects(found) and len(alternatives(not_none(value))) == len(found)

    def one_of_these(self, value: Value, kind: type[ObjectT]) -> Iterator[Ref]:
        """Go over the objects of a kind to one of which something happens: afterwards each may be as it was before as
        well, unless it is the one that is meant, or a loop goes over all."""
        found = self.all(value, kind)
        sure = self.is_strong_update(value, found)
        for ref, before in found:
            yield ref
            if not sure:
                self.state.heap[ref] = self.join_with_previous(before, self[ref])

    def update_fields(self, value: Value, kind: type[ObjectT], **facts: Any) -> None:
        """Change these fields of all objects of the kind that the value may be."""
        found = self.all(value, kind)
        for ref, thing in found:
            self.store(ref, replace(thing, **facts), sure=self.is_strong_for_objects(found))

    def thing(self, value: Value) -> Thing:
        """What an event shows of a value."""
        if type(value) is Ref:
            return self.state.heap.get(value, UNKNOWN)
        options = alternatives(value)
        if len(options) == 1:
            return value
        shown: list[Any] = [self.state.heap.get(option) if type(option) is Ref else None for option in options]
        if not any(shown):
            return value
        if shown[0] is None or any(type(thing) is not type(shown[0]) for thing in shown):
            return UNKNOWN
        return self.all_joined(shown)  # type: ignore[no-any-return]

    # ---- paths

    def switch(self, frame: Frame) -> None:
        """Go on in another frame; steps in other files are counted apart."""
        if frame.file.foreign != self.frame.file.foreign:
            self.steps.swap()
        self.frame = frame

    def fork(self) -> State:
        """A copy of the state for another path."""
        return self.state.copy()

    def join(self, states: Sequence[State]) -> None:
        """Go on from where these paths meet; where none is live, the path ends here."""
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
        """Nothing after this is reached."""
        self.state.live = False

    @property
    def is_silent(self) -> bool:
        """Whether nobody hears what happens now: neither rules nor a trace."""
        return self.muted > 0 and self.trace is None

    @contextmanager
    def silently(self, really: bool = True) -> Iterator[None]:
        """Run without telling anybody."""
        self.muted += really
        traced = self.trace.mark() if really and self.trace is not None else None
        try:
            yield
        finally:
            self.muted -= really
            self._forget_traced(traced)

    @contextmanager
    def held_back(self) -> Iterator[Callable[[], None]]:
        """Hold back what happens until it is certain that it is to be told; `forget` says that it is not."""
        traced = self.trace.mark() if self.trace is not None else None
        if self.muted:
            yield lambda: self._forget_traced(traced)
            return
        listen, held = self.listen, list[Event]()
        story, runs, run, counts = len(self.story), len(self.runs), self.run, self.counts.copy()
        told = len(self.told_summaries)

        def forget() -> None:
            self._forget_traced(traced)
            del self.story[story:], self.runs[runs:]
            self.run, self.counts = run, counts | _bounds(self.counts)
            for key in self.told_summaries[told:]:
                self.summaries[key] = replace(self.summaries[key], told=False)
            del self.told_summaries[told:]
            held.clear()

        self.listen = held.append
        yield forget
        self.listen = listen
        for event in held:
            listen(event)

    def _forget_traced(self, since: int | None) -> None:
        if self.trace is not None and since is not None:
            self.trace.forget(since)

    def once(self, key: object, run: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
        """Run something, or `otherwise` where it is running already: what calls itself is not followed without end."""
        if key in self.running:
            self.exceeded("recursion")
            return otherwise()
        self.running.append(key)
        found = run()
        self.running.pop()
        return found

    def works(self, objects: int) -> None:
        """Count objects that are gone over one by one."""
        self.state.heap.index.work += objects

    def exceeded(self, bound: str) -> None:
        """Count that a bound of the analysis was reached."""
        self.counts[BOUND + bound] += 1
        if self.trace is not None:
            self.trace.stopped(bound)

    # ---- what is known of torch

    def has(self, path: str) -> bool:
        """Whether torch has what is called by a path, in the version that the program is for."""
        if path in self.torch.told:
            self.mark_unmeasured()
        return path not in self.torch.absent

    def mark_unmeasured(self) -> None:
        """Something is used of which nobody has seen that it holds in this version: all that happens from now on may
        rest on it."""
        self.unmeasured = True

    # ---- events

    def emit(self, kind: type[EventT], node: Site, **facts: Any) -> None:
        """Tell what happens, with the facts that hold now."""
        if self.is_silent or not self.state.live:
            return
        belief = max((_belief(facts.get(name)) for name in kind.believed_from), default=Belief.PROVEN)
        if kind.depends_on_mode and self.assumed_mode:
            belief = max(belief, Belief.BY_USE)
        if self.unmeasured:
            belief = Belief.BY_NAME
        event = kind(
            node=syntax(node),
            grad_mode=self.state.grad_mode,
            inference=self.state.inference,
            later=self.later,
            assumed_mode=self.assumed_mode,
            belief=belief,
            expected=self.expected > 0,
            behind=self.state.refused or self.state.unexplained_edge,
            run=self.run,
            conditions=self.conditions,
            guards=self.state.guards,
            file=self.frame.file.path,
            calls=self.calls_here() if self.frame.file.foreign else (),
            **facts,
        )
        if self.trace is not None:
            self.trace.happened(self, event)
        if self.muted:
            return
        if not event.behind:
            self.come_by.add(event.node)
        self.story.append(event)
        self.counts["events"] += 1
        self.listen(event)

    def repeats(self, events: tuple[Event, ...]) -> None:
        """What happened in a call holds of another as well; it is known by its id, and so kept for that to stay its."""
        self.repeated[id(events)] = events

    def calls_here(self) -> tuple[Syntax, ...]:
        """The calls that led from the linted file to where another one runs, the one in the linted file first; none
        where that is not known."""
        found: list[Syntax] = []
        frame: Frame | None = self.frame
        while frame is not None and frame.file.foreign:
            if frame.called_at is not None:
                found.append(frame.called_at)
            frame = frame.caller
        return () if frame is None else tuple(reversed(found))

    # ---- graphs

    @property
    def recording(self) -> Truth:
        """Whether operations are put into the graph now."""
        return both(self.state.grad_mode, negation(self.state.inference))

    def escape_graph(self, graph: Graph, how: Escape) -> None:
        """A graph is handed to something that the file does not show, which may do this with it."""
        if self.escaped.get(graph, -1) < how:
            self.escaped[graph] = how
            self.escapes.append(graph)


def _bounds(counts: Counter[str]) -> Counter[str]:
    """Only the bounds among the counts: what hit them is taken back, but may be recalled and not hit them again."""
    return Counter({name: number for name, number in counts.items() if name.startswith(BOUND)})


def _belief(fact: Any) -> Belief:
    if type(fact) is tuple:
        return _belief(fact[0]) if fact else Belief.PROVEN
    return getattr(fact, "belief", Belief.PROVEN)


def not_none(value: Value) -> Value:
    """The value without the alternative None, with which the line would have raised."""
    kept = [option for option in alternatives(value) if option != NONE_VALUE]
    return one_of(kept, len(kept)) if kept else value
