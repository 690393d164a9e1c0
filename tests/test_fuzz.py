"""gradlint and torch agree on programs that nobody wrote by hand."""

from __future__ import annotations

import ast
import os
import random
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from gradlint.interpreter.engine import escape
from gradlint.knowledge.schema import Result
from gradlint.testing.measuring import TABLES
from tests.fuzz import compare, mutants, programs, unseen
from tests.fuzz.comparing import Compared
from tests.fuzz.exercising import AREAS
from tests.fuzz.foreign import foreign
from tests.fuzz.mutants import CHANGES, Place
from tests.fuzz.revealing import with_reveals
from tests.fuzz.shrinking import shrunk
from tests.fuzz.table import ENOUGH, ENOUGH_STATEMENTS, Total
from tests.fuzz.tasks import Written, work
from tests.fuzz.working import Lost, shared_out
from tests.fuzz.writing import Writer
from tests.test_semantics import PROGRAMS, TODO

HERE = Path(__file__).parent
FIRST, FIXED, FRESH, LEFT_TO_CHANCE, MUTATED = 100, 2_000, 300, 300, 300
"""How many programs each net holds; the `FIRST` of each are its sample."""
FIRST_UNSEEN, UNSEEN = 8, 100
"""The same of programs that hand things to each kind of unseen code."""
FEW = {"knowledge rows": 0.15, "kinds of syntax": 0.6, "types of events": 0.9, "typestate transitions": 0.6}
"""What share of each area the first programs exercise at least."""
LONGEST, MOST_LOST = 60.0, 3
"""How many seconds a program may take, and how many may take longer (torch itself waits for ever now and then)."""
SEED = "agreement"
NEW_SEED = os.environ.get("AGREEMENT_SEED") or str(random.SystemRandom().randrange(1_000_000_000))
MOST_DISAGREEING = 1
"""In how many of the fresh programs anything may disagree: about one in ten thousand still does, and a change is not
to fail by what it did not do. Of the fixed ones none may."""


def test_what_is_asked_behind_a_colon() -> None:
    """A `reveal` on the line of an `except` or an `if` is asked like any other."""
    text = "import torch\nw = torch.ones(2, requires_grad=True)\ntry:\n    w.add_(1)\nexcept RuntimeError: reveal(w)\n"
    found = compare(text + "if w.requires_grad: reveal(w * 2)\n")
    assert not found.disagreements
    assert found.facts["leaf"] == 2


@pytest.mark.parametrize(("none", "counted"), [("weight.grad", 1), ("print()", 0)])
def test_only_a_gradient_that_is_none_is_a_refusal_of_autograd(none: str, counted: int) -> None:
    text = f"import torch\nweight = torch.ones(2, requires_grad=True)\n{none}.zero_()\n"
    assert compare(text).refusals.total() == counted


@cache
def known() -> frozenset[tuple[str, str]]:
    """The sorts of disagreements that programs show which are not mended yet."""
    texts = (path.read_text(encoding="utf-8") for path in PROGRAMS)
    return frozenset(
        one.sort for text in texts if text.startswith(TODO) for one in compare(text, held=True).disagreements
    )


@cache
def _compared(programs: tuple[Written, ...]) -> tuple[tuple[str, Compared | Lost], ...]:
    """What came of programs. They run in processes of their own: one that never ends is lost by name."""
    workers = 1 if len(programs) <= FIRST else os.cpu_count() or 1
    found = shared_out(work, programs, workers, LONGEST)
    return tuple(zip((one.name for one in programs), found, strict=True))


def _written(seed: str, numbers: range, share: float = 0.0, *, mutated: bool = False) -> tuple[Written, ...]:
    return tuple(Written(f"{seed}:{number}", share=share, mutated=mutated) for number in numbers)


def in_two_parts(count: int) -> pytest.MarkDecorator:
    """Parametrise over the first programs of a net, which are its sample, and the others."""
    return pytest.mark.parametrize("numbers", [range(FIRST), range(FIRST, count)], ids=["first", "others"])


def _disagreeing(programs: tuple[Written, ...]) -> tuple[set[str], list[str]]:
    """The programs that disagree at all, and what is new of it, in words that lead to it."""
    names, new, lost = set[str](), [], []
    for name, found in _compared(programs):
        if isinstance(found, Lost):
            lost.append(f"{name}: {found.why}")
            continue
        for one in found.disagreements:
            names.add(name)
            if one.sort not in known():
                new.append(f"{name}: {one.what}")
    for one in lost:
        warnings.warn(one, stacklevel=1)
    assert len(lost) <= MOST_LOST
    return names, new


@pytest.mark.sampled(1)
@in_two_parts(FIXED)
def test_programs_from_the_fixed_seed(numbers: range) -> None:
    """They agree, are long, and exercise what they are there for."""
    programs = _written(SEED, numbers)
    names, new = _disagreeing(programs)
    assert not new, "python -m tests.fuzz --seed agreement"
    assert not names
    total = _together(programs)
    assert total.median() >= ENOUGH_STATEMENTS
    for area in AREAS:
        enough = FEW[area] if numbers.start == 0 else ENOUGH
        assert total.share(area) >= enough, f"{area} not exercised: {', '.join(total.missing(area))}"


@pytest.mark.sampled(1)
@in_two_parts(LEFT_TO_CHANCE)
def test_programs_of_which_a_third_is_left_to_chance(numbers: range) -> None:
    names, _ = _disagreeing(_written(SEED, numbers, 0.3))
    assert not names, "python -m tests.fuzz --seed agreement --chance 0.3"


@pytest.mark.sampled(1)
@in_two_parts(MUTATED)
def test_programs_that_are_changed_in_a_few_places(numbers: range) -> None:
    names, _ = _disagreeing(_written(SEED, numbers, mutated=True))
    assert not names, "python -m tests.fuzz --seed agreement --mutated"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("numbers", [range(FIRST_UNSEEN), range(FIRST_UNSEEN, UNSEEN)], ids=["first", "others"])
def test_programs_that_hand_things_to_unseen_code(numbers: range) -> None:
    """What is certain holds whatever that does, and what is likely where it only reads, keeps or returns."""
    programs = [Written(f"{SEED}:{number}", unseen=kind) for kind in unseen.KINDS for number in numbers]
    _, new = _disagreeing(tuple(programs))
    assert not new, "python -m tests.fuzz --seed agreement --unseen any (or harmless)"


def test_an_engine_that_keeps_what_unseen_code_may_change_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(escape, "after_unseen_code", lambda thing: thing)
    found = (work(Written(f"planted:{number}", unseen="any")) for number in range(100))
    assert any(one.sort[0] == "fact" for compared in found for one in compared.disagreements)


@pytest.mark.parametrize("change", dict.fromkeys(CHANGES), ids=lambda change: change.__name__)
def test_every_change_makes_another_program(change: Callable[[Place], None]) -> None:
    text = "import torch\nw = torch.ones(2)\nv = w * 2\nu = v + w\n"
    tree = ast.parse(text)
    change(Place(tree, tree.body, 2, random.Random(1)))
    assert ast.unparse(tree) != ast.unparse(ast.parse(text))


def test_a_mutant_leaves_out_what_never_runs_and_catches_what_autograd_refuses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mutants, "CHANGES", (lambda place: None,))
    lines = ["import torch", "w = torch.ones(2, requires_grad=True)", "reveal(w)", "w.add_(1)", "nothing", "w = w * 2"]
    endless = ["while True:", "    w = w * 2"]
    alone = ["def inner():", "    return w", "def never():", "    return inner()"]
    text = mutants.mutant("\n".join([*alone, *lines, *endless]) + "\n", random.Random(1))
    assert not any(left_out in text for left_out in ("reveal", "nothing", "while", "never", "inner"))
    assert "try:\n    w.add_(1)\n" in text and text.endswith("w = w * 2\n")


@pytest.mark.sampled(1)
@in_two_parts(FRESH)
def test_programs_from_a_fresh_seed(numbers: range) -> None:
    """What nobody has seen before is told, with the seed that shows it, and may not be much."""
    names, new = _disagreeing(_written(NEW_SEED, numbers))
    for one in new:
        warnings.warn(one, stacklevel=1)
    assert len(names) <= (0 if numbers.start == 0 else MOST_DISAGREEING), "\n".join(new)


def _together(programs: tuple[Written, ...]) -> Total:
    total = Total()
    for name, found in _compared(programs):
        if not isinstance(found, Lost):
            total.add(name, found)
    return total


FOREIGN = tuple(Written(*one) for one in foreign(HERE))


def test_there_are_many_programs_that_were_written_for_something_else() -> None:
    assert len(FOREIGN) >= 500


@pytest.mark.sampled(1)
@pytest.mark.parametrize("remainders", [[0], range(1, 10)], ids=["tenth", "others"])
def test_programs_that_were_written_for_something_else(remainders: Sequence[int]) -> None:
    _, new = _disagreeing(tuple(one for number, one in enumerate(FOREIGN) if number % 10 in remainders))
    assert not new


# ---- the tool itself


FAULTS = {
    "products are not differentiable": (
        TABLES.operations["operator.mul"],
        "results",
        (Result(differentiable=False),),
    ),
    "a sum is of whole numbers": (TABLES.operations["torch.sum"], "results", (Result(dtype="integer"),)),
    "detaching keeps the graph": (TABLES.operations["torch.detach"], "results", (Result("alias"),)),
    "random numbers are whole": (TABLES.factories["torch.randn"], "dtype", "i"),
    "no_grad switches gradients on": (TABLES.contexts["torch.no_grad"], "to", "on"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_wrong_row_is_found(fault: str) -> None:
    row, name, wrong = FAULTS[fault]
    right = getattr(row, name)
    known()  # found out before anything is wrong
    texts = (Writer(random.Random(f"{fault}:{number}")).write() for number in range(150))
    object.__setattr__(row, name, wrong)
    try:
        assert any(one.sort not in known() for text in texts for one in compare(text).disagreements)
    finally:
        object.__setattr__(row, name, right)


def test_a_program_is_the_same_whenever_it_is_written() -> None:
    assert Writer(random.Random("same")).write() == Writer(random.Random("same")).write()


def test_what_is_asked_for_is_there() -> None:
    text = """\
import torch

def double(value, other=None):
    if other is not None:
        value = value + other
    return value * 2

held = {'a': [torch.ones(1)], 'b': 1}
for each in held['a']:
    made = double(each)
"""
    asked = with_reveals(text)
    assert "    reveal(value, other)\n    if other" in asked
    assert "        value = value + other\n    reveal(value" in asked
    assert "'b': 1}\nreveal(held['a'][0])\n" in asked
    assert "for each in held['a']:\n    reveal(held['a'][0], each)\n    made = double(each)\n    reveal(" in asked
    assert not compare(asked).disagreements


def test_a_module_is_asked_for_once_it_has_begun() -> None:
    text = """import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

net = Net()
"""
    asked = with_reveals(text)
    assert "__init__(self):\n        super().__init__()\n        reveal(self)\n" in asked
    assert asked.endswith("net = Net()\nreveal(net, net.layer.weight, net.layer.bias)\n")


def test_a_fault_of_a_probe_is_not_taken_for_the_programs() -> None:
    text = "class Odd:\n    __dict__ = property(lambda self: 1 / 0)\n\nodd = Odd()\n"
    with pytest.raises(ZeroDivisionError):
        with_reveals(text)


def test_a_wrong_claim_shrinks_to_what_it_needs() -> None:
    text = "import torch\n\nx = torch.ones(2)\nif x.sum() > 0:\n    y = x * 2\n    z = x + 1\nreveal(x, y)\n"
    small = shrunk(text, lambda each: "y = x * 2" in each and "reveal(" in each)
    assert small == "y = x * 2\nreveal(y)\n" or small == "y = x * 2\nreveal(x)\n"


def _square_or_worse(number: int) -> int:
    if number == 3:
        os._exit(7)
    while number == 4:
        pass
    return number**2


@pytest.mark.sampled(1)
@pytest.mark.parametrize("workers", [1, 3])
def test_what_breaks_its_process_or_takes_too_long_is_named(workers: int) -> None:
    found = list(shared_out(_square_or_worse, range(7), workers, longest=5.0))
    assert [one for one in found if not isinstance(one, Lost)] == [0, 1, 4, 25, 36]
    assert [isinstance(one, Lost) for one in found] == [number in (3, 4) for number in range(7)]
    assert "ends with 7" in found[3].why and "more than 5 s" in found[4].why


@settings(max_examples=10, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(programs())
def test_hypothesis_draws_programs(text: str) -> None:
    assert not [one for one in compare(text).disagreements if one.sort not in known()]
