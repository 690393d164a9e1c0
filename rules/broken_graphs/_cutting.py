"""Cuts behind roots without a graph, for the rules on these: where the history was cut, and which rule speaks of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set

from gradlint.domain import MAYBE, NO, YES, AskKind, Cause, CauseKind, CutKind, Syntax, Tensor
from gradlint.events import BackwardRun, Event, ModuleFinished, Recorded, RequiresGradChanged, WrittenInPlace
from gradlint.rule import LIKELY, Draft, Findings, Rule, is_in_loops_of, is_under_more_tests, quoted

from ._terms import CUT, ON_PURPOSE, Loss, Sum, Term, losses

_SPOKEN_OF_FIRST = (
    CutKind.DIFFERENTIATED,
    CutKind.COPIED,
    CutKind.OPERATION,
    CutKind.NUMBER,
    CutKind.DETACHED,
    CutKind.MODE,
    CutKind.PARAMETER,
)
"""The order in which cuts are spoken of: what is meant most often, as detaching a target is, comes last."""

EXTREMES = frozenset({"max", "amax", "min", "amin"})
METHODS = frozenset({"item", "tolist", "detach", "detach_", "numpy", "sample", "state_dict"})
SAMPLE = "sample"
"""The operation that draws from a distribution without recording it."""


def kind_of(mark: Cause) -> AskKind | CutKind | None:
    """Return the kind of a cut; gradients that were enabled in vain are off all the same."""
    return CutKind.MODE if mark.how is CutKind.IN_VAIN else mark.how


def cut_by(kind: CutKind, marks: Iterable[Cause]) -> Cause | None:
    """The cut of this kind, unless there is one of a kind that is spoken of first."""
    cuts = {kind_of(mark): mark for mark in reversed(tuple(marks)) if mark.kind == CauseKind.CUT}
    first = next((one for one in _SPOKEN_OF_FIRST if one in cuts), None)
    return cuts[kind] if first is kind else None


def spelled(mark: Cause) -> str:
    """Return the spelling of a cut in the program."""
    if mark.by == "data":
        return "`.data`"
    word = str(mark.how) if kind_of(mark) is CutKind.MODE else mark.by.removeprefix("builtins.")
    return f"`.{word}()`" if mark.by in METHODS else f"`{word}()`"


def root_cut_by(rule: Rule, kind: CutKind, event: BackwardRun, note: str) -> Findings:
    """A finding at a backward whose root certainly has no graph, because of a cut of this kind."""
    if event.root.requires_grad <= NO and (mark := cut_by(kind, event.root.causes)) is not None:
        name = quoted(event.name, "the output")
        yield with_cuts(rule.at(event.node, name=name, cut=spelled(mark)), mark, note)


def roots_cut_on_one_path(rule: Rule, kind: CutKind, end: ModuleFinished, note: str) -> Findings:
    """Yield findings at backwards whose root has no graph if the run came by a cut of this kind, which stands under a
    test that the backward does not ask for; nothing is asked to require grad again in between. What one round of a loop
    cut, a backward behind the loop gets with what the other rounds have recorded."""
    first: dict[tuple[int, Syntax], tuple[int, Event]] = {}
    asked: dict[int, int] = {}
    for place, event in enumerate(end.story):
        first.setdefault((event.run, event.node), (place, event))
        if isinstance(event, RequiresGradChanged) and event.to.may(YES):
            asked[event.run] = place
        if not isinstance(event, BackwardRun) or event.expected or event.after_error:
            continue
        mark = cut_by(kind, event.root.causes) if event.root.requires_grad is MAYBE else None
        since, cut = first.get((event.run, mark.node), (0, None)) if mark is not None else (0, None)
        if not (mark and cut and is_under_more_tests(cut, event) and is_in_loops_of(cut, event)):
            continue
        if asked.get(event.run, -1) < since:
            name = quoted(event.name, "the output")
            draft = with_cuts(rule.at(event.node, name=f"on one path {name}", cut=spelled(mark)), mark, note)
            yield draft.resting_on(event, cut).lowered(LIKELY, "the two may never happen in one run")


def constant_terms(end: ModuleFinished, ops: frozenset[str]) -> Iterator[tuple[tuple[Cause, ...], Sum]]:
    """The cuts behind each number without a graph that an operation of these adds to what is differentiated, and behind
    each constant term of a loss, with where it is added. What is detached right there is a constant on purpose, and so
    is what was subtracted before (as the exponents of a sum are, by their largest)."""
    known = losses(end)
    shifted = {id(term.sum) for loss in known if loss.is_shifted for term in loss.terms}
    elsewhere = {id(term.tensor) for loss in known for term in loss.constants if is_cut_elsewhere(term)}
    for event in end.story:
        if not isinstance(event, (Recorded, WrittenInPlace)) or event.op.rstrip("_") not in ops or id(event) in shifted:
            continue
        total = event.result if isinstance(event, Recorded) else event.target
        if not (total.requires_grad <= YES and all(node and node.key in end.used for node in total.node)):
            continue
        beside = {mark for other in event.operands if other.requires_grad.may(YES) for mark in other.causes}
        for term in event.operands:
            is_number = term.scalar <= YES and id(term) not in elsewhere
            if is_number and term.requires_grad <= NO and term.made not in ON_PURPOSE:
                yield _not_meant(term, beside), event
        if total.scalar <= YES:
            yield tuple(mark for mark in event.numbers if mark not in beside), event
    for loss in known:
        yield from _of_loss(loss)


def _of_loss(loss: Loss) -> Iterator[tuple[tuple[Cause, ...], Sum]]:
    """The cuts behind each constant term of a loss, and where it is added."""
    graphs = [term.tensor for term in loss.terms if term.tensor is not None and not term.is_constant]
    beside = {mark for one in graphs for mark in one.causes}
    for term in loss.constants:
        if term.sum is None or is_on_purpose(term, loss) or is_cut_elsewhere(term):
            continue
        if term.tensor is None:
            yield tuple(mark for mark in term.marks if mark not in beside), term.sum
        else:
            yield _not_meant(term.tensor, beside), term.sum


def is_cut_elsewhere(term: Term) -> bool:
    """Return whether the first cut behind a term left no mark, as that of a tensor does that unseen code gave."""
    return term.cut is not None and all(mark.node is not term.cut for mark in term.marks)


def is_on_purpose(term: Term, loss: Loss) -> bool:
    """Return whether a term is detached where it is added: elsewhere it was so that others see no graph."""
    on_purpose = term.tensor is not None and term.tensor.made in ON_PURPOSE
    return on_purpose and not (term.handed and term.way(loss.trained) is CUT)


def _not_meant(term: Tensor, beside: Set[Cause]) -> tuple[Cause, ...]:
    cuts = (mark for mark in term.causes if mark.kind == CauseKind.CUT)
    return tuple(mark for mark in cuts if term.made not in EXTREMES or mark not in beside)


def terms_cut_by(kind: CutKind, end: ModuleFinished) -> Iterator[tuple[Cause, Sum]]:
    """The cuts of this kind by which a term of a loss is a constant, and where it is added."""
    for marks, event in constant_terms(end, frozenset({"add"})):
        if (mark := cut_by(kind, marks)) is not None:
            yield mark, event


def added(draft: Draft, event: Sum) -> Draft:
    """The finding at the cut of a term, with a note where that is added."""
    draft = draft.note(event.node, "added here as a constant") if event.node is not draft.node else draft
    return draft.doing("wrong result").resting_on(event).lowered(LIKELY, "a constant term may be meant")


def with_cuts(draft: Draft, mark: Cause, note: str) -> Draft:
    """The finding with a note at the cut."""
    return draft.note(mark.node, note) if mark.node is not draft.node else draft
