"""The parts of cells beside Python: magics, lines for the shell and questions for help, as programs without them.

A program keeps the rows of its cell, and the columns of all in them. So does a script that was exported from cells.
"""

from __future__ import annotations

import re

from gradlint.texts.decoding import BOM, NEWLINE, with_line_feeds
from gradlint.texts.python import fault

OF_PYTHON = frozenset("capture debug ipytest prun pypy python python3 time timeit".split())
"""Magics of cells that hold Python all the same: those that ruff reads on behind."""

_OF_CELL = re.compile(r"^%%(?P<name>[\w.]*+)", re.MULTILINE)
_SUSPICIOUS = re.compile(r"^[ \t\f]*+[%!?/,;]|=[ \t]*+[%!]|\?[ \t]*+\r?$", re.MULTILINE)
_COMMAND = r"(?:[^\\\r\n]|\\(?:\r\n?|\n|.)?+)*+"
"""The rest of a row, and of those that it goes on in."""


def _statement(sign: str) -> str:
    """A statement that is none of Python's, where commands begin with a sign: a magic that runs one of Python's
    (`timed`), what is assigned to a `target`, a command, a question."""
    return rf"""(?<![^\r\n])(?P<indent>[ \t\f]*+)(?:
            %(?:time|timeit|prun)[ \t]++(?:-\w++[ \t]*+(?:\d++[ \t]++)?+)*+(?P<timed>[^\s%!?-][^\r\n]*+)
          | (?P<target>(?:[^\W\d][\w.,:\[\] \t]*+=[ \t]*+)++)[%!]{_COMMAND}
          | (?:{sign}){_COMMAND}
          | [^\W\d]\w*+(?:\.\w++|\[[^\]\r\n]*+\])*+\?\??+[ \t]*+(?=[\r\n]|\Z)
        )"""


_IN_CELL = re.compile(_statement(r"[%!?/;]|,(?!\s)"), re.VERBOSE | re.DOTALL)
_IN_SCRIPT = re.compile(_statement("[%!?]"), re.VERBOSE | re.DOTALL)
"""The statements that may be none of Python's: in a script nothing that a slip of the finger can be."""
NEED_NO_SIGN = frozenset(
    "alias bookmark cat cd clear conda config cp env ldir less lf lk ll load load_ext logstart ls lx macro mamba man "
    "matplotlib micromamba mkdir more mv notebook pip pycat pylab reload_ext rm rmdir run save sx system unalias "
    "unload_ext uv writefile".split()
)
"""Magics and aliases of IPython 9 that a cell of one row can begin with as if they had their sign, where that is no
Python (https://ipython.readthedocs.io/en/9.12.0/interactive/magics.html, `%automagic`)."""
_AUTOMATIC = re.compile(
    rf"\A(?P<before>[\r\n]*+)(?P<command>(?:{'|'.join(sorted(NEED_NO_SIGN))})[ \t]++[^\s=][^\r\n]*+)(?P<behind>\s*+)"
)
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
_INK = re.compile(r"[^\r\n]")
SILENT, ASSIGNED = ("pass", "0"), ("get_ipython()", "__", "_")
"""The text in place of a command, and of one whose result is assigned (something unknown): the first that fits."""
ONCE = "if 1:"
"""The text in place of a magic that runs the statement behind it."""


def holds_python(source: str) -> bool:
    """Return whether a cell holds Python: magics of the whole cell may say that it holds something else."""
    return all(found["name"] in OF_PYTHON for found in _OF_CELL.finditer(source))


def python_of(source: str) -> str:
    """The program of a cell that holds Python: row for row, without what is none."""
    automatic = _AUTOMATIC.fullmatch(source)
    if automatic is not None and fault(automatic["command"]) is not None:
        return f"{automatic['before']}{SILENT[0].ljust(len(automatic['command']))}{automatic['behind']}"
    return _program(source, _IN_CELL)


def without_magics(script: str) -> str:
    """A script without what is no Python where it was exported from cells."""
    return _program(script, _IN_SCRIPT)


def is_python(text: str) -> bool:
    """Return whether Python parses a text, but for what is none where it was exported from cells."""
    program = with_line_feeds(text.removeprefix(BOM))
    return "\0" not in program and (fault(program) is None or _is_exported(program))


def _is_exported(program: str) -> bool:
    plain = without_magics(program)
    return plain != program and fault(plain) is None


def _program(source: str, escape: re.Pattern[str]) -> str:
    if not _SUSPICIOUS.search(source):
        return source
    out, at, depth, begins = list[str](), 0, 0, True
    while at < len(source):
        escaped = escape.match(source, at) if begins else None
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
    """Return the text for a statement that is none of Python's, which takes as much room."""
    indent, timed, target = escaped["indent"], escaped["timed"], escaped["target"] or ""
    if timed is not None and fault(f"{ONCE} {timed}") is None:
        return indent + ONCE.ljust(escaped.start("timed") - escaped.end("indent")) + timed
    blank = _INK.sub(" ", escaped[0][len(indent) + len(target) :])
    room = len(NEWLINE.split(blank, maxsplit=1)[0])
    shown = next(each for each in (ASSIGNED if target else SILENT) if len(each) <= room)
    return f"{indent}{target}{shown}{blank[len(shown) :]}"
