"""Comments silence what they name, on any row of the statement, and nothing else."""

from __future__ import annotations

import pytest

from gradlint import suppression
from gradlint.finding import Finding, Place
from gradlint.suppression import unsuppressed


def finding(row: int, code: str = "GRD101", name: str = "integer-requires-grad") -> Finding:
    return Finding(code, name, "message", Place(row, 1, row, 2))


def silenced(text: str, row: int = 1, code: str = "GRD101") -> bool:
    return not unsuppressed(text, [finding(row, code)])


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# noqa", True),
        ("# NOQA", True),
        ("# noqa: GRD101", True),
        ("# noqa:GRD101", True),
        ("# noqa: grd101", True),
        ("# noqa: GRD1", True),
        ("# noqa: E501, GRD101", True),
        ("# noqa: E501 GRD101 because of that", True),
        ("# noqa: GRD101,E501", True),
        ("# why not  # noqa: GRD101", True),
        ("# noqa: GRD101  # why not", True),
        ("# noqa GRD201", True),  # to flake8, too, this is a bare one
        ("# noqa : GRD201", True),
        ("# noqa: because", True),
        ("# noqa: GRD201", False),
        ("# noqa: E501", False),
        ("# noqa: E501 GRD201", False),
        ("#noqa", False),
        ("# no qa", False),
        ("# gradlint: ignore[GRD101]", True),
        ("# gradlint: ignore[grd101]", True),
        ("# gradlint:ignore[E501, integer-requires-grad]", True),
        ("#gradlint: ignore[GRD101]  # noqa: E501", True),
        ("# type: ignore # gradlint: ignore[GRD101]", True),
        ("# gradlint: ignore[GRD201] # gradlint: ignore[GRD101]", True),
        ("# gradlint: ignore", True),
        ("# gradlint: ignore[]", False),
        ("# gradlint: ignore[GRD1]", False),
        ("# gradlint: ignore[GRD201]", False),
        ("# gradlint: ignored", False),
        ("# type: ignore", False),
        ("'# noqa'", False),
        ("'''# gradlint: ignore[GRD101]'''", False),
    ],
)
def test_what_a_comment_means(comment, expected):
    assert silenced(f"x = 1, {comment}\n") is expected


STATEMENTS = '''\
x = f(
    a,
    b,  # noqa
    c,
)
y = 1
with a as b, \\
     c as d:  # noqa
    z = 2
    """text
    # noqa
    """
@decorated  # noqa
def g(
    h,
): i = 1
# noqa
j = 1; k = 2  # noqa
l = """
"""  # noqa
m = 1
'''


def test_a_comment_counts_on_any_row_of_the_statement():
    rows = [row for row in range(1, 22) if silenced(STATEMENTS, row)]
    assert rows == [1, 2, 3, 4, 5, 7, 8, 13, 17, 18, 19, 20]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_rows_are_those_of_the_file(newline):
    text = "\ufeff" + newline.join(["a = 1", "\fb = '\u2028'", "c = (", "  1)  # noqa", "d = 1"])
    assert [row for row in range(1, 6) if silenced(text, row)] == [3, 4]


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("# gradlint: ignore-file[GRD101]", True),
        ("# gradlint: ignore-file[integer-requires-grad, GRD201]", True),
        ("# gradlint: ignore-file", True),
        ("# gradlint: ignore-file[GRD201]", False),
        ("# noqa", False),
        ("'# gradlint: ignore-file'", False),
    ],
)
@pytest.mark.parametrize("text", ["{}\nx = 1\ny = 2\n", "x = 1\ny = 2\n\n    {}\n"])
def test_a_whole_file_can_be_silenced(comment, expected, text):
    text = text.format(comment) if comment.startswith("#") else text.replace("    {}", "{}").format(comment)
    assert silenced(text, 2) is expected


def test_each_finding_is_judged_by_itself():
    text = "x = 1  # noqa: GRD101\ny = 2\n"
    findings = [finding(1), finding(1, "GRD201", "non-leaf-grad-read"), finding(2)]
    assert unsuppressed(text, findings) == tuple(findings[1:])


def test_what_gradlint_says_of_a_file_cannot_be_silenced():
    assert not silenced("x = 1  # noqa\n# gradlint: ignore-file\n", code="GRD000")


def test_text_that_cannot_be_taken_apart_is_read_row_by_row():
    assert silenced("x = (1  # noqa\n", 1)
    assert not silenced("x = (1  # noqa\n", 2)


def test_nothing_is_computed_where_nothing_is_reported(monkeypatch):
    monkeypatch.setattr(suppression, "layout", lambda text: pytest.fail("computed"))
    assert unsuppressed("x = 1  # noqa\n", []) == ()
    assert unsuppressed("x = 1  # a comment\n", [finding(1)]) == (finding(1),)
