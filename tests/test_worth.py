"""What findings are worth: what readers said of them is counted rightly, stands with the rules and holds them to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from wild import judging, repositories, worth
from wild.judging import Judged
from wild.linting import Found
from wild.repositories import BadLabels, Label, meet
from wild.worth import Counted

from gradlint import linter, pages
from gradlint.cli import cli
from gradlint.events import GradientRead
from gradlint.finding import Confidence
from gradlint.registry import rules
from gradlint.rule import Findings, Rule, Worth

RULES = rules()
HEAD = ",".join(worth.COLUMNS) + "\n"
MISTAKE = "import torch\n\nw = torch.zeros(3, requires_grad=True).cuda()\nw.sum().backward()\nprint(w.grad)\n"
JUDGED = [
    Judged("small", "a.py", 3, "GRD120", "true", "moved"),
    Judged("small", "a.py", 9, "GRD120", "arguable", "perhaps"),
    Judged("large", "a.py", 3, "GRD120", "false", "as it should be"),
]


# ---- the law


@pytest.mark.parametrize(
    ("wanted", "unwanted", "projects", "measured", "low"),
    [
        (19, 1, 5, True, False),
        (18, 2, 5, True, True),
        (18, 2, 4, False, False),
        (0, 19, 9, False, False),
        (95, 5, 9, True, False),
        (94, 5, 9, True, True),
    ],
)
def test_below_95_of_100_is_too_low_where_enough_was_judged(wanted, unwanted, projects, measured, low):
    found = Worth(wanted, unwanted, projects)
    assert (found.is_measured, found.is_too_low) == (measured, low)


@pytest.mark.parametrize(("wanted", "confidence"), [(19, Confidence.CERTAIN), (18, Confidence.POSSIBLE)])
def test_findings_of_a_rule_that_is_too_low_are_possible(wanted: int, confidence: Confidence):
    rule = Rule("ABC101", "planted", "message", worth=Worth(wanted, 20 - wanted, 5))

    @rule.on(GradientRead)
    def check(event: GradientRead) -> Findings:
        yield rule.at(event.node)

    (found,) = linter.analyse(MISTAKE, [rule]).findings
    assert found.confidence is confidence


# ---- the figures


def test_the_module_says_what_the_files_do():
    measured = worth.worths(judging.judged(), worth.found())
    assert worth.MODULE.read_text() == worth.module(measured), "run python -m tests.wild.worth"
    assert {rule.code: rule.worth for rule in RULES if rule.worth} == measured


def test_the_recorded_findings_are_of_our_repositories_and_rules():
    names, codes = {one.name for one in repositories.repositories()}, {rule.code for rule in RULES}
    assert all(one.repository in names and one.code in codes and one.mistakes + one.right for one in worth.found())


def test_verdicts_and_labels_are_counted_by_rule():
    counts = [Counted("one/small", "GRD120", 2, 1), Counted("one/small", "GRD201", 1, 0)]
    assert worth.worths(JUDGED, counts) == {"GRD120": Worth(3, 3, 3), "GRD201": Worth(1, 0, 1)}


def test_a_finding_is_counted_once():
    """By its verdict if it has one, or else as the mistakes or the right place that it meets."""
    labels = [Label("small", "a.py", row, "GRD120", "certain", "moved") for row in (1, 3)]
    right = [Label("small", "a.py", row, "GRD120", "", "as it should be") for row in (9, 20)]
    met = meet([Found("small", "a.py", row, "GRD120") for row in (2, 9, 20, 30)], labels, right)
    assert worth.counted(met, JUDGED) == [Counted("small", "GRD120", 1, 1)]


def test_counts_are_written_as_they_are_read():
    counts = (Counted("one/small", "GRD120", 2, 1), Counted("one/small", "GRD201", 1, 0))
    assert worth.found(worth.record(reversed(counts))) == counts


@pytest.mark.parametrize(
    "text",
    ["code\n", HEAD + "a/b,GRD120,one,2\n", HEAD + "a/b,GRD120,1,2\na/b,GRD120,1,3\n", HEAD + "b,A,1,2\na,A,1,1\n"],
)
def test_counts_that_are_none_are_refused(text: str):
    with pytest.raises(BadLabels):
        worth.found(text)


def test_the_command_lints_counts_and_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "checkouts" / "one+small").mkdir(parents=True)
    (tmp_path / "checkouts" / "one+small" / "model.py").write_text(MISTAKE)
    for module, name, text in (
        (repositories, "LIST", f'[[repository]]\nname = "one/small"\ncommit = "{"0" * 40}"\n'),
        (
            repositories,
            "MISSED",
            "repository,path,line,code,degree,reason\none/small,model.py,3,GRD120,certain,moved\n",
        ),
        (repositories, "RIGHT", "repository,path,line,code,reason\n"),
        (judging, "JUDGED", ",".join(judging.COLUMNS) + "\n"),
        (worth, "FOUND", HEAD),
        (worth, "MODULE", ""),
    ):
        (tmp_path / name).write_text(text)
        monkeypatch.setattr(module, name, tmp_path / name)
    checkouts = ["--checkouts", str(tmp_path / "checkouts")]
    ran = CliRunner().invoke(worth.main, checkouts)
    assert (ran.exit_code, ran.output) == (0, "1 rules with too few findings to say\n")
    assert worth.FOUND.read_text() == HEAD + "one/small,GRD120,1,0\n"
    assert '"GRD120": Worth(1, 0, 1),' in worth.MODULE.read_text()
    (tmp_path / "checkouts" / "one+small").rename(tmp_path / "elsewhere")
    assert CliRunner().invoke(worth.main, checkouts).exit_code == 1


# ---- how it is told


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (None, "Unmeasured: none of its findings"),
        (
            Worth(3, 1, 2),
            "Unmeasured: 3 of 4 judged findings in real code were wanted, in 2 projects, which are too",
        ),
        (Worth(20, 0, 5), "Measured: 20 of 20 judged findings in real code were wanted, in 5 projects."),
        (Worth(10, 10, 5), "in 5 projects, so that they are possible at most."),
    ],
)
def test_the_page_says_what_was_measured(found: Worth | None, told: str):
    assert told in pages.measured(Rule("ABC101", "planted", "message", worth=found))


def test_the_command_line_shows_it():
    listed = {
        one["code"]: one for one in json.loads(CliRunner().invoke(cli, ["rules", "--output-format", "json"]).stdout)
    }
    for rule in RULES:
        found = rule.worth
        counts = found and {"wanted": found.wanted, "unwanted": found.unwanted, "projects": found.projects}
        assert listed[rule.code]["worth"] == (counts and {**counts, "measured": found.is_measured})
    assert "easured: " in CliRunner().invoke(cli, ["rule", "GRD401"]).stdout
