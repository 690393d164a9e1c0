"""Functions of the program: made, called with the caller's facts, and run on their own."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import libcst as cst

from gradlint import events
from gradlint.domain import (
    NO,
    NONE_VALUE,
    NOTHING,
    UNKNOWN,
    UNSURE,
    Container,
    Function,
    Instance,
    Modes,
    Named,
    Ref,
    State,
    Tensor,
    Value,
    both,
    joined_states,
)
from gradlint.domain import Iterator as IteratorObject
from gradlint.events import Run
from gradlint.frozen import replace
from gradlint.interpreter.engine.arguments import Arguments
from gradlint.interpreter.engine.budgets import out_of_its_purse, purse_of
from gradlint.interpreter.engine.call_summaries import by_summary
from gradlint.interpreter.engine.calls import written_since
from gradlint.interpreter.engine.deferred import Followed, unfinished
from gradlint.interpreter.engine.dispatch import SLOTS, TypeSlot, implements
from gradlint.interpreter.engine.escape import havoc, result_of_unknown
from gradlint.interpreter.engine.frames import RESULT, YIELDED, arguments_in
from gradlint.interpreter.engine.iteration import tell_handed
from gradlint.interpreter.engine.machine import MOST_CALLS_DEEP, STEPS, Frame, Interpreter, Tried
from gradlint.interpreter.engine.recursion import MOST_DESCENTS, descends
from gradlint.interpreter.engine.unseen import perhaps_initialised
from gradlint.interpreter.python.roles import roles_of
from gradlint.interpreter.static.scopes import spelled


def new_frame(it: Interpreter, key: object, function: Function) -> Frame:
    """The frame of a function for one way of calling it: the same way gives the same frame."""
    number = it.frame_ids.get(key)
    if number is None:
        number = it.frame_ids[key] = len(it.frame_ids) + 1
    frame = Frame(
        number,
        parent := it.frames[function.frame],
        it.scan.scopes[function.node],
        parent.file,
        function,
        tries=it.frame.tries,
        caller=it.frame,
        made=it.frames[number].made if number in it.frames else set(),
    )
    it.begin(frame)
    it.frames[number] = frame
    return frame


def too_deep(it: Interpreter, function: Function, args: Arguments) -> bool:
    """Whether a call is no longer followed."""
    deep = it.running.count(function.node)
    goes_on = deep < 2 or (deep < MOST_DESCENTS and descends(it, function, args))
    steps, left = steps_left(it, it.frames[function.frame])
    left = min(left, it.steps.purses.get(purse_of(it, function, args), left))
    if goes_on and len(it.running) < MOST_CALLS_DEEP and left > 0:
        return False
    it.hit("recursion" if deep >= 2 else "depth of calls" if left > 0 else steps)
    return True


def steps_left(it: Interpreter, frame: Frame) -> tuple[str, int]:
    """How many statements may still be run in the file of a frame, and how they are called."""
    here = frame.file.foreign == it.frame.file.foreign
    steps = "steps in other files" if frame.file.foreign else STEPS
    return steps, it.steps.left if here else it.steps.elsewhere


@implements(TypeSlot.CALL, Function)
def call_function(it: Interpreter, node: Any, function: Function, args: Arguments, name: str = "") -> Value:
    """A function of the program is called: run it with these arguments."""
    if function.generator or function.name == "__init__":
        return _run_call(it, node, function, args)
    known = set(it.state.heap) if any(one in REMEMBERING for one in function.decorators) else None
    result = by_summary(it, node, function, args, lambda: _run_call(it, node, function, args))
    return result if known is None else _as_remembered(it, result, known)


REMEMBERING = tuple(Named(f"functools.{name}") for name in ("lru_cache", "cache", "cached_property"))
"""Decorators with which a function may give an object that it gave before, whatever became of that."""


def _as_remembered(it: Interpreter, result: Value, known: Collection[Ref]) -> Value:
    """What a function gives that may have given it before: a leaf that it makes may have got a gradient since."""
    made = [thing for ref, thing in it.all(result, Tensor) if ref not in known]
    return result_of_unknown([result]) if any(both(one.leaf, one.requires_grad) is not NO for one in made) else result


def _run_call(it: Interpreter, node: Any, function: Function, args: Arguments) -> Value:
    if is_left_to_others(function) or too_deep(it, function, args):
        it.escaped_functions[function.node] = None
        if it.frames[function.frame].file.foreign and not it.frame.file.foreign:
            tell_handed(it, node, args.values())
        if function.name == "__init__":
            perhaps_initialised(it, args.get("self", 0, UNKNOWN))
        havoc(it, args.values())
        return _told(it, node, function, result_of_unknown(args.values()))
    if function.generator and any(decorator in MANAGERS for decorator in function.decorators):
        return waiting_manager(it, node, function, args)
    with out_of_its_purse(it, function, args):
        frame = enter(it, node, function, args)
        return _told(it, node, function, run_function(it, node, frame, function, caller=node))


def _told(it: Interpreter, node: Any, function: Function, result: Value) -> Value:
    return SLOTS[TypeSlot.LEARN_RESULT][Function](it, node, function, result)  # type: ignore[no-any-return]


MANAGERS = (Named("contextlib.contextmanager"), Named("contextlib.asynccontextmanager"))


def waiting_manager(it: Interpreter, node: Any, function: Function, args: Arguments) -> Value:
    """What a function under `@contextmanager` gives: its body runs around the block that enters it."""
    given = (*enumerate(args.positional), *args.keywords.items())
    return it.new(node, "manager", Instance(cls=function, attributes=given, open=UNSURE if args.unknown else NO))


def enter(it: Interpreter, node: Any, function: Function, args: Arguments) -> Frame:
    """The frame of a call, with the parameters bound."""
    it.called[function.node] = None
    frame = new_frame(
        it, (it.frame.id, getattr(node, "node", node), getattr(node, "part", ""), function.node, it.round), function
    )
    frame.called_at = getattr(node, "node", node)
    start = it.hold(*args.values())
    bind_parameters(it, node, frame, function, args)
    SLOTS[TypeSlot.LEARN_ARGUMENTS][Function](it, frame, function)
    it.land(start)
    return frame


def run_function(it: Interpreter, node: Any, frame: Frame, function: Function, caller: Any) -> Value:
    """Run a function whose parameters are bound, and give what it returns."""
    outer, began, mode = it.frame, len(it.story), it.state.modes
    outer_run, outer_sweeping, index = it.run, it.sweeping, 0
    roles = roles_of(it, frame, function) if not it.unheard else frozenset()
    if not it.muted:
        it.counts["functions run"] += 1
        index = it.run = len(it.runs) + 1
        it.runs.append(
            Run(index, function, caller, mode[0], (), outer_run, it.conditions, guards=it.state.guards, roles=roles)
        )
    untouched = it.fork() if function.generator and frame.around is None else None
    it.switch(frame)
    if it.trace is not None:
        it.trace.enter(function, caller, roles, it.later)
    it.sweeping = []
    it.running.append(function.node)
    for context in function.modes:
        it.emit(events.GradModeChanged, function.node, before=it.state.grad_mode, to=context.to, how="decorator")
        it.state.enter(context, function.node)
    entry, depth = it.state.grad_mode, len(it.state.flight)
    body = function.node.body
    waits = unfinished(it, function.modes) if untouched is not None else nullcontext()
    with restoring(it, mode if function.modes else None), waits as frame.followed, _raised_as_left(it, frame.followed):
        if type(body) is cst.IndentedBlock or type(body) is cst.SimpleStatementSuite:
            it.run_body(body.body)
        else:
            it.state.names[frame.id, RESULT] = value = it.value(body)
            tell_returned(it, body, value)
    value = _leave(it, node, frame, function, depth)
    if function.modes:
        it.state.modes = mode
    if untouched is not None:
        value = _perhaps_not_run(it, frame, value, untouched)
    it.running.pop()
    if it.trace is not None:
        it.trace.leave()
    it.switch(outer)
    it.sweeping = outer_sweeping
    if index:
        left = it.state.grad_mode if it.state.live else UNSURE
        story = tuple(it.story[began:])
        it.runs[index - 1] = replace(it.runs[index - 1], grad_mode=entry, story=story, left_mode=left)
        it.run = outer_run
    return value


def _perhaps_not_run(it: Interpreter, frame: Frame, value: Value, untouched: State) -> Value:
    """The body of a generator runs only as far as somebody iterates over it."""
    untouched.flight.append(value)
    start = it.hold(value)
    it.join([it.state, untouched])
    _forget_names(it, frame)
    return it.land(start)[0]


def _forget_names(it: Interpreter, frame: Frame) -> None:
    """The names of a function that ended go, unless a function inside may still see them."""
    if not frame.scope.inner:
        for name in [name for name in it.state.names if name[0] == frame.id]:
            del it.state.names[name]


def restoring(it: Interpreter, mode: Modes | None) -> AbstractContextManager[None]:
    """What leaves by an exception finds the grad mode and the inference mode like this."""
    if mode is None:
        return nullcontext()

    def back(raised: State) -> None:
        raised.modes = mode

    return _let_out_after(it, back)


def _raised_as_left(it: Interpreter, followed: Followed | None) -> AbstractContextManager[None]:
    """What leaves the body of a generator by an exception finds as it was what others might have changed meanwhile."""
    if followed is None:
        return nullcontext()

    def back(raised: State) -> None:
        inside, it.state = it.state, raised
        followed.ends()
        it.state = inside

    return _let_out_after(it, back)


@contextmanager
def _let_out_after(it: Interpreter, change: Callable[[State], None]) -> Iterator[None]:
    """What leaves by an exception is changed like this before a handler finds it."""
    tries = it.frame.tries
    if not tries:
        yield
        return
    tries.append(Tried())
    yield
    raised = tries.pop().raised
    if raised is not None and raised.live:
        change(raised)
    let_out(it, raised)


def passing(it: Interpreter, before: list[int], through: Callable[[], None]) -> None:
    """Run something on every state that left since `before` by return, break or continue."""
    for waiting, length in zip(it.frame.pending(), before, strict=False):
        left, after = waiting[length:], list[State]()
        del waiting[length:]  # what is run may itself have something run on every way out
        for state in left:
            inside, it.state = it.state, state
            through()
            after.append(it.state)
            it.state = inside
        waiting[length:length] = [state for state in after if state.live]


def let_out(it: Interpreter, raised: State | None) -> None:
    """The innermost handler may find this state."""
    if not it.frame.tries or raised is None or not raised.live:
        return
    around = it.frame.tries[-1]
    found = raised if around.raised is None else joined_states([around.raised, raised])
    it.frame.tries[-1] = Tried(found, around.waiting)


def _leave(it: Interpreter, node: Any, frame: Frame, function: Function, depth: int) -> Value:
    """Bring all ways out of a function together."""
    key = (frame.id, RESULT)
    if it.state.live and key not in it.state.names:
        it.state.names[key] = NONE_VALUE
    it.join([*frame.returns, it.state])
    if not it.state.live and frame.suspended is not None:
        it.state = frame.suspended  # a generator that never ends has waited for who goes through it
    del it.state.flight[depth:]
    value = it.state.names.pop(key, NONE_VALUE)
    yielded = it.state.names.pop((frame.id, YIELDED), NOTHING)
    _forget_names(it, frame)
    if function.generator:
        on, off, inference = frame.waits or (NO, NO, NO)
        if (followed := frame.followed) is not None:
            followed.ends()
        made = IteratorObject(yielded, by="generator", returned=value, on=on, off=off, inference=inference)
        if followed is not None:
            made = replace(made, touches=followed.touches(), fills=followed.fills(), seen=followed.seen())
        value = it.new(node, "iterator generator", made)
    start = it.hold(value)
    it.state.tidy()
    return it.land(start)[0]


def tell_returned(it: Interpreter, node: Any, value: Value) -> None:
    """What a function hands back, by the expression of it."""
    if not it.unheard and it.state.live:
        it.emit(events.Returned, node, value=it.thing(value), arguments=arguments_in(it, value), name=spelled(node),
                **written_since(it, [value]))  # fmt: skip


# ---- parameters


def bind_parameters(it: Interpreter, node: Any, frame: Frame, function: Function, args: Arguments) -> None:
    """Bind what a call hands over to the names of the parameters."""
    params = function.node.params
    names = it.state.names
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
        names[frame.id, params.star_arg.name.value] = it.new(
            node, part, Container("tuple", items=tuple(enumerate(given)), rest=rest)
        )
    if params.star_kwarg is not None:
        more = tuple((key, value) for key, value in args.keywords.items() if key not in taken)
        rest = UNKNOWN if args.unknown else NOTHING
        part = f"keywords of {frame.id}"
        names[frame.id, params.star_kwarg.name.value] = it.new(node, part, Container("dict", items=more, rest=rest))


def _default(function: Function, name: str) -> Value:
    for known, value in function.defaults:
        if known == name:
            return value
    return UNKNOWN


def make_function(it: Interpreter, node: cst.FunctionDef | cst.Lambda, name: str, owner: Any = None) -> Function:
    """The value of a `def` or `lambda`: its defaults are evaluated now."""
    params = node.params
    defaults = tuple(
        (param.name.value, it.value(param.default))
        for param in (*params.posonly_params, *params.params, *params.kwonly_params)
        if param.default is not None
    )
    frame = it.frame
    function = Function(node, name, frame.id, defaults, generator=it.scan.scopes[node].generator, owner=owner)
    if not frame.file.foreign:
        it.functions[node] = function
    return function


def is_left_to_others(function: Function) -> bool:
    """Whether a method is there for other classes to define: all it does is to raise NotImplementedError."""
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


ABSTRACT = Named("abc.abstractmethod")
