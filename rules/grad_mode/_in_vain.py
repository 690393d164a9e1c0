"""Forwards that record a graph which nothing will differentiate."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence, Set
from typing import TypeGuard

from gradlint.domain import (
    EVAL,
    NO,
    NONE_VALUE,
    UNSURE,
    YES,
    Cause,
    Function,
    Graph,
    ImportPath,
    Memory,
    Module,
    Optimizer,
    Syntax,
    Tensor,
    made_at,
    memories,
)
from gradlint.events import (
    BackwardRun,
    Event,
    GraphGrown,
    ModeChanged,
    ModuleBuilt,
    ModuleCalled,
    ModuleFinished,
    OptimizerStepped,
    ResultDiscarded,
    Returned,
    Role,
    Run,
    StateLoaded,
    Stored,
)
from gradlint.rule import runs_around, words

from ._made_up import MadeUp

Way = tuple[list[ModuleCalled], Syntax | None]
"""Calls at one place, and the call of a function in which they happen (None: all that happen there)."""
CUTTING = frozenset({"data", "detach", "detach_"})
"""The calls that leave the graph, and keep the tensor."""
ON_PURPOSE = CUTTING | {"item", "numpy", "tolist"}
"""The calls that leave the graph, and do nothing else."""
STEPPING = frozenset({"fit", "learn", "optimise", "optimize", "step", "update"})
"""Words of the methods of networks that train these."""
DRAWS = frozenset({"sample", "score"})
"""Words of methods that evaluate, or draw what is trained on."""
OWN = "self."
"""The beginning of the names of a module's own parts."""
MOST_CALLERS = 3
"""The most calls of a method that are pointed at."""


class Whole:
    """A whole file for this question: `places` are the calls of modules, by where they stand, without those of the
    parts of a module that is called there; `switching` are the calls inside which a mode is set; `differentiating`
    are the calls inside which gradients are computed, which need what is recorded there; `handed` are the graphs
    that unseen code was passed; `left` says where what a graph gave first left it; `displayed` are the graphs of
    what a notebook shows; `made_up` tells made-up input."""

    def __init__(self, end: ModuleFinished) -> None:
        self.end = end
        self.runs = {run.index: run for run in end.runs}
        called = [run for run in end.runs if run.function is not None and run.caller is not None]
        self._called_off = {run.function.node for run in called if run.function and run.grad_mode <= NO}
        self.left, self.handed = dict(end.left), end.escaped - end.left_on
        displayed = [shown for one in end.story if isinstance(one, ResultDiscarded) for shown in one.displayed]
        self.displayed = {ref.key for tensor in displayed for ref in tensor.node if ref is not None}
        calls = [event for event in end.story if isinstance(event, ModuleCalled)]
        backwards = [event for event in end.story if isinstance(event, BackwardRun)]
        parted: dict[Syntax, list[ModuleCalled]] = {}
        for call in calls:
            parted.setdefault(call.node, []).append(call)
        self.places = {node: _without_parts(some) for node, some in parted.items()}
        self._inside = self._dropped_inside(calls)
        self._alike: dict[Syntax, list[tuple[Syntax, int]]] = {}
        for caller, call, index in end.alike:
            self._alike.setdefault(caller, []).append((call, index))
        self.differentiating = self._with_alike({call for one in backwards for call in self.callers(one)})
        switches = [one for one in end.story if isinstance(one, ModeChanged)]
        self.switching = {call for one in switches for call in self.callers(one)}
        self._training = {one.run for one in backwards}
        steps = [one for one in end.story if isinstance(one, OptimizerStepped)]
        self._stepped: dict[int, set[Memory]] = {}
        for one in steps:
            if one.run not in self._training and one.closure == NONE_VALUE:  # the backward of others is in the closure
                self._stepped.setdefault(one.run, set()).update(memories(one.parameters))
        self._fitted = memories(parameter for one in steps for parameter in one.parameters)
        self._switches = _switches(end)
        loads = [one for one in end.story if isinstance(one, StateLoaded) and not self.is_offered(one)]
        self._loaded = {kind for one in loads for kind in _kinds(one.module)}
        self._trained = _trained_before(end)
        self._built = {(one.run, one.node) for one in end.story if isinstance(one, ModuleBuilt)}
        self.made_up = MadeUp(end)
        self._pretrained = {one.node for one in end.story if isinstance(one, ModuleBuilt) and one.trained}
        self._without_gradients = {(one.run, one.name) for one in calls if not one.grad_mode <= YES}
        self._giving = {one.run for one in end.story if isinstance(one, Returned) and one.may_have_graph}
        reached = end.used | end.escaped | end.returned
        kept = [one for one in end.story if _piles(one) or (isinstance(one, GraphGrown) and _is_sum(one))]
        self._keeping = {
            one.run for one in kept if not one.freed <= YES and one.graph and reached.isdisjoint(one.graph)
        }

    def _dropped_inside(self, calls: Iterable[ModuleCalled]) -> dict[tuple[Syntax, int], list[ModuleCalled]]:
        """The calls of parts that record, of the calls of a module, by place and run, of which the result certainly has
        no graph: whatever they record, its forward drops. What it detaches on purpose is told there."""
        without = {(one.node, one.run) for one in calls if not one.nested and _gives_no_graph(one)}
        found: dict[tuple[Syntax, int], list[ModuleCalled]] = {}
        for part in calls if without else ():
            detached = any(self.left[graph].by in ON_PURPOSE for graph in part.graph if graph in self.left)
            if part.nested and part.recorded is not None and part.grad_mode <= YES and not detached:
                for run in self.around(part):
                    if run.caller is not None and (run.caller, run.parent) in without:
                        found.setdefault((run.caller, run.parent), []).append(part)
        return found

    def _with_alike(self, calls: set[Syntax]) -> set[Syntax]:
        """These calls, with those that did what one of them did and the calls around them."""
        todo = [*calls]
        while todo:
            for call, index in self._alike.get(todo.pop(), ()):
                around = {call}
                while (run := self.runs.get(index)) is not None and run.caller is not None:
                    around.add(run.caller)
                    index = run.parent
                todo += around - calls
                calls |= around
        return calls

    def graph_of(self, call: ModuleCalled) -> tuple[Graph, ...]:
        """Return the graph that a call records: where its result has none, what its parts do that is dropped."""
        inside = self._inside.get((call.node, call.run), ())
        return call.graph or tuple(dict.fromkeys(graph for part in inside for graph in part.graph))

    def records(self, call: ModuleCalled) -> bool:
        """Return whether the call records a graph, certainly or unless unseen code froze the model meanwhile: no path
        that is shown freezes one of its parameters, or gives a result that requires no grad."""
        if call.recorded is not None or (call.node, call.run) in self._inside:
            return True
        asks = call.result.requires_grad if isinstance(call.result, Tensor) else UNSURE
        return call.trainable.possibly(YES) and not (asks | call.trainable).possibly(NO)

    def callers(self, event: Event) -> Iterator[Syntax]:
        """The calls inside which something happened, innermost first."""
        for run in self.around(event):
            if run.caller is not None:
                yield run.caller

    def evaluating(self, calls: Iterable[ModuleCalled]) -> list[Syntax]:
        """Return the calls of the methods of modules in which these calls happen, some of the places."""
        runs = [run for call in calls if (run := self.runs.get(call.run)) is not None and Role.OF_MODULE in run.roles]
        first = dict.fromkeys(run.caller for run in runs if run.caller is not None)
        others = dict.fromkeys(call for call, _ in self.alike(first))
        return [*(first | others)][:MOST_CALLERS]

    def shared_at(self, caller: Syntax, call: ModuleCalled) -> str:
        """The name of the method of a module, or function of another file, that is called at a place and in which a
        call happens; empty where it is neither."""
        runs = [run for run in self.around(call) if run.caller is caller]
        shared = [run.function for run in runs if Role.OF_MODULE in run.roles or call.file]
        return shared[0].name if shared and shared[0] is not None else ""

    def shared_by(self, call: ModuleCalled) -> Syntax | None:
        """The call of a method of a module of another file in which a call happens, if that draws samples, or is called
        where that is not followed, and gives on what has a graph: who calls it elsewhere may differentiate that."""
        found: Syntax | None = None
        for run in self.around(call) if call.file else ():
            method = run.function
            if method is None or Role.OF_MODULE not in run.roles or run.index not in self._giving:
                break
            draws = not DRAWS.isdisjoint(words(method.name))
            if not draws and (Role.EVALUATION in run.roles or method.node not in self.end.not_followed):
                break
            found = run.caller
        return found

    def called_elsewhere(self, calls: Iterable[ModuleCalled]) -> list[Function]:
        """The functions that run by themselves around these calls, though all calls of theirs that are shown have
        gradients off: another file has them on."""
        last = [run for call in calls for run in [*self.around(call)][-1:]]
        alone = {run.function.node: run.function for run in last if run.function is not None and run.caller is None}
        return [function for node, function in alone.items() if node in self._called_off]

    def alike(self, callers: Iterable[Syntax | None]) -> list[tuple[Syntax, int]]:
        """The calls that did what the calls of these callers did, each with the index of the run in which it is."""
        return [one for caller in callers if caller is not None for one in self._alike.get(caller, ())]

    def switched_to_eval(self, call: ModuleCalled) -> ModeChanged | None:
        """The last switch to eval mode of such a module before the call."""
        return self._switches.get(id(call))

    def is_at_work(self, call: ModuleCalled) -> bool:
        """Return whether the program makes the module ready for use: it switches such a one to eval mode, loads what
        was trained into it, or makes it of that, has trained it before, or tests it."""
        in_eval = call.module.mode <= EVAL or self.switched_to_eval(call) is not None
        own = {*_kinds(call.module), *made_at(call.module)}
        return (
            in_eval
            or not own.isdisjoint(self._loaded | self._pretrained)
            or id(call) in self._trained
            or call.on_test_data
        )

    def is_offered(self, event: Event) -> bool:
        """Return whether it happens in a method of a module that nobody shown calls, but may: others use the module."""
        started = [run for run in self.around(event) if run.caller is None and Role.OF_MODULE in run.roles]
        return bool(started) and not self.is_in_a_constructor(event)

    def is_only_made(self, call: ModuleCalled) -> bool:
        """Return whether the same run makes the module, and nothing makes it ready for use, or trains it later."""
        made_here = any((call.run, made) in self._built for made in made_at(call.module))
        return made_here and call.memories.isdisjoint(self._fitted) and not self.is_at_work(call)

    def is_in_a_constructor(self, event: Event) -> bool:
        """Return whether a module is being made meanwhile."""
        methods = [run.function for run in self.around(event) if Role.OF_MODULE in run.roles]
        return any(method is not None and method.name == "__init__" for method in methods)

    def is_also_without_gradients(self, call: ModuleCalled) -> bool:
        """Return whether the same run of a function may call the module with gradients off as well: then gradients are
        on here on purpose. The body of a script says nothing of the kind, in which all kinds of things follow."""
        run = self.runs.get(call.run)
        if run is None or run.function is None:
            return False
        return bool(call.name) and (call.run, call.name) in self._without_gradients

    def around(self, event: Event) -> Iterator[Run]:
        """The runs in which something happened, innermost first."""
        return runs_around(event, self.runs)

    def evaluates(self, event: Event) -> bool:
        """Return whether what it happens in is there to evaluate: a loop over what is called data for that, or of the
        functions around it the innermost whose names or flags show it."""
        if isinstance(event, ModuleCalled) and event.on_test_data:
            return True
        for run in self.around(event):
            if phases := run.roles & {Role.EVALUATION, Role.TRAINING}:
                return phases == {Role.EVALUATION}
        return False

    def trains(self, event: Event) -> bool:
        """Return whether gradients are computed in the very run in which it happens."""
        return event.run in self._training

    def trains_in(self, run: Run) -> bool:
        """Return whether gradients are computed in a run."""
        return run.index in self._training

    def keeps_graphs(self, event: Event) -> bool:
        """Return whether the run in which it happens keeps a graph that no backward goes through, of which others
        speak; in one that trains that may be any graph."""
        return event.run in self._keeping - self._training

    def steps_alone(self, call: ModuleCalled) -> bool:
        """Return whether the network is stepped in a run that calls it and has no backward: that is missing."""
        return any(not call.memories.isdisjoint(self._stepped.get(run.index, ())) for run in self.around(call))

    def is_met(self, call: ModuleCalled, graphs: Container[Graph]) -> bool:
        """Return whether the graph of a call is among these."""
        return any(graph in graphs for graph in self.graph_of(call))


def ways(whole: Whole) -> Iterator[tuple[Syntax, list[Way], list[Syntax]]]:
    """The places where modules are called in vain, with the ways on which they are; of those that make one forward
    together only the first, with the others where nothing else is computed."""
    found = {
        node: parted
        for node, calls in whole.places.items()
        if node not in whole.differentiating and (parted := [*_in_vain(calls, whole)])
    }
    calls = {node: [call for some, _ in parted for call in some] for node, parted in found.items()}
    made = {
        graph for some in calls.values() for call in some for graph in whole.graph_of(call) if graph not in call.fed_by
    }
    left = {node: {at for call in some for at in _leaving(call, whole)} for node, some in calls.items()}
    begun, first, others = set[tuple[Syntax, Syntax]](), list[Syntax](), list[Syntax]()
    for node in found:
        fed = all(any(graph in made for graph in call.fed_by) for call in calls[node])
        (others if fed or (left[node] and left[node] <= begun) else first).append(node)
        begun |= set() if fed else left[node]
    order = {node: at for at, node in enumerate(whole.places)}
    behind, beside = _by_graph(whole), dict[tuple[Syntax, Syntax], list[Syntax]]()
    for one in others:
        if all(caller is None for _, caller in found[one]):
            for at in left[one]:
                beside.setdefault(at, []).append(one)
    for node in first:
        graphs = {graph for call in calls[node] for graph in whole.graph_of(call)}
        going_on = {one for graph in graphs for one in behind.get(graph, ())}
        joined = {one for one in going_on if all(_goes_on(call, graphs) for call in whole.places[one])}
        joined |= {one for at in left[node] for one in beside.get(at, ())}
        yield node, found[node], sorted(joined - {node}, key=order.__getitem__)


def _by_graph(whole: Whole) -> dict[Graph, list[Syntax]]:
    """The places at which something goes on from a graph."""
    found: dict[Graph, list[Syntax]] = {}
    for node, calls in whole.places.items():
        for graph in dict.fromkeys(graph for call in calls for graph in call.fed_by):
            found.setdefault(graph, []).append(node)
    return found


def _goes_on(call: ModuleCalled, graphs: Set[Graph]) -> bool:
    """Return whether a call goes on from one of these graphs: what it records is in vain if they are."""
    return not call.nested and not graphs.isdisjoint(call.fed_by)


def _leaving(call: ModuleCalled, whole: Whole) -> Iterator[tuple[Syntax, Syntax]]:
    """The function in which a module is called, and where what it gives leaves the graph."""
    run, mark = whole.runs.get(call.run), exit_of(call, whole)
    if mark is not None and run is not None and run.function is not None:
        yield run.function.node, mark.node


def _in_vain(calls: Sequence[ModuleCalled], whole: Whole) -> Iterator[Way]:
    """The calls at one place that record in vain: where not all of them do, those that do on a way of their own."""
    waiting: list[tuple[Way, int]] = [(([*calls], None), 0)]
    while waiting:
        (some, caller), depth = waiting.pop()
        if caller not in whole.differentiating and _all_in_vain(some, whole):
            yield from [(some, caller)] if caller is not None else _where_shared(some, whole)
            continue
        parted = _by_caller(some, depth, whole)
        alone = parted.pop(None, [])
        waiting += [((those, step), depth + 1) for step, those in parted.items()]
        if parted and alone and _all_in_vain(alone, whole) and not all(map(whole.is_offered, alone)):
            yield alone, caller  # where it is offered, one of those who call it shows what it is for
        if not parted:
            yield from ((those, None) for those in _by_round(some) if _all_in_vain(those, whole))


def _where_shared(calls: Sequence[ModuleCalled], whole: Whole) -> list[Way]:
    """The ways of calls all of which record in vain: those inside methods of modules that other files share are told
    where they are called."""
    parted: dict[Syntax | None, list[ModuleCalled]] = {}
    for call in calls:
        parted.setdefault(whole.shared_by(call), []).append(call)
    return [(those, caller) for caller, those in parted.items()]


def _by_caller(calls: Sequence[ModuleCalled], depth: int, whole: Whole) -> dict[Syntax | None, list[ModuleCalled]]:
    """The calls by the call so many functions further out in which they happen; None: there is none."""
    parted: dict[Syntax | None, list[ModuleCalled]] = {}
    for call in calls:
        around = [*whole.callers(call)][depth : depth + 1]
        parted.setdefault(around[0] if around else None, []).append(call)
    return parted


def _by_round(calls: Sequence[ModuleCalled]) -> list[list[ModuleCalled]]:
    """The calls at one place in eval mode, by the rounds of a loop over few known things, each of which makes a graph
    of its own (`for phase in ("train", "valid")`); none where all make the same."""
    parted: dict[tuple[Graph, ...], list[ModuleCalled]] = {}
    for call in calls:
        parted.setdefault(call.graph, []).append(call)
    return [those for those in parted.values() if len(parted) > 1 and all(one.module.mode <= EVAL for one in those)]


def _all_in_vain(calls: Sequence[ModuleCalled], whole: Whole) -> bool:
    """Return whether of these calls one records, and none for anything."""
    if all(call.nested for call in calls) or not any(whole.records(call) for call in calls):
        return False
    others = [call for call in calls if not may_be_in_vain(call, whole)]
    shown = {call.run for call in calls if call not in others} if others else set[int]()
    return all(call.run in shown and is_held(call, whole) for call in others)


def _without_parts(calls: Sequence[ModuleCalled]) -> list[ModuleCalled]:
    """The calls at one place without those of the parts of a module that is called there (`Sequential`)."""
    whole = {call.run for call in calls if not call.nested}
    return [call for call in calls if not (call.nested and call.run in whole)]


def _gives_no_graph(call: ModuleCalled) -> bool:
    """Return whether a module that may be trained certainly gives a tensor that requires no grad."""
    without = isinstance(call.result, Tensor) and call.result.requires_grad <= NO
    return without and call.recorded is None and call.trainable.possibly(YES) and call.grad_mode <= YES


def is_held(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether unseen code got hold of the graph: where a place calls one of several networks, that of one of
    them may have been passed on inside, which says nothing of what becomes of the result."""
    known = whole.is_met(call, whole.end.used) or whole.is_met(call, whole.end.differentiated)
    return call.grad_mode <= YES and not known and whole.is_met(call, whole.end.escaped)


def may_be_in_vain(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether the call may record a graph that nothing differentiates: what the next pass of a loop around it no
    longer knows, for unseen code was passed the model, takes nothing from what the pass before knew. A model that is
    frozen there records nothing of its own. What a part of a forward gives that nobody calls may well become whole
    numbers on the way."""
    if call.trainable <= NO or not (call.grad_mode <= YES and whole.graph_of(call)):
        return False
    end = whole.end
    if whole.is_met(call, end.used) or whole.is_met(call, end.differentiated) or _trains_inside(call):
        return False
    if whole.evaluates(call):
        return True
    if whole.is_met(call, whole.handed):
        return False
    if call.module.mode <= EVAL:
        return True
    if whole.is_met(call, end.left_on) or whole.keeps_graphs(call) or whole.steps_alone(call):
        return False
    if _is_used_by_nobody(call, whole):
        return whole.is_at_work(call) and not whole.trains(call)
    mark = exit_of(call, whole)
    if _is_part_in_forward(call, whole) and mark is not None and mark.by not in ON_PURPOSE:
        return False
    only_read = any(whole.is_met(call, graphs) for graphs in (whole.left, whole.displayed, end.read, end.read_by_name))
    only_read = only_read and not whole.is_met(call, end.returned)
    return only_read and (call.trainable <= YES or not _is_fed(call))


def _is_used_by_nobody(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether what a call gives goes nowhere."""
    end = whole.end
    ends = (end.returned, end.escaped, end.read, end.read_by_name, whole.left, whole.displayed)
    return not call.nested and not any(whole.is_met(call, graphs) for graphs in ends)


def _trains_inside(call: ModuleCalled) -> bool:
    """Return whether what is called may differentiate by itself: it is passed an optimizer, or its name says so."""
    given = any(isinstance(one, Optimizer) for one in call.args)
    return given or not STEPPING.isdisjoint(words(call.name.rpartition(".")[2]))


def _is_part_in_forward(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether it happens in a forward that nobody is shown to call, to a part of the module itself: what such a
    forward is passed (an explainer, the network that it explains) is no layer of it."""
    if not call.name.startswith(OWN):
        return False
    runs = [(run.function.name, run.caller) for run in whole.around(call) if run.function is not None]
    return runs[-1:] == [("forward", None)]


def _is_fed(call: ModuleCalled) -> bool:
    """Return whether what a module is passed certainly has a graph behind it: what may be a loss without parameters
    adds nothing to that. An input of which nobody knows is taken for data."""
    inputs = [one for one in call.args if isinstance(one, Tensor)]
    return bool(call.fed_by) and (len(inputs) < len(call.args) or any(one.requires_grad <= YES for one in inputs))


def _piles(event: Event) -> TypeGuard[Stored]:
    """Return whether a value is put beside those of earlier iterations, and in place of none, as others say of it."""
    return isinstance(event, Stored) and event.piles <= YES and not event.replaces


def _is_sum(grown: GraphGrown) -> bool:
    """Return whether the program itself writes an addend with a graph: a network that goes from layer to layer keeps
    nothing."""
    written = grown.added is not None or grown.op in IN_PLACE_SUMS
    return not grown.recurrent and written and grown.result.requires_grad <= YES


IN_PLACE_SUMS = frozenset({"add_", "lerp_", "sub_"})
"""The methods that add to a tensor."""


def _switches(end: ModuleFinished) -> dict[int, ModeChanged | None]:
    """The last switch to eval mode before each call of a module, of modules of its class; calls by their identities."""
    found: dict[int, ModeChanged | None] = {}
    last: dict[object, ModeChanged] = {}
    for happened in end.story:
        if isinstance(happened, ModeChanged) and happened.to <= EVAL:
            last[happened.module.cls] = happened
        elif isinstance(happened, ModuleCalled):
            found.setdefault(id(happened), last.get(happened.module.cls))
    return found


def _trained_before(end: ModuleFinished) -> frozenset[int]:
    """The identities of the calls of modules of which an optimizer has stepped parameters before."""
    found, stepped = set[int](), set[Memory]()
    for happened in end.story:
        if isinstance(happened, OptimizerStepped):
            stepped |= memories(happened.parameters)
        elif isinstance(happened, ModuleCalled) and not stepped.isdisjoint(happened.memories):
            found.add(id(happened))
    return frozenset(found)


def _kinds(module: Module) -> Sequence[object]:
    """The class of a module, or the places that make it where that class is a library's."""
    return made_at(module) if isinstance(module.cls, ImportPath) else [module.cls]


def exit_of(call: ModuleCalled, whole: Whole) -> Cause | None:
    """Return the place where the result of a call first leaves its graph."""
    return next((whole.left[graph] for graph in whole.graph_of(call) if graph in whole.left), None)
