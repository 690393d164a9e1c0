"""Notebooks are linted as programs are, and what is said of them stands where their readers look for it."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cells import FAULT, TORCH, Cells, Folder, cell, data, notebook, said, told
from hypothesis import given
from hypothesis import strategies as st

from gradlint import texts
from gradlint.report import FORMATS
from gradlint.texts import displaying, magics, notebooks


@pytest.fixture
def lint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    return Folder(tmp_path, monkeypatch)


# ---- cells


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([TORCH, FAULT], ["cell 2:1:5 GRD101"]),
        ([cell("# title", "markdown"), TORCH, cell(FAULT, "raw"), "", f"\n{FAULT}"], ["cell 5:2:5 GRD101"]),
        ([cell([f"{TORCH}\n", FAULT])], ["cell 1:2:5 GRD101"]),
        ([f"{TORCH}\r\n{FAULT}\r\n", f"x = 1\r{FAULT}"], ["cell 1:2:5 GRD101", "cell 2:2:5 GRD101"]),
        ([f"{TORCH}\r", FAULT], ["cell 2:1:5 GRD101"]),
        (["\ufeffx = 1", f"{TORCH}\n{FAULT}"], ["cell 1:1:1 GRD000", "cell 2:2:5 GRD101"]),
        ([TORCH, "def f(:", FAULT], ["cell 2:1:7 GRD000", "cell 3:1:5 GRD101"]),
        ([TORCH, "if True:", f"    {FAULT}"], ["cell 2:1:9 GRD000", "cell 3:1:4 GRD000"]),
        ([TORCH, 'x = """', f'{FAULT}"""'], ["cell 2:1:5 GRD000", "cell 3:1:45 GRD000"]),
        (['x = """', 'y"""'], ["cell 1:1:5 GRD000", "cell 2:1:2 GRD000"]),
        ([TORCH, "x = 1 \\", FAULT], ["cell 2:1:8 GRD000", "cell 3:1:5 GRD101"]),
        ([TORCH, "x = '\0'", FAULT], ["cell 2:1:6 GRD000", "cell 3:1:5 GRD101"]),
        ([TORCH, "x = '\ud800'", FAULT], ["cell 2:1:1 GRD000", "cell 3:1:5 GRD101"]),
        ([TORCH, f"x = {'(' * 300}", FAULT], ["cell 2:1:205 GRD000", "cell 3:1:5 GRD101"]),
        ([f"%%bash\n{FAULT}", TORCH, f"# first\n%%writefile a.py\n{FAULT}", FAULT], ["cell 4:1:5 GRD101"]),
        ([TORCH, "%%capture\n%%bash\nls -l", FAULT], ["cell 3:1:5 GRD101"]),
        ([f"%%time\n{TORCH}", f"%%capture out\n{FAULT}"], ["cell 2:2:5 GRD101"]),
        ([f"%matplotlib inline\n{TORCH}\n!ls \\\n  -l\n{FAULT}"], ["cell 1:5:5 GRD101"]),
        ([TORCH, cell(FAULT, metadata={"vscode": {"languageId": "sql"}})], []),
        ([f"{TORCH}\nawait f()\nasync with g():\n    {FAULT}"], ["cell 1:4:9 GRD101"]),
        ([TORCH, f"%time {FAULT}"], ["cell 2:1:11 GRD101"]),
        ([TORCH, f"{FAULT}  # noqa: GRD101", f"{FAULT}  # gradlint: ignore"], []),
        ([TORCH, FAULT, "# gradlint: ignore-file[GRD101]", "x ="], ["cell 4:1:4 GRD000"]),
        ([], []),
    ],
)
def test_a_finding_has_its_cell_and_the_row_in_it(lint: Any, cells: Cells, expected: list[str]) -> None:
    outcome = lint("a.ipynb", files={"a.ipynb": data(*cells)}, select=("GRD101",))
    assert told(outcome) == [f"a.ipynb:{one}" for one in expected]
    assert not outcome.tracebacks


def test_every_format_tells_the_cell(lint: Any) -> None:
    outcome = lint(files={"a.ipynb": data(TORCH, f"\nx = torch.ones(1, requires_grad=True) * 2\n{FAULT}", "x =")})
    assert told(outcome) == ["a.ipynb:cell 2:3:5 GRD101", "a.ipynb:cell 3:1:4 GRD000"]
    assert f"cell 2:3 | {FAULT}" in said(outcome, "full") and "cell 3:1 | x =" in said(outcome, "full")
    first, second = json.loads(said(outcome, "json"))
    assert (first["cell"], first["location"], first["noqa_row"]) == (2, {"row": 3, "column": 5}, 3)
    assert first["fix"]["edits"][0]["location"]["row"] == 3
    assert (second["cell"], second["location"]) == (3, {"row": 1, "column": 4})
    assert "line=1,col=1,endLine=1,endColumn=1::a.ipynb:cell 2:3:5: GRD101" in said(outcome, "github")
    assert said(outcome, "grouped").splitlines()[1].startswith("  cell 2:3:5 GRD101 ")
    for form in set(FORMATS) - {"full", "concise", "grouped", "json", "json-lines", "github"}:
        assert "cell 2:3:5: " in said(outcome, form) and "cell 3:1:4: " in said(outcome, form), form


def test_what_knows_no_cells_is_told_the_top_of_the_file(lint: Any) -> None:
    outcome = lint(files={"a.ipynb": data(TORCH, f"\n\n{FAULT}")})
    (issue,) = json.loads(said(outcome, "gitlab"))
    assert issue["location"]["positions"]["begin"] == {"line": 1, "column": 1}
    (result,) = json.loads(said(outcome, "sarif"))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["region"]["startLine"] == 1 and "fixes" not in result
    (diagnostic,) = json.loads(said(outcome, "rdjson"))["diagnostics"]
    assert diagnostic["location"]["range"]["start"] == {"line": 1, "column": 1} and "suggestions" not in diagnostic
    assert ' line="1" column="1">' in said(outcome, "junit")
    assert "linenumber=1;columnnumber=1;" in said(outcome, "azure")
    assert said(outcome, "pylint").startswith("a.ipynb:1: [GRD101] cell 2:3:5: ")


def test_a_note_has_a_cell_of_its_own(lint: Any) -> None:
    cells = [TORCH, "x = torch.ones(1, requires_grad=True) * 2", "x.sum().backward()\nprint(x.grad)"]
    outcome = lint(files={"a.ipynb": data(*cells)}, select=("moved-leaf",))
    assert told(outcome) == ["a.ipynb:cell 2:1:5 GRD120"]
    (note,) = json.loads(said(outcome, "json"))[0]["notes"]
    assert (note["cell"], note["location"]["row"]) == (3, 2)
    assert "\ncell 3:2 | print(x.grad)" in said(outcome, "full")


# ---- what is no Python in cells


@pytest.mark.parametrize(
    ("source", "program"),
    [
        ("!ls -l\nx = 1", "pass\nx = 1"),
        ("!ls \\\n  -l\nx = 1", "pass\n\nx = 1"),
        ("if x:\n    !ls\nelse:\n    %cd y", "if x:\n    0\nelse:\n    pass"),
        ("a = b = !ls\na.b, c[0] = %foo", "a = b = __\na.b, c[0] = __"),
        ("x = !ls a b c d e\n!\n", "x = get_ipython()\n0\n"),
        ("model?\nmodel.fit??\n?model", "pass\npass\npass"),
        ("x = 5 \\\n  % 3\ny = (1\n  % 2)\nz != 3", None),
        ("s = '''\n!ls\n'''\n# !ls\nprint('a?')\nf(a\n  , b)", None),
        ("%time loss.backward()", "if 1: loss.backward()"),
        ("%timeit -n 10 -r 3 f(x)", "if 1:              f(x)"),
        ("%time for x in y: pass\n%time", "pass\npass"),
        ("%matplotlib inline\r\nx = 1\r\n", "pass\r\nx = 1\r\n"),
        ("/f 1\n,f a\n;f a", "pass\npass\npass"),
        ("cd /content/data/", "pass"),
        ("cd ..\r\n", "pass\r\n"),
        ("cd /content/data", None),
        ("\npip install timm==1.0 # here \n", "\npass\n"),
        ('cd("..")', None),
        ("ls -l", None),
        ("cd = 1", None),
        ("run(1)", None),
    ],
)
def test_what_is_no_python_is_taken_out(source: str, program: str | None) -> None:
    made = magics.python_of(source)
    assert made == source if program is None else re.sub(" +(?=[\r\n]|$)", "", made) == program
    ast.parse(made)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x.sqrt()", []),
        ("x.sqrt()  # é, shown\n\n", []),
        ("x.sqrt()#shown", []),
        ("(x.sqrt())", []),
        ("y = 'é'; (x\n .sqrt(\n))", []),
        ("x.sqrt();", ["1:1 GRD607"]),
        ("x.sqrt()\ny = f()", ["1:1 GRD607"]),
        ("x.sqrt()\nx.exp()", ["1:1 GRD607"]),
        ("for i in y:\n    x.sqrt()", ["2:5 GRD607"]),
        ("%matplotlib inline\nx.exp()\nx.sqrt()", ["2:1 GRD607"]),
        ("sgd.step", ["1:1 GRD606"]),
        ("x.requires_grad", []),
        ("x.requires_grad  # shown", []),
        ("x.requires_grad\ny = f()", ["1:1 GRD106"]),
    ],
)
def test_what_a_cell_shows_is_not_dropped(lint: Any, source: str, expected: list[str]) -> None:
    made = f"{TORCH}\nx = torch.ones(1, requires_grad=True)\nsgd = torch.optim.SGD([x], 0.1)"
    outcome = lint(files={"a.ipynb": data(made, source, "x.data.zero_()")}, select=("GRD106", "GRD606", "GRD607"))
    assert told(outcome) == [f"a.ipynb:cell 2:{one}" for one in expected]


@given(st.text(alphabet=st.sampled_from("%!?/,;=\\\n\r#'\"()[]a. \t")))
def test_rows_stay_whatever_is_taken_out(source: str) -> None:
    program = magics.python_of(source)
    assert [*map(len, texts.NEWLINE.split(program))] == [*map(len, texts.NEWLINE.split(source))]
    shown = displaying.last_displayed(program)
    assert len(texts.NEWLINE.findall(shown)) == len(texts.NEWLINE.findall(source))


@given(st.lists(st.sampled_from(["f()", "é", "\n", "\r\n", " ", "#", "noqa", ";", "g(", ")", "x = "])))
def test_columns_stay_where_a_value_is_shown(parts: list[str]) -> None:
    source = "".join(parts)
    for shown in (displaying.last_displayed(source), displaying.all_displayed(source)):
        for row, was in zip(texts.rows(shown), texts.rows(source), strict=True):
            assert row == was or _has_one_comma_more(row, was)
            assert displaying.without_comma(row, was) == was


def _has_one_comma_more(row: str, was: str) -> bool:
    """Whether a comma stands at the end of a row, or in place of a blank in it, or of a comment."""
    kept = next((at for at, one in enumerate(row) if one != was[at : at + 1]), len(row))
    behind = was[kept:]
    return (row[kept:] == "," and behind[:1] in ("", "#", " ")) or (row[kept:] == f",{behind[1:]}" and behind[0] == " ")


@pytest.mark.parametrize(
    "part", ["a.", "a[0]", "(", "a=", "!\\\n", "\\\n", '"""', "%time -a ", "=\t", " ", "%time x\n"]
)
def test_taking_out_takes_time_with_the_length(part: str) -> None:
    """A text of a megabyte is done in a second or two; with the square of it, it would take hours."""
    source = part * (1_000_000 // len(part)) + "\n?"
    assert magics.python_of(source).count("\n") == source.count("\n")


RUFF = shutil.which("ruff")
MAGICS = (
    "HTML R bash capture cython debug file html ipytest javascript js latex markdown memit perl prun pypy python "
    "python2 python3 ruby script sh skip sql svg sx system time timeit unknown writefile"
).split()


@pytest.mark.skipif(RUFF is None, reason="ruff is not installed")
def test_cells_are_counted_and_left_out_as_ruff_does(tmp_path: Path) -> None:
    cells = [cell("# title", "markdown"), *(f"%%{name}\nimport a_{number}" for number, name in enumerate(MAGICS))]
    cells += ["%% time\nimport b", "%%time -x\nimport c", "# first\n%%bash\nimport d", "", "x = !ls\nimport e"]
    (tmp_path / "a.ipynb").write_bytes(data(*cells))
    command = [RUFF, "check", "--isolated", "--no-cache", "--select=F401", "--output-format=json", "a.ipynb"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    theirs = [finding["cell"] for finding in json.loads(ran.stdout)]
    ours = [one.number for one in notebooks.cells_of((tmp_path / "a.ipynb").read_bytes()) if "import" in one.source]
    assert theirs == ours and len(ours) > 5


# ---- what is no notebook


def damaged(**changes: Any) -> bytes:
    whole = notebook(TORCH, FAULT) | changes
    return json.dumps({key: value for key, value in whole.items() if value is not ...}).encode()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "1:1: GRD000 no notebook that can be read: it is empty"),
        (b" \n", "it is empty"),
        (b'{"cells": [', "1:12: GRD000 no notebook that can be read: its JSON is damaged"),
        (b'{"cells": [],\n}', "2:1: GRD000"),
        (b"import torch\n", "its JSON is damaged"),
        (data(FAULT).replace(b"torch", b"t\xffrch"), "byte 0xff is not utf-8"),
        (b"[]", "a notebook must be an object, not a list"),
        (b"null", "a notebook must be an object, and is missing"),
        (b"{}", "it has neither `cells` nor `nbformat`"),
        (damaged(nbformat=...), "`nbformat` must be a whole number, and is missing"),
        (damaged(nbformat="4"), "`nbformat` must be a whole number, not a string"),
        (damaged(nbformat=True), "`nbformat` must be a whole number, not a boolean"),
        (damaged(nbformat=3), "its `nbformat` is 3, and only 4 is read; save it in that format"),
        (damaged(nbformat=int("9" * 30)), "and only 4 is read"),
        (damaged(cells=...), "`cells` must be a list, and is missing"),
        (damaged(cells={}), "`cells` must be a list, not an object"),
        (damaged(metadata=[]), "`metadata` must be an object, not a list"),
        (damaged(cells=[cell(""), 1]), "cell 2 must be an object, not a whole number"),
        (damaged(cells=[{"source": ""}]), "`cell_type` of cell 1 must be a string, and is missing"),
        (damaged(cells=[cell("", "heading")]), "`cell_type` of cell 1 must be code, markdown or raw"),
        (damaged(cells=[cell(None)]), "`source` of cell 1 must be a string or a list of strings, and is missing"),
        (damaged(cells=[cell(["a", 1])]), "`source` of cell 1 must be a string or a list of strings, not a list"),
        (damaged(cells=[cell("", metadata=1)]), "`metadata` of cell 1 must be an object, not a whole number"),
        (b'{"cells": [], ' + data(FAULT)[1:], "`cells` stands twice in the notebook"),
        (damaged().replace(b'"id"', b'"source"'), "`source` stands twice in cell 1"),
        (b'{"cells":' + b"[" * 100_000, "1:1: GRD002 nested too deeply to be parsed"),
        (b'{"cells":[], "nbformat": ' + b"9" * 100_000 + b"}", "and only 4 is read"),
    ],
)
def test_what_is_wrong_with_a_notebook_is_named(lint: Any, content: bytes, message: str) -> None:
    outcome = lint("a.ipynb", "b.py", files={"a.ipynb": content, "b.py": f"{TORCH}\n{FAULT}\n".encode()})
    first, second = said(outcome).splitlines()
    assert first.startswith("a.ipynb:") and message in first and len(first) < 200
    assert second.startswith("b.py:2:5: GRD101")
    assert not outcome.tracebacks and all(said(outcome, form) for form in FORMATS)


@pytest.mark.parametrize(
    ("changes", "is_linted"),
    [
        ({}, True),
        ({"metadata": ...}, True),
        ({"metadata": {}}, True),
        ({"metadata": {"kernelspec": {"language": "julia"}}}, False),
        ({"metadata": {"language_info": {"name": "R"}, "kernelspec": {"language": "python"}}}, False),
        ({"metadata": {"language_info": {"name": "python"}, "kernelspec": 1}}, True),
        ({"metadata": {"language_info": {"name": 1}}}, True),
        ({"nbformat_minor": 0}, True),
        ({"more": float("nan")}, True),
    ],
)
def test_notebooks_in_other_languages_are_left_out_silently(lint: Any, changes: Any, is_linted: bool) -> None:
    outcome = lint(files={"a.ipynb": damaged(**changes)})
    assert told(outcome) == (["a.ipynb:cell 2:1:5 GRD101"] if is_linted else [])


def test_outputs_do_not_count_and_source_does(lint: Any) -> None:
    much = cell(TORCH, outputs=[{"output_type": "stream", "name": "stdout", "text": ["x" * 100 + "\n"] * 60_000}])
    assert told(lint(files={"a.ipynb": data(much, FAULT)})) == ["a.ipynb:cell 2:1:5 GRD101"]
    (found,) = lint(files={"a.ipynb": data(TORCH, FAULT, "# x\n" * 600_000)}).entries
    assert found.where == "a.ipynb:1:1" and found.finding.code == "GRD002"
    assert found.finding.message == "larger than 2 MB without what its cells have put out"


# ---- as every other file


@pytest.mark.parametrize("jobs", [0, 2])
def test_a_notebook_is_remembered_and_linted_again_when_it_changes(lint: Any, tmp_path: Path, jobs: int) -> None:
    def once(fault: str) -> list[str]:
        files = {"a.ipynb": data(TORCH, fault), "b.ipynb": data("x = 1"), "c.ipynb": data("def f(:")}
        return told(lint(files=files, cache=True, cache_dir=str(tmp_path / "cache"), jobs=jobs))

    broken = "c.ipynb:cell 1:1:7 GRD000"
    assert once(FAULT) == once(FAULT) == ["a.ipynb:cell 2:1:5 GRD101", broken]
    assert once(f"\n{FAULT}") == ["a.ipynb:cell 2:2:5 GRD101", broken]
    assert once("x = 1") == [broken]


@pytest.mark.parametrize(
    ("name", "where"),
    [("x.ipynb", "x.ipynb:cell 2:1:5"), ("x.md", "x.md:4:5"), ("x.py", "x.py:2:5"), (None, "./-:2:5")],
)
def test_what_comes_over_stdin_is_what_its_name_says(lint: Any, name: str | None, where: str) -> None:
    program = f"{TORCH}\n{FAULT}\n"
    contents = {"x.ipynb": data(TORCH, FAULT), "x.md": f"# x\n```py\n{program}```\n".encode()}
    if name == "x.md":
        pytest.importorskip("markdown_it")
    given = contents.get(name or "", program.encode())
    assert told(lint("-", files={}, stdin=given, stdin_filename=name)) == [f"{where} GRD101"]


def test_a_notebook_sees_what_it_imports_and_not_itself(lint: Any) -> None:
    files = {
        "pyproject.toml": b"",
        "lib/net.py": f"{TORCH}\ndef start():\n    return torch.tensor([1, 2])\n".encode(),
    }
    files["books/net.ipynb"] = data(
        "import sys\nsys.path.append('../lib')", "x = (", "from net import start", "start().requires_grad_()"
    )
    assert told(lint("books", files=files)) == [
        "books/net.ipynb:cell 2:1:5 GRD000",
        "books/net.ipynb:cell 4:1:1 GRD101",
    ]


def test_what_a_notebook_does_in_a_file_is_told_there(lint: Any) -> None:
    """A file that is linted by itself is told what a notebook that imports it does in it, with the cell that does."""
    files = {
        "pyproject.toml": b"",
        "helpers.py": b"def ask(tensor):\n    tensor.requires_grad_()\n",
        "a.ipynb": data(TORCH, cell("# x", "markdown"), "from helpers import ask\nask(torch.tensor([1, 2]))"),
    }
    outcome = lint("helpers.py", files=files)
    assert told(outcome) == ["helpers.py:2:5 GRD101"]
    assert "reached by this call (a.ipynb:cell 3:2)" in said(outcome, "full")
    assert {note["cell"] for note in json.loads(said(outcome, "json"))[0]["notes"]} == {3}


def test_folders_are_searched_for_notebooks_and_for_what_is_included(lint: Any) -> None:
    page = f"```python\n{TORCH}\n{FAULT}\n```\n".encode()
    files = {"docs/a.md": page, "a.ipynb": data(TORCH, FAULT), ".ipynb_checkpoints/a.ipynb": data(TORCH, FAULT)}
    assert told(lint(files=files)) == ["a.ipynb:cell 2:1:5 GRD101"]
    files["gradlint.toml"] = b'include = ["docs/*.md"]'
    pytest.importorskip("markdown_it")
    assert told(lint(files=files, isolated=False)) == ["docs/a.md:3:5 GRD101"]
