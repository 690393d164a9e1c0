"""The labels of repositories (`python -m tests.wild --checkouts`), on a repository made here: none is fetched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from wild import __main__ as command
from wild import judging, repositories
from wild.linting import Found
from wild.repositories import BadLabels, Label, Repository, meet

from gradlint.registry import rules

COMMIT = "0" * 40
LIST = f'[[repository]]\nname = "one/small"\ncommit = "{COMMIT}"\n'
MISTAKE = "import torch\n\nw = torch.zeros(3, requires_grad=True).cuda()\nw.sum().backward()\nprint(w.grad)\n"
IN_CELL = "one/small,a.ipynb:cell 2,2,GRD120,certain,moved\n"
MISSED, RIGHT = "repository,path,line,code,degree,reason\n", "repository,path,line,code,reason\n"
LABEL = Label("one/small", "model.py", 3, "GRD120", "certain", "moved")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A repository of one file with one mistake among the checkouts; runs the command with these labels."""
    (tmp_path / "checkouts" / "one+small" / ".git").mkdir(parents=True)
    (tmp_path / "checkouts" / "one+small" / "model.py").write_text(MISTAKE)
    for name, file in (("LIST", "list.toml"), ("MISSED", "missed.csv"), ("RIGHT", "right.csv")):
        monkeypatch.setattr(repositories, name, tmp_path / file)
    monkeypatch.setattr(judging, "JUDGED", tmp_path / "judged.csv")

    def ran(missed: str = "", right: str = "", verdicts: str = "", cells: tuple[str, ...] = (), read: bool = True):
        if cells:
            code = [{"cell_type": "code", "metadata": {}, "source": cell, "outputs": []} for cell in cells]
            notebook = json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": code})
            (tmp_path / "checkouts" / "one+small" / "a.ipynb").write_text(notebook)
        (tmp_path / "list.toml").write_text(LIST + "notebooks = true\n" * read)
        (tmp_path / "missed.csv").write_text(MISSED + missed)
        (tmp_path / "right.csv").write_text(RIGHT + right)
        (tmp_path / "judged.csv").write_text(",".join(judging.COLUMNS) + "\n" + verdicts)
        return CliRunner().invoke(command.main, ["--checkouts", str(tmp_path / "checkouts"), "--unjudged"])

    return ran


def test_what_is_labelled_and_found_counts(small):
    result = small(missed="one/small,model.py,3,GRD120,certain,moved\none/small,model.py,5,GRD701,likely,another\n")
    assert result.exit_code == 0, result.output
    assert "1 of 2 mistakes (1 of 1 certain ones)" in result.output
    assert "1 of 1 judged findings true, 0 unjudged" in result.output


def test_a_finding_without_label_or_verdict_fails(small):
    result = small()
    assert result.exit_code == 1
    assert "0 of 0 judged findings true, 1 unjudged" in result.output


def test_a_checkout_is_one_project(small, tmp_path):
    (tmp_path / "checkouts" / "one+small" / ".git").rmdir()
    result = small(verdicts="one/small,model.py,3,GRD120,true,moved\n")
    assert result.exit_code == 1
    assert "one/small: its checkout has no `.git`" in result.output


def test_a_verdict_judges_what_is_not_labelled(small):
    result = small(verdicts="one/small,model.py,3,GRD120,false,as it should be\n")
    assert result.exit_code == 0, result.output
    assert "0 of 1 judged findings true, 0 unjudged" in result.output


def test_a_cell_is_a_path_of_its_own(small):
    cells = ("import torch\n", MISTAKE.partition("\n")[2])
    judged = "one/small,model.py,3,GRD120,true,moved\n"
    result = small(missed=IN_CELL, verdicts=judged, cells=cells)
    assert result.exit_code == 0, result.output
    assert "1 of 1 mistakes" in result.output
    result = small(verdicts=judged, cells=cells)
    assert "unjudged: one/small,a.ipynb:cell 2,2,GRD120" in result.output
    assert ">     2 | w = torch.zeros" in result.output


def test_a_cell_that_does_not_parse_is_its_author_s_fault(small):
    result = small(verdicts="one/small,model.py,3,GRD120,true,moved\n", cells=("w = ???\n",))
    assert result.exit_code == 0, result.output


def test_notebooks_that_nobody_read_are_left_out(small):
    result = small(missed=IN_CELL, verdicts="one/small,model.py,3,GRD120,true,moved\n", cells=(MISTAKE,), read=False)
    assert "0 of 1 mistakes" in result.output and "0 unjudged" in result.output


def test_a_right_place_that_is_reported_is_told(small):
    result = small(right="one/small,model.py,3,GRD120,as it should be\n")
    assert "1 right places reported" in result.output


@pytest.mark.parametrize(
    ("found", "met"),
    [
        (Found("one/small", "model.py", 3, "GRD120"), True),
        (Found("one/small", "model.py", 8, "GRD120"), True),
        (Found("one/small", "model.py", 9, "GRD120"), False),
        (Found("one/small", "model.py", 3, "GRD302"), False),
        (Found("one/small", "other.py", 3, "GRD120"), False),
        (Found("one/other", "model.py", 3, "GRD120"), False),
        (Found("one/small", "other.py", 40, "GRD120", noted=(("model.py", 3, "made here"),)), True),
        (Found("one/small", "model.py", 40, "GRD120", noted=(("model.py", 3, "made here"),)), False),
        (Found("one/small", "model.py", 40, "GRD120", noted=(("model.py", 3, "called here"),)), True),
        (Found("one/small", "model.py", 40, "GRD120", noted=(("model.py", 3, "moved (GRD120)"),)), True),
        (Found("one/small", "model.py", 40, "GRD120", noted=(("model.py", 3, "moved (GRD121)"),)), False),
    ],
)
def test_a_finding_is_about_a_mistake_near_it_or_where_it_leads_from(found: Found, met: bool):
    assert LABEL.is_met_by(found) is met
    assert bool(meet([found], [LABEL], []).found) is met


def test_a_rule_that_speaks_in_place_of_another_counts():
    label = Label("one/small", "model.py", 3, "GRD401", "certain", "recorded")
    assert label.is_met_by(Found("one/small", "model.py", 3, "GRD115"))


@pytest.mark.parametrize(
    "text",
    [
        "repository,path\n",
        MISSED + "one/small,model.py,three,GRD120,certain,moved\n",
        MISSED + "one/small,model.py,3,GRD120,sure,moved\n",
        MISSED + "one/small,model.py,3,GRD120,certain,\n",
        MISSED + "one/small,model.py,5,GRD120,certain,b\none/small,model.py,3,GRD120,certain,a\n",
    ],
)
def test_labels_that_are_none_are_refused(text: str):
    with pytest.raises(BadLabels):
        repositories.mistakes(text)


@pytest.mark.parametrize(
    "text", [LIST.replace("one/small", "small"), LIST.replace(COMMIT, "main"), LIST + "\n" + LIST], ids=str.strip
)
def test_a_list_that_is_none_is_refused(text: str):
    with pytest.raises(BadLabels):
        repositories.repositories(text)


def test_our_labels_are_of_our_repositories_and_rules():
    """Enough of them, of each half, with the codes that there are."""
    listed = {one.name for one in repositories.repositories()}
    labels = [*repositories.mistakes(), *repositories.right_places()]
    codes = {rule.code for rule in rules()} | {repositories.NO_RULE}
    assert {label.repository for label in labels} <= listed
    assert {label.code for label in labels} <= codes
    assert len(listed) >= 20 and len(repositories.mistakes()) >= 40
    halves = {Repository(name, COMMIT).for_mending for name in listed}
    assert halves == {True, False}
