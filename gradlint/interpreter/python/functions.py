"""Functions of the program: made, called with the caller's facts, and run on their own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain.facts import NO, UNSURE, both
from gradlint.domain.objects import Container, Instance, Tensor
from gradlint.domain.objects import Iterator as IteratorObject
from gradlint.domain.provenance import IteratorKind
from gradlint.domain.refs import APART, Escape, Ref
from gradlint.domain.state import Modes, State, joined_states
from gradlint.domain.values import NONE_VALUE, NOTHING, UNKNOWN, Function, ImportPath, Unknown, Value
from gradlint.events import Run
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments, arguments_in
from gradlint.interpreter.engine.budgets import SHORT, is_short, out_of_its_purse, purse_of, steps_in
from gradlint.interpreter.engine.call_summaries import by_summary
from gradlint.interpreter.engine.calls import written_since
from gradlint.interpreter.engine.deferred import TAKEN, YIELDED, Suspended, unfinished
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, implements
from gradlint.interpreter.engine.escape import havoc, result_of_unknown
from gradlint.interpreter.engine.frames import RESULT, Frame, Tried
from gradlint.interpreter.engine.history import may_have_graph
from gradlint.interpreter.engine.iteration import emit_exhausted
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.recursion import MOST_CALLS_DEEP, MOST_DESCENTS, descends
from gradlint.interpreter.engine.steps import STEPS, WORK_BEFORE_NO_OTHERS
from gradlint.interpreter.engine.unseen import escape_by, maybe_initialised
from gradlint.interpreter.python.roles import gives_cut, roles_of
from gradlint.interpreter.static.handlers import steps
from gradlint.interpreter.static.scopes import spelled
from gradlint.interpreter.static.sites import Site, syntax
from gradlint.interpreter.static.yields import gives_at_most_once


def new_frame(m: Interpreter, key: object, function: Function) -> Frame:
    """The frame of a function for one way of calling it: the same way gives the same frame."""
    number = m.frame_ids.get(key)
    if number is None:
        number = m.frame_ids[key] = len(m.frame_ids) + 1
    frame = Frame(
        number,
        parent := m.frames[function.frame],
        m.scan.scopes[function.node],
        parent.file,
        function,
        tries=m.frame.tries,
        caller=m.frame,
        made=m.frames[number].made if number in m.frames else set(),
    )
    m.allocations.begin(frame, m.state)
    m.frames[number] = frame
    return frame


def too_deep(m: Interpreter, function: Function, args: Arguments) -> bool:
    """Return whether a call is no longer followed."""
    deep = m.calls.running.count(function.node)
    resume_again = deep < 2 or (deep < MOST_DESCENTS and descends(m, function, args))
    steps, left = steps_left(m, m.frames[function.frame])
    left = min(left, m.steps.purses.get(purse_of(m, function, args), left))
    if left <= 0 and is_short(m, function):
        left = m.steps.purses.get(SHORT, 0)
    if resume_again and len(m.calls.running) < MOST_CALLS_DEEP and left > 0:
        return False
    m.log.exceeded("recursion" if deep >= 2 else "depth of calls" if left > 0 else steps)
    return True


def steps_left(m: Interpreter, frame: Frame) -> tuple[str, int]:
    """Return the name and the number of the statements that may still be run in the file of a frame: none of another
    file where much is known of everything, before the linted one has to be given up for it."""
    if not frame.file.foreign:
        return STEPS, getattr(m.steps, steps_in(m, frame))
    late = m.state.heap.index.work >= WORK_BEFORE_NO_OTHERS
    return "steps in other files", 0 if late else getattr(m.steps, steps_in(m, frame))


@implements(TypeSlot.CALL, Function)
def call_function(m: Interpreter, node: Site, function: Function, args: Arguments, name: str = "") -> Value:
    """A function of the program is called: run it with these arguments."""
    if function.generator or function.name == "__init__":
        return _run_call(m, node, function, args)
    known = set(m.state.heap) if any(one in REMEMBERING for one in function.decorators) else None
    result = by_summary(m, node, function, args, lambda: _run_call(m, node, function, args))
    return result if known is None else _as_remembered(m, result, known)


REMEMBERING = tuple(ImportPath(f"functools.{name}") for name in ("lru_cache", "cache", "cached_property"))
"""Decorators with which a function may give an object that it gave before, whatever became of that."""


def _as_remembered(m: Interpreter, result: Value, known: Collection[Ref]) -> Value:
    """Return the result of a function that may have given it before: a leaf may have got a gradient since."""
    made = [thing for ref, thing in m.all(result, Tensor) if ref not in known]
    return result_of_unknown([result]) if any(both(one.leaf, one.requires_grad) is not NO for one in made) else result


def _run_call(m: Interpreter, node: Site, function: Function, args: Arguments) -> Value:
    if is_left_to_others(function) or too_deep(m, function, args):
        m.defined.escaped[function.node] = None
        if m.frames[function.frame].file.foreign and not m.frame.file.foreign:
            emit_exhausted(m, node, args.values())
        if function.name == "__init__":
            maybe_initialised(m, args.get("self", 0, UNKNOWN))
        keeps_modes = not m.scan.scopes[function.node].switches
        havoc(m, args.values(), _escape_into(m, node, function), keeps_modes=keeps_modes)
        result = result_of_unknown(args.values())
        result = Unknown((*result.reach, APART)) if result.reach and gives_cut(m, function) else result
        return LEARN_RESULT[Function](m, node, function, result)
    if function.generator and any(decorator in MANAGERS for decorator in function.decorators):
        return waiting_manager(m, node, function, args)
    with out_of_its_purse(m, function, args):
        frame = enter(m, node, function, args)
        return LEARN_RESULT[Function](m, node, function, run_function(m, node, frame, function, caller=node))


def _escape_into(m: Interpreter, node: Site, function: Function) -> Escape:
    """Return the escape into a function that is not followed: it only reads what it is passed, unless its text shows
    that it computes gradients, or that it steps or switches and its name does not say otherwise."""
    scope = m.scan.scopes[function.node]
    changes = scope.switches or steps(function.node)
    reads = not changes or escape_by(node, UNKNOWN) is Escape.READ_BY_NAME
    return Escape.READ_BY_NAME if reads and not scope.gradients else Escape.HELD


LEARN_RESULT: dict[type, Callable[[Interpreter, Any, Function, Value], Value]] = SLOTS[TypeSlot.LEARN_RESULT]
MANAGERS = (ImportPath("contextlib.contextmanager"), ImportPath("contextlib.asynccontextmanager"))


def waiting_manager(m: Interpreter, node: Site, function: Function, args: Arguments) -> Value:
    """Return the manager of a function under `@contextmanager`: its body runs around the block that enters it."""
    given = (*enumerate(args.positional), *args.keywords.items())
    return m.new(node, "manager", Instance(cls=function, attributes=given, open=UNSURE if args.unknown else NO))


def enter(m: Interpreter, node: Site, function: Function, args: Arguments) -> Frame:
    """The frame of a call, with the parameters bound."""
    m.defined.called[function.node] = None
    place = getattr(node, "node", node), getattr(node, "part", ""), function.node
    frame = new_frame(m, (m.frame.id, *place, m.allocations.round), function)
    if m.allocations.round:
        around = m.allocations.frames.get(m.frame.id, m.frame.id)
        m.allocations.frame(frame.id, m.frame_ids.setdefault((around, *place, 0), len(m.frame_ids) + 1))
    frame.called_at = getattr(node, "node", node)
    start = m.push(*args.values())
    bind_parameters(m, node, frame, function, args)
    SLOTS[TypeSlot.LEARN_ARGUMENTS][Function](m, frame, function)
    m.pop_from(start)
    return frame


def run_function(m: Interpreter, node: Site, frame: Frame, function: Function, caller: Any) -> Value:
    """Run a function whose parameters are bound, and give what it returns."""
    outer, began, mode = m.frame, len(m.log.story), m.state.modes
    outer_run, outer_loops, index = m.log.run, (m.loops.sweeping, m.loops.partial), 0
    signs = roles_of(m, frame, function) if not m.is_silent else {}
    if not m.log.muted:
        m.log.counts["functions run"] += 1
        index = m.log.run = len(m.log.runs) + 1
        roles, guards = frozenset(signs), m.state.guards
        at = None if caller is None else syntax(caller)
        m.log.runs.append(Run(index, function, at, mode[0], (), outer_run, m.conditions, guards=guards, roles=roles))
    untouched = m.fork() if function.generator and frame.around is None else None
    m.switch(frame)
    if m.trace is not None:
        m.trace.enter(function, caller, signs, m.loops.later)
    m.loops.sweeping, m.loops.partial = [], 0
    m.calls.running.append(function.node)
    for context in function.modes:
        m.emit(events.GradModeChanged, function.node, before=m.state.grad_mode, to=context.to, how="decorator")
        m.state.enter(context, function.node)
    entry, depth, assumed = m.state.grad_mode, len(m.state.stack), m.assumed_mode
    m.assumed_mode = assumed or function.assumed
    body = function.node.body
    waits = unfinished(m, function.modes) if untouched is not None else nullcontext()
    with restoring(m, mode if function.modes else None), waits as frame.followed, _raised_as_left(m, frame.followed):
        if frame.followed is not None:
            frame.followed.alone = caller is None
        if type(body) is cst.IndentedBlock or type(body) is cst.SimpleStatementSuite:
            m.run_body(body.body)
        else:
            m.state.names[frame.id, RESULT] = value = m.value(body)
            emit_returned(m, body, value)
    value = _leave(m, node, frame, function, depth)
    m.assumed_mode = assumed
    if function.modes:
        m.state.modes = mode
    if untouched is not None:
        value = _perhaps_not_run(m, frame, value, untouched)
    m.calls.running.pop()
    if m.trace is not None:
        m.trace.leave()
    m.switch(outer)
    m.loops.sweeping, m.loops.partial = outer_loops
    if index:
        left = m.state.grad_mode if m.state.live else UNSURE
        story = tuple(m.log.story[began:])
        m.log.runs[index - 1] = replace(m.log.runs[index - 1], grad_mode=entry, story=story, left_mode=left)
        m.log.run = outer_run
    return value


def _perhaps_not_run(m: Interpreter, frame: Frame, value: Value, untouched: State) -> Value:
    """The body of a generator runs only as far as somebody iterates over it."""
    untouched.stack.append(value)
    start = m.push(value)
    m.join([m.state, untouched])
    _forget_names(m, frame)
    return m.pop_from(start)[0]


def _forget_names(m: Interpreter, frame: Frame) -> None:
    """The names of a function that ended go, unless a function inside may still see them."""
    if not frame.scope.inner:
        for name in [name for name in m.state.names if name[0] == frame.id]:
            del m.state.names[name]


def restoring(m: Interpreter, mode: Modes | None) -> AbstractContextManager[None]:
    """Let what leaves by an exception find the grad mode and the inference mode like this."""
    if mode is None:
        return nullcontext()

    def back(raised: State) -> None:
        raised.modes = mode

    return _let_out_after(m, back)


def _raised_as_left(m: Interpreter, followed: Suspended | None) -> AbstractContextManager[None]:
    """Let what leaves the body of a generator by an exception find what others might have changed as it was."""
    if followed is None:
        return nullcontext()

    def back(raised: State) -> None:
        inside, m.state = m.state, raised
        followed.ends(m.state.names.get((followed.frame, TAKEN), NOTHING))
        m.state = inside

    return _let_out_after(m, back)


@contextmanager
def _let_out_after(m: Interpreter, change: Callable[[State], None]) -> Iterator[None]:
    """Change what leaves by an exception like this before a handler finds it."""
    tries = m.frame.tries
    if not tries:
        yield
        return
    tries.append(Tried())
    yield
    raised = tries.pop().raised
    if raised is not None and raised.live:
        change(raised)
    let_out(m, raised)


def passing(m: Interpreter, before: list[int], through: Callable[[], None]) -> None:
    """Run something on every state that left since `before` by return, break or continue."""
    for waiting, length in zip(m.frame.pending(), before, strict=False):
        left, after = waiting[length:], list[State]()
        del waiting[length:]  # what is run may itself have something run on every way out
        for state in left:
            inside, m.state = m.state, state
            through()
            after.append(m.state)
            m.state = inside
        waiting[length:length] = [state for state in after if state.live]


def let_out(m: Interpreter, raised: State | None) -> None:
    """The innermost handler may find this state."""
    if not m.frame.tries or raised is None or not raised.live:
        return
    around = m.frame.tries[-1]
    found = raised if around.raised is None else joined_states([around.raised, raised])
    m.frame.tries[-1] = Tried(found, around.waiting)


def _leave(m: Interpreter, node: Site, frame: Frame, function: Function, depth: int) -> Value:
    """Bring all ways out of a function together."""
    key = (frame.id, RESULT)
    if m.state.live and key not in m.state.names:
        m.state.names[key] = NONE_VALUE
    m.join([*frame.returns, m.state])
    if not m.state.live and frame.suspended is not None:
        m.state = frame.suspended  # a generator that never ends has waited for who goes through it
    del m.state.stack[depth:]
    value = m.state.names.pop(key, NONE_VALUE)
    yielded, taken = (m.state.names.pop((frame.id, name), NOTHING) for name in (YIELDED, TAKEN))
    _forget_names(m, frame)
    if function.generator:
        on, off, inference = frame.waits or (NO, NO, NO)
        if (followed := frame.followed) is not None:
            followed.ends(taken)
        several = NO if gives_at_most_once(function.node) else UNSURE
        made = IteratorObject(yielded, by=IteratorKind.GENERATOR, returned=value, several=several, on=on, off=off,
                              inference=inference)  # fmt: skip
        if followed is not None:
            made = replace(made, touches=followed.touches(), fills=followed.fills(), seen=followed.seen())
        value = m.new(node, "iterator generator", made)
    start = m.push(value)
    m.state.tidy()
    return m.pop_from(start)[0]


def emit_returned(m: Interpreter, node: Site, value: Value) -> None:
    """Emit the return of a function, by the expression of it."""
    if not m.is_silent and m.state.live:
        m.emit(events.Returned, node, value=m.thing(value), arguments=arguments_in(m, value), name=spelled(node),
                may_have_graph=may_have_graph(m, value), **written_since(m, [value]))  # fmt: skip


# ---- parameters


def bind_parameters(m: Interpreter, node: Site, frame: Frame, function: Function, args: Arguments) -> None:
    """Bind what a call passes to the names of the parameters."""
    params = function.node.params
    names = m.state.names
    given = list(args.positional)
    plain = [*params.posonly_params, *params.params]
    for param in plain:
        name = param.name.value
        if given:
            names[frame.id, name] = given.pop(0)
        elif name in args.keywords:
            names[frame.id, name] = args.keywords[name]
        else:
            names[frame.id, name] = UNKNOWN if args.unknown else _default(function, name)
    for param in params.kwonly_params:
        name = param.name.value
        missing = UNKNOWN if args.unknown else _default(function, name)
        names[frame.id, name] = args.keywords.get(name, missing)
    taken = {param.name.value for param in (*plain, *params.kwonly_params)}
    if isinstance(params.star_arg, cst.Param):
        rest = UNKNOWN if args.unknown else NOTHING
        part = f"rest of {frame.id}"
        names[frame.id, params.star_arg.name.value] = m.new(
            node, part, Container("tuple", items=tuple(enumerate(given)), rest=rest)
        )
    if params.star_kwarg is not None:
        more = tuple((key, value) for key, value in args.keywords.items() if key not in taken)
        rest = UNKNOWN if args.unknown else NOTHING
        part = f"keywords of {frame.id}"
        names[frame.id, params.star_kwarg.name.value] = m.new(node, part, Container("dict", items=more, rest=rest))


def _default(function: Function, name: str) -> Value:
    for known, value in function.defaults:
        if known == name:
            return value
    return UNKNOWN


def make_function(m: Interpreter, node: cst.FunctionDef | cst.Lambda, name: str, owner: Any = None) -> Function:
    """The value of a `def` or `lambda`: its defaults are evaluated now."""
    params = node.params
    defaults = tuple(
        (param.name.value, m.value(param.default))
        for param in (*params.posonly_params, *params.params, *params.kwonly_params)
        if param.default is not None
    )
    frame = m.frame
    function = Function(node, name, frame.id, defaults, generator=m.scan.scopes[node].generator, owner=owner)
    if not frame.file.foreign:
        m.defined.functions[node] = function
    return function


def is_left_to_others(function: Function) -> bool:
    """Return whether a method is there for other classes to define: all it does is to raise NotImplementedError."""
    body: Any = function.node.body
    if function.owner is None or not isinstance(body, cst.IndentedBlock):
        return False
    if ABSTRACT in function.decorators:
        return True
    last: Any = body.body[-1]
    if len(body.body) > 2 or not isinstance(last, cst.SimpleStatementLine) or not isinstance(last.body[0], cst.Raise):
        return False
    first: Any = body.body[0]
    told = last.body[0].exc
    raised = told.func if isinstance(told, cst.Call) else told
    alone = first is last or (isinstance(first, cst.SimpleStatementLine) and isinstance(first.body[0], cst.Expr))
    return alone and isinstance(raised, cst.Name) and raised.value == "NotImplementedError"


ABSTRACT = ImportPath("abc.abstractmethod")
