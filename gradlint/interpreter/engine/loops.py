"""Loops that run until another iteration changes nothing: the first emits its events, later ones once for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import libcst as cst

from gradlint import events
from gradlint.domain.facts import MAYBE, NO, UNSURE, YES, Truth
from gradlint.domain.refs import Ref
from gradlint.domain.state import OLDEST, State, joined_states, same
from gradlint.domain.values import UNKNOWN, Function
from gradlint.domain.weakening import after_unseen_code
from gradlint.interpreter.engine.circumstances import ActiveLoop
from gradlint.interpreter.engine.escape import havoc
from gradlint.interpreter.engine.frames import LoopPaths
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.variables import lookup
from gradlint.interpreter.static import scopes
from gradlint.interpreter.static.periodic import periodic
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.source import parts

MOST_PASSES = 8
"""Passes before what still changes is given up as unknown."""
MOST_ROUNDS = 2
"""Iterations that are run one by one where it is certain that there are no more."""
PEELED_LEVELS = 2
TELLING_APART = frozenset(
    {
        events.BackwardRun,
        events.GradientRead,
        events.GradientsCleared,
        events.HookRegistered,
        events.OptimizerBuilt,
        events.OptimizerStepped,
        events.ScalerUsed,
        events.StateLoaded,
        events.WrittenInPlace,
    }
)
"""The events that leave the objects of one iteration in another state than those of earlier iterations."""
MOST_LOOPS_DEEP = 4
"""Loops inside loops (and clauses of comprehensions) that run to a fixpoint; those further inside run once."""
MOST_STATEMENTS_TO_A_FIXPOINT = 1_000
"""Longer loops run twice, where each pass may cost a second. The longest of torch and its libraries has 203."""
MOST_STATEMENTS_TWICE = 10_000
"""Still longer ones run once."""
LENGTH = "length of loops"
"""The bound on that."""


def open_end(_: int) -> Truth:
    """Return no end for a loop of which nobody knows how often it runs."""
    return UNSURE


def leave(m: Interpreter, left: Callable[[State], None] = lambda _: None) -> None:
    """The loop may end here, because there is nothing more to go over. `left` gets the state in which it does."""
    assert m.frame.loop is not None
    if m.state.live:
        state = m.fork()
        m.frame.loop.exits.append(state)
        left(state)


@dataclass(slots=True)
class Loop:
    """The parts of a loop. `step` runs one iteration, with whether it is the first; where that may be all
    (`once`), it is told by itself, however far out the loop is.

    The loop ends when there is nothing more to go over, but not before it has run `least` times (no more than two are
    told apart), and `left` gets the states in which it does; None where `step` itself says when the loop ends.
    `ends` is asked whether that is so after a number of rounds: where they are certainly few, each is run by itself.
    `after` is what happens then, before `orelse`.
    """

    step: Callable[[Truth], None]
    orelse: cst.Else | None = None
    after: Callable[[], None] = lambda: None
    once: bool = False
    least: int | None = None
    left: Callable[[State], None] = lambda _: None
    ends: Callable[[int], Truth] = open_end

    def round(self, m: Interpreter, paths: LoopPaths, first: Truth) -> None:
        """Run one iteration, whichever way it ends."""
        run_once(m, paths, partial(self.step, first), first)
        m.state.sweep()

    def turn(self, m: Interpreter, paths: LoopPaths, grow_older: Callable[[], object], first: Truth) -> None:
        """Run one iteration, where there may be none, or end behind it."""
        before = self.least == 0 or (self.least == 1 and first is NO)
        if before:
            leave(m, self.left)
        self.round(m, paths, first)
        if self.least and not before and first is not YES:
            resume_again = m.fork()
            grow_older()
            leave(m, self.left)
            m.state = resume_again


def run_once(m: Interpreter, paths: LoopPaths, step: Callable[[], None], first: Truth) -> None:
    """Run one iteration, and go on from where its normal path meets those of `continue`."""
    paths.head = m.fork() if m.graphs.kept and first is not YES else None
    step()
    m.join([m.state, *paths.continues])
    paths.continues.clear()


def run_loop(m: Interpreter, node: Site, loop: Loop) -> None:
    """Run the first and later iterations, and go on from all the ways the loop can end."""
    outer, began, depth = m.frame.loop, len(m.log.story), len(m.state.stack)
    paths = m.frame.loop = LoopPaths(node, conditions=m.conditions, around=outer)
    written = m.scan.loops[syntax(node)] if node in m.scan.loops else scopes.Loop()
    peel = loop.once or (written.height < PEELED_LEVELS and m.loops.peeled <= PEELED_LEVELS)
    bound = _bound(m, written)
    with _ageing(m) as grow_older:
        if peel:
            m.loops.peeled += 1
            loop.turn(m, paths, grow_older, YES)
        m.loops.deep += 1
        if bound:
            m.log.exceeded(bound)
            if not peel:
                loop.turn(m, paths, grow_older, YES)
            if bound == LENGTH:
                if written.statements <= MOST_STATEMENTS_TWICE:
                    _once_more(m, partial(loop.turn, m, paths, grow_older, NO), grow_older)
                _go_round_unseen(m, node)
            leave(m, loop.left)
        elif m.state.live:
            _later_iterations(m, loop, paths, grow_older, peel)
        m.loops.deep -= 1
        m.loops.peeled -= peel
        found = m.scan.loops.get(syntax(node))
        over_parts = m.loops.active[-1].over_parts
        alone = loop.once and not over_parts and found is not None and not found.leaves
    m.frame.loop = outer
    m.join(paths.exits)
    del m.state.stack[depth:]
    if m.state.live:
        loop.after()
        if loop.orelse is not None:
            m.run_body(loop.orelse.body.body)
    m.join([m.state, *paths.breaks])
    del m.state.stack[depth:]
    if not m.is_silent and isinstance(node, cst.CSTNode):
        story = tuple(m.log.story[began:])
        about = {"alone": alone, "over_parts": over_parts, **goes_over(node)}
        m.emit(events.LoopFinished, node, story=story, periodic=periodic(m.scan), **about)


def goes_over(loop: cst.CSTNode) -> dict[str, bool]:
    """Return the facts of `LoopFinished` that the head of a loop tells."""
    return {"listed": _is_listed(loop), "counted": _is_counted(loop)}


def _is_listed(loop: cst.CSTNode) -> bool:
    """Return whether a loop goes over a list that is written where it begins, by itself or in a call (`enumerate`)."""
    if not isinstance(loop, cst.For):
        return False
    given = [argument.value for argument in loop.iter.args] if isinstance(loop.iter, cst.Call) else [loop.iter]
    return any(isinstance(one, cst.List | cst.Tuple | cst.Set | cst.Dict) for one in given)


COUNTING = frozenset({"range", "trange"})
"""The last names of what a loop goes over that counts."""


def _is_counted(loop: cst.CSTNode) -> bool:
    """Return whether a loop counts its iterations, or asks a test for the next one: it goes over nothing."""
    if not isinstance(loop, cst.For):
        return isinstance(loop, cst.While)
    over = loop.iter
    while isinstance(over, cst.Call) and not _counts(over) and over.args:
        over = over.args[0].value  # what shows how far it is, or numbers the iterations
    return _counts(over)


def _counts(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and scopes.dotted(node.func).rpartition(".")[2] in COUNTING


def _bound(m: Interpreter, written: scopes.Loop) -> str:
    """The bound behind which a loop is not run to a fixpoint, empty where it may be."""
    if written.statements > MOST_STATEMENTS_TO_A_FIXPOINT:
        return LENGTH
    return "depth of loops" if m.loops.deep >= MOST_LOOPS_DEEP else ""


def _once_more(m: Interpreter, turn: Callable[[], None], grow_older: Callable[[], list[Ref]]) -> None:
    """Run the second iteration by itself, which shows what iterations do to each other."""
    outer, m.loops.later = m.loops.later, YES
    if m.state.live:
        grow_older()
        turn()
    m.loops.later = outer


def _go_round_unseen(m: Interpreter, node: Site) -> None:
    """Let what a loop mentions be as it may be after iterations that are not run: as if unseen code had run them."""
    if not m.state.live:
        return
    todo, mentioned = [syntax(node)], dict[str, None]()
    while todo:
        one = todo.pop()
        todo += parts(one)
        if type(one) is cst.Name:
            mentioned[one.value] = None
    found = {name: value for name in mentioned if (value := lookup(m, name)) is not None}
    havoc(m, found.values())
    for name, value in found.items():
        if (m.frame.id, name) in m.state.names and type(value) is not Function:
            m.state.names[m.frame.id, name] = UNKNOWN


def _later_iterations(
    m: Interpreter, loop: Loop, paths: LoopPaths, grow_older: Callable[[], list[Ref]], peel: bool
) -> None:
    """Run the iterations after the first, or all where the first is not peeled."""
    outer = m.loops.later
    m.loops.later = YES if peel else outer if outer is YES else MAYBE
    if peel and _are_few(m, partial(loop.round, m, paths, NO), grow_older, loop.ends):
        grow_older()
        if loop.least is None:
            loop.step(NO)
        else:
            leave(m, loop.left)
        m.end_path()
    else:
        _fixpoint(m, partial(loop.turn, m, paths, grow_older, NO if peel else UNSURE), grow_older)
    m.loops.later = outer


@contextmanager
def _ageing(m: Interpreter) -> Iterator[Callable[[], list[Ref]]]:
    """Within a loop: gives what to do before each later pass, so that what the passes before it made grows older.

    While an instance is built, its parts are not told apart by the iteration that made them: `self.layers` of a
    hundred equal layers is the first one and all others, later just all. Nor is what earlier iterations computed
    where nothing happens that could make a difference between the last one and those before it.
    """
    made, m.allocations.made = m.allocations.made, set()
    m.loops.active.append(ActiveLoop(m.allocations.made))
    before, age = frozenset(m.allocations.entered), m.allocations.age
    entered = set(before)
    building, began = m.calls.instances_deep > 0, len(m.log.story)

    def grow_older() -> list[Ref]:
        entered.update(m.allocations.entered)
        m.allocations.entered = set(before)
        alike = building or m.log.muted > 0 or not any(type(event) in TELLING_APART for event in m.log.story[began:])
        oldest = m.state.age(m.allocations.made, at_once=alike)
        if building and m.allocations.made:
            m.allocations.age = OLDEST
        return oldest

    yield grow_older
    m.allocations.age = age
    m.loops.active.pop()
    made |= m.allocations.made
    m.allocations.made = made
    m.allocations.entered |= entered


def _are_few(
    m: Interpreter, turn: Callable[[], None], grow_older: Callable[[], list[Ref]], ends: Callable[[int], Truth]
) -> bool:
    """Run the later iterations one by one, where it is certain how many they are and that these are few. Else nothing
    happens."""

    def end_soon() -> bool:
        for rounds in range(1, MOST_ROUNDS + 1):
            over = ends(rounds) if m.state.live else YES
            if over is not NO or rounds == MOST_ROUNDS:
                break
            grow_older()
            turn()
        return over is YES

    return attempted(m, end_soon)


def _fixpoint(m: Interpreter, turn: Callable[[], None], grow_older: Callable[[], list[Ref]]) -> None:
    """Run later iterations until another one changes nothing; only that one emits events, for it joins all the others.

    What grew as old as can be before a pass is so after it as well: that need not wait for yet another pass.
    """
    for count in range(MOST_PASSES + 1):
        head, take_back = m.fork(), _outward(m)
        with m.log.held_back() as forget:
            oldest = grow_older()
            head.foresee(m.state, oldest)
            turn()
            new = joined_states([head, m.state]) if m.state.live else head
            if same(new, head):
                return
            if count == MOST_PASSES:
                m.log.exceeded("passes of a loop")
                return
            forget()
        take_back()
        m.state = new if count < MOST_PASSES - 1 else _widened(head, new)


def attempted(m: Interpreter, run: Callable[[], bool]) -> bool:
    """Run something that says whether it could be done; where it could not, nothing has happened."""
    start, take_back = m.fork(), _outward(m)
    with m.log.held_back() as forget:
        if run():
            return True
        forget()
    take_back()
    m.state = start
    return False


def _outward(m: Interpreter) -> Callable[[], None]:
    """Return a function that takes back all states that leave the loop by other ways from now on."""
    kept = [(waiting, len(waiting)) for waiting in m.frame.pending()]
    tries = list(m.frame.tries)

    def take_back() -> None:
        for waiting, length in kept:
            del waiting[length:]
        m.frame.tries[:] = tries

    return take_back


def _widened(old: State, new: State) -> State:
    """Give up on what keeps changing: names become unknown, objects as unknown code would leave them."""
    for name, value in list(new.names.items()):
        if old.names.get(name) != value:
            new.names[name] = UNKNOWN
    for ref, thing in list(new.heap.items()):
        if old.heap.get(ref) != thing:
            new.heap[ref] = after_unseen_code(thing)
    return new
