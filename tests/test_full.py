"""The full report fits the terminal: no line is wider, every mark stands under its place."""

from __future__ import annotations

from typing import Any

import pytest

from gradlint import terminal
from gradlint.finding import Finding, Note, Place
from gradlint.report import Entry, full
from gradlint.report.entry import shown, width
from gradlint.report.wrapping import wrapped

MESSAGE = "`picture` is not a leaf but computed from one, so its `.grad` stays `None`"
HELP = "call `.requires_grad_()` last: `torch.randn(3).to(d).requires_grad_()`"


def entry(*lines: str, place: Place, notes: tuple[Note, ...] = (), **more: Any) -> Entry:
    given = {"message": MESSAGE, "help": HELP, **more}
    return Entry(Finding("GRD120", "moved-leaf", place=place, notes=notes, **given), "src/a.py", "/x/src/a.py", lines)


def marked(report: str, sign: str = "^") -> list[str]:
    """What stands above each underline, by columns of a terminal."""
    found, source = [], ""
    for line in report.splitlines():
        _, bar, drawn = line.partition("|")
        if bar and drawn.strip() and sign * len(drawn.split()[0]) == drawn.split()[0]:
            start = width(drawn) - width(drawn.lstrip())
            found.append(by_columns(source, start, start + len(drawn.split()[0])))
        elif bar and drawn.strip():
            source = drawn
    return found


def by_columns(line: str, start: int, end: int) -> str:
    return "".join(sign for n, sign in enumerate(line) if start <= width(line[:n]) and width(line[: n + 1]) <= end)


def test_a_block_has_the_message_the_place_the_source_and_the_help():
    notes = (Note(Place(3, 12, 3, 24), "its gradient is read here"),)
    lines = ("import torch", "    picture = torch.randn(3, requires_grad=True) * 0.1", "    return picture.grad")
    assert (
        full.report([entry(*lines, place=Place(2, 15, 2, 55), notes=notes)], painted=False)
        == """\
GRD120 `picture` is not a leaf but computed from one, so its `.grad` stays
       `None`
 --> src/a.py:2:15
  |
2 |     picture = torch.randn(3, requires_grad=True) * 0.1
  |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
3 |     return picture.grad
  |            ------------ its gradient is read here
  = help: call `.requires_grad_()` last: `torch.randn(3).to(d).requires_grad_()`
"""
    )


LONG = "values = [" + ", ".join(f"tensor_{n}" for n in range(40)) + "]"
WIDE = "名前 = 関数(" + "値, " * 60 + "最後)"
TABS = "\tx = f(" + "a,\tb, " * 30 + "last)"


@pytest.mark.parametrize("columns", [40, 80, 120, 160])
@pytest.mark.parametrize("line", [LONG, WIDE, TABS, "x" * 500, "é" * 300 + "日" * 300])
def test_no_line_is_wider_than_the_terminal_and_marks_stand_under_their_places(line: str, columns: int):
    for start in (1, 9, len(line) // 2, len(line) - 4):
        for size in (1, 3):
            place = Place(1, start, 1, start + size)
            note = Note(Place(1, max(1, start - 30), 1, max(1, start - 30) + 1), "a note that is rather long " * 2)
            report = full.report([entry(line, place=place, notes=(note,), help="call `f()` last")], False, columns)
            assert max(width(text) for text in report.splitlines()) <= columns
            assert marked(report) == [shown(line[start - 1 : start - 1 + size])]
            assert marked(report, "-") == [shown(line[note.place.column - 1 : note.place.end_column - 1])]


def test_a_mark_that_is_too_long_ends_with_what_is_drawn():
    report = full.report([entry(LONG, place=Place(1, 11, 1, len(LONG)))], False, 60)
    drawn = next(line for line in report.splitlines() if line.startswith("1 |"))
    under = next(line for line in report.splitlines() if "^" in line)
    assert drawn.endswith("...") and len(drawn) == 60
    assert under.rstrip().count("^") == len(drawn) - len("1 | values = [...")


@pytest.mark.parametrize("text", ["", "   ", "\t"])
def test_a_place_without_text_is_told_without_source(text: str):
    note = Note(Place(2, 1, 2, 1), "set here")
    report = full.report([entry(text, text, place=Place(1, 1, 1, 1), notes=(note,))], painted=False)
    assert "|" not in report and "= note: set here (line 2)" in report


def test_of_equal_notes_two_are_shown():
    lines = [f"x{n} = 1" for n in range(1, 7)]
    notes = tuple(Note(Place(row, 1, row, 3), "made here") for row in range(1, 6))
    notes += (Note(Place(6, 1, 6, 3), "read here"),)
    report = full.report([entry(*lines, place=Place(6, 6, 6, 7), notes=notes)], painted=False)
    assert report.count("made here") == 3
    assert "  = and 3 more: made here\n" in report
    assert "x3" not in report and "read here" in report


def test_notes_on_other_files_name_them():
    note = Note(Place(12, 1, 12, 3), "reached by this call", "/x/src/train.py")
    report = full.report([entry("x = 1", place=Place(1, 1, 1, 2), notes=(note,))], painted=False)
    assert "= note: reached by this call (src/train.py:12)" in report


def test_colour_changes_nothing_else():
    import re

    notes = (
        Note(Place(1, 1, 1, 2), "made here, by " + "words " * 20 + "only"),
        Note(Place(2, 1, 2, 2), "x", "/x/b.py"),
    )
    one = entry("x = 1", "y = x", place=Place(2, 5, 2, 6), notes=notes)
    painted = full.report([one], painted=True)
    assert "\x1b[" in painted
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == full.report([one], painted=False)


# ---- wrapping


def test_lines_break_between_words():
    assert wrapped("one two three", 7) == ["one two", "three"]
    assert wrapped("", 7) == [""]
    assert wrapped("unbreakable word", 4) == ["unbreakable", "word"]
    assert wrapped("日本 日本 日本", 9) == ["日本 日本", "日本"]


def test_code_is_kept_together_where_there_is_room():
    assert wrapped("write `with torch.no_grad():` here", 24) == ["write", "`with torch.no_grad():`", "here"]
    assert wrapped("write `with torch.no_grad():` here", 20) == ["write `with", "torch.no_grad():`", "here"]


def test_no_line_begins_like_a_command():
    for odd in ("::error::x", "##[error]", "-x"):
        assert all(not line.startswith(odd) for line in wrapped(f"some words {odd} and more", 6))


# ---- the width


class Screen:
    """A stream that a terminal of this width shows, or none."""

    def __init__(self, wide: int | None) -> None:
        self.wide = wide

    def isatty(self) -> bool:
        return self.wide is not None

    def fileno(self) -> int:
        return 1


@pytest.mark.parametrize(
    ("wide", "said", "columns"),
    [(None, "", 80), (None, "200", 80), (100, "", 100), (100, "90", 90), (20, "", 40), (500, "", 160), (0, "", 80),
     (100, "wide", 100)],
)  # fmt: skip
def test_the_width_is_that_of_the_terminal(monkeypatch: pytest.MonkeyPatch, wide: int | None, said: str, columns: int):
    import os

    monkeypatch.setenv("COLUMNS", said)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((wide or 0, 24)))
    assert terminal.columns(Screen(wide), 80) == columns  # type: ignore[arg-type]


@pytest.mark.parametrize(("wide", "rows", "paged"), [(80, 5, True), (80, 50, False), (None, 5, False)])
def test_what_is_higher_than_the_terminal_is_paged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wide: int | None, rows: int, paged: bool
):
    import os

    shown: list[str] = []
    monkeypatch.setattr("click.echo_via_pager", lambda text, color: shown.append(text))
    monkeypatch.setattr(terminal, "is_terminal", lambda _: wide is not None)
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((wide or 0, rows)))
    monkeypatch.setattr("sys.stdout.fileno", lambda: 1, raising=False)
    terminal.show("a line\n" * 10, painted=False)
    assert (shown, capsys.readouterr().out) == ((["a line\n" * 10], "") if paged else ([], "a line\n" * 10))
