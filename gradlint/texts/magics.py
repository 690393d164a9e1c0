"""What cells hold beside Python: magics, lines for the shell and questions for help, as programs without them.

A program keeps the rows of its cell, and the columns of all that is Python in them.
"""

from __future__ import annotations

import re

from gradlint.texts.python import is_python

OF_PYTHON = frozenset("capture debug ipytest prun pypy python python3 time timeit".split())
"""Magics of cells that hold Python all the same: those that ruff reads on behind."""

_OF_CELL = re.compile(r"^%%(?P<name>[\w.]*+)", re.MULTILINE)
_SUSPICIOUS = re.compile(r"^[ \t]*+[%!?/,;]|=[ \t]*+[%!]|\?[ \t]*+\r?$", re.MULTILINE)
_COMMAND = r"(?:[^\\\r\n]|\\(?:\r\n?|\n|.)?+)*+"
"""The rest of a row, and of those that it goes on in."""
_ESCAPED = re.compile(
    rf"""(?P<indent>[ \t]*+)(?:
        %(?:time|timeit|prun)[ \t]++(?:-\w++[ \t]*+(?:\d++[ \t]++)?+)*+(?P<timed>[^\s%!?-][^\r\n]*+)
      | (?P<target>(?:[^\W\d][\w.,:\[\] \t]*+=[ \t]*+)++)[%!]{_COMMAND}
      | (?:[%!?/;]|,(?!\s)){_COMMAND}
      | [^\W\d]\w*+(?:\.\w++|\[[^\]\r\n]*+\])*+\?\??+[ \t]*+(?=[\r\n]|\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
"""A statement that is none of Python's: a magic that runs one of Python's (`timed`), what is assigned to a `target`,
a command, a question."""
_TOKEN = re.compile(
    r"""(?P<row>\r\n?|\n)
      | (?P<open>[(\[{])
      | (?P<close>[)\]}])
      | \\(?:\r\n?|\n)
      | \#[^\r\n]*+
      | \"{3}(?:[^"\\]|\\.|"(?!""))*+(?:\"{3})?+
      | '{3}(?:[^'\\]|\\.|'(?!''))*+(?:'{3})?+
      | "(?:[^"\\\r\n]|\\(?:\r\n|.))*+"?+
      | '(?:[^'\\\r\n]|\\(?:\r\n|.))*+'?+
      | [^\r\n()\[\]{}\\\#"']++
      | .""",
    re.VERBOSE | re.DOTALL,
)
_NOT_A_ROW = re.compile(r"[^\r\n]")
SILENT, ASSIGNED = "pass", "get_ipython()"
"""What stands in place of a command, and of one whose result is assigned: a call of something unknown."""
ONCE = "if 1:"
"""What stands in place of a magic that runs the statement behind it."""


def holds_python(source: str) -> bool:
    """Whether a cell holds Python: a magic of the whole cell may say that it holds something else."""
    found = _OF_CELL.search(source)
    return found is None or found["name"] in OF_PYTHON


def python_of(source: str) -> str:
    """The program of a cell that holds Python: row for row, without what is none."""
    if not _SUSPICIOUS.search(source):
        return source
    out, at, depth, begins = list[str](), 0, 0, True
    while at < len(source):
        escaped = _ESCAPED.match(source, at) if begins else None
        if escaped is not None:
            out.append(_without(escaped))
            at, begins = escaped.end(), False
            continue
        token = _TOKEN.match(source, at)
        assert token is not None  # the last way takes any character
        depth = max(0, depth + (token.lastgroup == "open") - (token.lastgroup == "close"))
        begins = token.lastgroup == "row" and depth == 0
        out.append(token[0])
        at = token.end()
    return "".join(out)


def _without(escaped: re.Match[str]) -> str:
    """What stands for a statement that is none of Python's; its rows stay."""
    indent, timed, target = escaped["indent"], escaped["timed"], escaped["target"]
    if timed is not None and is_python(f"{ONCE} {timed}"):
        return indent + ONCE.ljust(escaped.start("timed") - escaped.end("indent")) + timed
    rows = _NOT_A_ROW.sub("", escaped[0])
    return f"{indent}{target}{ASSIGNED}{rows}" if target is not None else f"{indent}{SILENT}{rows}"
