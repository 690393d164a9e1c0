"""Rules whose mistake raises nothing, held against what a run shows.

`SEEN` says for each such rule what a run must show at the line where its finding stands (`shows`), and, where that can
be told without gradlint, at which lines a run shows the mistake for certain (`certain`). A finding is contradicted if
its line ran and never showed it; a mistake is missed if every run shows it and nothing is reported there.

Every rule that is on by default is in one of three classes: it says that a line raises, or a later one; it is in
`SEEN`; or it is in `UNSEEN`, with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gradlint.finding import LATER, RAISES, Finding
from gradlint.frozen import frozen
from gradlint.rule import Rule
from tests.fuzz.acts import Run
from tests.fuzz.seeing import (
    Mistake,
    Sight,
    alike,
    attributes,
    gradients,
    graphs,
    modules,
    training,
    warning,
)
from tests.fuzz.witness import witnessed


@frozen()
class Oracle:
    """What a run shows where a finding of a rule stands; `certain` is where the mistake shows whatever gradlint says
    (None: that cannot be told from a run), `open` where a run cannot contradict."""

    shows: Sight
    certain: Sight | None = None
    open: Sight | None = None


def _same(sight: Sight) -> Oracle:
    return Oracle(sight, sight)


STEPPED_EARLY = warning("Detected call of `lr_scheduler.step()` before `optimizer.step()`")
SEEN: dict[str, Oracle] = {
    # attributes and methods without effect
    "GRD103": Oracle(attributes.set_in_vain, attributes.misspelled),
    "GRD104": Oracle(attributes.set_in_vain, attributes.flag_of_module_set),
    "GRD106": Oracle(attributes.looked_at),
    "GRD107": Oracle(attributes.set_in_vain, attributes.method_hidden),
    "GRD402": _same(attributes.mode_dropped),
    "GRD606": Oracle(attributes.looked_at, attributes.uncalled),
    "GRD607": Oracle(attributes.result_dropped, attributes.change_dropped),
    # asked of what does not listen
    "GRD108": Oracle(attributes.asked_of_entries, attributes.entries_frozen),
    "GRD110": _same(gradients.asked_late),
    "GRD112": Oracle(attributes.root_asked, attributes.computed_root_asked),
    "GRD114": Oracle(attributes.unfrozen, attributes.unfrozen_at_once),
    "GRD117": Oracle(attributes.asked_in_passing),
    "GRD122": Oracle(attributes.asked_of_clone, attributes.asked_of_plain_clone),
    # gradients that are not there
    "GRD120": Oracle(gradients.made_what_has_none),
    "GRD121": Oracle(gradients.made_what_has_none, modules.parameter_moved),
    "GRD124": Oracle(gradients.made_what_has_none),
    "GRD201": Oracle(gradients.non_leaf_read, gradients.non_leaf_always_read),
    "GRD204": Oracle(gradients.grad_dropped, gradients.grad_dropped_and_wanted),
    "GRD206": Oracle(gradients.retained_late, gradients.retained_after_backward),
    "GRD605": Oracle(training.nothing_arrives, training.flat_everywhere),
    "GRD609": Oracle(modules.computed_wrapped, modules.computed_wrapped_in_forward),
    "GRD612": Oracle(modules.grads_without_graph, modules.constants_added),
    "GRD618": Oracle(lambda run: [*training.stepped_without(run), *training.wasted(run)], training.never_arrives),
    # what torch warns about
    "GRD115": Oracle(warning("volatile was removed and now has no effect"), attributes.volatile),
    "GRD123": Oracle(warning("To copy construct from a tensor"), gradients.copied),
    "GRD506": Oracle(warning("will create a reference cycle"), graphs.circles),
    "GRD710": Oracle(STEPPED_EARLY, open=alike(STEPPED_EARLY)),
    "GRD912": _same(warning("None of the inputs have requires_grad=True")),
    # memory that is shared
    "GRD210": Oracle(gradients.memory_compared, gradients.aliases_compared),
    "GRD211": _same(gradients.hooks_writing),
    "GRD306": Oracle(gradients.rebound, gradients.rebound_unread),
    "GRD307": Oracle(gradients.rebound, gradients.rebound_unread),
    "GRD309": _same(gradients.spoiled),
    "GRD310": Oracle(
        lambda run: [*gradients.state_changed(run), *gradients.state_taken_again(run)],
        gradients.state_changed,
        gradients.module_named_again,
    ),
    # modes
    "GRD401": Oracle(graphs.recorded_in_vain, graphs.evaluated_again_and_again),
    "GRD405": Oracle(graphs.left_off, graphs.left_off_with_result),
    "GRD406": Oracle(graphs.left_on, graphs.left_on, graphs.always_entered_on),
    "GRD410": _same(graphs.yielded_off),
    "GRD414": Oracle(graphs.predicted_in_training),
    "GRD412": Oracle(graphs.trained_in_eval, graphs.left_in_eval_and_stepped),
    "GRD413": Oracle(graphs.stepped_in_eval, graphs.stepped_in_validation),
    # graphs that stay
    "GRD501": Oracle(graphs.graphs_growing, graphs.sums_growing),
    "GRD502": Oracle(graphs.graph_collected, graphs.graphs_collected_in_vain),
    "GRD504": Oracle(graphs.kept_for_nothing, graphs.kept_by_habit),
    "GRD509": Oracle(lambda run: [*graphs.graphs_growing(run), *graphs.graph_collected(run)]),
    "GRD510": Oracle(graphs.gradient_graphs_unused),
    # training
    "GRD314": Oracle(training.added_to_used, training.updated_by_hand),
    "GRD617": Oracle(lambda run: [*training.wasted(run), *training.fitted_to_itself(run)]),
    "GRD620": Oracle(training.weighed_with_graph),
    "GRD621": Oracle(training.paired),
    "GRD701": Oracle(training.added_to_used, training.steps_on_mixed),
    "GRD702": Oracle(training.steps_in_vain, training.steps_on_lost),
    "GRD703": Oracle(training.steps_in_vain),
    "GRD704": Oracle(training.never_stepped, training.cleared_and_never_stepped),
    "GRD705": Oracle(training.clipped_late, training.clipped_always_late),
    "GRD706": Oracle(training.clipped_early, training.clipped_before_use),
    "GRD707": _same(training.clipped_scaled),
    "GRD712": Oracle(training.spent, training.parameters_spent),
    "GRD715": _same(training.held_without_grad),
    "GRD716": _same(training.replaced),
    "GRD719": Oracle(training.steps_in_vain, training.steps_without_backward),
    "GRD720": Oracle(training.cleared_unused, training.accumulation_cleared),
    "GRD721": Oracle(training.held_by_none, training.trained_beside),
    "GRD723": Oracle(training.clipped_with_strangers),
    "GRD724": Oracle(training.rebuilt),
    # modules and functions
    "GRD608": Oracle(modules.made_in_forward, modules.made_in_each_forward),
    "GRD614": _same(modules.squashed_twice),
    "GRD801": Oracle(modules.unregistered, modules.several_unregistered),
    "GRD802": Oracle(modules.unregistered, modules.leaf_unregistered),
    "GRD804": Oracle(modules.forward_called, modules.hooks_left_out),
    "GRD805": _same(modules.buffers_asking),
    "GRD807": Oracle(modules.made_in_forward, modules.made_in_each_forward),
    "GRD903": Oracle(modules.kept_on_context, modules.argument_kept_on_context),
    "GRD904": Oracle(modules.inputs_written, modules.inputs_written_unmarked),
}

UNSEEN: dict[str, str] = {
    "GRD616": "whether the gradient is NaN depends on the numbers that come by, and a run has but some",
    "GRD806": "whether running statistics were to stay as they were, nobody sees",
    "GRD808": "what drops in eval mode too shows where a network is evaluated, and a run may only train it",
    "GRD810": "that nothing uses a layer is said of all runs, and a run that does not use it is one of them",
    "GRD913": "gradients that are not averaged show in a group of several processes alone",
}


@dataclass(slots=True)
class Held:
    """What came of holding findings against runs: findings and contradicted ones by rule, and the mistakes that were
    found and missed, by the rule that speaks of them."""

    findings: Counter[str] = field(default_factory=Counter)
    contradicted: Counter[str] = field(default_factory=Counter)
    open: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    contradictions: list[tuple[int, str]] = field(default_factory=list)
    misses: list[tuple[int, str]] = field(default_factory=list)

    def update(self, other: Held) -> None:
        for name in ("findings", "contradicted", "open", "found", "missed"):
            getattr(self, name).update(getattr(other, name))
        self.contradictions += other.contradictions
        self.misses += other.misses


def held(text: str, findings: Sequence[Finding], rules: Sequence[Rule]) -> Held:
    """Hold the findings in a program that runs to its end against its runs. A rule may have yielded to another."""
    out = Held()
    runs = witnessed(text)
    if any(run.error for run in runs):
        return out  # what would have followed nobody sees
    started = set[int]().union(*(run.started for run in runs))
    yields = {rule.code: rule.yields_to for rule in rules}
    for code, oracle in SEEN.items():
        mine = [one for one in findings if one.code == code]
        if mine:
            shown = {row for run in runs for mistake in oracle.shows(run) for row in mistake}
            unsure = {row for run in runs for mistake in (oracle.open or _nowhere)(run) for row in mistake}
            for finding in mine:
                _judge(finding, shown, unsure, started, out)
        if oracle.certain is not None:
            _recall(code, oracle.certain, runs, findings, yields[code], out)
    return out


def _nowhere(run: Run) -> Iterator[Mistake]:
    return iter(())


def rows_of(finding: Finding) -> set[int]:
    """The rows that a finding points at."""
    return {finding.place.row, *(note.place.row for note in finding.notes)}


def _judge(finding: Finding, shown: set[int], unsure: set[int], started: set[int], out: Held) -> None:
    row = finding.place.row
    out.findings[finding.code] += 1
    if rows_of(finding) & shown:
        return
    if row not in started or row in unsure:
        out.open[finding.code] += 1
        return
    out.contradicted[finding.code] += 1
    out.contradictions.append((row, f"{finding.code} {finding.message}"))


def _recall(
    code: str,
    certain: Sight,
    runs: Sequence[Run],
    findings: Sequence[Finding],
    yields: Sequence[str],
    out: Held,
) -> None:
    """What every run shows that comes by there."""
    shown = [{*certain(run)} for run in runs]
    for mistake in set[Mistake]().union(*shown):
        by = [those for those, run in zip(shown, runs, strict=True) if mistake & run.started.keys()]
        if not all(mistake in those for those in by):
            continue
        if any(rows_of(finding) & mistake or finding.code in yields for finding in findings):
            out.found[code] += 1
        else:
            out.missed[code] += 1
            out.misses.append((min(mistake), code))


def unclassed(rules: Sequence[Rule]) -> Iterator[str]:
    """What is wrong with the classes of the rules that are on by default."""
    for rule in rules:
        classes = [rule.code in SEEN, rule.code in UNSEEN, rule.effect in (RAISES, LATER) and rule.code not in SEEN]
        if rule.default and sum(classes) != 1:
            yield f"{rule.code} is in {sum(classes)} classes"
    for code in {*SEEN, *UNSEEN} - {rule.code for rule in rules if rule.default}:
        yield f"{code} is no rule that is on by default"


def table(held: Held) -> Iterator[str]:
    """Lines that say what came of it, rule by rule."""
    for code in sorted(SEEN):
        judged = held.findings[code] - held.open[code]
        told = held.found[code] + held.missed[code]
        recall = f", {held.found[code]} of {told} mistakes found" if told else ""
        if judged or told:
            yield f"{code}: {judged} findings judged, {held.contradicted[code]} contradicted{recall}"
    yield from (f"{code}: not seen in a run: {why}" for code, why in UNSEEN.items())
