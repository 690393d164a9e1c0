"""Where rules are undecided: they found nothing, and would have if all that is unsure had spoken for it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from gradlint import linter, registry
from gradlint.coverage import Coverage, Covered
from gradlint.domain import DISCRETE, NO, UNSURE, YES, Fact, Truth
from gradlint.events import BackwardRun, Event, LoopFinished, ModuleCalled, ModuleFinished, RequiresGradChanged
from gradlint.finding import Place
from gradlint.report import coverage as report
from gradlint.rule import Draft, Rule
from gradlint.testing.widening import heard_events
from gradlint.undecided import InFavour, in_favour, undecided

PACKS = registry.packs()
ASKED = (
    "import torch\n"
    "from elsewhere import numbers, again\n"
    "torch.tensor([1, 2]).requires_grad_()\n"
    "torch.tensor([1.0]).requires_grad_()\n"
    "torch.tensor(numbers).requires_grad_()\n"
    "torch.tensor(numbers).requires_grad_(again)\n"
)


def rule_of(kind: type[Event], *checks) -> Rule:
    rule = Rule("ABC101", "planted", "message")
    for check in checks:
        rule.on(kind)(check)
    return rule


def rows(text: str, rule: Rule) -> list[int]:
    found = linter.surveyed(text, partial(undecided, rules=[rule]), packs=PACKS)
    return [place.row for _, place in found.undecided]


def of_whole_numbers(event: RequiresGradChanged) -> Iterator[Draft]:
    if event.to <= YES and event.tensor.dtype <= DISCRETE:
        yield Draft(Rule("ABC101", "planted", "message"), event.node, "m", "error")


def test_a_rule_is_undecided_where_a_fact_that_it_asks_for_is_unsure():
    """Not where it reports, nor where a fact says no."""
    assert rows(ASKED, rule_of(RequiresGradChanged, of_whole_numbers)) == [5, 6]


def test_what_says_no_decides_whatever_else_is_unsure():
    def check(event: RequiresGradChanged) -> Iterator[Draft]:
        if not event.tensor.dtype <= DISCRETE and event.tensor.requires_grad <= YES:
            yield Draft(Rule("ABC101", "planted", "message"), event.node, "m", "error")

    assert rows(ASKED, rule_of(RequiresGradChanged, check)) == []


@pytest.mark.parametrize(
    "ask", [lambda fact: fact <= YES, lambda fact: fact.possibly(YES), lambda fact: not fact.may(NO)]
)
def test_however_it_asks(ask):
    def check(event: RequiresGradChanged) -> Iterator[Draft]:
        if ask(event.to):
            yield Draft(Rule("ABC101", "planted", "message"), event.node, "m", "error")

    assert rows(ASKED, rule_of(RequiresGradChanged, check)) == [6]


def test_in_a_story_it_is_the_event_that_was_looked_at():
    def check(event: LoopFinished) -> Iterator[Draft]:
        for part in event.story:
            if isinstance(part, ModuleCalled) and part.grad_mode <= NO:
                yield Draft(Rule("ABC101", "planted", "message"), part.node, "m", "error")

    text = (
        "import torch\n"
        "def f(net: torch.nn.Module, quiet, xs):\n"
        "    for x in xs:\n"
        "        net(x)\n"
        "        with torch.set_grad_enabled(quiet):\n"
        "            net(x + 1)\n"
        "        with torch.no_grad():\n"
        "            net(x + 2)\n"
    )
    assert 6 in rows(text, rule_of(LoopFinished, check)) and 8 not in rows(text, rule_of(LoopFinished, check))


def test_where_nothing_would_be_found_it_is_not_undecided():
    """The rule asks at every call what nobody knows, and finds nothing as there is no backward."""

    def check(event: LoopFinished) -> Iterator[Draft]:
        called = [one for one in event.story if type(one) is ModuleCalled and one.grad_mode <= NO]
        if any(type(one) is BackwardRun for one in event.story):
            yield from (Draft(Rule("ABC101", "planted", "message"), one.node, "m", "error") for one in called)

    text = (
        "import torch\n"
        "def f(net: torch.nn.Module, quiet, xs):\n"
        "    for x in xs:\n"
        "        with torch.set_grad_enabled(quiet):\n"
        "            y = net(x)\n"
    )
    assert rows(text, rule_of(LoopFinished, check)) == []
    assert rows(f"{text}        y.sum().backward()\n", rule_of(LoopFinished, check)) == [5]


@pytest.mark.parametrize("kind", Fact.__subclasses__(), ids=lambda kind: kind.__name__)
def test_in_favour_is_what_the_rest_of_a_fact_allows(kind: type[Fact]):
    """It certainly holds, and some path showed it, if there are answers that nobody saw that would make it so."""
    every = [kind.of(bits) for bits in range(1 << len(kind.names))]
    for shown in every:
        decided = in_favour(shown | kind.unsure())
        assert not decided.is_unsure and type(decided | decided) is kind
        for asked in every[1:]:
            assert (decided <= asked) == (shown.is_empty or shown <= asked)
            assert decided.possibly(asked) and decided.may(asked) == shown.may(asked)


def test_what_stands_in_several_places_stands_in_the_copy_once():
    part = events_of(ASKED, RequiresGradChanged)[-1]
    story = events_of(ASKED, ModuleFinished)[0]
    copied, copies = InFavour(), InFavour()
    assert copied((part, (part,)))[0] is copied((part, (part,)))[1][0] is not part
    assert copies(story) is copies(story) and copies(YES) is YES
    assert [one.node for one in copies(story).story] == [one.node for one in story.story]


def events_of(text: str, kind: type[Event]) -> list[Event]:
    return [event for event in heard_events(text) if type(event) is kind]


def test_facts_answer_as_before_afterwards_even_if_a_rule_fails():
    def check(event: RequiresGradChanged) -> Iterator[Draft]:
        raise ZeroDivisionError

    before = [vars(Fact)[name] for name in ("__le__", "possibly", "may")]
    with pytest.raises(ZeroDivisionError):
        rows(ASKED, rule_of(RequiresGradChanged, check))
    assert [vars(Fact)[name] for name in ("__le__", "possibly", "may")] == before
    assert (UNSURE <= YES, UNSURE.possibly(YES), UNSURE.may(YES), Truth.named("yes") <= YES) == (
        False,
        False,
        True,
        True,
    )


def test_our_rules_are_undecided_about_what_comes_from_elsewhere():
    found = linter.surveyed(ASKED, partial(undecided, rules=registry.rules()), packs=PACKS).undecided
    assert {place.row for code, place in found if code == "GRD101"} == {5, 6}


def test_the_most_frequent_come_first_with_places():
    at = [Place(row, 1, row, 2) for row in range(1, 6)]
    files = (
        Covered("a.py", undecided=(("GRD101", at[0]), *(("GRD401", place) for place in at[:3]))),
        Covered("b.py", undecided=(("GRD401", at[4]),)),
    )
    coverage = Coverage(files)
    assert [(code, len(places)) for code, places in coverage.undecided()] == [("GRD401", 4), ("GRD101", 1)]
    told = report.text(coverage, 40)
    assert "     4  GRD401  a.py:1, a.py:2, a.py:3, ...\n     1  GRD101  a.py:1\n" in told
