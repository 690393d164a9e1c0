"""The Python of pages in Markdown is linted as programs are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from cells import FAULT, Folder, said, told
from hypothesis import given
from hypothesis import strategies as st

from gradlint import kinds, texts
from gradlint.finding import Edit, Place
from gradlint.texts import pages


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    return Folder(tmp_path, monkeypatch)


PAGE = """# Title

```python
import torch
{fault}
```

- an item

  ```py title="a.py"
  {fault}
  ```

```pycon
>>> v = torch.tensor([1, 2],
...                  requires_grad=True)
>>> v.sqrt()
tensor([1, 2])
```

```{code-cell} ipython3
:tags: [hide-input]
!pip install torch
{fault}
```

```
{fault}
```

```python
for x in ...
    {fault}
```

~~~Python
{fault}  # noqa: GRD101
~~~

```bash
{fault}
```
""".replace("{fault}", FAULT)


def test_the_python_of_a_page_is_one_program(lint: Any) -> None:
    pytest.importorskip("markdown_it")
    outcome = lint("a.md", files={"a.md": PAGE.encode()}, select=("GRD101", "GRD607"))
    rows = [(5, 5), (11, 7), (15, 9), (24, 5)]
    assert told(outcome) == [f"a.md:{row}:{column} GRD101" for row, column in rows]
    for line, mark in zip(*[iter(row for row in said(outcome, "full").splitlines() if " | " in row)] * 2, strict=True):
        assert line[mark.index("^") :].startswith("torch.tensor(")


@given(
    st.lists(
        st.sampled_from(
            ["```py", "```", "~~~python", "~~~", "- ", "  ", "> ", "\t", ">>> f()", "x", "\n", "\r", "\0", "é"]
        )
    )
)
def test_every_row_of_a_page_is_its_own(parts: list[str]) -> None:
    pytest.importorskip("markdown_it")
    page = "".join(parts)
    text = pages.read(page.encode())
    shown, program = texts.rows(text.shown), texts.rows(text.program)
    assert text.shown == page and len(shown) == len(program)
    for number, row in enumerate(program, 1):
        column = len(row) - len(row.lstrip()) + 1
        cell, place = text.source_map.located(Place(number, column, number, column))
        assert (cell, place.row) == (None, number)
        ink = row.strip().rstrip(",")
        assert not ink or shown[number - 1].replace("\0", "\ufffd")[place.column - 1 :].startswith(ink)


@pytest.mark.parametrize("part", ["[", "*a ", "`", "- ", "> ", "&", "![](", "<a ", "```py\n", "~~~py\nx\n~~~\n"])
def test_pages_take_time_with_their_length(part: str) -> None:
    """A page of some 300 KB is done in a second or two; with the square of it, it would take minutes."""
    pytest.importorskip("markdown_it")
    assert pages.read((part * (300_000 // len(part))).encode()).shown


def test_without_the_extra_a_page_is_told_with_the_cure(lint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "markdown_it", None)
    outcome = lint("a.md", "b.py", files={"a.md": PAGE.encode(), "b.py": b""}, cache=True)
    (found,) = outcome.entries
    assert found.where == "a.md:1:1" and found.finding.code == "GRD000"
    assert "install `torch-gradlint[markdown]`" in found.finding.message
    assert said(outcome, "full").startswith("GRD000 ") and " --> a.md:1:1\n" in said(outcome, "full")
    assert kinds.lacking("a.ipynb") == kinds.lacking("a.py") == ""


ROWS = "# Title\n\n```py\nx = 1\ny = 2\n```\n\n- an item\n\n  ```py\n  z = 3\n  ```\n\n```pycon\n>>> a = 4\n4\n```\n"


def edit(place: str, text: str) -> Edit:
    (row, column), (end_row, end_column) = (map(int, each.split(":")) for each in place.split())
    return Edit(Place(row, column, end_row, end_column), text)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("place", "text", "before", "after"),
    [
        ("4:5 4:6", "10", "x = 1", "x = 10"),
        ("4:1 4:1", "w = 0\n", "x = 1", "w = 0\nx = 1"),
        ("6:1 6:1", "w = 0\n", "y = 2\n", "y = 2\nw = 0\n"),
        ("5:1 6:1", "", "y = 2\n", ""),
        ("11:1 11:6", "z = 5", "  z = 3", "  z = 5"),
        ("15:5 15:6", "5", ">>> a = 4", ">>> a = 5"),
    ],
)
def test_an_edit_changes_rows_of_a_block_alone(newline: str, place: str, text: str, before: str, after: str) -> None:
    pytest.importorskip("markdown_it")
    page, expected = ROWS.replace("\n", newline), ROWS.replace(before, after).replace("\n", newline)
    assert pages.edited(page.encode(), [edit(place, text)]) == expected.encode()


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("1:1 1:1", "a"),
        ("3:1 3:1", "a\n"),
        ("5:1 11:1", ""),
        ("6:1 6:4", "a"),
        ("11:1 11:1", "a\n"),
        ("11:1 12:1", ""),
        ("15:1 16:1", ""),
        ("16:1 16:1", "a\n"),
        ("16:1 16:2", "a"),
    ],
)
def test_what_no_block_can_take_is_refused(place: str, text: str) -> None:
    pytest.importorskip("markdown_it")
    with pytest.raises(texts.CannotBeEdited):
        pages.edited(ROWS.encode(), [edit(place, text)])
