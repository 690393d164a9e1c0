"""Indentation by tabs and blanks is read as Python reads it, and what is found stands where it is written."""

from __future__ import annotations

import ast

import pytest

from gradlint import linter, source, texts
from gradlint.registry import rules

MIXED = [
    "if a:\n        b()\n        if c:\n\t        d()\nelse:\n\te()\n",
    "class A:\n\tdef f(self):\n\t    x = '''\n\tkept\n'''\n\t    return (x,\n\t1)\n\n    # b\n\tdef g(self): pass\n",
    "for a in b:\n  \tc = 1; d = 2\n  \tif c:\n  \t  e()\n\t# another\nf()\n",
    "while a:\n\ttry:\n\t        b()\n\texcept C:\n\t        d()\n\tfinally:\n\t    e()\n",
    "if a:\n        b()\n        if c:\n\t        d()",
    "with a as b: # c\n\t@d\n\tdef e(): # f\n\t        return 1 + \\\n\t2\n",
]
EVALUATED = (
    "import torch\nfrom torch import nn\n\n"
    "def check(net: nn.Module, batches):\n"
    "        net.eval()\n"
    "        for batch in batches:\n"
    "\t        print(net(batch).argmax().item())\n"
    "        net.train()\n"
)


@pytest.mark.parametrize("program", MIXED)
def test_the_blocks_are_those_that_python_finds(program):
    """So are the places of all that stands in them, and what strings hold."""
    plain = texts.indented_by_blanks(program)
    assert ast.dump(ast.parse(plain), include_attributes=True) == ast.dump(ast.parse(program), include_attributes=True)
    assert source.refused(program) is None


@pytest.mark.parametrize("program", ["def f():\n    x = (\n", "x = '''\n\ty\n", "if a:\n\tb\n        c\n", "\n", ""])
def test_what_cannot_be_taken_apart_stays_as_it_is(program):
    assert texts.indented_by_blanks(program) in (program, program.expandtabs(1))


def test_what_is_found_stands_where_it_is_written():
    (found,) = [one for one in linter.lint(EVALUATED, rules()) if one.code == "GRD401"]
    row = EVALUATED.split("\n")[found.place.row - 1]
    assert row[found.place.column - 1 :].startswith("net(batch)")
