"""A whole program: the module's own code first, then every function nobody called, on its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules
from typing import Any

import libcst as cst

from gradlint import events, interpreter
from gradlint.domain.facts import NO, YES
from gradlint.domain.objects import Class, Instance, Module, Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.refs import Escape, Graph, Ref
from gradlint.domain.state import State
from gradlint.domain.value_sets import alternatives, one_of
from gradlint.domain.values import NONE_VALUE, UNKNOWN, Function, ImportPath, Unknown, Value
from gradlint.domain.weakening import after_unseen_code
from gradlint.events import Event, Run
from gradlint.frozen import replace
from gradlint.interpreter.body_left import is_switched_off, leave_body
from gradlint.interpreter.collected_tests import collected, imports_a_runner
from gradlint.interpreter.engine.budgets import PURSES
from gradlint.interpreter.engine.escape import captured, escape_graphs, graphs_in_reach, in_reach
from gradlint.interpreter.engine.imports import Neighbours, Project
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.engine.steps import MOST_WORK, TooMuch
from gradlint.interpreter.engine.tracing import Trace
from gradlint.interpreter.engine.unseen import STAND_IN, is_opaque
from gradlint.interpreter.libraries.pack_hooks import called_by_library
from gradlint.interpreter.python.functions import new_frame, run_function, steps_left
from gradlint.interpreter.python.mro import ancestry, class_of, defined_anew
from gradlint.interpreter.python.one_of_several import take, ways
from gradlint.interpreter.static.scopes import HANDED, MODES, Scan, Scope, spelled
from gradlint.interpreter.static.sites import Site
from gradlint.interpreter.static.tree_walk import mentions_of
from gradlint.interpreter.torch_api.custom_function import ArgumentsGiven, is_function, mode_alone
from gradlint.interpreter.unknown.parameters import arguments, others, representative
from gradlint.knowledge.pack_index import NO_PACKS, Packs


def _load_rooms() -> None:
    """Load every file of every room: each enters what it knows into the tables of `engine.dispatch`."""
    for room in iter_modules(interpreter.__path__, f"{__package__}."):
        if room.ispkg:
            for file in iter_modules(import_module(room.name).__path__, f"{room.name}."):
                import_module(file.name)


_load_rooms()


def interpret(
    tree: cst.Module,
    listen: Callable[[Event], None],
    *,
    packs: Packs = NO_PACKS,
    project: Project | None = None,
    found: Scan | None = None,
    trace: Trace | None = None,
) -> Interpreter:
    """Run a program abstractly and emit all events to `listen`, and at the end the stories.

    `packs` are what is known of other libraries. What the program imports is looked for in `project`; `found` is what
    `scan` found in the tree, where that is known. `trace` notes what is known at each statement, in all files. Of a
    program that would take too long, a part is run: `given_up` is where it ended.
    """
    m = Interpreter(tree, listen, packs, found, trace)
    m.neighbours, m.steps.purses = Neighbours(m, project), dict(PURSES)
    if trace is not None:
        trace.trees[m.frame.file.path] = tree
    with deep_recursion():
        try:
            _run(m, tree)
        except TooMuch as error:
            m.given_up = error.node
    return m


def _run(m: Interpreter, tree: cst.Module) -> None:
    """Run the module, then what nobody in it calls, and emit the stories."""
    m.log.runs.append(Run(1, None, None, YES, ()))
    m.log.run = 1
    m.run_body(tree.body)
    m.log.runs[0] = replace(m.log.runs[0], story=tuple(m.log.story))
    m.state.live = True
    _run_the_rest(m)
    _finish(m)


@contextmanager
def deep_recursion() -> Generator[None]:
    """Programs are nested deeper than Python's own limit foresees: calls inside calls, each a few frames of ours."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


FRAMES = 12_000


# ---- what nobody called


def _run_the_rest(m: Interpreter) -> None:
    """Run what has no caller in the file, classes first, in the order of the text."""
    runs = _is_program(m.tree) or _trains_or_evaluates(m.scan.scopes.values())
    m.steps.grant_elsewhere(m.scan.statements, trains=runs)
    leave_body(m)
    m.neighbours.escape_all()
    m.defined.anew = defined_anew(m)
    m.state.grad_mode, m.state.inference, m.assumed_mode = NO if is_switched_off(m) else YES, NO, True
    base = m.state
    base.sweep()
    base.ground.lay(base.names, base.heap, lambda name: m.frames[name[0]].parent is not None, keeper=0)
    hooked = tuple(m.defined.hooked)
    inner = {part: None for name, part in base.ground.of_name.items() if m.frames[name[0]].parent is not None}

    def fresh(node: Site) -> State:
        """Return a fresh state: the base's ground is there from the start, the rest where it is asked for."""
        if m.state.heap.index.work > MOST_WORK:
            raise TooMuch(node)
        state = State(ground=base.ground)
        state.grad_mode = base.grad_mode
        state.heap.index.work = m.state.heap.index.work  # the work on a file is counted over all its functions
        state.take(inner)
        m.defined.hooked = dict.fromkeys(hooked)
        return state

    for node in _unmentioned_classes_first(m):
        m.state = fresh(node)
        run_class(m, node)
    for function in _unmentioned_first(m, list(m.defined.functions.values())):
        if function.owner is None and _waits(m, function):
            m.state = fresh(function.node)
            run_alone(m, function, None)
    for function in list(m.defined.functions.values()):
        if _waits(m, function):
            m.state = fresh(function.node)
            run_alone(m, function, None)
    m.state = base


def _trains_or_evaluates(scopes: Iterable[Scope]) -> bool:
    """Return whether a scope's text differentiates something or switches a network to eval mode."""
    return any("backward" in scope.gradients or "eval" in scope.switches for scope in scopes)


def _is_program(tree: cst.Module) -> bool:
    """Return whether a file is there to be run: it says what it does then (`if __name__ == "__main__":`)."""
    tests = (one.test for one in tree.body if isinstance(one, cst.If))
    return any(isinstance(test, cst.Comparison) and spelled(test.left) == "__name__" for test in tests)


def _unmentioned_first(m: Interpreter, functions: list[Function]) -> list[Function]:
    """Functions that the program itself calls wait for their callers."""
    called = {name for name, uses in m.scan.scopes[m.tree].uses.items() if "()" in uses}
    of_self = m.scan.scopes[m.tree].uses.get("self", {})
    return sorted(functions, key=lambda f: f.name in called or f"{f.name}()" in of_self or f"{f.name}(.)" in of_self)


def _unmentioned_classes_first(m: Interpreter) -> list[Any]:
    """Classes that the program itself makes instances of wait for those who do, and those for theirs."""
    called = {name for name, uses in m.scan.scopes[m.tree].uses.items() if "()" in uses}
    nodes: list[Any] = list(m.defined.classes)
    nodes.reverse()
    nodes.sort(key=lambda node: node.name.value in called)
    return nodes


def _waits(m: Interpreter, function: Function) -> bool:
    """Return whether a function is still to be run: no call of it was emitted, and its own scope is there."""
    called = function.node in m.defined.called and (m.log.muted > 0 or m.log.is_recorded(function.node))
    return not called and function.frame in m.frames


def run_class(m: Interpreter, node: Site) -> None:
    """Make an instance of a class as an unknown caller would, and run each method that nobody called on it."""
    m.steps.grant(m.scan.statements, work=m.state.heap.index.work)
    m.state.reaching(cls := m.defined.classes[node])
    if type(m.state.heap.get(cls)) is not Class:
        return
    methods = _unmentioned_first(m, [f for f in m.defined.functions.values() if f.owner is node])
    waiting = [f for f in methods if _waits(m, f)]
    if not waiting and not any(m.neighbours.called_with_gradients(node, methods)):
        return
    owner = representative(m, node, cls)
    start = m.push(owner)
    methods_there = [*waiting, *_inherited(m, cls)]
    known = MODES if m.only(owner, Module) is not None else frozenset[str]()  # in any mode they are
    others = [(f, m.scan.scopes[f.node]) for f in methods_there if f.name != "__init__"]
    changing = [f for f, scope in others if scope.sets or scope.switches - known]
    with m.log.silently():
        _join_attributes(m, start, changing)
    base = m.fork()
    told = m.thing(m.state.stack[start])
    m.defined.instances[node] = told if isinstance(told, (Module, Instance)) else None
    run = [function for function in methods if function.name != "__init__" and _waits(m, function)]
    of_nobody, alone = (one for one in methods if one in run and _waits(m, one)), list[Function]()
    for function in chain(of_nobody, m.neighbours.called_with_gradients(node, methods)):
        m.state = base.copy()
        run_alone(m, function, m.state.stack[start])
        alone.append(function)
    m.state = base
    for way in [*ways(m, m.state.stack[start])]:
        m.state = base.copy()
        take(m, m.state.stack[start], way)
        made = m.state
        for function in alone:
            m.state = made.copy()
            run_alone(m, function, m.state.stack[start])
    m.state = base
    m.pop_from(start)


def _inherited(m: Interpreter, cls: Ref) -> list[Function]:
    """The methods that a class has from its bases in this and other files, as far as there are steps left for them."""
    found: dict[object, Value] = {}
    own, *bases = [m.state.heap.get(one) for one in ancestry(m, cls) if type(one) is Ref]
    for base in bases:
        found = dict(getattr(base, "members", ())) | found
    hidden = dict(getattr(own, "members", ()))
    methods = [member for name, member in found.items() if name not in hidden and type(member) is Function]
    return [method for method in methods if steps_left(m, m.frames[method.frame])[1] > 0]


def _join_attributes(m: Interpreter, start: int, methods: list[Function]) -> None:
    """Attributes are as other methods may have left them when a method runs, whatever ran before it."""
    called, noted = dict(m.defined.called), dict(m.receivers)
    base = m.fork()
    ends = [base]
    for function in methods:
        m.state = base.copy()
        run_alone(m, function, m.state.stack[start])
        ends.append(m.state)
    _turned_out(base, ends)
    m.join(ends)
    m.defined.called, m.receivers = called, noted  # they run again, with all attributes there
    _forget_stand_ins(m, m.state.stack[start])


def _turned_out(base: State, ends: list[State]) -> None:
    """Take an object to have been all along what one method shows, whatever its facts were before."""
    for ref, thing in list(base.heap.items()):
        if is_opaque(thing):
            there = [state for state in ends if ref in state.heap]
            shown = [state.heap[ref] for state in there if not is_opaque(state.heap[ref])]
            for state in there if shown else ():
                if is_opaque(state.heap[ref]):
                    state.heap[ref] = after_unseen_code(shown[0])


def _forget_stand_ins(m: Interpreter, owner: Value) -> None:
    """An attribute that some method sets is what that method set: nothing needs to stand in for it."""
    for option in alternatives(owner):
        thing = m.thing(option)
        if type(option) is not Ref or not isinstance(thing, (Module, Instance)):
            continue
        kept = tuple(
            (name, _one_of_unknown_class(m, _without_stand_ins(str(name), value))) for name, value in thing.attributes
        )
        if kept != thing.attributes:
            m.state.heap[option] = replace(thing, attributes=kept)


def _one_of_unknown_class(m: Interpreter, value: Value) -> Value:
    """Modules of which only the use is known are told apart by nothing: one of them stands for all."""
    found = m.all(value, Module)
    if len(found) < 2 or len(found) < len(alternatives(value)) or any(thing.cls != UNKNOWN for _, thing in found):
        return value
    first = found[0][0]
    m.state.heap[first] = m.all_joined([thing for _, thing in found])
    return first


def _without_stand_ins(name: str, value: Value) -> Value:
    options, parts = alternatives(value), (STAND_IN + name, f"{STAND_IN}{name} by use")
    seen = [option for option in options if not (type(option) is Ref and option.part in parts)]
    return one_of(seen) if len(seen) < len(options) and any(option != NONE_VALUE for option in seen) else value


def run_alone(m: Interpreter, function: Function, owner: Value | None) -> None:
    """Run a function with what annotations, defaults and use tell about its parameters."""
    m.state.reaching(function)
    if (cls := m.defined.classes.get(function.owner)) is not None:
        m.state.reaching(cls)
    m.defined.called[function.node] = None
    m.steps.grant(m.scan.statements, work=m.state.heap.index.work)
    outer = m.frame
    m.switch(m.frames[function.frame])
    frame = new_frame(m, ("alone", function.node), function)
    params = function.node.params
    plain = [*params.posonly_params, *params.params]
    first: list[Value] = []
    if owner is not None and plain and function.kind != "static":
        first = [owner if function.kind != "class" else class_of(m, owner)]
        m.state.names[frame.id, plain[0].name.value] = first[0]
        plain = plain[1:]
    start = m.push(*first)
    _known_to_callers(m, first)
    given = arguments(m, frame, function, [*plain, *params.kwonly_params])
    given += others(m, frame, params.star_arg, "tuple") + others(m, frame, params.star_kwarg, "dict")
    for name, value in given:
        m.state.names[frame.id, name] = value
    first = m.state.stack[start:]
    m.push(*(value for _, value in given))
    mode, m.state.grad_mode = m.state.grad_mode, mode_alone(m, function)
    with called_by_library(m, function, first) as returned:
        value = run_function(m, function.node, frame, function, caller=None)
        returned(value)
    m.state.grad_mode = mode
    handed = m.pop_from(start)
    if m.state.live:
        _leave_on(m, handed[: len(first)])
        escape_graphs(m, handed[len(first) :])
        m.graphs.returned.update(graphs_in_reach(m, [value, *captured(m, alternatives(value))]))
    m.switch(outer)


def _leave_on(m: Interpreter, owners: list[Value]) -> None:
    """A method leaves graphs on its object; where the class has a base that is not shown, code of that has them."""
    classes = [m.only(getattr(m.thing(owner), "cls", UNKNOWN), Class) for owner in owners]
    if all(cls is not None and cls.open is NO for cls in classes):
        m.graphs.left_on.update(graphs_in_reach(m, owners))
    else:
        escape_graphs(m, owners)


def _known_to_callers(m: Interpreter, owners: list[Value]) -> None:
    """Mark an object of a method as known to callers, who may compute the arguments with all that it holds."""
    for ref, thing in in_reach(m, owners).items():
        if type(thing) is Tensor and not thing.unseen.may(YES):
            m.store_exact(ref, replace(thing, unseen=thing.unseen | YES))


# ---- the stories at the end


def _finish(m: Interpreter) -> None:
    """Emit the stories: of each function, each class, and the whole file."""
    m.log.muted = 0
    m.log.run = 0
    m.state.live = True
    runs: dict[Any, list[Run]] = {}
    for run in m.log.runs:
        if run.function is not None:
            runs.setdefault(run.function.node, []).append(run)
    functions = m.defined.functions | {
        node: each for node, of in runs.items() if (each := _of_other_file(of)) is not None
    }
    for node, function in functions.items():
        if node in runs:
            alone = any(run.caller is None for run in runs[node])
            seen = not alone and node not in m.defined.escaped and node in m.defined.functions
            facts = {"function": function, "runs": tuple(runs[node]), "all_callers_seen": seen}
            _tell(m, events.FunctionFinished, node, **facts, **_where(runs[node]))
    elsewhere = {function.owner for node, function in functions.items() if node not in m.defined.functions}
    made = [(ref, thing) for ref, thing in m.state.heap.items() if type(thing) is Class]
    classes = m.defined.classes | {thing.node: ref for ref, thing in made if thing.node in elsewhere}
    for node, ref in classes.items():
        thing = m.state.heap.get(ref)
        if type(thing) is Class:
            derived = frozenset(one.path for one in ancestry(m, ref) if type(one) is ImportPath)
            own = [function for function in (functions | _methods(thing)).values() if function.owner is node]
            whole = is_function(m, ref)
            told = tuple(_method(m, function, runs.get(function.node, ()), whole) for function in own)
            where = _where([run for method in told for run in method.runs]) if node in elsewhere else {}
            facts = {"cls": thing, "instance": m.defined.instances.get(node), "methods": told, "derived": derived}
            _tell(m, events.ClassFinished, node, **facts, **where)
    _tell(
        m,
        events.ModuleFinished,
        m.tree,
        story=tuple(_seen_from_around(m, [_passed_by(m, event) for event in m.log.story])),
        runs=tuple(m.log.runs),
        tests=imports_a_runner(m),
        collected=collected(m),
        used=frozenset(m.graphs.used),
        escaped=frozenset(_escaped(m, Escape.UNSEEN)) | m.graphs.left_on,
        left_on=m.graphs.left_on.difference(_escaped(m, Escape.UNSEEN)),
        differentiated=frozenset(_escaped(m, Escape.DIFFERENTIATED)),
        read=frozenset(graph for graph, how in m.graphs.escaped.items() if how is Escape.READ),
        read_by_name=frozenset(graph for graph, how in m.graphs.escaped.items() if how is Escape.READ_BY_NAME),
        returned=frozenset(m.graphs.returned),
        not_followed=frozenset(node for node, of in runs.items() if m.defined.is_called_elsewhere(of[0].function)),
        with_modes=_loads(m) and m.neighbours.have_layers_with_modes(),
        left=tuple(m.graphs.left.items()),
        alike=tuple(m.log.alike),
    )


def _loads(m: Interpreter) -> bool:
    """Return whether weights are loaded into a network whose layers are not shown."""
    loads = (event.module for event in m.log.story if isinstance(event, events.StateLoaded))
    return any(type(one.cls) is Unknown for one in loads)


def _escaped(m: Interpreter, least: Escape) -> list[Graph]:
    """The graphs with which unseen code may do at least this."""
    return [graph for graph, how in m.graphs.escaped.items() if how >= least]


def _of_other_file(runs: Sequence[Run]) -> Function | None:
    """The function of another file that these are the runs of; None for those of the linted file."""
    return runs[0].function if _where(runs) else None


def _where(runs: Iterable[Run]) -> dict[str, Any]:
    """Return the place of these runs, if that is another file: the file, and the calls that led there."""
    found = next((event for run in runs for event in run.story if event.run == run.index), None)
    return {} if found is None or not found.file else {"file": found.file, "calls": found.calls}


def _methods(cls: Class) -> dict[Any, Function]:
    """The functions that the body of a class defines, as far as they are still what is found under their names."""
    return {value.node: value for _, value in cls.members if type(value) is Function}


def _passed_by(m: Interpreter, event: Event) -> Event:
    """Count an event behind a line that raises where nothing else comes by."""
    return replace(event, after_error=False) if event.after_error and event.node not in m.log.come_by else event


def _seen_from_around(m: Interpreter, story: list[Event]) -> Iterator[Event]:
    """Yield the events; graphs of a call that a summary repeated have the names of all nodes that replaced them."""
    repeated = {id(event) for events in m.log.repeated.values() for event in events}
    for before, event in zip(m.log.story, story, strict=True):
        graph = getattr(event, "graph", None)
        if id(before) in repeated and type(graph) is tuple and graph and type(graph[0]) is tuple:
            yield replace(event, graph=tuple(_all_around(m, graph)))
        else:
            yield event


def _all_around(m: Interpreter, graphs: Iterable[Graph]) -> dict[Graph, None]:
    """The graphs, and the nodes that stood for them where a summary repeated their call."""
    found: dict[Graph, None] = {}
    todo = list(graphs)
    while todo:
        graph = todo.pop()
        if graph not in found:
            found[graph] = None
            todo += m.graphs.around.get(graph, ())
    return found


def _method(m: Interpreter, function: Function, runs: Sequence[Run], whole: bool) -> events.Method:
    params = function.node.params
    plain = [*params.posonly_params, *params.params]
    names = tuple(param.name.value for param in plain)
    uses = m.scan.scopes[function.node].uses.get(names[0], {}) if names else {}
    return events.Method(
        function=function,
        parameters=names,
        required=sum(param.default is None for param in plain),
        starred=isinstance(params.star_arg, cst.Param),
        reads=frozenset(use.partition("(")[0] for use in uses if not use.startswith(HANDED)),
        mentions=tuple(mentions_of(function.node.body, names[0])) if whole and names else (),
        hands_on=any(use.startswith(HANDED) for use in uses),
        runs=tuple(runs),
        given=m.notes(ArgumentsGiven).get(function.node, 0),
    )


def _tell(m: Interpreter, kind: type[Event], node: object, **facts: Any) -> None:
    """Emit a story, of another file with where that is; it is no part of another."""
    belief = Belief.FROM_NAME if m.unmeasured else Belief.PROVEN
    m.log.listen(kind(node=node, grad_mode=m.state.grad_mode, inference=m.state.inference, belief=belief, **facts))
