"""What is told while files are still linted is final, comes in order, and is what the whole report says."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gradlint import engine, planning, run, settings
from gradlint.registry import rules
from gradlint.report import FORMATS, PARTED
from gradlint.report.entry import Entry
from gradlint.results import Result

RULES = rules()
MISTAKE = "w = torch.tensor([1, 2], requires_grad=True)\n"
PROJECT = {
    "pyproject.toml": "",
    "engine.py": (
        "def train_one_epoch(model, loader, optimizer, criterion):\n    model.train()\n"
        "    for images, labels in loader:\n"
        "        loss = criterion(model(images), labels)\n        loss.backward()\n        optimizer.step()\n"
    ),
    "parts/__init__.py": "from .inner import halved\n",
    "parts/inner.py": f"import torch\nfrom . import outer\n{MISTAKE}\ndef halved(x):\n    return x / 2\n",
    "parts/outer.py": f"import torch\nfrom .inner import halved\n{MISTAKE}",
    "train.py": (
        "import torch\nfrom engine import train_one_epoch\nimport parts\n\nmodel = torch.nn.Linear(3, 2)\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "data = torch.utils.data.TensorDataset(torch.randn(8, 3), torch.zeros(8).long())\n"
        "for epoch in range(5):\n    train_one_epoch(\n"
        "        model, torch.utils.data.DataLoader(data), optimizer, torch.nn.CrossEntropyLoss()\n    )\n"
    ),
    **{f"alone{number}.py": f"import torch\n{MISTAKE}" for number in range(4)},
    **{f"user{number}.py": f"import torch, parts.outer, engine\n{MISTAKE}" for number in range(4)},
}
REQUEST = settings.Request(paths=(".",), isolated=True, cache=False, jobs=1)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in PROJECT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "SILENT", 0.0)
    return tmp_path


def arriving(monkeypatch: pytest.MonkeyPatch, order: list[str]) -> None:
    """Let results come in this order, those of other files first."""
    usual = planning.Plan.results

    def results(plan: Any, tasks: Any) -> Iterator[Result]:
        found = sorted(usual(plan, tasks), key=lambda one: order.index(one.path) if one.path in order else -1)
        yield from found

    monkeypatch.setattr(planning.Plan, "results", results)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", range(40))
def test_what_is_told_early_is_what_is_told_in_the_end(seed, project, monkeypatch):
    whole = engine.lint(REQUEST, RULES).entries
    order = [name for name in PROJECT if name.endswith(".py")]
    random.Random(seed).shuffle(order)
    arriving(monkeypatch, order)
    told: list[Entry] = []
    outcome = engine.lint(REQUEST, RULES, tell=lambda entries, _: told.extend(entries))
    assert tuple(told) == outcome.entries == whole
    assert [(e.path, e.finding.place.row, e.finding.code) for e in told if "eng" in e.path] == [
        ("engine.py", 5, "GRD701")
    ]


ALONE = [f"alone{number}.py" for number in range(4)]
USERS = [f"user{number}.py" for number in range(4)]
PARTS = ["parts/__init__.py", "parts/inner.py", "parts/outer.py"]


@pytest.mark.parametrize(
    ("order", "early"),
    [
        ([*ALONE, "train.py", "engine.py", *PARTS, *USERS], ALONE),
        (["engine.py", *ALONE, *USERS, *PARTS, "train.py"], ALONE),  # the one that calls it comes last
        (["engine.py", "train.py", *ALONE, *USERS[1:], *PARTS, "user0.py"], ALONE),  # so does one that might
        ([*USERS, "train.py", "engine.py", *ALONE, *PARTS], [*ALONE, "engine.py"]),
        ([*USERS, "train.py", *PARTS, *ALONE, "engine.py"], ALONE),
    ],
)
def test_a_file_is_told_when_all_that_lead_to_it_are_done(order, early, project, monkeypatch):
    """What only the last result made final is told with it."""
    arriving(monkeypatch, order)
    told: list[list[str]] = []
    done: list[int] = []
    engine.lint(
        REQUEST,
        RULES,
        progress=lambda number, of: done.append(number),
        tell=lambda entries, _: told.append([each.path for each in entries]),
    )
    before_the_last = [path for paths in told[:-1] for path in paths]
    assert len(told) == len(done) == len(order)
    assert list(dict.fromkeys(before_the_last)) == early


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_in_parts_is_the_report(name, project):
    entries = engine.lint(REQUEST, RULES).entries
    whole = FORMATS[name](entries, False)
    for at in range(1, len(entries)):
        between = PARTED.get(name)
        if between is not None:
            assert FORMATS[name](entries[:at], False) + between + FORMATS[name](entries[at:], False) == whole
    assert (name in PARTED) == (name not in ("json", "junit", "gitlab", "rdjson", "sarif"))


@pytest.mark.parametrize("name", FORMATS)
def test_the_command_line_writes_each_finding_once(name, project, capfd, monkeypatch):
    from gradlint import cli

    outputs = []
    for silent in (1000.0, 0.0):
        monkeypatch.setattr(run, "SILENT", silent)
        assert cli.run(["check", "--isolated", "--no-cache", "--output-format", name, "."]) == 1
        outputs.append(capfd.readouterr().out)
    assert outputs[0] == outputs[1] != ""


def test_findings_are_written_while_others_are_sought(project):
    """The process that lints the last file waits for the first line of the report."""
    (project / "zz.py").write_text("import torch\n")
    program = (
        "import os, sys\nfrom gradlint import planning, run\nfrom gradlint.cli import run as main\nrun.SILENT = 0.0\n"
        "usual = planning.Plan.results\n"
        "def results(plan, tasks):\n"
        "    for result in sorted(usual(plan, tasks), key=lambda one: one.path):\n"
        "        if result.path == 'zz.py':\n            sys.stdin.readline()\n"
        "        yield result\n"
        "planning.Plan.results = results\n"
        "sys.exit(main(['check', '--isolated', '--no-cache', '--output-format=concise', '.']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        first = process.stdout.readline()
        process.stdin.write("\n")
        process.stdin.close()
        rest = process.stdout.read()
    assert first.startswith("alone0.py:2:") and "parts/outer.py" in rest and process.returncode == 1
