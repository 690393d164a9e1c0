"""Rules whose mistake raises nothing, held against what a run shows.

`SEEN` says for each such rule what a run must show at the line where its finding stands (`shows`), and, where that can
be told without gradlint, at which lines a run shows the mistake for certain (`certain`). A finding is contradicted if
its line ran and never showed it; a mistake is missed if every run shows it and nothing is reported there.

Every rule that is on by default is in one of three classes: it says that a line raises, it is in `SEEN`, or in
`UNSEEN`, with the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gradlint.finding import Finding
from gradlint.fixes import SAFE, UNSAFE, apply
from gradlint.rule import Rule
from gradlint.testing.agreement import seeing as see
from gradlint.testing.agreement.witness import Run, witnessed

RAISES = "raises"


@dataclass(frozen=True, slots=True)
class Oracle:
    """What a run shows where a finding of a rule stands; `certain` is where the mistake shows whatever gradlint says
    (None: that cannot be told from a run), `open` where a run cannot contradict."""

    shows: see.Sight
    certain: see.Sight | None = None
    open: see.Sight | None = None


def _same(sight: see.Sight) -> Oracle:
    return Oracle(sight, sight)


SEEN: dict[str, Oracle] = {
    # attributes and methods without effect
    "GRD103": Oracle(see.set_in_vain, see.misspelled),
    "GRD104": Oracle(see.set_in_vain, see.flag_of_module_set),
    "GRD106": Oracle(see.looked_at),
    "GRD107": Oracle(see.set_in_vain, see.method_hidden),
    "GRD402": _same(see.mode_dropped),
    "GRD606": Oracle(see.looked_at, see.uncalled),
    "GRD607": Oracle(see.result_dropped, see.change_dropped),
    # asked of what does not listen
    "GRD108": Oracle(see.asked_of_entries, see.entries_frozen),
    "GRD110": _same(see.asked_late),
    "GRD112": Oracle(see.root_asked, see.computed_root_asked),
    "GRD114": Oracle(see.unfrozen, see.unfrozen_at_once),
    "GRD122": Oracle(see.asked_of_clone, see.asked_of_plain_clone),
    # gradients that are not there
    "GRD120": Oracle(see.made_what_has_none),
    "GRD121": Oracle(see.made_what_has_none, see.parameter_moved),
    "GRD124": Oracle(see.made_what_has_none),
    "GRD201": Oracle(see.non_leaf_read, see.non_leaf_always_read),
    "GRD204": Oracle(see.grad_dropped, see.grad_dropped_and_wanted),
    "GRD206": Oracle(see.retained_late, see.retained_after_backward),
    "GRD605": Oracle(see.nothing_arrives, see.flat_everywhere),
    "GRD609": Oracle(see.computed_wrapped, see.computed_wrapped_in_forward),
    "GRD612": Oracle(see.grads_without_graph),
    "GRD618": Oracle(see.stepped_without),
    # what torch warns about
    "GRD115": Oracle(see.warning("volatile was removed and now has no effect")),
    "GRD123": Oracle(see.warning("To copy construct from a tensor"), see.copied),
    "GRD506": Oracle(see.warning("will create a reference cycle"), see.circles),
    "GRD710": Oracle(see.warning("Detected call of `lr_scheduler.step()` before `optimizer.step()`")),
    "GRD912": _same(see.warning("None of the inputs have requires_grad=True")),
    # memory that is shared
    "GRD210": _same(see.aliases_compared),
    "GRD211": _same(see.hooks_writing),
    "GRD306": Oracle(see.rebound, see.rebound_unread),
    "GRD307": Oracle(see.rebound, see.rebound_unread),
    "GRD309": _same(see.spoiled),
    "GRD310": _same(see.state_changed),
    # modes
    "GRD401": _same(see.evaluated_with_graph),
    "GRD405": Oracle(see.left_off, see.left_off_with_result),
    "GRD406": Oracle(see.left_on, see.left_on, see.always_entered_on),
    "GRD410": _same(see.yielded_off),
    "GRD412": Oracle(see.trained_in_eval),
    "GRD413": Oracle(see.stepped_in_eval),
    # graphs that stay
    "GRD501": Oracle(see.graphs_growing, see.sums_growing),
    "GRD502": Oracle(see.graph_collected, see.graphs_collected_in_vain),
    "GRD504": Oracle(see.kept_for_nothing, see.kept_by_habit),
    "GRD509": Oracle(lambda run: [*see.graphs_growing(run), *see.graph_collected(run)]),
    # training
    "GRD314": Oracle(see.added_to_used),
    "GRD617": Oracle(see.wasted),
    "GRD701": Oracle(see.added_to_used, see.steps_on_mixed),
    "GRD702": Oracle(see.steps_in_vain, see.steps_on_lost),
    "GRD703": Oracle(see.steps_in_vain),
    "GRD704": Oracle(see.never_stepped, see.cleared_and_never_stepped),
    "GRD705": Oracle(see.clipped_late, see.clipped_always_late),
    "GRD706": Oracle(see.clipped_early, see.clipped_before_use),
    "GRD707": _same(see.clipped_scaled),
    "GRD712": Oracle(see.spent, see.parameters_spent),
    "GRD715": _same(see.held_without_grad),
    "GRD716": _same(see.replaced),
    "GRD719": Oracle(see.steps_in_vain, see.steps_without_backward),
    "GRD720": Oracle(see.cleared_unused, see.accumulation_cleared),
    "GRD721": Oracle(see.held_by_none),
    # modules and functions
    "GRD608": Oracle(see.made_in_forward, see.made_in_each_forward),
    "GRD614": _same(see.squashed_twice),
    "GRD801": Oracle(see.unregistered, see.several_unregistered),
    "GRD802": Oracle(see.unregistered, see.leaf_unregistered),
    "GRD804": _same(see.forward_called),
    "GRD805": _same(see.buffers_asking),
    "GRD807": Oracle(see.made_in_forward, see.made_in_each_forward),
    "GRD903": Oracle(see.kept_on_context, see.argument_kept_on_context),
    "GRD904": Oracle(see.inputs_written),
}

UNSEEN: dict[str, str] = {
    "GRD616": "whether the gradient is NaN depends on the numbers that come by, and a run has but some",
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
    cured: Counter[tuple[str, bool]] = field(default_factory=Counter)
    faults: list[tuple[str, int, str]] = field(default_factory=list)
    """Contradictions, misses and cures that cure nothing: which, at which row, in words."""

    def update(self, other: Held) -> None:
        for name in ("findings", "contradicted", "open", "found", "missed", "cured"):
            getattr(self, name).update(getattr(other, name))
        self.faults += other.faults


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


def _nowhere(run: Run) -> Iterator[see.Mistake]:
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
    out.faults.append(("contradicted", row, f"{finding.code} {finding.message}"))


def _recall(
    code: str,
    certain: see.Sight,
    runs: Sequence[Run],
    findings: Sequence[Finding],
    yields: Sequence[str],
    out: Held,
) -> None:
    """What every run shows that comes by there."""
    shown = [{*certain(run)} for run in runs]
    for mistake in set[see.Mistake]().union(*shown):
        by = [those for those, run in zip(shown, runs, strict=True) if mistake & run.started.keys()]
        if not all(mistake in those for those in by):
            continue
        if any(rows_of(finding) & mistake or finding.code in yields for finding in findings):
            out.found[code] += 1
        else:
            out.missed[code] += 1
            out.faults.append(("missed", min(mistake), f"{code} shows and is not reported"))


def unclassed(rules: Sequence[Rule]) -> Iterator[str]:
    """What is wrong with the classes of the rules that are on by default."""
    for rule in rules:
        classes = [rule.code in SEEN, rule.code in UNSEEN, rule.effect == RAISES and rule.code not in SEEN]
        if rule.default and sum(classes) != 1:
            yield f"{rule.code} is in {sum(classes)} classes"
    for code in {*SEEN, *UNSEEN} - {rule.code for rule in rules if rule.default}:
        yield f"{code} is no rule that is on by default"


def cured(text: str, findings: Sequence[Finding]) -> str:
    """The program with the fixes of these findings made."""
    return apply(text, findings, (SAFE, UNSAFE)).text
