"""`gradlint trace`: what is known line by line, where it holds, what happens there, and why something is reported."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradlint import cli, linter, registry
from gradlint.interpreter import Trace
from gradlint.project import Project
from gradlint.settings import Request
from gradlint.trace import Line, Traced, location, trace

RULES, PACKS = registry.rules(), registry.packs()
TESTS = Path(__file__).parent
CASES = sorted((TESTS / "cases").glob("*.py"))
PROGRAMS = sorted([*(TESTS / "programs").glob("*.py"), *(TESTS / "programs").glob("*/main.py")])

TRAIN = """\
import torch
from torch import nn
from engine import step

model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in [(torch.ones(1, 2), torch.ones(1, 1))] * 9:
    loss = step(model, x, y)
    loss.backward()
    optimizer.step()
with torch.no_grad():
    quality = step(model, x, y)
model.eval()
loss.backward()  # noqa
"""
ENGINE = """\
import torch
from scale import FACTOR


def error(out, y):
    return ((out - y) ** 2).mean()


def step(model, x, y):
    loss = error(model(x), y) * FACTOR
    if loss is None:
        return None
    return loss


def never(x):
    return x
"""
SCALE = "FACTOR = 0.5\n"

Tracer = Callable[..., Traced]


@pytest.fixture
def traced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tracer:
    """Traces a program of several files."""
    monkeypatch.chdir(tmp_path)

    def run(text: str = TRAIN, row: int | None = None, **files: str) -> Traced:
        for name, content in {"engine": ENGINE, "scale": SCALE, "train": text, **files}.items():
            (tmp_path / f"{name}.py").write_text(content)
        word = "train.py" if row is None else f"train.py:{row}"
        return trace(word, Request(isolated=True), RULES, PACKS)

    return run


def lines(found: Traced, path: str = "train.py") -> dict[int, Line]:
    return {line.row: line for line in dict(found.files).get(path, ())}


def known(line: Line, name: str) -> dict[str, tuple[str, ...]]:
    """What is known of a name at a line, and where that holds."""
    return {fact.after: fact.where for fact in line.facts if fact.name == name}


# ---- what a line says


def test_each_line_is_there_once_and_in_order(traced: Tracer):
    (path, found), *_ = traced().files
    assert path == "train.py"
    assert [(line.row, line.text) for line in found] == [*enumerate(TRAIN.splitlines(), 1)]


def test_names_are_read_bound_and_changed(traced: Tracer):
    found = lines(traced())
    (optimizer,) = known(found[6], "optimizer")
    assert optimizer == "Optimizer[SGD, parameters=2, requires_grad=yes, grad=none]"
    (model,) = [fact for fact in found[6].facts if fact.name == "model"]
    assert (
        model.before == model.after == "Module[torch.nn.Linear, mode=train, parameters=2, requires_grad=yes, grad=none]"
    )
    (model,) = [fact for fact in found[13].facts if fact.name == "model"]
    assert ("mode=train" in model.before, "mode=eval" in model.after) == (True, True)
    assert all(not fact.before for fact in found[5].facts)
    assert "torch" not in {fact.name for line in found.values() for fact in line.facts}  # it says so itself


def test_rounds_of_a_loop_are_told_apart_where_they_differ(traced: Tracer):
    found = lines(traced())
    (first, later) = known(found[10], "optimizer").items()
    assert ("grad=used" in first[0], first[1]) == (True, ("first round",))
    assert ("grad=mixed" in later[0], later[1]) == (True, ("later rounds",))
    assert set(known(found[9], "loss").values()) == {()}


def test_passes_of_a_loop_that_did_not_hold_for_all_are_left_out(traced: Tracer):
    found = lines(traced("import torch\na, b, c = 0, 1, 2\nfor _ in range(input()):\n    a, b, c = b, c, 3\n"))
    assert {(fact.before, fact.after, fact.where) for fact in found[4].facts if fact.name == "b"} == {
        ("1", "1", ("first round",)),
        ("2 or 3", "2 or 3", ("later rounds",)),
        ("", "2", ("first round",)),
        ("", "3", ("later rounds",)),
    }


def test_what_the_head_of_a_loop_binds_holds_in_every_round(traced: Tracer):
    assert known(lines(traced())[7], "x") == {"Tensor[float, requires_grad=no, leaf=yes, size=(1, 2)]": ()}


def test_callers_are_told_apart_where_they_differ(traced: Tracer):
    found = lines(traced(), "engine.py")
    assert found[9].runs == ("called at train.py:8", "called at train.py:12")
    recorded = known(found[10], "loss")
    assert recorded["Tensor[float, requires_grad=yes, leaf=no, size=()]"] == ("called at train.py:8",)
    assert recorded["Tensor[float, requires_grad=no, leaf=yes, size=()]"] == ("called at train.py:12",)
    (mode,) = found[10].modes
    assert (mode.text, mode.where) == ("gradients off", ("called at train.py:12",))


def test_calls_are_told_apart_by_those_around_them_where_the_nearest_is_the_same(traced: Tracer):
    inner = "def inner(x):\n    return x * 2\ndef outer(x):\n    return inner(x)\n"
    found = lines(traced(f"import torch\n{inner}outer(torch.ones(2))\nouter(torch.ones(2, requires_grad=True))\n"))
    assert set(known(found[3], "x").values()) == {
        ("called at line 5, from line 6",),
        ("called at line 5, from line 7",),
    }


def test_the_cause_of_a_summarised_call_is_its_own(traced: Tracer):
    text = "import torch\ndef double(x):\n    return x * 2\na = double(torch.ones(2))\nb = double(torch.ones(2))\n"
    assert lines(traced(text))[2].runs == ("called at line 4", "called at line 5")


def test_functions_that_nobody_calls_run_on_their_own(traced: Tracer):
    found = lines(traced("import torch\ndef f(x: torch.Tensor):\n    return x\n    return 1\n"))
    assert found[2].runs == ("on its own",)
    assert known(found[2], "x") == {"Tensor[?, requires_grad=?, leaf=?] (annotated)": ()}
    assert [row for row, line in found.items() if line.unrun] == [4]


@pytest.mark.parametrize(
    ("head", "call", "meant"),
    [
        ("def validate(x):", "validate(1)", "meant for evaluation by its name `validate`"),
        ("def run(x, training):", "run(1, True)", "meant for training by its flag `training`"),
        ("def run(x, phase):", "run(1, 'val')", "meant for evaluation by its flag `phase`"),
        ("class Trainer:\n  def run(self):", "Trainer().run()", "meant for training by its class `Trainer`"),
    ],
)
def test_what_a_function_is_for_is_told_with_its_sign(traced: Tracer, head: str, call: str, meant: str):
    found = lines(traced(f"import torch\n{head} return torch.ones(2)\n{call}\n"))
    assert [said.text for line in found.values() for said in line.modes if said.text.startswith("meant")] == [meant]


def test_the_block_of_a_manager_is_not_run_by_it(traced: Tracer):
    manager = (
        "from contextlib import contextmanager\n@contextmanager\ndef around():\n    print(1)\n    yield\n    print(2)\n"
    )
    found = lines(
        traced(f"import torch\n{manager}with around():\n    a = torch.ones(2)\nfor b in (a, a * 2):\n    b\n")
    )
    assert found[9].events and all(event.where == () for event in found[9].events)
    assert found[4].runs == ("called at line 8",)


def test_imports_say_where_they_lead(traced: Tracer):
    found = lines(traced("import timm\nfrom engine import step\nimport torch\n"))
    assert [(fact.name, fact.after) for row in (1, 2, 3) for fact in found[row].facts] == [
        ("timm", "of a library, timm"),
        ("step", "of the project, engine"),
    ]


def test_a_bound_that_was_hit_stands_where_it_was(traced: Tracer):
    deep = "".join(f"def f{n}(x):\n    return f{n + 1}(x)\n" for n in range(12))
    found = lines(traced(f"import torch\n{deep}def f12(x):\n    return x\nf0(torch.ones(2))\n"))
    assert {bound.text for line in found.values() for bound in line.bounds} == {"depth of calls"}


# ---- other files


def test_other_files_tell_of_what_is_run_in_them(traced: Tracer):
    found = traced()
    assert [path for path, _ in found.files] == ["train.py", "engine.py", "scale.py"]
    engine = lines(found, "engine.py")
    assert engine[6].events[0].where == ("called at line 10, from train.py:8",)
    assert {event.name for event in engine[10].events} >= {"ModuleCalled", "Recorded"}
    assert not any(event.rules for line in engine.values() for event in line.events)  # rules hear the linted file
    assert 17 not in engine
    assert known(engine[10], "FACTOR") == {"0.5": ()}


def test_a_line_alone_is_that_line_and_what_is_run_from_it(traced: Tracer):
    found = traced(row=8)
    assert list(lines(found)) == [8]
    engine = lines(found, "engine.py")
    assert engine[9].runs == ("called at train.py:8",)
    assert known(engine[10], "loss") == {"Tensor[float, requires_grad=yes, leaf=no, size=()]": ()}
    assert "scale.py" not in dict(found.files)
    assert [path for path, _ in traced(row=9).files] == ["train.py"]


def test_a_line_inside_a_statement_is_all_of_the_statement(traced: Tracer):
    text = "import torch\na = torch.ones(\n    2\n)\nif a is None:\n    b = 1\n"
    assert [list(lines(traced(text, row))) for row in (3, 5, 6)] == [[2, 3, 4], [5], [6]]


# ---- findings


def test_findings_stand_there_with_their_degree_and_the_reason_against_them(traced: Tracer):
    (judged,) = lines(traced())[9].findings
    assert (judged.finding.code, str(judged.finding.confidence), judged.unreported) == ("GRD701", "certain", "")
    (judged,) = lines(traced())[14].findings
    assert (judged.finding.code, judged.unreported) == ("GRD503", "a comment silences it")


@pytest.mark.parametrize(
    ("code", "unreported"),
    [("GRD120", ""), ("GRD201", "GRD120 at line 2 speaks of the same mistake")],
)
def test_a_finding_that_yields_says_to_which(traced: Tracer, code: str, unreported: str):
    text = "import torch\nx = torch.ones(2, requires_grad=True) * 2.0\nx.sum().backward()\nx.grad.sum()\n"
    found = [judged for line in lines(traced(text)).values() for judged in line.findings]
    assert {judged.finding.code: judged.unreported for judged in found}[code] == unreported


def test_the_configuration_counts(traced: Tracer, tmp_path: Path):
    traced()
    (tmp_path / "gradlint.toml").write_text('ignore = ["GRD701"]\nmin-confidence = "certain"\n')
    (judged,) = lines(trace("train.py:9", Request(), RULES, PACKS))[9].findings
    assert judged.unreported == "the rule is not selected"


def test_events_say_which_rules_heard_them(traced: Tracer):
    (backward,) = [event for event in lines(traced())[9].events if event.name == "BackwardRun"]
    assert "GRD505" in backward.rules
    assert dict(backward.fields)["how"] == "backward"


# ---- the analysis is the same


@pytest.mark.sampled(16)
@pytest.mark.parametrize("path", [*CASES, *PROGRAMS][::2], ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_analysis_is_the_same_with_a_trace_and_nothing_is_raised(path: Path):
    text, project = path.read_text(encoding="utf-8"), Project().at(str(path))
    before = linter.analyse(text, RULES, packs=PACKS, project=project)
    assert linter.analyse(text, RULES, packs=PACKS, project=project, watch=linter.Watch(trace=Trace())) == before
    found = lines(trace(str(path), Request(isolated=True), RULES, PACKS), os.path.relpath(path))
    assert sum(len(line.findings) for line in found.values()) == len(before.findings)


def test_the_analysis_of_several_files_is_the_same(traced: Tracer, tmp_path: Path):
    traced()
    project = Project().at(str(tmp_path / "train.py"))
    before = linter.analyse(TRAIN, RULES, packs=PACKS, project=project)
    assert linter.analyse(TRAIN, RULES, packs=PACKS, project=project, watch=linter.Watch(trace=Trace())) == before


# ---- the command


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def gradlint(traced: Tracer, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in the folder of the program."""
    traced()

    def run(*args: str) -> tuple[int, str, str]:
        code = cli.run(["trace", *args])
        return code, *capsys.readouterr()

    return run


def test_the_text_shows_the_source_and_below_it_what_is_known(gradlint: Run):
    code, out, err = gradlint("train.py")
    assert (code, err) == (0, "")
    said = out.splitlines()
    assert [line[5:] for line in said if line[3:4] == "|" and line.startswith((" ", "1"))][
        : len(TRAIN.splitlines())
    ] == (TRAIN.splitlines())
    at = said.index(" 9 |     loss.backward()")
    assert said[at + 1] == "   :   loss : Tensor[float, requires_grad=yes, leaf=no, size=()] -> graph freed"
    assert said[at + 2].startswith("   :   * BackwardRun root=Tensor[float, requires_grad=yes, leaf=no] ")
    assert any(line.startswith("   :   > GRD701 (certain) ") for line in said[at : at + 8])
    assert any(line.startswith("engine.py ") for line in said)


def test_the_text_of_one_line_names_the_rules_that_heard(gradlint: Run):
    _, out, _ = gradlint("train.py:9")
    assert "heard by GRD" in out
    assert "heard by" not in gradlint("train.py")[1]


def test_findings_stand_with_what_they_rest_on(gradlint: Run, tmp_path: Path):
    text = "import torch\n\ndef test(net: torch.nn.Module, x):\n    net.eval()\n    print(net(x).argmax())\n"
    (tmp_path / "train.py").write_text(text)
    said = gradlint("train.py:5")[1].splitlines()
    at = next(row for row, line in enumerate(said) if "> GRD401 (likely)" in line)
    assert said[at + 1].endswith("certain: taken for a module for how it is annotated")
    signs = json.loads(gradlint("train.py:5", "--output-format", "json")[1])["files"][0]["lines"][0]["findings"][0][
        "signs"
    ]
    assert {"question": "thing", "confidence": "certain", "sign": "taken for a module for how it is annotated"} in signs


def test_json_says_the_same(gradlint: Run, traced: Tracer):
    code, out, _ = gradlint("train.py:9", "--output-format", "json")
    (file,) = json.loads(out)["files"]
    (line,) = file["lines"]
    assert (code, file["path"], line["row"], line["text"]) == (0, "train.py", 9, "    loss.backward()")
    assert line["facts"][0]["name"] == "loss"
    assert line["findings"][0]["code"] == "GRD701"
    assert line["findings"][0]["signs"] == []
    events: list[dict[str, Any]] = line["events"]
    assert [event["event"] for event in events] == [event.name for event in lines(traced())[9].events]


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (("gone.py",), 2, "error: gone.py: no such file"),
        (("gone.py:3",), 2, "error: gone.py: no such file"),
        (("train.py:99",), 2, "error: train.py: there is no line 99; the file has 14"),
        (("train.py:0",), 2, "error: train.py: there is no line 0; the file has 14"),
        ((".",), 2, "error: .: is a folder; name one file"),
        (("train.py", "--config", "gone.toml"), 2, "gone.toml"),
        (("train.py", "--target-torch", "x"), 2, "--target-torch"),
        (("broken.py",), 1, "broken.py:1:7: GRD000 SyntaxError"),
    ],
)
def test_what_cannot_be_traced_is_told_in_a_line(gradlint: Run, args: tuple[str, ...], code: int, said: str):
    Path("broken.py").write_text("def f(:\n")
    got, out, err = gradlint(*args)
    assert got == code
    assert said in out + err and len((out + err).splitlines()) == 1


def test_terminals_are_not_obeyed_by_what_is_traced(gradlint: Run):
    odd = "odd\x1b[31m\n.py"
    Path(odd).write_text("import torch\nfrom engine import step\nx = '\x1b[2J\u202e'\nx\n")
    for words in ((odd,), (f"{odd}:3",), (f"{odd}:99",), (odd, "--output-format", "json")):
        _, out, err = gradlint(*words)
        assert "\x1b" not in out + err and "\u202e" not in out + err


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("a.py", ("a.py", None)),
        ("a.py:12", ("a.py", 12)),
        ("a.py:12:5", ("a.py", 12)),
        ("a.py:12:5:", ("a.py", 12)),
        ("C:\\a.py:3", ("C:\\a.py", 3)),
        ("a.py:b", ("a.py:b", None)),
    ],
)
def test_a_line_is_named_as_reports_name_it(word: str, found: tuple[str, int | None]):
    assert location(word) == found
