"""Tables of data in a program cost little and hide nothing of what is around them."""

from __future__ import annotations

import libcst
import pytest

from gradlint import linter
from gradlint.interpreter.static.data_tables import is_table
from gradlint.registry import rules

RULES = rules()
ROWS = ", ".join(f"({number}, -{number}.5, 'a')" for number in range(100))


def display(program: str) -> libcst.BaseExpression:
    return libcst.parse_expression(program)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (f"[{ROWS}]", True),
        (f"({ROWS},)", True),
        ("{" + ROWS + "}", True),
        ("{" + ", ".join(f"{n}: ({n}, None)" for n in range(100)) + "}", True),
        ("{" + ", ".join(f"({n}, -1): [{n}, ...]" for n in range(100)) + "}", True),
        ("[" + ", ".join(f"[[{n}], [True]]" for n in range(100)) + "]", True),
        ("[" + ", ".join(f"({n}, {n})" for n in range(64)) + "]", False),  # each row is told apart
        ("[" + ", ".join(map(str, range(1000))) + "]", False),  # has no rows
        (f"[{ROWS}, (1, x)]", False),
        (f"[{ROWS}, call()]", False),
        (f"[{ROWS}, *more]", False),
        (f"[{ROWS}, -x]", False),
        ("{" + ", ".join(f"{n}: ({n},)" for n in range(100)) + ", **more}", False),
        ("{" + ", ".join(f"{n}: ({n},)" for n in range(100)) + ", x: (1,)}", False),
        (f"f({ROWS})", False),
    ],
)
def test_a_table_holds_nothing_but_literals_row_by_row(program, expected):
    assert is_table(display(program)) == expected


@pytest.mark.parametrize("table", [f"[{ROWS}]", "{" + ", ".join(f"{n}: ({n}, 0.5)" for n in range(100)) + "}"])
def test_what_is_around_a_table_is_found(table):
    program = f"import torch\nTABLE = {table}\nfor row in TABLE:\n    w = torch.tensor([1, 2], requires_grad=True)\n"
    assert [(one.code, one.place.row) for one in linter.lint(program, RULES)] == [("GRD101", 4)]


def test_a_table_is_not_empty():
    """What is done for each of its keys is done, as with a mapping of few."""
    for count in (3, 100):
        table = "{" + ", ".join(f"{n}: ({n}, 0.5)" for n in range(count)) + "}"
        loop = f"x = torch.tensor([1.0])\nfor key in {table}:\n    x = torch.tensor([1, 2])\nx.requires_grad_()\n"
        assert [(one.code, one.place.row) for one in linter.lint(f"import torch\n{loop}", RULES)] == [("GRD101", 5)]


def test_what_is_in_a_table_may_be_anything():
    """Nobody knows the type of a tensor that is made of a table, nor of one of its rows."""
    rows = "[" + ", ".join(f"[{n}, {n}]" for n in range(100)) + "]"
    program = (
        f"import torch\nw = torch.tensor({rows}, requires_grad=True)\nv = torch.tensor([[1, 2]], requires_grad=True)\n"
    )
    assert [(one.code, one.place.row) for one in linter.lint(program, RULES)] == [("GRD101", 3)]
