"""Calls that are not run again give what running them gives."""

import random
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest

from gradlint import linter, registry
from gradlint.domain import UNKNOWN, YES, Cause, CauseKind, Constant, Fact, Instance, Ref, Tensor, replace
from gradlint.domain.fields import Join, Key, declarations
from gradlint.domain.keys import IN_KEY
from gradlint.domain.objects import Object
from gradlint.events import Run
from gradlint.finding import Confidence
from gradlint.interpreter.engine import call_keys, call_summaries
from gradlint.interpreter.engine.call_keys import Given
from gradlint.interpreter.engine.circumstances import LoopNest
from gradlint.interpreter.engine.event_log import EventLog
from gradlint.testing.programs import revealed, spell
from tests import two_calls

ROOT = Path(__file__).parent
RULES = registry.rules()
TEXTS = sorted([*(ROOT / "cases").glob("*.py"), *(ROOT / "programs").glob("*.py"), *(ROOT / "packs").glob("*.py")])


def findings(text):
    found = linter.lint(text, RULES, min_confidence=Confidence.POSSIBLE)
    return [(one.place, one.code, one.message, one.confidence) for one in found]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("path", TEXTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_findings_are_the_same_without_summaries(path, monkeypatch: pytest.MonkeyPatch):
    text = path.read_text(encoding="utf-8")
    with_summaries = findings(text)
    monkeypatch.setattr(call_summaries, "recall", lambda it, node, call: None)
    assert findings(text) == with_summaries


def test_what_happens_in_a_call_is_told_although_the_pass_of_the_loop_was_not():
    text = """
import torch

def ones(size):
    return torch.ones(size, dtype=torch.int64).requires_grad_()

for fold in range(3):
    total = 0
    for epoch in range(3):
        for batch in range(3):
            total = total + ones(2)
"""
    assert [code for _, code, _, _ in findings(text)] == ["GRD101"]


def test_what_a_pass_noted_of_calls_is_forgotten_with_it():
    """The runs in which those calls are have gone, and others have their numbers."""
    log = EventLog(listen=lambda event: None, trace=None)
    log.alike["before", "call", 1] = None
    with log.held_back() as forget:
        log.runs.append(Run(2, None, None, YES, ()))
        log.alike["first", "second", 2] = None
        forget()
    assert (log.runs, [*log.alike]) == ([], [("before", "call", 1)])


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("return x * 2", "Tensor[float, requires_grad=yes, leaf=no]"),
        ("return x.detach() * 2", "Tensor[float, requires_grad=no, leaf=yes]"),
        ("return torch.stack([x, x])[0].argmax()", "Tensor[integer, requires_grad=no, leaf=yes]"),
        ("return {'a': x * 2, 'b': 1}['a']", "Tensor[float, requires_grad=yes, leaf=no]"),
    ],
)
def test_a_second_call_gives_what_the_first_gave(body, result):
    text = f"""
import torch

def f(x):
    {body}

weight = torch.ones(2, requires_grad=True)
first = f(weight * 1.0)
second = f(weight * 3.0)
reveal(second)
"""
    assert [str(thing) for thing in revealed(text).values()] == [result]


def test_the_gradient_goes_through_a_recalled_call():
    text = """
import torch

def f(x):
    return (x * 2).tanh()

weight = torch.ones(2, requires_grad=True)
other = torch.ones(2, requires_grad=True)
f(weight)
f(other).sum().backward()
reveal(other.grad)
reveal(weight.grad)
"""
    there, missing = revealed(text).values()
    assert str(there).startswith("Tensor") and str(missing) == "Const(None)"


def test_a_bound_that_only_a_recalled_call_hit_is_counted():
    text = """
def f(x):
    return f(x)

for fold in range(3):
    total = 0
    for epoch in range(3):
        for batch in range(3):
            total = total + f(2)
"""
    counts = dict(linter.analyse(text, ()).counts)
    assert counts["bound: recursion"] > 0


# ---- the key of a call

FIRST, SECOND = Ref(1, "tensor", 0), Ref(2, "tensor", 0)
HEAP = {FIRST: Tensor(), SECOND: Tensor(scalar=Tensor().scalar.named("yes"))}
"""Two objects that differ."""


def key(thing: Object) -> Any:
    """What the key of a call has of an argument."""
    ref = Ref(3, "argument", 0)
    it: Any = SimpleNamespace(state=SimpleNamespace(heap=HEAP | {ref: thing}), loops=LoopNest())
    return Given(it).key(ref)


def others(known: Any, join: Join) -> Iterator[Any]:
    """Other values of a field that holds this one and joins like this."""
    if join in (Join.ALTERNATIVES, Join.PERHAPS, Join.CERTAIN):
        yield from ((FIRST,), (SECOND,), (FIRST, SECOND), (FIRST._replace(recency=2),))
        yield from ((None,), (FIRST, None)) if join is Join.PERHAPS else ()
    elif join is Join.ITEMS:
        yield from (
            (("a", FIRST),),
            (("b", FIRST),),
            (("a", SECOND),),
            (("a", Constant(1)),),
            (("a", FIRST), ("b", FIRST)),
        )
    elif join is Join.VALUE:
        yield from (FIRST, SECOND, Constant(None), Constant(1), UNKNOWN)
    elif join is Join.MARKS:
        yield from (
            (Cause(CauseKind.MADE, 1),),
            (Cause(CauseKind.MADE, 2),),
            (Cause(CauseKind.ASKED, 1),),
            (Cause(CauseKind.MADE, 1, "ones"),),
        )
    elif join is Join.NAMES:
        yield from (frozenset({"a"}), frozenset({"b"}))
    elif isinstance(known, Fact):
        yield from type(known)._every
    else:
        yield from OTHERS[type(known)]


OTHERS: dict[type, list[Any]] = {
    bool: [False, True],
    str: ["", "add", "mul"],
    type(None): [None, (), (1,), (2,)],
    type(Tensor().belief): list(type(Tensor().belief)),
}
NUMBERED_ALONE = {((FIRST,), (SECOND,))}
"""What differs in the identity of one object that nothing else mentions is the same."""
STANDING_FOR_THEMSELVES = {(Instance, "cls"), (Instance, "attributes")}
"""An instance is described only where these are empty."""
FIELDS = [
    (cls, one.name, says)
    for cls in get_args(Object)
    if IN_KEY[cls] is not None
    for one, says in declarations(cls)
    if (cls, one.name) not in STANDING_FOR_THEMSELVES
]


@pytest.mark.parametrize(("cls", "name", "says"), FIELDS, ids=[f"{cls.__name__}-{name}" for cls, name, _ in FIELDS])
def test_two_arguments_that_differ_in_any_field_have_different_keys(cls, name, says):
    thing = cls(kind="list") if "kind" in cls.__slots__ else cls()
    known = getattr(thing, name)
    things = {value: replace(thing, **{name: value}) for value in others(known, says.join)}
    assert len(things) > 1
    for (one, first), (two, second) in product(things.items(), things.items()):
        same = one == two or (says.key is Key.NUMBERED and (one, two) in NUMBERED_BOTH_WAYS)
        assert (key(first) == key(second)) == same, (one, two)


NUMBERED_BOTH_WAYS = NUMBERED_ALONE | {(two, one) for one, two in NUMBERED_ALONE}


@pytest.mark.parametrize("name", [one.name for one, says in declarations(Tensor) if says.key is Key.NUMBERED])
def test_arguments_that_share_are_told_from_those_that_do_not(name):
    def keys(*slots):
        heap = {Ref(10 + i, "argument", 0): Tensor(**{name: slot}) for i, slot in enumerate(slots)}
        it: Any = SimpleNamespace(state=SimpleNamespace(heap=heap), loops=LoopNest())
        given = Given(it)
        return [given.key(ref) for ref in heap]

    assert keys((FIRST,), (FIRST,)) == keys((SECOND,), (SECOND,)) != keys((FIRST,), (SECOND,))


# ---- two calls of one helper


def known(text: str) -> list[Any]:
    """What is found in a program and revealed by it."""
    return [*findings(text), *((row, facts(thing)) for row, thing in revealed.__wrapped__(text).items())]


def facts(thing: Any) -> Any:
    """What is known of an object but for what it mentions and where that was made."""
    if not isinstance(thing, Object):
        return spell(thing)
    told = IN_KEY[type(thing)]
    shown = told.itself(thing) if told is not None else ()
    return str(thing), [str(fact) for fact in shown if not isinstance(fact, tuple)]


def sampled(count: int, *parts: Any) -> list[tuple[str, ...]]:
    """Some of all combinations, always the same."""
    return random.Random(0).sample(list(product(*parts)), count)


TWO = [
    two_calls.of_two_arguments(*names)
    for names in [
        *product(["leaf"], ["double", "half", "cuda"], ["double", "cuda"], ["backward"]),
        *sampled(25, two_calls.ARGUMENTS, two_calls.ARGUMENTS, two_calls.BODIES, two_calls.AFTER),
    ]
]
ONE_KIND = [
    two_calls.of_one_kind(*names)
    for names in sampled(
        60, two_calls.MADE, two_calls.BETWEEN, ("one", "two"), two_calls.BODIES, ("", "backward", "all", "third")
    )
]


@pytest.mark.parametrize("text", [*TWO, *ONE_KIND], ids=range(len(TWO) + len(ONE_KIND)))
def test_two_calls_of_a_helper_give_the_same_without_summaries(text, monkeypatch: pytest.MonkeyPatch):
    with_summaries = known(text)
    monkeypatch.setattr(call_summaries, "recall", lambda it, node, call: None)
    assert known(text) == with_summaries


@pytest.mark.parametrize("most", [0, 1, 2])
@pytest.mark.parametrize(
    "change",
    ["pair[1][0] = w", "pair[1].insert(0, w)", "pair[1] = [w]", "pair[1][0].requires_grad_()", "pair[1] = pair[2]"],
)
def test_what_is_described_no_more_is_known_all_the_same(change, most, monkeypatch: pytest.MonkeyPatch):
    """A container that is beyond the bound may have been changed between two calls."""
    text = f"""\
import torch

def total(parts):
    return parts[1][0] * 2

w = torch.ones(2, requires_grad=True)
pair = [[1], [torch.ones(2)], [w]]
first = total(pair)
{change}
second = total(pair)
reveal(first, second)
second.sum().backward()
first.sum().backward()
"""
    described = known(text)
    monkeypatch.setattr(call_keys, "MOST_DESCRIBED", most)
    assert known(text) == described
    assert [code for _, code, *_ in findings(text)] == ["GRD619"]
