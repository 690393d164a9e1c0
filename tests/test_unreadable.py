"""What does not parse is named with its cure, and rows of notebooks in exported scripts are put out of the way."""

from __future__ import annotations

import ast
import re
import string
import sysconfig
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradlint import cli, linter, registry, source, texts
from gradlint.texts.naming import named

NOTEBOOK = '{\n "cells": [\n  {\n   "cell_type": "code", "execution_count": null\n  }\n ],\n "nbformat": 4\n}\n'
CONFLICT = "x = 1\n<<<<<<< HEAD\ny = 1\n=======\ny = 2\n>>>>>>> theirs\n"
NAMED = [
    ("x = 1\nprint 'loss', x\n", 2, "`print` is a function since Python 3; write `print(...)`"),
    ("if x: print x\n", 1, "`print` is a function"),
    ("from __future__ import print_function\nprint x\n", 2, "`print` is a function"),
    ("exec 'x = 1' in space\n", 1, "`exec` is a function since Python 3; write `exec(...)`"),
    ("raise ValueError, 'no'\n", 1, "`raise X, message` ended with Python 2; write `raise X(message)`"),
    ("x = `y`\n", 1, "backticks ended with Python 2; write `repr(...)`"),
    ("if x <> y:\n    pass\n", 1, "`<>` ended with Python 2; write `!=`"),
    ("os.chmod(x, 0777)\n", 1, "write `0o` before octal digits"),
    ("x = ur'\\w'\n", 1, "the prefix `ur` ended with Python 2; write `r`"),
    ("x = 10L\n", 1, "numbers have no `L`"),
    ("x = 0xFFL\n", 1, "numbers have no `L`"),
    ("def f(a, (b, c)):\n    pass\n", 1, "parameters are not taken apart"),
    ("f = lambda (a, b): a\n", 1, "parameters are not taken apart"),
    ("if x:\n        y = 1\n\tz = 2\n", 3, "tabs and spaces are mixed in the indentation; indent with spaces alone"),
    ("x = x.cuda(async=True)\n", 1, "`async` is a keyword since Python 3.7; torch calls this argument `non_blocking`"),
    ("def cuda(self, async=False):\n    pass\n", 1, "`async` is a keyword"),
    (CONFLICT, 2, "a merge conflict is left here; choose one side and remove the markers"),
    (CONFLICT.replace("<<<<<<< HEAD\n", ""), 3, "a merge conflict is left here"),
    ("if x:\n" + CONFLICT, 3, "a merge conflict is left here"),
    (NOTEBOOK, 1, "the file is a notebook's JSON; call it `.ipynb`"),
    (NOTEBOOK[:-25], 1, "the file is a notebook's JSON"),
    ("\n<!DOCTYPE html>\n<html lang='en'>\n", 1, "the file is a page of HTML or XML; download the source itself"),
    ("<?xml version='1.0'?>\n", 1, "the file is a page of HTML or XML"),
    ("x = 1\ny = f(1,\n  [2]\n", 2, "`(` is never closed; close it, or put back what is missing"),
    ("x = {\n  'a': [1,\n", 2, "`[` is never closed"),
    ('x = 1\ny = """text\n', 2, "a string in triple quotes is never closed"),
    ("import {{ package }}\n", 1, "the file is a template"),
    ("{% if deep %}\nx = 1\n{% endif %}\n", 1, "the file is a template"),
    ("```python\nx = 1\n```\n", 1, "a fence of Markdown is left here"),
]


@pytest.mark.parametrize(("text", "row", "saying"), NAMED, ids=range(len(NAMED)))
def test_the_construct_is_named_with_its_cure(text: str, row: int, saying: str) -> None:
    with pytest.raises(texts.Unreadable) as caught:
        source.parse(text)
    assert not texts.is_python(text)
    assert caught.value.row == row
    kind, _, said = caught.value.message.partition(": ")
    assert kind in ("SyntaxError", "TabError", "IndentationError")
    assert saying in said and not said.endswith(".") and (said[0].islower() or said[0] == "`")


PLAIN = [
    "x = {'a': {'b': 1}} y\n",
    "print(x) y\n",
    "x = '{% a %}' y\n",
    "x = 'print a' y\n",
    "def f(a, b=(1)) c:\n    pass\n",
    "x = '`' y\n",
    "x = 10 L\n",
    "await = 1\n",
    "x = 1 # <<<<<<< HEAD\ny z\n",
    "x <<<<<<< y\n",
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_another_fault_is_told_as_python_tells_it(text: str) -> None:
    with pytest.raises(SyntaxError) as told:
        ast.parse(text)
    with pytest.raises(texts.Unreadable) as caught:
        source.parse(text)
    assert caught.value.message == f"{told.type.__name__}: {told.value.msg}"


@pytest.mark.parametrize("text", ["except IOError, e:", "    except (A, B), error:"])
def test_what_bound_an_error_in_python_2_is_named(text: str) -> None:
    """Newer Python and LibCST take it for several exceptions, and parse it."""
    error = SyntaxError("several", ("a.py", 1, text.index("(") + 1 if "(" in text else 8, text))
    assert "write `except X as e`" in named(text, error).message


LONG = [
    "`",
    "print ",
    "{{",
    "{%",
    "%}",
    "0 ",
    "def f(",
    ",",
    "async ",
    "<>",
    "ur'",
    "(",
    "<<<<<<< \n",
    "=======\n",
    '"""',
]


@pytest.mark.parametrize("piece", LONG)
def test_naming_and_looking_take_time_by_the_length(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    begun = time.process_time()
    named(text, SyntaxError("invalid syntax", ("a.py", 1, 9_000, text)))
    assert len(texts.without_magics(text)) == len(text)
    assert len(texts.without_magics(f"!{text}")) == len(text) + 1
    assert time.process_time() - begun < 5


@pytest.mark.parametrize("text", [NOTEBOOK, NOTEBOOK.replace("null", '"import torch"'), "x = `y`\n", CONFLICT])
def test_it_is_the_finding_about_the_file_whatever_words_are_in_it(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "saved.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert cli.run(["saved.py", "--isolated"]) == cli.FOUND
    assert re.match(r"saved\.py:\d+:\d+: GRD000 SyntaxError: [a-z`].*; [a-z]", capsys.readouterr().out)


# ---- notebooks

EXPORTED = '''#!/usr/bin/env python
# In[1]:

get_ipython().run_line_magic('matplotlib', 'inline')
!pip install torch \\
    torchvision
%matplotlib inline
%%time
?torch.nn
torch.nn??
files = !ls *.pt
best, rest = %timeit -o f()

# In[2]:
import torch
text = """
!kept
"""
rest = (10
    % 3)
rest = 10 \\
    % 3
if torch.cuda.is_available():
    !nvidia-smi
for name in files:
    !rm "{name}'
w = torch.tensor([1, 2], requires_grad=True)
'''


def test_rows_of_notebooks_do_nothing_and_keep_their_places() -> None:
    with pytest.raises(SyntaxError):
        ast.parse(EXPORTED)
    plain = texts.without_magics(EXPORTED)
    ast.parse(plain)
    before, after = EXPORTED.split("\n"), plain.split("\n")
    assert [len(row) for row in before] == [len(row) for row in after]
    changed = [one for one, other in zip(before, after, strict=True) if one != other]
    assert len(changed) == 10 and "!kept" not in changed and "    % 3" not in changed
    assert {row.strip() for row in after} >= {"!kept", "% 3)", "% 3", "pass"}


def test_a_finding_in_an_exported_script_is_where_the_script_has_it() -> None:
    (found,) = linter.lint(EXPORTED, registry.rules())
    assert (found.code, EXPORTED.split("\n")[found.place.row - 1][found.place.column - 1 :]) == (
        "GRD101",
        "torch.tensor([1, 2], requires_grad=True)",
    )


def test_a_fix_in_an_exported_script_leaves_its_rows_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "import torch\n!ls 'a\nw = torch.ones(2, requires_grad=True)\nw.requires_grad_\nx?\n"
    (tmp_path / "exported.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    cli.run(["exported.py", "--isolated", "--fix", "--unsafe-fixes"])
    assert (tmp_path / "exported.py").read_text() == text.replace("grad_\n", "grad_()\n")


def test_the_names_of_an_exported_script_are_known_to_others() -> None:
    assert list(texts.bound("!ls\nx = 1\ndef f():\n    !ls\n").bound) == ["x", "f"]


def test_another_fault_than_a_row_of_a_notebook_is_told() -> None:
    with pytest.raises(texts.Unreadable) as caught:
        source.parse("!ls\nprint x\n")
    assert (caught.value.row, caught.value.message.partition(";")[0]) == (
        2,
        "SyntaxError: `print` is a function since Python 3",
    )


@pytest.mark.parametrize("row", ["!", "?x", "!ls", "x?", "%cd", "    !", "x = !a"])
def test_a_short_row_keeps_its_length(row: str) -> None:
    text = f"if a:\n    {row.strip()}\n"
    plain = texts.without_magics(text)
    assert len(plain) == len(text)
    ast.parse(plain)


LIBRARY = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))


@pytest.mark.sampled(20)
@pytest.mark.parametrize("file", LIBRARY, ids=lambda file: file.name)
def test_nothing_of_a_program_is_taken_for_a_row_of_a_notebook(file: Path) -> None:
    text = file.read_text(encoding="utf-8", errors="replace")
    assert texts.without_magics(text) == text


PIECES = st.sampled_from(
    ["!ls", "%x", "?", "a?", "x = !b", "\n", "\n    ", "(", ")", '"""', "'", "\\", "#", "é", "a", "\f"]
)


@pytest.mark.filterwarnings("ignore")
@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES | st.sampled_from(string.printable), max_size=30))
def test_lengths_and_rows_stay_whatever_the_text(pieces: list[str]) -> None:
    text = texts.with_line_feeds("".join(pieces))
    plain = texts.without_magics(text)
    assert [len(row) for row in plain.split("\n")] == [len(row) for row in text.split("\n")]
    assert texts.without_magics(plain) == plain
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return
    assert plain == text
