"""Edits of what is linted of notebooks and pages change nothing else in their bytes."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import one_file
import pytest
from cells import RULES, TORCH, cell, data, notebook

from gradlint import cli, engine, texts
from gradlint.changes import Wanted
from gradlint.finding import SAFE, UNSAFE, Edit, Place
from gradlint.fixing import Fixer
from gradlint.proving import examples
from gradlint.registry import packs
from gradlint.results import Result
from gradlint.settings import Request
from gradlint.texts import notebook_edits, notebooks

PACKS = packs()
SPELLINGS = {
    "list": lambda source: source.splitlines(keepends=True),
    "string": lambda source: source,
    "pieces": lambda source: [source[:5], source[5:6], source[6:]] if len(source) > 6 else [source],
}
SOURCE = "import torch\nx = 'é😀\\t\"'\nw = torch.ones(2)\n%matplotlib inline\ny = 1"


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize("indent", [None, 1, "\t"])
@pytest.mark.parametrize(
    ("places", "text", "expected"),
    [
        (["3:5 3:18"], "torch.zeros(3)", SOURCE.replace("torch.ones(2)", "torch.zeros(3)")),
        (["3:1 4:1"], "", SOURCE.replace("w = torch.ones(2)\n", "")),
        (["3:1 3:1"], "é = 1\n", SOURCE.replace("w =", "é = 1\nw =")),
        (["5:6 5:6"], "\nz = 2", f"{SOURCE}\nz = 2"),
        (["5:1 6:1"], "", SOURCE.removesuffix("y = 1")),
        (["1:1 1:7", "3:1 3:2"], "\n", SOURCE.replace("import", "\n").replace("w =", "\n =")),
        (["5:6 5:9"], "0", f"{SOURCE}0"),
        (["2:5 3:2"], "1 + ", SOURCE.replace("'é😀\\t\"'\nw", "1 + ")),
    ],
)
@pytest.mark.sampled(30)
def test_an_edit_changes_nothing_else(spelling, escaped, indent, places, text, expected) -> None:
    def written(source: str) -> bytes:
        whole = notebook("a = 1\n", cell("'# ü'", "markdown"), cell(SPELLINGS[spelling](source)), "\tb = 2")
        return json.dumps(whole, indent=indent, ensure_ascii=escaped).encode()

    before = written(SOURCE)
    first = next(one.first for one in notebooks.read(before).source_map.stretches if one.cell == 3)
    edits = [Edit(_at(place, first - 1), text) for place in places]
    after = notebook_edits.edited(before, edits)
    assert notebooks.source_of(json.loads(after)["cells"][2]) == expected
    if spelling != "pieces":  # where a cell that was cut elsewhere is cut, nobody is told
        assert after.decode() == written(expected).decode()
    assert json.loads(after) | {"cells": 0} == json.loads(before) | {"cells": 0}
    assert json.loads(after)["cells"][3] == json.loads(before)["cells"][3]


def _at(place: str, down: int) -> Place:
    (row, column), (end_row, end_column) = (map(int, each.split(":")) for each in place.split())
    return Place(row + down, column, end_row + down, end_column)


@pytest.mark.parametrize("place", ["1:1 1:1", "2:1 4:3", "3:1 3:4", "2:1 3:2"])
def test_what_no_cell_can_take_is_refused(place: str) -> None:
    with pytest.raises(texts.CannotBeEdited):
        notebook_edits.edited(data("x = 1\n!ls", "y = 2"), [Edit(_at(place, 0), "")])


def test_no_edit_changes_no_byte() -> None:
    strange = b'\xef\xbb\xbf{ "nbformat":4,"cells" :[ {"source":[ "x\\u0020=",\n" 1" ],"cell_type":"code"}]\r\n}\n\n'
    assert notebook_edits.edited(strange, []) == strange
    assert notebook_edits.edited(strange, [Edit(Place(2, 5, 2, 6), "2")]) == strange.replace(b'" 1"', b'" 2"')


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_rows_put_behind_the_last_of_a_cell_stay_in_it(end: str) -> None:
    newline = end or "\n"
    before = data("x = 1", f"y = 2{end}", "%%time\nz = 3")
    program = notebooks.read(before).program
    behind = program.index("y = 2") + len("y = 2")
    row = len(texts.NEWLINE.split(program[:behind])) + 1
    after = notebook_edits.edited(before, [Edit(Place(row, 1, row, 1), f"w = 4{newline}")])
    assert after == data("x = 1", f"y = 2{newline}w = 4{end}", "%%time\nz = 3")


# ---- fixes

MISTAKE, CURED = "[1, 2], requires_grad=True)", "[1, 2], requires_grad=True, dtype=torch.float32)"
MISTAKEN = f"w = torch.tensor({MISTAKE}"
PAGE = f"""# Title

- an item, `{MISTAKE[:-1]}`

  ```py
  {TORCH}
  {MISTAKEN}
  ```

```pycon
>>> {MISTAKEN}
tensor({MISTAKE[:-1]})
```
"""
STRANGE = (
    b'\xef\xbb\xbf{"cells" :[\n{"source":["import\\u0020torch\\n", "w = torch.tensor([1, 2], requires_grad=True)"],'
    b'"cell_type":"code", "outputs":[ {"text":"[1, 2], requires_grad=True"} ]} ],\r\n"nbformat":4 , "x": 1e5}'
)
FILES = [
    ("a.ipynb", data(TORCH, MISTAKEN, "x = (", f"%time {MISTAKEN}", f"!ls\n{MISTAKEN}"), 3),
    ("a.ipynb", data(TORCH, cell([f"{MISTAKEN}\n", "w"]), cell(MISTAKE[:-1], "markdown")), 1),
    ("a.ipynb", STRANGE, 1),
    ("a.md", PAGE.encode(), 2),
    ("a.md", f"\ufeff{PAGE}".replace("\n", "\r\n").encode(), 2),
]


@pytest.fixture
def gradlint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: Any) -> Callable[..., str]:
    """Runs gradlint in a folder: what it prints."""
    pytest.importorskip("markdown_it")
    monkeypatch.chdir(tmp_path)

    def run(*args: str, stdin: bytes = b"") -> str:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        cli.run([*args, "--isolated", "--no-cache", "--jobs=1", "--output-format=concise"])
        return capsysbinary.readouterr().out.decode()

    return run


@pytest.mark.parametrize(("name", "content", "number"), FILES)
def test_fixes_change_nothing_else(gradlint: Any, tmp_path: Path, name: str, content: bytes, number: int) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    shown = gradlint("--diff", "--unsafe-fixes", name)
    assert file.read_bytes() == content
    gradlint("--fix", "--unsafe-fixes", name)
    after = file.read_bytes()
    assert after.replace(CURED.encode(), MISTAKE.encode()) == content
    assert after.count(CURED.encode()) == shown.count(CURED) == number
    assert gradlint("-", "--fix", "--unsafe-fixes", "--stdin-filename", name, stdin=content) == after.decode()


def test_a_diff_of_a_notebook_is_one_of_its_cells(gradlint: Any, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_bytes(data(cell("# x", "markdown"), f"{TORCH}\nx = 1\n", f"!ls\n{MISTAKEN}"))
    assert gradlint("--diff", "--unsafe-fixes", "a.ipynb") == (
        "--- a.ipynb:cell 3\n+++ a.ipynb:cell 3\n@@ -1,2 +1,2 @@\n !ls\n"
        f"-{MISTAKEN}\n\\ No newline at end of file\n"
        f"+{MISTAKEN.replace(MISTAKE, CURED)}\n\\ No newline at end of file\n"
    )


EXAMPLES = [
    (f"{rule.code} {one.example.__name__}", examples.read(rule, one).text)
    for rule in RULES
    for one in rule.evidence
    if one.cures is None
]
ALL = Wanted(frozenset(rule.code for rule in RULES), (SAFE, UNSAFE))


def fixed(name: str, content: bytes) -> bytes:
    def lint(content: bytes) -> Result:
        return one_file.result(content, name, RULES, packs=PACKS)

    return Fixer(lint, ALL, name).fixed(content)[0]


@pytest.mark.sampled(12)
@pytest.mark.parametrize("program", [pytest.param(text, id=name) for name, text in EXAMPLES])
def test_what_is_fixed_in_a_program_is_fixed_in_a_notebook_and_a_page(program: str) -> None:
    pytest.importorskip("markdown_it")
    expected = fixed("a.py", program.encode()).decode()
    made = fixed("a.ipynb", data("x = 1", f"{program}0", "y = 2"))
    imports, head, body = expected.partition(program.split("\n", 1)[0])
    assert made == data(f"{imports}x = 1", f"{head}{body}0", "y = 2"), "imports stand in the first cell"
    page = "# Title\n\n```python\n{}0\n```\n\ntext\n"
    assert fixed("a.md", page.format(program).encode()).decode() == page.format(expected)


# ---- comments


@pytest.mark.parametrize(("name", "content", "number"), FILES)
def test_comments_silence_and_change_nothing_else(
    gradlint: Any, tmp_path: Path, name: str, content: bytes, number: int
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    gradlint("--add-noqa", name)
    after = file.read_bytes()
    comment = b"  # noqa: GRD101"
    assert after.count(comment) == number and after.replace(comment, b"") == content
    assert "GRD101" not in gradlint("--extend-select=GRD001", "--fix", name)
    assert file.read_bytes() == after


def test_a_comment_that_silences_nothing_is_told_in_its_cell_and_taken_out(gradlint: Any, tmp_path: Path) -> None:
    file = tmp_path / "a.ipynb"
    cells = [TORCH, "!ls\nx = f()  # noqa: GRD101\n# gradlint: ignore[GRD101]", "f()  # noqa: GRD101"]
    file.write_bytes(data(*cells))
    said = gradlint("--select=GRD001,GRD101", "a.ipynb").splitlines()
    assert [row.partition(" `")[0] for row in said[:3]] == [
        "a.ipynb:cell 2:2:10: GRD001",
        "a.ipynb:cell 2:3:1: GRD001",
        "a.ipynb:cell 3:1:6: GRD001",
    ]
    gradlint("--select=GRD001,GRD101", "--fix", "a.ipynb")
    assert file.read_bytes() == data(TORCH, "!ls\nx = f()\n", "f()")


def test_a_baseline_accepts_what_is_in_cells(gradlint: Any, tmp_path: Path) -> None:
    file, accepted = tmp_path / "a.ipynb", tmp_path / "accepted.json"
    file.write_bytes(data(TORCH, f"!ls\n{MISTAKEN}"))
    gradlint("--baseline", str(accepted), "--update-baseline", "a.ipynb")
    assert json.loads(accepted.read_bytes())["findings"] == [
        {"path": "a.ipynb", "code": "GRD101", "line": MISTAKEN, "count": 1}
    ]
    file.write_bytes(data("x = 1", TORCH, MISTAKEN, "y = 2", MISTAKEN))
    said = gradlint("--baseline", str(accepted), "a.ipynb")
    assert "cell 5:1:5" in said and said.count("GRD101") == 1


def test_a_word_that_names_no_rule_is_told_in_its_cell(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.ipynb").write_bytes(data(TORCH, "!ls\nx = 1  # gradlint: ignore[GRD999]"))
    outcome = engine.lint(Request(("a.ipynb",), isolated=True), RULES)
    assert [line.partition("ipynb")[2][:10] for line in outcome.warnings] == [":cell 2:2;"]
