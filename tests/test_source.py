"""Text is read as Python reads it, and places are those of the user's editor."""

from __future__ import annotations

import ast
import itertools
import warnings
from importlib.metadata import version

import libcst
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradlint import source, texts
from gradlint.finding import Place
from gradlint.results import one_line
from gradlint.source.parsing import NEWER_SINCE, outdated

# ---- bytes to text

READ = [
    (b"", ""),
    (b"x = '\xc3\xa9'\r\ny\r", "x = 'é'\r\ny\r"),
    (b"\xef\xbb\xbfx = 1\n", "\ufeffx = 1\n"),
    (b"\xef\xbb\xbf# coding: utf-8\n", "\ufeff# coding: utf-8\n"),
    (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
    (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n'\x80'", None),
    (b"\r# coding: latin-1\r'\xe9'", "\r# coding: latin-1\r'é'"),
    (b"# coding: shift_jis\n'\x82\xa0'", "# coding: shift_jis\n'あ'"),
    (b"x = 1\n# coding: nonsense\n", "x = 1\n# coding: nonsense\n"),
]


@pytest.mark.parametrize(("data", "text"), READ)
def test_text_keeps_every_byte(data, text):
    assert text is None or texts.decode(data) == text
    assert texts.encode(texts.decode(data)) == data
    compile(data, "same.py", "exec")  # Python reads it, too


REFUSED = [
    (b"x = '\xe9'\n", 1, 6, "byte 0xe9 is not utf-8"),
    ("a\r\né".encode() + b" \xe4\xb8", 2, 3, "byte 0xe4 is not utf-8"),
    (b"\xff\xfex\0", 1, 1, "byte 0xff is not utf-8"),
    (b"\xef\xbb\xbfx\xff", 1, 2, "byte 0xff is not utf-8"),
    (b"\xef\xbb\xbf# coding: latin-1\n", 1, 1, "byte order mark"),
    (b"# coding: nonsense\n", 1, 1, "unknown encoding `nonsense`"),
    (b"\n# coding: rot13\n", 2, 1, "unknown encoding `rot13`"),
    (b"# coding: undefined\n", 1, 1, "unknown encoding `undefined`"),
    *(
        (f"# coding: {name}\nx = 1\n".encode(), 1, 1, f"`{name}` is no encoding for source code")
        for name in ("idna", "IDNA", "punycode", "unicode_escape", "raw-unicode-escape")
    ),
    (b"\n\n# coding: latin-1\n\xe9", 4, 1, "byte 0xe9 is not utf-8"),
]


@pytest.mark.parametrize(("data", "row", "column", "saying"), REFUSED)
def test_what_cannot_be_decoded_is_placed(data, row, column, saying):
    with pytest.raises(texts.Unreadable) as caught:
        texts.decode(data)
    assert (caught.value.row, caught.value.column) == (row, column)
    assert saying in caught.value.message


# ---- text to tree

UNPARSABLE = [
    ("def f(:\n", 1, 7, "SyntaxError: invalid syntax"),
    ("x = 1\ny = (\n", 2, 5, "SyntaxError: `(` is never closed"),
    ("\ufeffprint 'a'\n", 1, 1, "SyntaxError: `print` is a function"),
    ("a\r\né = é b\r\n", 2, 7, "SyntaxError: invalid syntax"),
    ("a\n  b\n", 2, None, "IndentationError: unexpected indent"),
    ("a\nx = '\0'\n", 2, 6, "SyntaxError: source code cannot contain null bytes"),
    ("'\\d'; x = )", 1, 11, "SyntaxError: unmatched ')'"),
    ("if a:\n\\\n    b\n", 1, 1, "Python parses what LibCST refuses"),
    ("(" * 201 + ")" * 201, 1, None, "SyntaxError: too many nested parentheses"),
    ("x = " + "[" * 100_000, 1, None, "SyntaxError: too many nested parentheses"),
    ("f('(')(" * 2000, 1, None, "SyntaxError: too many nested parentheses"),
    ("import " + ".".join("a" * 20_000), 1, None, "an expression has more than 1,000 operators"),
]


@pytest.mark.parametrize(("text", "row", "column", "saying"), UNPARSABLE, ids=range(len(UNPARSABLE)))
def test_what_does_not_parse_is_placed_as_python_places_it(text, row, column, saying):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(texts.Unreadable) as caught:
            source.parse(text)
    assert caught.value.message.startswith(saying)
    assert caught.value.row == row
    assert column in (None, caught.value.column)


NEWER = [
    "x = t'{a}'\n",
    'x = f(1, Rt"{a}")\n',
    "try:\n    pass\nexcept A, B:\n    pass\n",
    "try: pass\nexcept* A, B: pass\n",
]


@pytest.mark.parametrize("text", NEWER)
def test_what_a_newer_libcst_reads_is_read_or_told_with_the_cure(text):
    if tuple(map(int, version("libcst").split(".")[:3])) >= NEWER_SINCE:
        assert isinstance(source.parse(text), libcst.Module)
        error = outdated(texts.Unreadable(len(text.splitlines()) // 2 + 1, 1, "invalid"), text, "1.5.0")
    else:
        with pytest.raises(texts.Unreadable) as caught:
            source.parse(text)
        error = caught.value
    assert error.message.endswith("is installed: upgrade libcst")


@pytest.mark.parametrize("text", ["x = f(:\n", "try: pass\nexcept (A, B:\n", "x = st'a'\n"])
def test_what_no_libcst_reads_is_told_without_that_cure(text):
    error = texts.Unreadable(text.count("\n"), 1, "invalid")
    assert outdated(error, text, "1.5.0") is error
    assert outdated(error, "x = t'a'\n", "1.9.0") is error


DEEP = ["if a: pass\n" + "elif a: pass\n" * 1_000, " and ".join("a" * 1_000), "x" + "()" * 1000, "-" * 1000 + "1"]


@pytest.mark.parametrize("text", DEEP, ids=range(len(DEEP)))
def test_depth_does_not_crash_the_process(text):
    assert isinstance(source.parse(text), libcst.Module)


def _conjunction() -> libcst.BaseExpression:
    deep: libcst.BaseExpression = libcst.Name("a")
    for _ in range(10_000):
        deep = libcst.BooleanOperation(deep, libcst.And(), libcst.Name("a"))
    return deep


def _comparison_with_strings() -> libcst.BaseExpression:
    """Strings side by side under a comparison: while LibCST unwinds, it raises an error of another kind."""
    return libcst.parse_expression("a == " + "'b' " * 1_000)


@pytest.mark.parametrize("deep", [_conjunction, _comparison_with_strings])
def test_a_tree_too_deep_to_be_placed_is_not_linted(deep):
    test = libcst.If(deep(), libcst.IndentedBlock([libcst.SimpleStatementLine([libcst.Pass()])]))
    with pytest.raises(texts.NotLinted, match="nested too deeply"):
        source.placed(libcst.Module([test]), "a\n")


class _Speechless(Exception):
    def __str__(self) -> str:
        raise RecursionError


def test_an_error_that_cannot_say_what_it_is_is_named():
    assert one_line(_Speechless()) == "_Speechless"
    assert one_line(ValueError("two\nlines")) == "ValueError: two lines"


# ---- nodes to places

KINDS = {libcst.Name: ast.Name, libcst.Attribute: ast.Attribute, libcst.Call: ast.Call}


def places_by_libcst(text):
    module = source.parse(text)
    nodes = []

    class Gatherer(libcst.CSTVisitor):
        def on_visit(self, node):
            if type(node) in KINDS:
                nodes.append(node)
            return True

    module.visit(Gatherer())
    return {(KINDS[type(node)], place) for node, place in source.placed(module, text).of(nodes).items()}


def places_by_python(text):
    """Python's are in bytes from 0, and it does not leave a byte order mark in a text alone."""
    text = text.removeprefix("\ufeff")
    rows = [row.encode() for row in texts.rows(text)]

    def column(row, offset):
        return len(rows[row - 1][:offset].decode()) + 1

    return {
        (
            type(node),
            Place(
                node.lineno,
                column(node.lineno, node.col_offset),
                node.end_lineno,
                column(node.end_lineno, node.end_col_offset),
            ),
        )
        for node in ast.walk(ast.parse(text))
        if type(node) in KINDS.values()
    }


CHANGED_BY_LIBCST = [
    "\ufeffx = a.b\n",
    "x = 1\n\fy = a.b\n",
    "if a:\n   \f    x = b(c)\n",
    "def f():\n    x=1\n    \f  \n\f    y = a\n",
    "x = 1\ry = a.b\r",
    "x = 1\r\ny = a.b\nz=a\rw=b\n",
    "if a:\n\tx = a.b\n",
    "\\\nx = a.b\n",
    "a.b\n\\\n\\\nc.d\n",
    "x='''a\rb'''\ny=a\n",
    "x = 'é\U0001f600'; y = ñ.b\n",
    "x = '\u2028\x0b\x1c'; y = a\nz = a # \u2028\nw = a\n",
    "(\n  a\n  .b(c,\n d)\n)\n",
    "(a).b((c))\n",
]


@pytest.mark.parametrize("text", CHANGED_BY_LIBCST)
def test_places_are_those_of_the_users_file(text):
    assert places_by_libcst(text) >= places_by_python(text) != set()


ROWS = [
    *("x = a.b", "f(\n d, e)", "if a:", "    z = b.c", "\tz = b.c", "", "   ", "\f", "# c", "\\", "pass; \\"),
    *("x = 1 + \\", "\f  w = v.u", "'''s", "t'''", "é = 'ü' + ñ.o", "@a.b", "def f(g=h.i):", " \f  j.k", "else:"),
]
TEXTS = st.lists(st.sampled_from([*itertools.product(ROWS, ("\n", "\n", "\r\n", "\r"))]), min_size=1, max_size=6)


@settings(max_examples=1500, deadline=None)
@given(TEXTS, st.sampled_from(["", "\ufeff"]))
def test_places_agree_with_python(parts, mark):
    text = mark + "".join(itertools.chain.from_iterable(parts))
    try:
        expected = places_by_python(text)
        found = places_by_libcst(text)
    except (SyntaxError, texts.Unreadable):
        return
    assert found >= expected


def test_all_syntax_is_placed_and_no_blank_space():
    text = "@d  # why\ndef f(a, *, b=(1, 2)):  # x\n\n    return a.b[0] if not a else [*b]  # y\n"
    module = source.parse(text)
    nodes, waiting = list[libcst.CSTNode](), [*module.body]
    while waiting:
        nodes.append(waiting.pop())
        waiting += nodes[-1].children
    placed = source.placed(module, text).of(nodes)
    assert {type(node).__name__ for node in nodes if node not in placed} == {
        "SimpleWhitespace", "TrailingWhitespace", "EmptyLine", "Newline", "Comment"
    }  # fmt: skip


def test_only_what_is_asked_for_is_placed():
    module = source.parse("a.b\nc\n")
    second = module.body[1]
    assert source.placed(module, "a.b\nc\n").of([second]) == {second: Place(2, 1, 2, 2)}
    assert source.placed(module, "a.b\nc\n").of([]) == {}
