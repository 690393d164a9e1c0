"""The check on real packages (`python -m tests.wild`), on an archive made here: nothing is fetched."""

from __future__ import annotations

import os
import zipfile

import pytest
from click.testing import CliRunner
from wild import __main__ as command
from wild import fetching, judging, linting, packages, repositories
from wild.judging import Judged
from wild.linting import Found

from gradlint.registry import rules

LIST = '[[package]]\nname = "small"\nversion = "1.0"\nkind = "research"\n'
MISTAKE = "import torch\n\nw = torch.zeros(3, requires_grad=True).cuda()\nw.sum().backward()\nprint(w.grad)\n"
NEIGHBOUR = "from .model import w\n\nprint(w)\n"
ROW = "small,small/model.py,3,GRD120,true,moved\n"
HEAD = ",".join(judging.COLUMNS) + "\n"


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A package of two files with one mistake, in a wheel that lies where pip would have put it; runs the command."""
    wheel = tmp_path / "small.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("small/__init__.py", "")
        file.writestr("small/model.py", MISTAKE)
        file.writestr("small/use.py", NEIGHBOUR)
        file.writestr("small/weights.bin", "0")
    monkeypatch.setitem(fetching.FETCH, "wheel", lambda *asked: fetching.zipped(wheel))

    def run(*options, listed=LIST, verdicts=HEAD):
        (tmp_path / "packages.toml").write_text(listed)
        (tmp_path / "judged.csv").write_text(verdicts)
        monkeypatch.setattr(packages, "LIST", tmp_path / "packages.toml")
        monkeypatch.setattr(judging, "JUDGED", tmp_path / "judged.csv")
        (tmp_path / "cache").mkdir(exist_ok=True)
        return CliRunner().invoke(command.main, ["--cache", str(tmp_path / "cache"), *options])

    return run


def test_a_finding_without_verdict_fails(small):
    result = small()
    assert result.exit_code == 1
    assert "unjudged: small,small/model.py,3,GRD120" in result.output
    assert "1 packages, 3 files, 1 findings, 1 unjudged" in result.output


def test_it_is_shown_with_the_source_around(small):
    result = small("--unjudged")
    assert "  >     3 | w = torch.zeros(3, requires_grad=True).cuda()\n        4 | w.sum().backward()" in result.output


def test_a_finding_with_a_verdict_passes_and_is_counted(small):
    result = small(verdicts=HEAD + ROW)
    assert result.exit_code == 0, result.output
    row = next(line.split() for line in result.output.splitlines() if line.startswith("GRD120"))
    assert row == ["GRD120", "moved-leaf", "1", "0", "0", "0%"]


@pytest.mark.parametrize("verdict", ["false", "arguable"])
def test_too_many_unwanted_ones_fail(small, verdict):
    result = small(verdicts=HEAD + ROW.replace("true", verdict))
    assert result.exit_code == 1 and "more than one in ten" in result.output


def test_a_verdict_whose_finding_is_gone_is_told_and_does_not_fail(small):
    result = small(verdicts=HEAD + ROW + ROW.replace(",3,", ",4,").replace("true", "false"))
    assert result.exit_code == 0 and "gone: small,small/model.py,4,GRD120 was judged false" in result.output


def test_verdicts_on_packages_that_were_not_linted_are_left_alone(small):
    assert "gone" not in small(verdicts=HEAD + ROW.replace("small,", "other,", 1) + ROW).output


def test_what_was_linted_is_kept_until_the_package_changes(small, tmp_path, monkeypatch):
    small()
    linted, line = [], linting._line
    monkeypatch.setattr(linting, "_line", lambda folder, name: linted.append(name) or line(folder, name))
    assert "1 findings" in small().output and linted == []
    [file] = (tmp_path / "cache").glob("unpacked/*/small/use.py")
    file.write_text("from .model import w\n\nw.detach()\n")
    assert "unjudged: small,small/use.py,3,GRD607" in small().output  # a neighbour tells what `w` is
    assert sorted(linted) == ["small/__init__.py", "small/model.py", "small/use.py"]


def test_a_package_that_is_not_to_be_had_fails_and_the_others_are_linted(small, monkeypatch):
    def refused(*asked):
        raise fetching.NotFetched("no such version")

    monkeypatch.setitem(fetching.FETCH, "source", refused)
    listed = LIST + LIST.replace('"small"', '"other"') + 'archive = "source"\n'
    result = small(listed=listed, verdicts=HEAD + ROW)
    assert result.exit_code == 1
    assert "fault: other: no such version" in result.output and "1 packages, 3 files, 1 findings" in result.output


def test_a_package_that_is_not_listed_is_refused(small):
    assert small("--package", "other").exit_code == 2


def test_only_some_folders_of_a_package_are_linted(small):
    listed = LIST + 'paths = ["small/use.py"]\nreason = "the rest is large"\n'
    assert "1 packages, 1 files, 0 findings" in small(listed=listed).output


def test_only_files_with_a_verdict_are_linted_where_that_is_asked(small):
    result = small("--judged", verdicts=HEAD + ROW)
    assert result.exit_code == 0 and "1 packages, 1 files, 1 findings, 0 unjudged" in result.output


# ---- archives


@pytest.mark.parametrize("name", ["../a.py", "a/../../b.py", "/a.py", "a\\..\\..\\b.py", "C:a.py", "a\0.py"])
def test_an_archive_cannot_write_outside_of_its_folder(tmp_path, name):
    folder = tmp_path / "inside"
    with pytest.raises(fetching.NotFetched, match="outside of its folder"):
        fetching.write(folder, [("fine.py", b""), (name, b"x = 1\n")])
    assert {path.name for path in tmp_path.rglob("*")} == {"inside", "fine.py"}


def test_of_an_archive_the_python_files_are_kept(tmp_path):
    fetching.write(tmp_path / "a", [("a/b.py", b"1"), ("a/c.pyi", b"2"), ("d.so", b"3"), ("setup.cfg", b"4")])
    names = {name for name, _ in fetching.tree(tmp_path / "a")}
    assert names == {"a/b.py", "a/c.pyi", "setup.cfg", fetching.TOP}


def test_links_in_an_unpacked_tree_are_not_followed(tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "secret.py").write_text("x = 1\n")
    os.symlink(tmp_path / "secret.py", tmp_path / "tree" / "link.py")
    os.symlink(tmp_path, tmp_path / "tree" / "up")
    assert list(fetching.tree(tmp_path / "tree")) == []


# ---- our lists


def test_every_package_of_ours_is_pinned_and_there_are_enough():
    assert len(packages.packages()) >= 40


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (LIST.replace("1.0", ">=1"), "pinned to no version"),
        (LIST.replace("1.0", ""), "pinned to no version"),
        (LIST.replace("small", "../small"), "its name is none"),
        (LIST.replace("research", "toy"), "its kind is none of"),
        (LIST + 'archive = "egg"\n', "its archive is none of"),
        (LIST + 'paths = ["a"]\n', "without a reason"),
        (LIST + LIST, "twice"),
        (LIST + 'url = "x"\n', "unexpected keyword"),
        ('[[package]]\nname = "small"\n', "missing"),
    ],
)
def test_a_list_that_says_what_it_cannot_mean_is_refused(text, fault):
    with pytest.raises(packages.BadList, match=fault):
        packages.packages(text)


def test_our_verdicts_are_valid_and_about_rules_and_packages_of_ours():
    found = judging.judged()
    assert {one.code for one in found} <= {rule.code for rule in rules() if rule.default}
    ours = {package.name for package in packages.packages()} | {one.name for one in repositories.repositories()}
    assert {one.package for one in found} <= ours


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("package,path\n", "the columns are not"),
        ("", "the columns are not"),
        (HEAD + ROW.replace("true", "yes"), "row 2: the verdict is none of"),
        (HEAD + ROW.replace("moved", " "), "row 2 gives no reason"),
        (HEAD + ROW.replace(",3,", ",x,"), "row 2 does not hold"),
        (HEAD + ROW + ROW, "row 3 is not sorted, or judged twice"),
        (HEAD + ROW.replace(",3,", ",10,") + ROW, "row 3 is not sorted"),
    ],
)
def test_verdicts_that_are_none_are_refused(text, fault):
    with pytest.raises(judging.BadVerdicts, match=fault):
        judging.judged(text)


def test_figures_are_told_per_rule_and_for_all():
    finds = [Found("p", "a.py", line, code) for line, code in enumerate(["GRD101"] * 3 + ["GRD102"], 1)]
    given = [("GRD101", "true"), ("GRD101", "false"), ("GRD101", "arguable"), ("GRD102", "true")]
    verdicts = [Judged("p", "a.py", line, *both, "why") for line, both in enumerate(given, 1)]
    compared = judging.compare(finds, verdicts, frozenset({"p"}))
    assert compared.unwanted == 0.5 and not compared.unjudged and not compared.gone
    rows = [line.split() for line in judging.table(compared.counts, {"GRD101": "one", "GRD102": "two"})[1:]]
    assert rows[0][:6] == ["GRD101", "one", "1", "1", "1", "67%"]
    assert rows[1][:6] == ["GRD102", "two", "1", "0", "0", "0%"]
    assert rows[2][:6] == ["all", "2", "rules", "2", "1", "1"] and rows[2][6] == "50.0%"
