"""Signs that a forward is meant to record a graph, or that it costs too little to speak of."""

from __future__ import annotations

from collections.abc import Iterator

from gradlint.domain import EVAL, NO, TRAIN
from gradlint.events import ModuleCalled, Role
from gradlint.rule import LIKELY, POSSIBLE, Question, Sign, only_tested, signs_of

from ._in_vain import CUTTING, Whole, exit_of
from ._made_up import NOISE


def signs(call: ModuleCalled, whole: Whole) -> Iterator[Sign]:
    """Yield the signs that a call is meant to record: its result is returned to unseen callers, less so if it said
    eval() itself, or evaluates by its name. A module's method that returns what it records is another forward."""
    end, run = whole.end, whole.runs.get(call.run)
    evaluates = whole.evaluates(call)
    said_so = (switch := whole.switched_to_eval(call)) is not None and switch.run == call.run
    method = run is not None and Role.OF_MODULE in run.roles
    means_it = (evaluates and said_so) if method else (evaluates or said_so)
    weighed = {
        "only a test does it": (only_tested(call, end), POSSIBLE),
        "another call of the function has gradients off": (
            whole.is_also_without_gradients(call) and not _is_cut_off(call, whole),
            POSSIBLE,
        ),
        "it happens once": (_happens_once(call, whole), POSSIBLE),
        "the module is made to be tried": (whole.made_up.is_all_of(call) and whole.is_only_made(call), POSSIBLE),
        "a module finds its sizes": (whole.made_up.is_all_of(call) and whole.is_in_a_constructor(call), POSSIBLE),
        "a method of the module gives what it records": (
            _is_forward_by_another_name(call, whole) and not said_so,
            POSSIBLE,
        ),
        "the module is not in eval mode": (not call.module.mode <= EVAL, LIKELY),
        "unseen code gets the result": (whole.is_met(call, whole.handed | end.read_by_name), LIKELY),
        "unseen callers have what keeps the result": (
            whole.is_met(call, end.left_on),
            LIKELY if evaluates or said_so else POSSIBLE,
        ),
        "unseen callers get the result": (whole.is_met(call, end.returned), LIKELY if means_it else POSSIBLE),
    }
    yield from signs_of(call)
    if call.recorded is None:
        yield Sign(Question.TORCH, LIKELY, "nobody sees what the module gives")
    yield from (Sign(Question.MISTAKE, degree, why) for why, (holds, degree) in weighed.items() if holds)


def _is_cut_off(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether the program detaches what it gives: it does not want the graph."""
    mark = exit_of(call, whole)
    return mark is not None and mark.by in CUTTING


def _is_forward_by_another_name(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether it happens in a method of a module that a script tries out itself: others may train on what it
    gives. What a loop of the script calls again and again is no try."""
    runs = [*whole.around(call)]
    callers = dict.fromkeys(run.caller for run in runs if Role.OF_MODULE in run.roles)
    elsewhere = [whole.runs[index] for _, index in whole.alike(callers)]
    outside = [*[run for run in runs if Role.OF_MODULE not in run.roles][:1], *elsewhere]
    tried = Role.OF_MODULE in runs[0].roles and bool(outside) and all(run.function is None for run in outside)
    return tried and call.module.mode.possibly(TRAIN) and not whole.evaluates(call) and not _is_repeated(call, whole)


def _happens_once(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether it happens once and costs little: in a script outside of functions, and of loops but for those
    that go from layer to layer, of a network that is not ready for use, or to see a network work."""
    run = whole.runs.get(call.run)
    if _is_repeated(call, whole):
        return False
    if run is None or run.function is None:
        return not whole.is_at_work(call) or _is_tried(call, whole)
    return not call.module.mode <= EVAL and _is_tried(call, whole)


def _is_repeated(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether a loop comes to it again, or to a call around it, and does not go from layer to layer."""
    again = [one for one in whole.places.get(call.node, ()) if not one.later <= NO]
    apart = any(frozenset(one.fed_by).isdisjoint(whole.graph_of(one)) for one in again)
    return apart or any(one is caller for caller in whole.callers(call) for one, _ in whole.alike([caller]))


def _is_tried(call: ModuleCalled, whole: Whole) -> bool:
    """Return whether it is there to see a network work, on an input that is no data."""
    made_up = [by for one in call.args if (by := whole.made_up.by(one))]
    is_used = whole.is_met(call, whole.left) or whole.is_met(call, whole.end.returned)
    meant = is_used and (whole.evaluates(call) or NOISE.issuperset(made_up))
    return len(made_up) == len(call.args) > 0 and not meant
