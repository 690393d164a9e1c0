"""The gate closes only where nothing can be found; a rule's cases and examples show that its words are right."""

from __future__ import annotations

import sysconfig
from dataclasses import replace
from pathlib import Path

import one_file
import pytest

from gradlint import linter, registry, texts
from gradlint.disk import InMemory
from gradlint.knowledge.python.duck_typing_names import TENSOR_ATTRIBUTES, TORCH_WORDS
from gradlint.project import Project
from gradlint.proving import behind_gate
from gradlint.rule import Rule

RULES = registry.rules()
PACKS = registry.packs()
HERE = Path(__file__).parent


def rule(*tokens):
    return Rule("ABC101", "planted", "message", tokens=tokens)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import a.b, c as d\n", {(0, "a.b"), (0, "c")}),
        ("x = 1; import a\n", {(0, "a")}),
        ("if x: from .a import b\n", {(1, "a"), (1, "a.b")}),
        ("from . import a, b as c\n", {(1, ""), (1, "a"), (1, "b")}),
        ("from ..a import (\n    b,  # why: c\n    d,\n)\n", {(2, "a"), (2, "a.b"), (2, "a.d")}),
        ("from a import b, \\\n    c\n", {(0, "a"), (0, "a.b"), (0, "a.c")}),
        ("from a import *\r\nimport b\r\n", {(0, "a"), (0, "b")}),
        ("important = 1\n", set()),
    ],
)
def test_no_import_is_overlooked(text, found):
    assert texts.imported(text) >= found


FILES = {
    "near.py": "from pkg import mid\n",
    "pkg/__init__.py": "",
    "pkg/mid.py": "from .far import helper\nfrom . import mid\n",
    "pkg/far.py": "def helper(model):\n    model.eval()\n",
    "alone.py": "import json, near_by\n",
    "both.py": "import json, near\n",
}


@pytest.mark.parametrize(
    ("path", "tokens", "opened"),
    [
        ("near.py", ("eval",), True),
        ("near.py", ("backward",), False),
        ("alone.py", (), False),
        ("near.py", (), True),
        ("alone.py", ("eval",), False),
        ("alone.py", ("eval", "json"), False),
        ("both.py", ("eval", "json"), True),
    ],
)
def test_the_words_may_stand_in_files_that_are_imported(path, tokens, opened):
    view = Project(InMemory(FILES)).at(path)
    assert linter.may_find(FILES[path], [rule(*tokens)], project=view) is opened


@pytest.mark.parametrize("text", ["x = 1\n", "import json\n\nfor each in json.loads('[]'):\n    print(each)\n"])
def test_what_has_nothing_to_do_with_torch_is_not_parsed(text: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(linter, "analyse", lambda *args, **options: pytest.fail("the gate is open"))
    result = one_file.result(text.encode(), "a.py", RULES, packs=PACKS)
    assert (result.findings, result.traceback) == ((), "")


@pytest.mark.parametrize("root", sorted(PACKS.on_torch))
def test_a_library_that_works_with_torch_opens_the_gate(root: str):
    assert linter.may_find(f"import {root}\n", [rule()], packs=PACKS)


def test_what_is_no_python_is_not_kept_back():
    assert linter.may_find("def f(:\n", [rule("eval")])
    assert not linter.may_find("def f():\n    pass\n", [rule("eval")])


@pytest.mark.parametrize("path", sorted((HERE / "programs").glob("*.py")), ids=lambda path: path.stem)
def test_nothing_is_found_behind_the_gate(path):
    text = path.read_text(encoding="utf-8")
    assert behind_gate(text, linter.analyse(text, RULES).findings, RULES) == ()


WORDS = (*TORCH_WORDS, *PACKS.on_torch)
APART = [
    path
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    if not texts.mentions(path.read_text(encoding="utf-8"), WORDS)
]
"""The modules of the standard library that have nothing to do with torch, as the gate sees them."""


@pytest.mark.sampled(20)
@pytest.mark.parametrize("path", APART, ids=lambda path: path.stem)
def test_nothing_is_found_in_what_has_nothing_to_do_with_torch(path):
    """What the gate keeps back is run all the same, by rules of every confidence."""
    text = texts.decode(path.read_bytes())
    assert not linter.may_find(text, RULES, packs=PACKS)
    assert linter.analyse(text, RULES, packs=PACKS).findings == ()


@pytest.mark.sampled(40)
@pytest.mark.parametrize("name", sorted(TENSOR_ATTRIBUTES))
def test_what_is_known_by_its_use_alone_opens_the_gate(name):
    """A helper that is given tensors and modules need not say where they come from."""
    for text in (f"def f(x):\n    x.{name}()\n", f"def f(x, y):\n    x.{name}(y)\n    x.clamp(y)\n    return x\n"):
        assert behind_gate(text, linter.analyse(text, RULES).findings, RULES) == ()


def test_a_rule_with_the_wrong_words_is_noticed():
    text = "import torch\nweight = torch.tensor([1, 2], requires_grad=True)\n"
    (found,) = linter.analyse(text, RULES).findings
    wrong = [replace(one, tokens=("retain_grad",)) for one in RULES if one.code == found.code]
    assert found.code in behind_gate(text, [found], wrong)[0]


def test_a_run_goes_through_the_gate(monkeypatch):
    monkeypatch.setattr(linter, "analyse", lambda *args, **options: pytest.fail("the gate is open"))
    result = one_file.result(b"import torch\n", "a.py", [rule("eval")])
    assert (result.findings, result.traceback) == ((), "")
