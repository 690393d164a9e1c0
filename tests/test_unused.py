"""Suppressions that silence nothing are told where that is asked for, and words that name no rule always."""

from __future__ import annotations

import ast
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gradlint import cli, engine, fixes, unused
from gradlint.catalogue import Listed
from gradlint.finding import Confidence, Finding
from gradlint.registry import rules
from gradlint.run import Outcome
from gradlint.settings import Request
from gradlint.suppression import unsuppressed
from gradlint.unused import Judge, Silenced

RULES = rules()
KNOWN = (Listed("GRD101", "a-mistake"), Listed("GRD102", "another"), Listed("GRD201", "rare", default=False))
ASKED = frozenset({"GRD001", "GRD101", "GRD102"})
NONE = "`{}` silences nothing here"
MISTAKE = "w = torch.tensor([1], requires_grad=True)"


def told(text: str, *silenced: tuple[int, str], asked: frozenset[str] = ASKED) -> tuple[Finding, ...]:
    return Judge(asked, KNOWN).unused(text, [Silenced("", row, code) for row, code in silenced])


def cured(text: str, *silenced: tuple[int, str]) -> str:
    """The text after all safe fixes, made as often as there are some."""
    for _ in range(10):
        applied = fixes.apply(text, told(text, *silenced))
        if not applied.fixed:
            break
        text = applied.text
    return text


def tree(text: str) -> str:
    return ast.dump(ast.parse(text.encode()))


# ---- which are unused


@pytest.mark.parametrize(
    ("comment", "messages"),
    [
        ("# noqa: GRD101", []),
        ("# noqa: GRD102", [NONE.format("GRD102")]),
        ("# noqa: E501, GRD102, GRD101", [NONE.format("GRD102")]),
        ("# noqa: grd102", [NONE.format("grd102")]),
        ("# noqa: GRD10", []),
        ("# noqa: GRD2", []),
        ("# noqa: GRD201", []),  # nobody asked
        ("# noqa: GRD999", []),  # that is told otherwise
        ("# noqa: E501, F401", []),
        ("# noqa", []),
        ("# gradlint: ignore", []),
        ("# gradlint: ignore[]", [NONE.format("# gradlint: ignore[]")]),
        ("# gradlint: ignore[a-mistake]", []),
        ("# gradlint: ignore[another, a-mistake]", [NONE.format("another")]),
        ("# gradlint: ignore[another, GRD102]", ["`another`, `GRD102` silence nothing here"]),
        ("# gradlint: ignore[rare, GRD001, GRD002, E501]", []),
        ("# gradlint: ignore-file[another]", ["`another` silences nothing in this file"]),
        ("# noqa: GRD102  # gradlint: ignore[another]", [NONE.format("GRD102"), NONE.format("another")]),
        ("# noqa: GRD102  # gradlint: ignore[GRD001]", []),
        ("# noqa: GRD102, GRD001", []),
    ],
)  # fmt: skip
def test_a_word_is_unused_if_its_rule_was_asked_for_and_it_silences_nothing(comment, messages):
    assert [one.message for one in told(f"x = 1  {comment}\n", (1, "GRD101"))] == messages


@pytest.mark.parametrize(
    ("text", "asked", "count"),
    [
        ("x = 1  # gradlint: ignore\n", ASKED, 1),
        ("x = 1  # gradlint: ignore-file\n", ASKED, 1),
        ("x = 1  # gradlint: ignore\n", ASKED - {"GRD102"}, 0),
        ("x = 1  # noqa\n", ASKED, 0),
        ("x = 1  # noqa: GRD10\n", ASKED, 1),
        ("x = 1  # noqa: GRD10\n", ASKED - {"GRD102"}, 0),
        ("x = '# gradlint: ignore'\n", ASKED, 0),
    ],
)
def test_what_speaks_of_several_rules_is_judged_where_all_of_them_were_asked_for(text, asked, count):
    assert len(told(text, asked=asked)) == count


def test_a_comment_is_in_use_on_any_row_of_the_statement_and_in_a_file_anywhere():
    text = "# gradlint: ignore-file[GRD102]\nx = f(\n    1,\n)  # noqa: GRD101\ny = 1  # noqa: GRD101\n"
    assert [one.place.row for one in told(text, (3, "GRD101"), (5, "GRD102"))] == [5]
    assert [one.place.row for one in told(text, (3, "GRD101"), (5, "GRD101"))] == [1]


def test_the_place_is_that_of_the_suppression():
    text = "\u00e4 = '\U0001f600'  # why  # noqa: E501, GRD102 because"
    (one,) = told(text)
    assert one.place.row == 1 and text[one.place.column - 1 : one.place.end_column - 1] == "# noqa: E501, GRD102"


# ---- the fix


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("x = 1  # noqa: GRD102\n", "x = 1\n"),
        ("x = 1  # noqa: GRD102", "x = 1"),
        ("x = 1  # noqa: E501, GRD102\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # noqa: GRD102 E501 because\n", "x = 1  # noqa: E501 because\n"),
        ("x = 1  # noqa: GRD102,F401,GRD101\n", "x = 1  # noqa: F401,GRD101\n"),
        ("x = 1  # noqa: GRD102 because\n", "x = 1  # because\n"),
        ("x = 1  # why  # noqa: GRD102\n", "x = 1  # why\n"),
        ("x = 1  # why  # noqa: GRD102: because\n", "x = 1  # why  # because\n"),
        ("x = 1  # type: ignore # gradlint: ignore[another]\n", "x = 1  # type: ignore\n"),
        ("x = 1  # gradlint: ignore[another]  # noqa: E501\n", "x = 1  # noqa: E501\n"),
        ("x = 1  # gradlint: ignore[ another, a-mistake ]\n", "x = 1  # gradlint: ignore[ a-mistake ]\n"),
        ("x = 1  # noqa: GRD102  # gradlint: ignore[another]\n", "x = 1\n"),
        ("x = 1  # gradlint: ignore[another]  # gradlint: ignore[another]\n", "x = 1\n"),
        ("# gradlint: ignore-file[another]\nx = 1\n", "x = 1\n"),
        ("x = 1\n    # gradlint: ignore[another]\ny = 1\n", "x = 1\ny = 1\n"),
        ("x = 1\n# gradlint: ignore[another]", "x = 1\n"),
        ("x = (\n    # gradlint: ignore[another]\n    1,\n)\n", "x = (\n    1,\n)\n"),
        ("\ufeffx = 1  # noqa: GRD102\r\ny = 1\r", "\ufeffx = 1\r\ny = 1\r"),
        ("# noqa: GRD102\n\n# coding: latin-1\n", "\n\n# coding: latin-1\n"),  # that would begin to count
        ("x = 1  # noqa: GRD102 noqa\n", None),
        ("x = 1  # noqa: GRD102 type: ignore\n", None),
        ("x = 1  # noqa: GRD102  # noqa\n", None),
    ],
)
def test_the_fix_takes_out_what_is_unused_and_nothing_else(text, left):
    used = (1, "GRD101")
    assert {fix.safety for one in told(text, used) for fix in one.fixes} == ({"safe"} if left else set())
    assert cured(text, used) == (text if left is None else left)
    if left is not None:
        assert told(left, used) == () and tree(left) == tree(text)


ONE = "# gradlint: ignore[GRD102] "


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"x = 1  {ONE}\n" * 10_000, 10_000),
        (f"x = (\n{f'    1,  {ONE}{chr(10)}' * 10_000})\n", 10_000),
        (ONE.replace("ignore", "ignore-file") * 10_000, 10_000),
        (f"x = 1  # noqa: {', '.join(['GRD102'] * 50_000)}\n", 1),
    ],
)
def test_many_suppressions_are_judged_in_a_time_that_grows_with_them(text, count):
    before = time.process_time()
    found = told(text, *((row, "GRD101") for row in range(1, 10_000)))
    assert len(found) == count and all(len(one.message) < 200 for one in found)
    assert len(unsuppressed(text, found)) == count
    assert time.process_time() - before < 10  # with their square it is minutes


# ---- in a run


def lint(
    folder: Path, files: dict[str, str], *paths: str, select: Sequence[str] = ("GRD001",), **asked: Any
) -> Outcome:
    for name, text in files.items():
        (folder / name).write_text(text)
    every = tuple(str(folder / path) for path in paths or (".",))
    return engine.lint(Request(paths=every, isolated=True, extend_select=tuple(select), **asked), RULES)


def found(outcome: Outcome) -> list[tuple[str, int, str]]:
    return [(Path(e.path).name, e.finding.place.row, e.finding.code) for e in outcome.entries]


TEXT = f"import torch\n{MISTAKE}  # gradlint: ignore[GRD101]\nx = 1  # gradlint: ignore[GRD101]\n"


@pytest.mark.parametrize(
    ("asked", "rows"),
    [
        ({}, [3]),
        ({"select": ()}, []),
        ({"select": ("unused-suppression",)}, [3]),
        ({"select": ("ALL",)}, [3]),
        ({"ignore": ("GRD101",)}, []),
        ({"min_confidence": Confidence.CERTAIN}, [3]),
        ({"extend_ignore": ("GRD001",)}, []),
    ],
)
def test_it_is_told_where_it_was_selected(asked, rows, tmp_path):
    assert found(lint(tmp_path, {"a.py": TEXT}, **asked)) == [("a.py", row, "GRD001") for row in rows]


def test_a_file_in_which_nothing_can_be_found_has_unused_ones_too(tmp_path):
    outcome = lint(tmp_path, {"a.py": "x = 1  # gradlint: ignore\n"})
    assert found(outcome) == [("a.py", 1, "GRD001")]


@pytest.mark.parametrize(
    "files",
    [
        {"a.py": "x = (  # gradlint: ignore[GRD101]\n"},
        {"a.py": "x = 1  # gradlint: ignore[GRD101]\n" + "#" * 2_000_000},
        {"a.py": "x = 1  # gradlint: ignore[GRD101]\n", "b.py": "import a\nx = (\n"},
    ],
)
def test_nothing_is_told_of_a_file_that_was_not_linted_whole_or_is_called_by_one(files, tmp_path):
    for ignored in ((), ("GRD002",)):
        assert "GRD001" not in [code for _, _, code in found(lint(tmp_path, files, ignore=ignored))]


HELPER = "def train(model, x):\n    for _ in range(3):\n        model(x).sum().backward(){}\n"
CALLER = (
    "import torch\nfrom helper import train\nmodel = torch.nn.Linear(1, 1)\nfor p in model.parameters():\n"
    "    p.requires_grad_(False)\ntrain(model, torch.ones(1)){}\n"
)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("paths", [(".",), ("helper.py",), ("helper.py", "caller.py")])
def test_what_another_file_leads_to_counts_as_use(paths, jobs, tmp_path):
    bare = {"helper.py": HELPER.format(""), "caller.py": CALLER.format("")}
    there = [(row, code) for name, row, code in found(lint(tmp_path, bare, *paths)) if name == "helper.py"]
    assert there, "the caller leads to nothing"
    row, code = there[0]
    assert row == 3
    marked = {**bare, "helper.py": HELPER.format(f"  # gradlint: ignore[{code}]")}
    assert found(lint(tmp_path, marked, *paths, jobs=jobs)) == []
    alone = {**marked, "caller.py": ""}
    assert found(lint(tmp_path, alone, *paths)) == [("helper.py", 3, "GRD001")]


def test_a_comment_at_the_call_into_a_file_that_is_not_linted_counts_as_use(tmp_path):
    bare = {"helper.py": HELPER.format(""), "caller.py": CALLER.format("")}
    ((_, row, code),) = found(lint(tmp_path, bare, "caller.py"))
    marked = {**bare, "caller.py": CALLER.format(f"  # gradlint: ignore[{code}]")}
    assert row == 6 and found(lint(tmp_path, marked, "caller.py")) == []


@pytest.mark.parametrize("least", Confidence)
def test_what_is_believed_less_than_is_shown_counts_as_use(least, tmp_path):
    text = "import torch\ndef f(model, x):\n    model.eval()\n    y = model(x){}\n    return y.item()\n"
    select = ("GRD001", "GRD401")
    bare = lint(tmp_path, {"a.py": text.format("")}, select=select, min_confidence=least)
    assert found(bare) == ([] if least is Confidence.CERTAIN else [("a.py", 4, "GRD401")])
    marked = {"a.py": text.format("  # gradlint: ignore[GRD401]")}
    assert found(lint(tmp_path, marked, select=select, min_confidence=least)) == []


# ---- words that name no rule


@pytest.mark.parametrize(
    ("comment", "words"),
    [
        ("# gradlint: ignore[GRD999]", ["GRD999"]),
        ("# gradlint: ignore[GRD10]", ["GRD10"]),  # beginnings of codes silence nothing there
        ("# gradlint: ignore[a-mistaek, a-mistake]", ["a-mistaek"]),
        ("# gradlint: ignore-file[E501]", ["E501"]),
        ("# gradlint: ignore[GRD101, rare, GRD000, grd001, not-linted]", []),
        ("# noqa: F401, GRD999, ABC123", ["GRD999"]),
        ("# noqa: GRD10, grd2, F401", []),
        ("# noqa: because", []),
        ("'# gradlint: ignore[GRD999]'", []),
    ],
)
def test_words_of_ours_that_name_no_rule_are_unknown(comment, words):
    assert unused.unknown(f"x = 1, {comment}\n", KNOWN) == tuple((1, word) for word in words)


def test_many_unknown_words_take_no_time_and_little_room():
    text = "".join(f"# gradlint: ignore[{'x' * 1000}{number}]\n" for number in range(900))
    assert len(unused.unknown(text, KNOWN)) == unused.MOST_UNKNOWN


@pytest.mark.parametrize("first", ["", "import torch\nx = torch.ones(1)\n"])
def test_an_unknown_word_is_a_warning_that_names_place_and_cure(first, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(f"{first}x = 1  # noqa: GRD1011\n# gradlint: ignore[integer-requires-gard]\n")
    row = first.count("\n") + 1
    for options in ([], [], ["--no-cache"], ["--select", "GRD2"]):  # the second time it is remembered
        assert cli.run(["a.py", "--isolated", *options]) == cli.CLEAN
        code, name = capsys.readouterr().err.splitlines()[1:]
        assert code.startswith(f"warning: unknown rule `GRD1011` in a.py:{row}; `gradlint rule GRD1` lists")
        where = f"`integer-requires-gard` in a.py:{row + 1}"
        assert name == f"warning: unknown rule {where}; did you mean `integer-requires-grad`?"
