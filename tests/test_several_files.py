"""A mistake that lies in several files stands where its cure goes, once, and leads back to the call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gradlint import engine, run, settings
from gradlint.finding import CALLED, Confidence
from gradlint.project import Project
from gradlint.registry import rules
from gradlint.report import full
from gradlint.report import json as as_json

RULES = rules()

ENGINE = """\
def train_one_epoch(model, loader, optimizer, criterion):
    model.train()
    for images, labels in loader:
        loss = criterion(model(images), labels)
        loss.backward()
        optimizer.step()
"""
TRAIN = """\
import torch
from engine import train_one_epoch

model = torch.nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.TensorDataset(torch.randn(8, 3), torch.zeros(8).long())
for epoch in range(5):
    train_one_epoch(model, torch.utils.data.DataLoader(data), optimizer, torch.nn.CrossEntropyLoss())
"""
OTHER = TRAIN.replace("Linear(3, 2)", "Sequential(torch.nn.Linear(3, 2))")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "engine.py").write_text(ENGINE)
    (tmp_path / "train.py").write_text(TRAIN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def outcome(*paths: str, **options: Any) -> run.Outcome:
    return engine.lint(settings.Request(paths=paths, isolated=True, **options), RULES)


def found(*paths: str, **options: Any) -> list[tuple[str, int, str]]:
    return [(one.path, one.finding.place.row, one.finding.code) for one in outcome(*paths, **options).entries]


def test_it_stands_in_the_other_file_where_that_is_linted(project: Path):
    assert found(".") == found("train.py", "engine.py") == [("engine.py", 5, "GRD701")]
    (entry,) = outcome(".").entries
    (call,) = [note for note in entry.finding.notes if note.path]
    assert (call.path, call.place.row) == (str(project / "train.py"), 8)
    assert entry.lines[4] == "        loss.backward()"


def test_it_stands_at_the_call_where_the_other_file_is_not_linted(project: Path):
    assert found("train.py") == [("train.py", 8, "GRD701")]
    (entry,) = outcome("train.py").entries
    assert entry.finding.message.startswith("engine.py:5: ")
    assert (entry.finding.notes[0].path, entry.finding.notes[0].place.row) == (str(project / "engine.py"), 5)


def test_a_file_that_is_linted_alone_has_its_callers(project: Path):
    """What they do in it is told as in a run over all of it, and what they do by themselves is not told."""
    (project / "train.py").write_text(TRAIN + "train_one_epoch.requires_grad = 1\nw = torch.ones(2).add(1)\nw.add(1)\n")
    assert ("train.py", 11, "GRD607") in found(".")
    assert found("engine.py") == [("engine.py", 5, "GRD701")]
    (called,) = outcome("engine.py").entries
    assert called.finding in [entry.finding for entry in outcome(".").entries]
    assert called.finding.confidence is Confidence.CERTAIN
    (project / "train.py").unlink()
    (alone,) = outcome("engine.py").entries
    assert alone.finding.code == "GRD701" and alone.finding.confidence is Confidence.LIKELY


def test_the_nearest_callers_are_looked_at(project: Path):
    """A few of them: those in its own folder before others."""
    (project / "deep" / "er").mkdir(parents=True)
    for number in range(4):
        (project / "deep" / "er" / f"far{number}.py").write_text("from engine import train_one_epoch\n")
    assert found("engine.py") == [("engine.py", 5, "GRD701")]
    view = Project().at(str(project / "engine.py"))
    assert [Path(path).name for path in view.callers()][:2] == ["train.py", "far0.py"]


def test_it_stands_once_whoever_leads_there(project: Path):
    (project / "other.py").write_text(OTHER)
    assert found(".") == [("engine.py", 5, "GRD701")]
    assert found("train.py", "other.py") == [("other.py", 8, "GRD701"), ("train.py", 8, "GRD701")]


@pytest.mark.parametrize("order", [("train.py", "engine.py"), ("engine.py", "train.py")])
def test_the_order_of_files_changes_nothing(project: Path, order: tuple[str, ...]):
    assert outcome(*order).entries == outcome(".").entries


@pytest.mark.parametrize("silenced", ["loss.backward()  # noqa", "loss.backward()  # gradlint: ignore[GRD701]"])
def test_the_comments_of_its_file_silence_it(project: Path, silenced: str):
    (project / "engine.py").write_text(ENGINE.replace("loss.backward()", silenced))
    assert found(".") == found("train.py") == []


def test_a_comment_at_the_call_silences_what_stands_there(project: Path):
    (project / "train.py").write_text(TRAIN.replace("CrossEntropyLoss())", "CrossEntropyLoss())  # noqa: GRD701"))
    assert found("train.py") == []
    assert found(".") == [("engine.py", 5, "GRD701")]


def test_what_is_ignored_for_its_file_is_not_reported(project: Path):
    (project / "pyproject.toml").write_text('[tool.gradlint.per-file-ignores]\n"engine.py" = ["GRD701"]\n')
    for paths in (".",), ("train.py",):
        assert [*engine.lint(settings.Request(paths=paths), RULES).entries] == []
    (project / "pyproject.toml").write_text('[tool.gradlint.per-file-ignores]\n"train.py" = ["GRD701"]\n')
    assert [one.path for one in engine.lint(settings.Request(paths=(".",)), RULES).entries] == ["engine.py"]
    assert [*engine.lint(settings.Request(paths=("train.py",)), RULES).entries] == []


def test_what_is_not_selected_is_not_reported(project: Path):
    assert found(".", ignore=("GRD701",)) == found("train.py", ignore=("GRD701",)) == []


def test_reports_name_the_file_of_a_note(project: Path):
    entries = outcome(".").entries
    assert "= note: reached by this call (train.py:8)" in full.report(entries, painted=False)
    (told,) = json.loads(as_json.report(entries, painted=False))
    assert {note["filename"] for note in told["notes"]} == {str(project / "train.py"), str(project / "engine.py")}


def test_a_right_caller_is_left_alone(project: Path):
    (project / "train.py").write_text(TRAIN.replace("    train_one", "    optimizer.zero_grad()\n    train_one"))
    (project / "engine.py").write_text(
        ENGINE.replace("        loss.back", "        optimizer.zero_grad()\n        loss.back")
    )
    assert found(".") == found("train.py") == []


def test_importing_a_file_tells_nothing(project: Path):
    (project / "engine.py").write_text(ENGINE + "import torch\nt = torch.tensor([1], requires_grad=True)\n")
    assert found("train.py") == [("train.py", 8, "GRD701")]


def test_what_is_handed_to_a_function_that_is_followed_is_told_inside_it(project: Path):
    """Once, where it is used up: the call that hands it over is no second place."""
    (project / "norms.py").write_text("def size(params):\n    return sum(p.pow(2).sum() for p in params)\n")
    twice = "params = torch.nn.Linear(2, 2).parameters()\nprint(size(params))\nprint(size(params))\n"
    (project / "twice.py").write_text(f"import torch\nfrom norms import size\n\n{twice}")
    assert found("twice.py", "norms.py") == [("norms.py", 2, "GRD712")]
    assert found("twice.py") == [("twice.py", 6, "GRD712")]


SAMPLER = """\
import torch
from torch import nn


class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Linear(4, 4)

    def forward(self, x):
        return self.words(x)

    def sample(self, steps: int):
        word = torch.zeros(1, 4)
        for _ in range(steps):
            word = nn.functional.one_hot(self.forward(word).argmax(1), 4).float()
        return word
"""
WRITES = """\
import torch
from writer import Writer

writer = Writer()
%s
"""


def test_a_finding_points_at_all_calls_that_lead_there(project: Path):
    """Of all files, and not at those that do what is right."""
    (project / "writer.py").write_text(SAMPLER)
    (project / "first.py").write_text(WRITES % "print(writer.sample(3))\nprint(writer.sample(3))")
    (project / "second.py").write_text(WRITES % "print(writer.sample(5))")
    (project / "third.py").write_text(WRITES % "with torch.no_grad():\n    print(writer.sample(4))")
    (told,) = [entry.finding for entry in outcome("first.py", "second.py", "third.py", "writer.py").entries]
    ways = [(Path(note.path).name, note.place.row) for note in told.notes if note.text == CALLED]
    assert (told.code, ways) == ("GRD401", [("first.py", 5), ("first.py", 6), ("second.py", 5)])


FUNCTION = """\
from torch.autograd import Function


class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.out = x.exp()
        out = x.exp()
        ctx.kept = out
        return out

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.kept
"""


def test_stories_of_classes_of_other_files_are_told(project: Path):
    """What a custom function keeps shows where it is applied, which another file does."""
    (project / "functions.py").write_text(FUNCTION)
    applied = "import torch\nfrom functions import Exp\n\nprint(Exp.apply(torch.ones(2, requires_grad=True)))\n"
    (project / "applied.py").write_text(applied)
    assert found("functions.py", "applied.py") == [("functions.py", 9, "GRD903")]
    assert found("applied.py") == [("applied.py", 4, "GRD903")]


METER = """\
class Meter:
    def __init__(self):
        self.sum = 0

    def update(self, value):
        self.sum += value
"""
LONG = "".join(f"    x = x + {number}\n" for number in range(400))
NETWORK = (
    f"import torch\n\nclass Deep(torch.nn.Linear):\n  def forward(self, x):\n{LONG}    return super().forward(x)\n"
)
OPTIONS = f"def options(x):\n{LONG}    return x\n"


@pytest.mark.parametrize("burnt", ["options({number})", "Deep(2, {number})(torch.ones(1, 2)).argmax()"])
def test_the_steps_of_parsers_and_forwards_are_no_others(project: Path, burnt: str):
    """Much to read or to compute before the training: what trains is followed all the same."""
    for name, text in (("meter.py", METER), ("network.py", NETWORK), ("options.py", OPTIONS)):
        (project / name).write_text(text)
    start = "import torch\nfrom meter import Meter\nfrom network import Deep\nfrom options import options\n"
    burning = "".join(f"print({burnt})\n".format(number=number) for number in range(2, 12))
    body = "model, meter = torch.nn.Linear(3, 2), Meter()\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    steps = "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n    meter.update(loss)\n"
    loop = f"for _ in range(9):\n    loss = model(torch.ones(1, 3)).sum()\n{steps}"
    (project / "train.py").write_text(start + burning + body + loop + "print(meter.sum)\n")
    assert [(path, code) for path, _, code in found("train.py", "meter.py")] == [("meter.py", "GRD509")]
