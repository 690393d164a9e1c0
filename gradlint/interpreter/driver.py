"""A whole program: the module's own code first, then every function nobody called, on its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import libcst as cst

from gradlint import events, interpreter
from gradlint.domain import (
    MAYBE,
    NO,
    NONE_VALUE,
    UNKNOWN,
    UNSURE,
    YES,
    Belief,
    Class,
    Container,
    Escape,
    Function,
    Graph,
    Instance,
    Module,
    Named,
    Optimizer,
    Ref,
    State,
    Tensor,
    Value,
    alternatives,
    one_of,
)
from gradlint.domain.weakening import after_unseen_code
from gradlint.events import Event, Run
from gradlint.frozen import replace
from gradlint.interpreter.collected_tests import collected, imports_a_runner
from gradlint.interpreter.engine.budgets import PURSES
from gradlint.interpreter.engine.escape import as_it_was, havoc, in_reach
from gradlint.interpreter.engine.imports import Neighbours, Project
from gradlint.interpreter.engine.machine import MOST_WORK, Interpreter, TooMuch
from gradlint.interpreter.engine.tracing import Trace
from gradlint.interpreter.engine.unseen import STAND_IN, is_some_object
from gradlint.interpreter.libraries.pack_hooks import called_by_library
from gradlint.interpreter.python.functions import new_frame, run_function, steps_left
from gradlint.interpreter.python.mro import ancestry, class_of, defined_anew
from gradlint.interpreter.python.one_of_several import take, ways
from gradlint.interpreter.static.scopes import HANDED, MODES, Scan
from gradlint.interpreter.static.tree_walk import mentions_of
from gradlint.interpreter.torch_api.custom_function import is_function, mode_alone
from gradlint.interpreter.unknown.parameters import arguments, others, typical_instance
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
    """Run a program abstractly, telling `listen` all that happens, and at the end the stories.

    `packs` are what is known of other libraries. What the program imports is looked for in `project`; `found` is what
    `scan` found in the tree, where that is known. `trace` notes what is known at each statement, in all files. Of a
    program that would take too long, a part is run: `given_up` is where it ended.
    """
    it = Interpreter(tree, listen, packs, found, trace)
    it.neighbours, it.steps.purses = Neighbours(it, project), dict(PURSES)
    if trace is not None:
        trace.trees[it.frame.file.path] = tree
    with deep_recursion():
        try:
            _run(it, tree)
        except TooMuch as error:
            it.given_up = error.node
    return it


def _run(it: Interpreter, tree: cst.Module) -> None:
    """Run the module, then what nobody in it calls, and tell the stories."""
    it.runs.append(Run(1, None, None, YES, ()))
    it.run = 1
    it.run_body(tree.body)
    it.runs[0] = replace(it.runs[0], story=tuple(it.story))
    it.state.live = True
    _run_the_rest(it)
    _finish(it)


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


def _run_the_rest(it: Interpreter) -> None:
    """Run what has no caller in the file, classes first, in the order of the text."""
    it.steps.grant_elsewhere(it.scan.statements)
    _leave_the_body(it)
    it.neighbours.strangers()
    it.defined_anew = defined_anew(it)
    it.state.grad_mode, it.state.inference, it.assumed_mode = YES, NO, True
    base = it.state
    base.sweep()
    base.ground.lay(base.names, base.heap, lambda name: it.frames[name[0]].parent is not None, keeper=0)
    hooked = tuple(it.seen_by_hooks)
    inner = {part: None for name, part in base.ground.of_name.items() if it.frames[name[0]].parent is not None}

    def fresh(node: Any) -> State:
        """What functions inside functions see is there from the start, the rest where it is asked for."""
        if it.state.heap.index.work > MOST_WORK:
            raise TooMuch(node)
        state = State(ground=base.ground)
        state.heap.index.work = it.state.heap.index.work  # the work on a file is counted over all its functions
        state.take(inner)
        it.seen_by_hooks = dict.fromkeys(hooked)
        return state

    for node in _unmentioned_classes_first(it):
        it.state = fresh(node)
        run_class(it, node)
    for function in _unmentioned_first(it, list(it.functions.values())):
        if function.owner is None and _waits(it, function):
            it.state = fresh(function.node)
            run_alone(it, function, None)
    for function in list(it.functions.values()):
        if _waits(it, function):
            it.state = fresh(function.node)
            run_alone(it, function, None)
    it.state = base


def _leave_the_body(it: Interpreter) -> None:
    """What functions that nobody calls find in the module: anything may have happened to it since its body ran, but
    most likely its networks, leaves and optimizers are what the body made of them, where no function sets flags."""
    escaped = dict(it.escaped)
    names = {name: value for (frame, name), value in it.state.names.items() if frame == 0 and not _static(it, value)}
    switched = in_reach(it, [names[name] for name in _switched_in_functions(it) if name in names])
    left = {ref: thing for ref, thing in in_reach(it, names.values()).items() if ref not in switched}
    listings = in_reach(it, [thing.listing for thing in left.values() if type(thing) is Optimizer])
    havoc(it, names.values())
    for ref, thing in left.items():
        fixed = type(thing) is Container and (ref in listings or _is_table_of_classes(it, thing))
        now = thing if fixed else as_it_was(thing, it[ref])
        if now is not it[ref]:
            it.set(ref, now)
    for ref in switched:
        it.update(ref, Tensor, requires_grad=MAYBE | UNSURE)
    it.escaped = escaped


def _is_table_of_classes(it: Interpreter, thing: Container) -> bool:
    values = [value for _, value in thing.items]
    return bool(values) and all(type(value) is Ref and type(it.state.heap.get(value)) is Class for value in values)


def _switched_in_functions(it: Interpreter) -> Iterator[str]:
    """The names used in functions that ask parameters to require grad, or not to."""
    for function in it.functions.values():
        scope = it.scan.scopes[function.node]
        if scope.switches - MODES:
            yield from scope.uses


def _static(it: Interpreter, value: Value) -> bool:
    return type(value) is not Ref or type(it.state.heap.get(value)) is Class


def _unmentioned_first(it: Interpreter, functions: list[Function]) -> list[Function]:
    """Functions that the program itself calls wait for their callers."""
    called = {name for name, uses in it.scan.scopes[it.tree].uses.items() if "()" in uses}
    of_self = it.scan.scopes[it.tree].uses.get("self", {})
    return sorted(functions, key=lambda f: f.name in called or f"{f.name}()" in of_self or f"{f.name}(.)" in of_self)


def _unmentioned_classes_first(it: Interpreter) -> list[Any]:
    """Classes that the program itself makes instances of wait for those who do, and those for theirs."""
    called = {name for name, uses in it.scan.scopes[it.tree].uses.items() if "()" in uses}
    nodes: list[Any] = list(it.classes)
    nodes.reverse()
    nodes.sort(key=lambda node: node.name.value in called)
    return nodes


def _waits(it: Interpreter, function: Function) -> bool:
    """Whether a function is still to be run: nobody called it, and its own scope is there to run in."""
    return function.node not in it.called and function.frame in it.frames


def run_class(it: Interpreter, node: Any) -> None:
    """Make an instance of a class as an unknown caller would, and run each method that nobody called on it."""
    it.steps.grant(it.scan.statements)
    cls = it.classes[node]
    it.state.reaching(cls)
    if type(it.state.heap.get(cls)) is not Class:
        return
    methods = _unmentioned_first(it, [f for f in it.functions.values() if f.owner is node])
    waiting = [f for f in methods if _waits(it, f)]
    if not waiting:
        return
    owner = typical_instance(it, node, cls)
    start = it.hold(owner)
    methods_there = [*waiting, *_inherited(it, cls)]
    known = MODES if it.only(owner, Module) is not None else frozenset[str]()  # in any mode they are
    others = [(f, it.scan.scopes[f.node]) for f in methods_there if f.name != "__init__"]
    changing = [f for f, scope in others if scope.sets or scope.switches - known]
    with it.silently():
        _join_attributes(it, start, changing)
    base = it.fork()
    told = it.thing(it.state.flight[start])
    it.instances[node] = told if isinstance(told, (Module, Instance)) else None
    run = [function for function in methods if function.name != "__init__" and _waits(it, function)]
    for function in methods:
        if function in run and _waits(it, function):
            it.state = base.copy()
            run_alone(it, function, it.state.flight[start])
    it.state = base
    for way in [*ways(it, it.state.flight[start])]:
        it.state = base.copy()
        take(it, it.state.flight[start], way)
        made = it.state
        for function in run:
            it.state = made.copy()
            run_alone(it, function, it.state.flight[start])
    it.state = base
    it.land(start)


def _inherited(it: Interpreter, cls: Ref) -> list[Function]:
    """The methods that a class has from its bases in this and other files, as far as there are steps left for them."""
    found: dict[object, Value] = {}
    own, *bases = [it.state.heap.get(one) for one in ancestry(it, cls) if type(one) is Ref]
    for base in bases:
        found = dict(getattr(base, "members", ())) | found
    hidden = dict(getattr(own, "members", ()))
    methods = [member for name, member in found.items() if name not in hidden and type(member) is Function]
    return [method for method in methods if steps_left(it, it.frames[method.frame])[1] > 0]


def _join_attributes(it: Interpreter, start: int, methods: list[Function]) -> None:
    """Attributes are as other methods may have left them when a method runs, whatever ran before it."""
    called, noted = dict(it.called), dict(it.receivers)
    base = it.fork()
    ends = [base]
    for function in methods:
        it.state = base.copy()
        run_alone(it, function, it.state.flight[start])
        ends.append(it.state)
    _turned_out(base, ends)
    it.join(ends)
    it.called, it.receivers = called, noted  # they run again, with all attributes there
    _forget_stand_ins(it, it.state.flight[start])


def _turned_out(base: State, ends: list[State]) -> None:
    """Where one method shows what some object is, it has been that all along, whatever its facts were before."""
    for ref, thing in list(base.heap.items()):
        if is_some_object(thing):
            there = [state for state in ends if ref in state.heap]
            shown = [state.heap[ref] for state in there if not is_some_object(state.heap[ref])]
            for state in there if shown else ():
                if is_some_object(state.heap[ref]):
                    state.heap[ref] = after_unseen_code(shown[0])


def _forget_stand_ins(it: Interpreter, owner: Value) -> None:
    """An attribute that some method sets is what that method set: nothing needs to stand in for it."""
    for option in alternatives(owner):
        thing: Any = it.state.heap.get(option) if type(option) is Ref else None
        if not isinstance(thing, (Module, Instance)):
            continue
        kept = tuple(
            (name, _one_of_unknown_class(it, _without_stand_ins(str(name), value))) for name, value in thing.attributes
        )
        if kept != thing.attributes:
            it.state.heap[option] = replace(thing, attributes=kept)  # type: ignore[index]


def _one_of_unknown_class(it: Interpreter, value: Value) -> Value:
    """Modules of which only the use is known are told apart by nothing: one of them stands for all."""
    found = it.all(value, Module)
    if len(found) < 2 or len(found) < len(alternatives(value)) or any(thing.cls != UNKNOWN for _, thing in found):
        return value
    first = found[0][0]
    it.state.heap[first] = it.only(value, Module)  # type: ignore[assignment]
    return first


def _without_stand_ins(name: str, value: Value) -> Value:
    options, parts = alternatives(value), (STAND_IN + name, f"{STAND_IN}{name} by use")
    seen = [option for option in options if not (type(option) is Ref and option.part in parts)]
    return one_of(seen) if len(seen) < len(options) and any(option != NONE_VALUE for option in seen) else value


def run_alone(it: Interpreter, function: Function, owner: Value | None) -> None:
    """Run a function with what annotations, defaults and use tell about its parameters."""
    it.state.reaching(function)
    if (cls := it.classes.get(function.owner)) is not None:
        it.state.reaching(cls)
    it.called[function.node] = None
    it.steps.grant(it.scan.statements)
    outer = it.frame
    it.switch(it.frames[function.frame])
    frame = new_frame(it, ("alone", function.node), function)
    params = function.node.params
    plain = [*params.posonly_params, *params.params]
    first: list[Value] = []
    if owner is not None and plain and function.kind != "static":
        first = [owner if function.kind != "class" else class_of(it, owner)]
        it.state.names[frame.id, plain[0].name.value] = first[0]
        plain = plain[1:]
    start = it.hold(*first)
    given = arguments(it, frame, function, [*plain, *params.kwonly_params])
    given += others(it, frame, params.star_arg, "tuple") + others(it, frame, params.star_kwarg, "dict")
    for name, value in given:
        it.state.names[frame.id, name] = value
    first = it.state.flight[start:]
    it.hold(*(value for _, value in given))
    mode, it.state.grad_mode = it.state.grad_mode, mode_alone(it, function)
    with called_by_library(it, function, first) as returned:
        value = run_function(it, function.node, frame, function, caller=None)
        returned(value)
    it.state.grad_mode = mode
    handed = it.land(start)
    if it.state.live:
        it.escape(handed)
        it.returned.update(it.graphs([value]))
    it.switch(outer)


# ---- the stories at the end


def _finish(it: Interpreter) -> None:
    """Tell the stories: of each function, each class, and the whole file."""
    it.muted = 0
    it.run = 0
    it.state.live = True
    runs: dict[Any, list[Run]] = {}
    for run in it.runs:
        if run.function is not None:
            runs.setdefault(run.function.node, []).append(run)
    functions = it.functions | {node: each for node, of in runs.items() if (each := _of_other_file(of)) is not None}
    for node, function in functions.items():
        if node in runs:
            alone = any(run.caller is None for run in runs[node])
            seen = not alone and node not in it.escaped_functions and node in it.functions
            facts = {"function": function, "runs": tuple(runs[node]), "all_callers_seen": seen}
            _tell(it, events.FunctionFinished, node, **facts, **_where(runs[node]))
    elsewhere = {function.owner for node, function in functions.items() if node not in it.functions}
    made = [(ref, thing) for ref, thing in it.state.heap.items() if type(thing) is Class]
    classes = it.classes | {thing.node: ref for ref, thing in made if thing.node in elsewhere}
    for node, ref in classes.items():
        thing = it.state.heap.get(ref)
        if type(thing) is Class:
            derived = frozenset(one.path for one in ancestry(it, ref) if type(one) is Named)
            own = [function for function in (functions | _methods(thing)).values() if function.owner is node]
            whole = is_function(it, ref)
            told = tuple(_method(it, function, runs.get(function.node, ()), whole) for function in own)
            where = _where([run for method in told for run in method.runs]) if node in elsewhere else {}
            facts = {"cls": thing, "instance": it.instances.get(node), "methods": told, "derived": derived}
            _tell(it, events.ClassFinished, node, **facts, **where)
    _tell(
        it,
        events.ModuleFinished,
        it.tree,
        story=tuple(_seen_from_around(it, [_passed_by(it, event) for event in it.story])),
        runs=tuple(it.runs),
        tests=imports_a_runner(it),
        collected=collected(it),
        used=frozenset(it.used),
        escaped=frozenset(_escaped(it, Escape.HELD)),
        differentiated=frozenset(_escaped(it, Escape.DIFFERENTIATED)),
        returned=frozenset(it.returned),
        left=tuple(it.left.items()),
    )


def _escaped(it: Interpreter, least: Escape) -> list[Graph]:
    """The graphs with which unseen code may do at least this."""
    return [graph for graph, how in it.escaped.items() if how >= least]


def _of_other_file(runs: Sequence[Run]) -> Function | None:
    """The function of another file that these are the runs of; None for those of the linted file."""
    return runs[0].function if _where(runs) else None


def _where(runs: Iterable[Run]) -> dict[str, Any]:
    """Where what happened in these runs stands, if that is another file: the file, and the calls that led there."""
    found = next((event for run in runs for event in run.story if event.run == run.index), None)
    return {} if found is None or not found.file else {"file": found.file, "calls": found.calls}


def _methods(cls: Class) -> dict[Any, Function]:
    """The functions that the body of a class defines, as far as they are still what is found under their names."""
    return {value.node: value for _, value in cls.members if type(value) is Function}


def _passed_by(it: Interpreter, event: Event) -> Event:
    """What happened behind a line that raises counts where nothing else comes by."""
    return replace(event, behind=False) if event.behind and event.node not in it.come_by else event


def _seen_from_around(it: Interpreter, story: list[Event]) -> Iterator[Event]:
    """What happened, where the graph of what happened in a call that a summary told again has the names of all nodes
    that stood for it then."""
    repeated = {id(event) for events in it.repeated.values() for event in events}
    for before, event in zip(it.story, story, strict=True):
        graph = getattr(event, "graph", None)
        if id(before) in repeated and type(graph) is tuple and graph and type(graph[0]) is tuple:
            yield replace(event, graph=tuple(_all_around(it, graph)))
        else:
            yield event


def _all_around(it: Interpreter, graphs: Iterable[Graph]) -> dict[Graph, None]:
    """The graphs, and the nodes that stood for them where a summary told their call again."""
    found: dict[Graph, None] = {}
    todo = list(graphs)
    while todo:
        graph = todo.pop()
        if graph not in found:
            found[graph] = None
            todo += it.around.get(graph, ())
    return found


def _method(it: Interpreter, function: Function, runs: Sequence[Run], whole: bool) -> events.Method:
    params = function.node.params
    plain = [*params.posonly_params, *params.params]
    names = tuple(param.name.value for param in plain)
    uses = it.scan.scopes[function.node].uses.get(names[0], {}) if names else {}
    return events.Method(
        function=function,
        parameters=names,
        required=sum(param.default is None for param in plain),
        starred=isinstance(params.star_arg, cst.Param),
        reads=frozenset(use.partition("(")[0] for use in uses if not use.startswith(HANDED)),
        mentions=tuple(mentions_of(function.node.body, names[0])) if whole and names else (),
        hands_on=any(use.startswith(HANDED) for use in uses),
        runs=tuple(runs),
    )


def _tell(it: Interpreter, kind: type[Event], node: Any, **facts: Any) -> None:
    """Tell a story, of another file with where that is; it is no part of another."""
    belief = Belief.BY_NAME if it.doubted else Belief.PROVEN
    it.listen(kind(node=node, grad_mode=it.state.grad_mode, inference=it.state.inference, belief=belief, **facts))
