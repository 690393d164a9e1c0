"""The runtime verifier holds sound evidence for sound, and notices each fault that is planted in it."""

from __future__ import annotations

import sys
from dataclasses import replace
from types import FunctionType

import planted
import pytest
from planted import CODE, REFUSES, SOUND, WARNS, cases, fake_analyse

from gradlint import linter
from gradlint.domain import DISCRETE
from gradlint.events import RequiresGradChanged
from gradlint.finding import Edit, Finding, Fix, Place
from gradlint.linter import Analysis
from gradlint.proving import TorchMissing, examples, prove
from gradlint.rule import Evidence, Findings, Grows, Raises, Rule


@pytest.fixture(autouse=True)
def _linter(monkeypatch):
    monkeypatch.setattr(linter, "analyse", fake_analyse())


@pytest.mark.parametrize("kind", SOUND)
def test_sound_evidence_holds(kind):
    proofs = list(prove([planted.planted(*SOUND[kind])]))
    assert [proof.detail for proof in proofs] == ["", ""]
    assert all(proof.holds for proof in proofs)


# ---- planted faults


def raised_elsewhere():
    import torch

    numbers = [1, 2]  # ABC101
    weights = torch.tensor(numbers, requires_grad=True)
    return weights


def still_whole_numbers():
    import torch

    weights = torch.tensor([1, 3], requires_grad=True)
    return weights


def not_marked():
    import torch

    weights = torch.tensor([1, 2], requires_grad=True)
    return weights


def marked_twice():
    import torch

    weights = torch.tensor([1, 2], requires_grad=True)  # ABC101
    return weights  # ABC101


def marked_cure():
    import torch

    weights = torch.tensor([1.0, 2.0])
    return weights  # ABC101


def another_program():
    import torch

    first = torch.zeros(1)
    second = torch.ones(1)
    third = first + second
    fourth = third * 2
    return fourth


def verdict():
    import torch

    return torch.ones(2, requires_grad=True).requires_grad  # ABC101


def stops():
    raise SystemExit("done")


def reported_cure():
    import torch

    return torch.ones(2, requires_grad=True).detach()


FAULTS = {
    "a bad example not reported": (planted.whole_numbers, planted.decimal_numbers, REFUSES, "seen", "nowhere"),
    "reported beside its marks": (marked_twice, planted.decimal_numbers, REFUSES, "seen", "marked and not reported"),
    "without a mark": (not_marked, planted.decimal_numbers, REFUSES, "seen", "no line of `not_marked` is marked"),
    "raised at another line": (raised_elsewhere, planted.decimal_numbers, REFUSES, "shown", "not marked ABC101"),
    "raised where no note says so": (
        raised_elsewhere,
        planted.decimal_numbers,
        replace(REFUSES, later=True),
        "shown",
        "where no note says so",
    ),
    "other words": (
        planted.whole_numbers,
        planted.decimal_numbers,
        Raises(RuntimeError, "something else"),
        "shown",
        "dtype",
    ),
    "another error": (planted.whole_numbers, planted.decimal_numbers, Raises(TypeError, ""), "shown", "RuntimeError"),
    "no error": (planted.asked, planted.not_asked, REFUSES, "shown", "raises nothing"),
    "no warning": (planted.asked, planted.not_asked, WARNS, "shown", "gives no warning"),
    "not measured": (planted.asked, planted.not_asked, lambda returned: False, "shown", "does not hold"),
    "a measurement that fails": (
        planted.asked,
        planted.not_asked,
        lambda returned: 1 / 0,
        "shown",
        "ZeroDivisionError",
    ),
    "a verdict instead of an object": (verdict, planted.not_asked, planted.requires_grad, "shown", "returns a verdict"),
    "nothing to compare with": (planted.scaled, None, planted.differ, "shown", "has none"),
    "does not grow": (planted.losses_dropped, planted.losses_kept, Grows(), "shown", "not ever more"),
    "raises instead of showing": (
        planted.whole_numbers,
        planted.decimal_numbers,
        WARNS,
        "shown",
        "raises RuntimeError",
    ),
    "a cure that raises": (planted.whole_numbers, still_whole_numbers, REFUSES, "cured", "raises RuntimeError"),
    "a cure that stops the process": (planted.asked, stops, planted.requires_grad, "cured", "SystemExit: done"),
    "a cure that warns": (planted.gradient_not_read, planted.gradient_read, WARNS, "cured", "still warns"),
    "a cure that changes nothing": (planted.asked, planted.asked, planted.requires_grad, "cured", "the same program"),
    "a cure that is another program": (
        planted.asked,
        another_program,
        planted.requires_grad,
        "cured",
        "changes 5 lines",
    ),
    "a cure that is measured ill": (planted.not_asked, planted.asked, planted.requires_grad, "cured", "still holds"),
    "a cure that grows": (planted.losses_dropped, planted.losses_kept, Grows(), "cured", "not as many"),
    "no cure": (planted.asked, None, planted.requires_grad, "cured", "no good example cures"),
    "no consequence": (planted.asked, planted.not_asked, None, "shown", "no consequence"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_noticed(fault, monkeypatch):
    bad, good, consequence, question, words = FAULTS[fault]
    if words == "nowhere":
        monkeypatch.setattr(linter, "analyse", fake_analyse("nowhere"))
        words = "marked and not reported"
    (proof, *_) = prove([planted.planted(bad, good, consequence)])
    assert getattr(proof, question) is False
    assert words in proof.detail
    assert proof.failed
    assert not proof.holds


@pytest.mark.parametrize(
    ("good", "words"), [(reported_cure, "is reported and not marked"), (marked_cure, "is a cure and has a marked line")]
)
def test_a_cure_that_is_reported_is_noticed(good, words):
    _, proof = prove([planted.planted(planted.asked, good, planted.requires_grad)])
    assert proof.seen is False
    assert words in proof.detail


def test_a_cure_of_nothing_is_noticed():
    rule = planted.planted(planted.asked, planted.not_asked, planted.requires_grad)
    rule.evidence.append(Evidence(planted.not_scaled, cures=planted.scaled))
    *_, proof = prove([rule])
    assert "cures no bad example" in proof.detail


def test_a_linter_that_fails_is_a_fault_and_no_traceback(monkeypatch):
    monkeypatch.setattr(linter, "analyse", lambda *args, **options: 1 / 0)
    proof, _ = prove([planted.planted(*SOUND["raises"])])
    assert proof.seen is False
    assert "ZeroDivisionError" in proof.detail


# ---- fixes


def offering(becomes):
    """An `analyse` that reports whole numbers and offers to write something else in their place."""

    def analyse(text, rules, **options):
        before = "torch.tensor([1, 2]"
        rows = [(row, line.find(before) + 1) for row, line in enumerate(text.splitlines(), 1) if before in line]
        spans = [(Place(row, at, row, at + len(before)), Place(row, 1, row, 2)) for row, at in rows]
        return Analysis(
            tuple(
                Finding(CODE, "planted", "m", at, fixes=(Fix((Edit(span, becomes),), "safe", ""),))
                for span, at in spans
            )
        )

    return analyse


@pytest.mark.parametrize(
    ("becomes", "holds", "words"),
    [
        ("torch.tensor([1.0, 2]", True, ""),
        ("torch.tensor([1, 2, 3]", False, "raises RuntimeError"),
        ("torch.tensor([1, 2] ", False, "is still reported after the fix"),
    ],
)
def test_a_fix_that_does_not_cure_is_noticed(monkeypatch, becomes, holds, words):
    monkeypatch.setattr(linter, "analyse", offering(becomes))
    proof, _ = prove([planted.planted(*SOUND["raises"])])
    assert (proof.fixed, proof.failed) == (holds, not holds)
    assert words in proof.detail


def test_where_no_fix_is_offered_there_is_no_such_question():
    assert [proof.fixed for proof in prove([planted.planted(*SOUND["raises"])])] == [None, None]


# ---- libraries that are not there


def needs_a_library():
    import a_library_that_nobody_has

    a_library_that_nobody_has.run()  # requires_grad=True
    return 1


def test_a_missing_library_is_skipped_and_never_a_tick():
    proofs = list(prove([planted.planted(needs_a_library, planted.not_asked, planted.requires_grad)]))
    assert "a_library_that_nobody_has" in proofs[0].skipped
    assert proofs[0].shown is None
    assert not proofs[0].holds
    assert "skipped" in proofs[0].line()


def test_without_torch_the_cure_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(TorchMissing, match="pip install torch"):
        prove([planted.planted(*SOUND["raises"])])


# ---- where an error was raised


def raised_within():
    import torch

    def make():
        return torch.tensor(
            [1, 2],
            requires_grad=True,
        )

    weights = [make()]
    return weights


@pytest.mark.parametrize(("row", "holds"), [("return torch.tensor(", True), ("weights = [", False)])
def test_the_innermost_line_of_the_example_counts(row, holds, monkeypatch):
    case, _ = cases(planted.planted(raised_within, planted.decimal_numbers, REFUSES))
    lines = case.source.text.splitlines()
    marked = next(number for number, line in enumerate(lines, 1) if row in line)
    case.source = replace(case.source, marks=((marked, (CODE,)),))
    assert case.shown().holds is holds


# ---- neighbours, scripts and pages


def neighbour():
    import torch

    def make():
        return torch.tensor([1, 2])


def imports_a_neighbour():
    from a_neighbour_of_the_example import make

    weights = make().requires_grad_()  # ABC101
    return weights


def imports_a_neighbour_and_converts():
    from a_neighbour_of_the_example import make

    weights = make().float()
    return weights


def test_neighbours_are_written_out_and_forgotten(monkeypatch):
    monkeypatch.setattr(linter, "analyse", fake_analyse("requires_grad_()"))
    files = {"a_neighbour_of_the_example.py": neighbour}
    rule = Rule(CODE, "planted", "message", consequence=Raises(RuntimeError, "only Tensors of floating point"))
    rule.evidence = [
        Evidence(imports_a_neighbour, files=files),
        Evidence(imports_a_neighbour_and_converts, cures=imports_a_neighbour, files=files),
    ]
    assert [proof.detail for proof in prove([rule])] == ["", ""]
    assert "a_neighbour_of_the_example" not in sys.modules


def test_neighbours_are_given_to_the_linter(monkeypatch):
    monkeypatch.undo()
    files = {"a_neighbour_of_the_example.py": neighbour}
    rule = Rule(CODE, "planted", "message", consequence=Raises(RuntimeError, "only Tensors of floating point"))
    rule.evidence = [
        Evidence(imports_a_neighbour, files=files),
        Evidence(imports_a_neighbour_and_converts, cures=imports_a_neighbour, files=files),
    ]

    @rule.on(RequiresGradChanged)
    def check(event: RequiresGradChanged) -> Findings:
        if event.tensor.dtype <= DISCRETE:
            yield rule.at(event.node)

    assert [(proof.detail, proof.seen) for proof in prove([rule])] == [("", True), ("", True)]


def test_what_was_heard_where_a_mark_is_not_reported_is_said(monkeypatch):
    monkeypatch.undo()
    rule = planted.planted(planted.whole_numbers, planted.decimal_numbers, REFUSES)
    rule.on(RequiresGradChanged)(lambda event: iter(()))
    (bad, _) = prove([rule])
    assert "ABC101 is marked and not reported; it heard RequiresGradChanged there" in bad.detail


@pytest.mark.parametrize(("kind", "effect"), [("raises", "no effect"), ("measured", "error")])
def test_a_finding_that_tells_another_effect_is_noticed(kind, effect, monkeypatch):
    monkeypatch.undo()
    rule = planted.planted(*SOUND[kind])
    rule.effect = effect

    @rule.on(RequiresGradChanged)
    def check(event: RequiresGradChanged) -> Findings:
        yield rule.at(event.node)

    bad = next(iter(prove([rule])))
    assert not bad.shown
    assert f"the finding says: {effect}" in bad.detail


def a_script():
    import torch

    def inner():
        return torch.ones(1)

    for x in [1]:  # noqa: B007
        y = inner()  # ABC101 ABC102
    if x:
        return (y,)
    return y


def test_a_script_is_its_body_without_returns():
    rule = Rule(CODE, "planted", "message")
    source = examples.read(rule, Evidence(a_script, script=True))
    compile(source.text, "script", "exec")
    assert "def a_script" not in source.text
    assert source.text.count("return") == 1
    assert source.text.count("pass") == 2
    assert len(source.marks) == 1
    ((row, codes),) = source.marks
    assert codes == ("ABC101", "ABC102")
    with open(__file__, encoding="utf-8") as file:
        assert "ABC101 ABC102" in file.read().splitlines()[row + source.shift - 1]


@pytest.mark.parametrize("kind", SOUND)
def test_an_example_is_followed_by_one_call_and_rows_map_back(kind):
    rule = planted.planted(*SOUND[kind])
    source = cases(rule)[0].source
    name = rule.evidence[0].example.__name__
    assert source.text.startswith(f"def {name}(")
    assert source.text.splitlines()[-1] == (f"{name}(steps=8)" if kind == "grows" else f"{name}()")
    ((row, _),) = source.marks
    with open(planted.__file__, encoding="utf-8") as file:
        assert file.read().splitlines()[row + source.shift - 1] == source.text.splitlines()[row - 1]


def test_pages_are_printed_without_markers():
    assert (
        examples.without_markers("x = 1  # ABC101 ABC102\ns = '# ABC101'  # why\n") == "x = 1\ns = '# ABC101'  # why\n"
    )


def test_an_example_without_source_says_so():
    made_of_text = FunctionType(compile("1", "nowhere", "eval"), {}, "made_of_text")
    rule = Rule(CODE, "planted", "message", consequence=planted.requires_grad)
    rule.evidence = [Evidence(made_of_text)]
    (proof,) = prove([rule])
    assert proof.failed
    assert "cannot be read" in proof.detail
