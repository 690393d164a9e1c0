"""`--add-noqa` silences all that is found and changes nothing else, whatever a file looks like."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gradlint import annotating, cli, engine, fixes, run, texts
from gradlint.annotating import CannotAnnotate, add_noqa, annotated
from gradlint.finding import Finding, Place
from gradlint.registry import rules
from gradlint.settings import Request
from gradlint.suppression import unsuppressed

ROOT = Path(__file__).parent.parent
CASES = sorted((ROOT / "tests/cases").glob("*.py"))
RULES = rules()
FAULTY = "import torch\nw = torch.tensor([1, 2, 3], requires_grad=True)\n"


def finding(row: int, code: str = "GRD101") -> Finding:
    return Finding(code, "a-name", "message", Place(row, 1, row, 2))


def lint(request: Request) -> run.Outcome:
    return engine.lint(request, RULES)


def tree(data: bytes) -> str:
    return ast.dump(ast.parse(data))


# ---- the law


@pytest.mark.sampled(6)
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_afterwards_the_same_run_reports_nothing_and_the_files_say_the_same(path, tmp_path):
    file = tmp_path / path.name
    file.write_bytes(path.read_bytes())
    request = Request(paths=(str(tmp_path),), isolated=True, select=("ALL",))
    before = lint(request).entries  # there may be none in the version of torch that is aimed at
    outcome, added = add_noqa(request, lint)
    assert outcome.entries == () == lint(request).entries
    assert tree(file.read_bytes()) == tree(path.read_bytes())
    assert bool(added.rows) == bool(before) and not added.problems and os.listdir(tmp_path) == [path.name]


def test_what_other_files_lead_to_is_silenced_where_it_stands(tmp_path):
    (tmp_path / "helper.py").write_text("def train(model, x):\n    model(x).sum().backward()\n")
    (tmp_path / "caller.py").write_text(
        "import torch\nfrom helper import train\nmodel = torch.nn.Linear(1, 1)\nfor p in model.parameters():\n"
        "    p.requires_grad_(False)\ntrain(model, torch.ones(1))\n"
    )
    for paths, changed in ((("caller.py",), "caller.py"), ((".",), "helper.py")):
        request = Request(paths=tuple(str(tmp_path / path) for path in paths), isolated=True)
        assert lint(request).entries
        outcome, added = add_noqa(request, lint)
        assert outcome.entries == () and added.files == {str(tmp_path / changed)}


def test_what_is_silenced_may_have_stood_for_another_finding(tmp_path, monkeypatch):
    (tmp_path / "a.py").write_text("x = 1\n")
    codes = ["GRD101", "GRD102"]

    def finding_one_after_the_other(request: Request) -> run.Outcome:
        outcome = lint(request)
        text = (tmp_path / "a.py").read_text()
        left = [code for code in codes if code not in text][:1]
        entries = (
            () if request.only_list else tuple(run.Entry(finding(1, c), "a.py", str(tmp_path / "a.py")) for c in left)
        )
        return replace(outcome, entries=entries)

    outcome, _ = add_noqa(Request(paths=(str(tmp_path),), isolated=True), finding_one_after_the_other)
    assert outcome.entries == () and (tmp_path / "a.py").read_text() == "x = 1  # noqa: GRD101, GRD102\n"


# ---- where comments go


@pytest.mark.parametrize(
    ("text", "row", "after"),
    [
        ("x = 1\n", 1, "x = 1  # noqa: GRD101\n"),
        ("x = 1", 1, "x = 1  # noqa: GRD101"),
        ("x = 1 \t\n", 1, "x = 1  # noqa: GRD101\n"),
        ("x = 1  # why\n", 1, "x = 1  # why  # noqa: GRD101\n"),
        ("x = 1  # why \\\n", 1, "x = 1  # why \\  # noqa: GRD101\n"),
        ("x = f(  # why \\\n    1)\n", 1, "x = f(  # why \\  # noqa: GRD101\n    1)\n"),
        ("x = 1  # noqa: E501\n", 1, "x = 1  # noqa: E501, GRD101\n"),
        ("x = 1  # NOQA:E501,F401 because\n", 1, "x = 1  # NOQA:E501,F401, GRD101 because\n"),
        ("x = 1  # noqa: E501  # why\n", 1, "x = 1  # noqa: E501, GRD101  # why\n"),
        ("x = 1  # gradlint: ignore[GRD102]\n", 1, "x = 1  # gradlint: ignore[GRD102]  # noqa: GRD101\n"),
        ("x = f(\n    1,\n    2,\n)\n", 2, "x = f(\n    1,  # noqa: GRD101\n    2,\n)\n"),
        ("x = 1 + \\\n    2\n", 1, "x = 1 + \\\n    2  # noqa: GRD101\n"),
        ("x = f('''a\nb''', 1,\n 2)\n", 1, "x = f('''a\nb''', 1,\n 2)  # noqa: GRD101\n"),
        ("x = f('''a\nb''', 1,\n 2)\n", 2, "x = f('''a\nb''', 1,  # noqa: GRD101\n 2)\n"),
        ("x = f'''{1 +\n2}\n''' + a\n", 2, "x = f'''{1 +\n2}\n''' + a  # noqa: GRD101\n"),
        ("if x: y = '''\n'''; z = 1\n", 1, "if x: y = '''\n'''; z = 1  # noqa: GRD101\n"),
        ("\ufeffx = 1\r\ny = 1\r", 1, "\ufeffx = 1  # noqa: GRD101\r\ny = 1\r"),
        ("\ufeffx = 1\r\ny = '\u2028\U0001f600'\r", 2, "\ufeffx = 1\r\ny = '\u2028\U0001f600'  # noqa: GRD101\r"),
        ("\ufeff\u00e4 = 1  # \u00e4 # noqa: E501 \u00e4", 1, "\ufeff\u00e4 = 1  # \u00e4 # noqa: E501, GRD101 \u00e4"),
    ],
)  # fmt: skip
def test_a_comment_goes_where_it_silences(text, row, after):
    assert annotated(text, [finding(row)]) == (after, 1)
    assert unsuppressed(after, [finding(row)]) == ()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("path", sorted((ROOT / "gradlint").rglob("*.py")), ids=lambda path: path.stem)
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_any_row_of_any_statement_can_be_silenced(path, newline):
    text = path.read_text(encoding="utf-8").replace("\n", newline)
    rows = range(1, len(fixes.Rows(text).starts) + 1)
    found = [finding(row, code) for row in rows for code in ("GRD101", "GRD102")]
    after, _ = annotated(text, found)
    assert unsuppressed(after, found) == () and tree(after.encode()) == tree(text.encode())
    kept = [re.sub("(  # noqa:|,) GRD10[12](, GRD102)?", "", row) for row in texts.rows(after)]
    assert kept == [row.rstrip() for row in texts.rows(text)]


@pytest.mark.parametrize("text", ["x = (\n", "x = '''\n", "match = \\"])
def test_where_nobody_can_tell_where_comments_stand_the_text_is_left(text):
    with pytest.raises(CannotAnnotate):
        annotated(text, [finding(1)])


# ---- files


@pytest.mark.parametrize(
    "data",
    [
        FAULTY.encode(),
        b"\xef\xbb\xbf" + FAULTY.replace("\n", "\r\n").encode(),
        b"# coding: latin-1\n" + FAULTY.encode() + "# \u00e4".encode("latin-1"),
        FAULTY.encode().rstrip(b"\n"),
    ],
)
def test_all_other_bytes_of_a_file_stay_and_so_does_its_mode(data, tmp_path):
    file, link = tmp_path / "real.txt", tmp_path / "a.py"
    file.write_bytes(data)
    file.chmod(0o640)
    link.symlink_to(file)
    outcome, added = add_noqa(Request(paths=(str(link),), isolated=True), lint)
    assert (outcome.entries, added.rows, added.problems) == ((), 1, {})
    assert file.read_bytes() == data.replace(b"requires_grad=True)", b"requires_grad=True)  # noqa: GRD101")
    assert link.is_symlink() and file.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("change", [b"# new\n", b""])
def test_a_file_that_changes_after_it_was_linted_is_left_alone(change, tmp_path):
    file = tmp_path / "a.py"
    file.write_text(FAULTY)

    def changing(request: Request) -> run.Outcome:
        outcome = lint(request)
        if not request.only_list:
            file.write_bytes(change + FAULTY.encode())
            os.utime(file, ns=(1, 1))
        return outcome

    outcome, added = add_noqa(Request(paths=(str(file),), isolated=True), changing)
    assert file.read_bytes() == change + FAULTY.encode() and outcome.entries and added.rows == 0
    assert list(added.problems) == [f"{file} has changed since it was linted, so nothing was added; run it again"]


# ---- the command


def test_the_command_tells_what_it_did_and_ends_clean(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(FAULTY)
    assert cli.run(["--add-noqa", "--isolated"]) == cli.CLEAN
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "added `# noqa` to 1 row in 1 file\nnothing to report in 1 file\n")
    assert cli.run(["--isolated", "--extend-select", "GRD001"]) == cli.CLEAN


def test_what_cannot_be_silenced_or_written_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(FAULTY)
    (tmp_path / "b.py").write_text("x = (\n")

    def failing(path: str, before: bytes, after: bytes) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(annotating, "replace_file", failing)
    assert cli.run(["--add-noqa", "--isolated"]) == cli.WRONG
    said = capsys.readouterr()
    assert [line.split(": ")[0] for line in said.out.splitlines()] == ["a.py:2:5", "b.py:1:5"]
    assert "error: nothing was added to a.py: Permission denied\n" in said.err


def test_stdin_is_no_file(tmp_path):
    command = [sys.executable, "-m", "gradlint", "--add-noqa", "-"]
    done = subprocess.run(command, input=FAULTY, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == cli.WRONG and "name the file" in done.stderr and done.stdout == ""
