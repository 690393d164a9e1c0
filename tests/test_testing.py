"""The nets for case files, programs and widening notice what is planted in them."""

from __future__ import annotations

import gc
import re
from pathlib import Path

import pytest

from gradlint import registry
from gradlint.domain import NO, YES, Tensor
from gradlint.events import Called, ModuleFinished, RequiresGradChanged
from gradlint.finding import Confidence, Finding, Place
from gradlint.linter import Analysis
from gradlint.rule import Rule
from gradlint.testing import cases, programs
from gradlint.testing.claims import Claim, Skipped
from gradlint.testing.diary import Diary
from gradlint.testing.widening import emboldened, heard_events, widened
from tests import speed

RULE = Rule("ABC101", "planted-mistake", "message")
OTHER = Rule("ABC102", "other-mistake", "message")
FORM = """\
x = f(1)  # ABC101
x = f(1, 2)  # ABC101
x = f(1, 2, 3)  # todo ABC101
x = g[1]  # ok: why
x = g[1:2]  # ok: why
x = g[1:2:3]  # ok: why
x = (f, 1)  # ok: why
x = [f, 1]  # todo ok
x = f
x = {f: 1}  # ok: why
x = -f  # ok: why
"""


def case_file(text=FORM, name="planted_mistake"):
    return cases.CaseFile(Path(f"{name}.py"), text, RULE if name == "planted_mistake" else None)


def finding(row, code="ABC101", confidence=Confidence.CERTAIN):
    return Finding(code, "n", "m", Place(row, 1, row, 2), confidence)


def judged(*found, text=FORM):
    return list(cases.judged(case_file(text), Analysis(found), [RULE, OTHER]))


REPORTED = (finding(1), finding(2), finding(8))


def test_a_case_file_that_is_as_marked_has_no_fault():
    assert judged(*REPORTED) == []
    assert judged(finding(1, confidence=Confidence.POSSIBLE), *REPORTED[1:]) == []
    assert judged(*REPORTED, finding(4, confidence=Confidence.POSSIBLE)) == []
    assert list(cases.form(case_file())) == []
    assert list(cases.repeated(case_file())) == []


@pytest.mark.parametrize(
    ("found", "fault"),
    [
        (REPORTED[1:], ":1: ABC101 is marked, nothing is reported"),
        ((finding(1, "ABC102"), *REPORTED[1:]), ":1: ABC102 is reported, ABC101 is marked"),
        ((*REPORTED, finding(1, "ABC102")), ":1: ABC102 is reported, ABC101 is marked"),
        ((*REPORTED, finding(3)), ":3: ABC101 is reported now; take the `todo` away"),
        ((*REPORTED, finding(3, "ABC102")), ":3: ABC102 is reported, ABC101 is marked"),
        ((*REPORTED, finding(4)), ":4: ABC101 is reported, nothing is marked"),
        ((*REPORTED, finding(9)), ":9: ABC101 is reported, nothing is marked"),
        (REPORTED[:2], ":8: nothing is reported any more; take the `todo` away"),
    ],
)
def test_a_line_judged_otherwise_is_noticed(found, fault):
    faults = judged(*found)
    assert len(faults) == 1
    assert fault in faults[0]


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        ([], "nothing was heard there"),
        ([("ABC101", "Called", 2)], "nothing was heard there"),
        ([("ABC102", "Called", 1)], "it heard nothing there, and others Called"),
        ([("ABC102", "Called", 1), ("ABC101", "TensorWritten", 1)], "it heard TensorWritten there"),
    ],
)
def test_what_was_heard_at_a_line_that_is_not_reported_is_said(heard, said):
    at = tuple((code, event, Place(row, 1, row, 2)) for code, event, row in heard)
    (fault,) = cases.judged(case_file(), Analysis(REPORTED[1:], heard=at), [RULE, OTHER])
    assert fault.endswith(f"; ABC101: {said}")


def test_a_case_file_is_proved_like_an_example(tmp_path):
    assert cases.proof_of(RULE, tmp_path, [RULE]) is None
    (tmp_path / "planted_mistake.py").write_text("x = 1  # ABC101\n")
    proof = cases.proof_of(RULE, tmp_path, [RULE])
    assert (proof.kind, proof.seen, proof.failed) == ("case", False, True)
    assert "ABC101 is marked, nothing is reported; ABC101: nothing was heard there" in proof.detail
    (sound,) = (one for one in registry.rules() if one.code == "GRD101")
    proof = cases.proof_of(sound, Path(__file__).parent / "cases", registry.rules())
    assert (proof.holds, proof.detail) == (True, "")


def test_quiet_lines_that_nobody_heard_are_noticed():
    def is_silent(*heard):
        at = tuple((code, "Called", Place(row, 1, row, 2)) for code, row in heard)
        return [fault.split(":")[1] for fault in cases.is_silent(case_file(), Analysis((), heard=at))]

    every = [("ABC101", row) for row in (4, 5, 6, 7, 10, 11)]
    assert is_silent(*every) == []
    assert is_silent(*every[1:]) == ["4"]
    assert is_silent(("ABC102", 4), *every[1:]) == ["4"]


@pytest.mark.parametrize(
    ("text", "name", "fault"),
    [
        (FORM, "nobodys_mistake", "named after no rule"),
        (FORM + "def\n", "planted_mistake", "does not compile"),
        (FORM.replace("# ok: why", "# OK", 1), "planted_mistake", "looks like a mark"),
        (FORM.replace("# ok: why", "# ok", 1), "planted_mistake", "say why"),
        (FORM.replace("# todo ABC101", "# todo: ABC101"), "planted_mistake", "looks like a mark"),
        (FORM.replace("# todo ok", ""), "planted_mistake", "has 9 marked lines"),
        (FORM.replace("# ok: why", "# ABC101"), "planted_mistake", "1 of them ok"),
        (
            FORM.replace("# ABC101", "# ABC102").replace("todo ABC101", "todo ABC102"),
            "planted_mistake",
            "no line marked",
        ),
    ],
)
def test_a_case_file_out_of_form_is_noticed(text, name, fault):
    assert any(fault in found for found in cases.form(case_file(text, name)))


@pytest.mark.parametrize(
    ("line", "alike"),
    [
        ("yy = ff(1)  # ok: why", True),
        ("x   =  f( 1 )  # ok: spaces", True),
        ("x = f(2)  # ok: another number", False),
        ("return f(1)  # ok: keywords are no names", False),
    ],
)
def test_lines_that_differ_in_names_alone_are_noticed(line, alike):
    assert bool(list(cases.repeated(case_file(f"{FORM}{line}\n")))) is alike


def test_a_rule_without_case_file_is_noticed():
    claims = cases.missing_files([RULE, OTHER], [case_file()], "cases")
    assert [list(filter(None, claim.faults())) for claim in claims] == [
        [],
        ["ABC102 has no case file; write cases/other_mistake.py"],
    ]


# ---- programs

PROGRAM = """\
import torch
weight = torch.ones(3, requires_grad=True)
for _ in range(2):
    reveal(weight)  # Tensor[float, requires_grad=yes, leaf=no|yes]
    weight = weight * 2
reveal(torch.nn.Linear(1, 1).eval())  # Module[torch.nn.Linear, mode=eval]
reveal(3)  # 3
"""


def program(text=PROGRAM):
    return programs.Program(Path("program.py"), text)


def test_a_program_that_says_what_is_known_has_no_fault():
    assert list(programs.misstated(program())) == []
    assert list(programs.disagreeing(program())) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("leaf=no|yes", "leaf=yes", "gradlint says Tensor[float, requires_grad=yes, leaf=no|yes]"),
        ("# 3", "", "the line nothing"),
        ("reveal(3)  # 3", "reveal()  # 3", "gradlint never comes by"),
        ("# 3", "# 3\n(", "program.py: 8:1: SyntaxError"),
    ],
)
def test_a_line_that_says_something_else_is_noticed(old, new, fault):
    faults = list(programs.misstated(program(PROGRAM.replace(old, new))))
    assert len(faults) == 1
    assert fault in faults[0]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("range(2)", "range(0)", "torch never comes by"),
        ("import torch", "import torch as", "torch does not run it: SyntaxError"),
        ("import torch", "import torch, a_library_that_nobody_has", "torch does not run it: ModuleNotFoundError"),
    ],
)
def test_a_line_that_torch_cannot_confirm_is_noticed(old, new, fault):
    assert fault in "\n".join(programs.disagreeing(program(PROGRAM.replace(old, new))))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("weight.sum", "method sum"),
        ("torch.relu", "torch.relu"),
        ("torch.no_grad()", "torch.no_grad"),
        ("(lambda: 1)", "function <lambda>"),
        ("(1 if weight.any() else None)", "1 or None"),
        ("float(input())", "number[float]"),
    ],
)
def test_what_is_no_object_is_stated_in_a_word(value, words):
    found = programs.revealed(f"import torch\nweight = torch.ones(1)\nreveal({value})\n")
    assert programs.spell(found[3]) == words


@pytest.mark.parametrize(
    ("known", "real", "fault"),
    [
        (Tensor(requires_grad=NO), "ones", "requires_grad is yes in torch"),
        (Tensor(requires_grad=YES, leaf=NO), "ones", "leaf is yes in torch"),
        (Tensor(requires_grad=NO | YES), "ones", ""),
        (Tensor(), "ones", ""),
        (Tensor(), "module", "torch has a Module"),
    ],
)
def test_a_fact_that_torch_refutes_is_noticed(known, real, fault):
    import torch

    value = {"ones": torch.ones(1, requires_grad=True), "module": torch.nn.ReLU()}[real]
    found = list(programs.excluded(known, programs.real(value, Diary())))
    assert bool(found) is bool(fault)
    assert fault in "".join(found)


# ---- widening

ASKING = "import torch\nx = torch.ones(3)\nx.requires_grad_()\nx.detach().requires_grad_(False)\n"


def bold(condition):
    """What widening says of a rule with this condition on RequiresGradChanged."""
    rule = Rule("ABC101", "planted-mistake", "message")

    @rule.on(RequiresGradChanged)
    def check(event):
        if condition(event):
            yield rule.at(event.node)

    return [fault for event in heard_events(ASKING) for fault in emboldened([rule], event)]


def test_a_rule_that_speaks_of_certainties_passes():
    assert bold(lambda event: event.to <= YES and event.tensor.leaf <= YES) == []


@pytest.mark.parametrize(
    ("condition", "fact"),
    [
        (lambda event: not event.to <= YES, "RequiresGradChanged.to"),
        (lambda event: not event.tensor.requires_grad.possibly(NO), "RequiresGradChanged.tensor.requires_grad"),
        (lambda event: event.tensor.dtype.is_unsure, "RequiresGradChanged.tensor.dtype"),
        (lambda event: event.grad_mode.may(NO), "RequiresGradChanged.grad_mode"),
    ],
)
def test_a_rule_that_speaks_from_ignorance_is_noticed(condition, fact):
    faults = bold(condition)
    assert any(f"ABC101 is reported only when {fact} is unknown" in fault for fault in faults)


def test_stories_are_widened_wherever_they_are_told():
    rule = Rule("ABC101", "planted-mistake", "message")

    @rule.on(ModuleFinished)
    def check(event):
        for one, other in zip(event.story, event.runs[0].story, strict=True):
            assert one is other
            if isinstance(one, RequiresGradChanged) and not one.to <= YES | NO:
                yield rule.at(one.node)

    (finished,) = [event for event in heard_events(ASKING) if isinstance(event, ModuleFinished)]
    asked = [index for index, event in enumerate(finished.story) if isinstance(event, RequiresGradChanged)]
    assert set(emboldened([rule], finished, most=1_000)) == {
        f"ABC101 is reported only when ModuleFinished.story[{index}].to is unknown" for index in asked
    }
    assert asked


def test_facts_deep_inside_are_widened():
    (event,) = [event for event in heard_events(ASKING) if isinstance(event, Called) and event.path.endswith("detach")]
    paths = {path for path, _ in widened(event)}
    assert {".grad_mode", ".args[0].dtype", ".args[0].requires_grad", ".written"} <= paths


# ---- claims


def test_claims_fail_pass_and_skip():
    def skip():
        raise Skipped("needs a library")

    Claim("fine", lambda: ["", ""]).check()
    with pytest.raises(pytest.fail.Exception, match="one\ntwo"):
        Claim("faulty", lambda: ["one", "", "two"]).check()
    with pytest.raises(pytest.skip.Exception, match="needs a library"):
        Claim("skipped", skip).check()


def test_the_cost_is_printed_beside_the_parse(capsys, monkeypatch: pytest.MonkeyPatch):
    """What was measured, never a verdict: machines differ."""
    monkeypatch.setattr(speed, "GROWING", (20,))
    assert speed.main([str(Path(__file__).parent / "cases" / "in_place_on_leaf.py"), __file__]) == 0
    *_, counted, last = capsys.readouterr().out.splitlines()
    assert counted.startswith("2 files, ")
    assert re.fullmatch(r"interpretation = \d+\.\d\d times the parse", last)
    assert gc.isenabled()
