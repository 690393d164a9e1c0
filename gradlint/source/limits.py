"""The cost of parsing a text, counted on its tokens before it is parsed.

LibCST copies what stands to the left of each operator, and what is inside each bracket; it tries each pattern that is
nested in another twice, and each mapping four times. So the cost of a few bytes can grow with the square of their
number, or double with each.

A chain are the operators of one expression at one level of brackets: binary and unary ones, comparisons, attributes,
calls, subscripts, conditions and the heads of lambdas. What is in brackets goes on with the chain around them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from gradlint.texts import NotLinted

LONGEST_CHAIN = 1_000
"""Operators of one chain and of those around it, which bounds how deep the parser is in its own calls."""
MOST_CLAUSES = 200
"""Loops of one comprehension."""
MOST_ITEMS = 1_000
"""Parameters, bases or managers in the head of one statement."""
MOST_CALLS = 10_000
"""Calls in one statement: what each gives is there until the last has been made. The most that one statement of torch
has are 4,800, in its own tests, and 600 elsewhere."""
MOST_DECORATORS = 100
"""Decorators of one function or class."""
MOST_BRANCHES = 1_000
"""`elif`s of one statement."""
DEAREST_PATTERN = 2**16
"""The most times that a part of a pattern is tried: with 16 brackets around it, or 8 of mappings."""
MOST_TOKENS = 250_000
"""Words, numbers, signs and ends of rows of one text: LibCST takes some 3 KB for each, and up to 5."""
MOST_WORK = 4_000_000
"""The most that one text may cost; a unit takes LibCST a microsecond, or less."""
USUAL_DEPTH = 8
WORK_OF_DEPTH = 8
"""The cost of a token for each bracket around it beyond the usual number."""

_TRIES = {"(": 2, "[": 2, "{": 4}
"""The times that the inside of a bracket is tried where it is a pattern."""
_HEADS = frozenset({"with", "class", "def"})
_OPERATORS = frozenset("not and or in is if else await async for lambda".split())
_QUOTES = r"""\"{3}|'{3}|["']"""
_TOKEN = re.compile(
    rf"""(?:[ \t\f]|\\\n)*+(?:
        (?P<opened>(?:[fFtT][rR]?|[rR][fFtT])(?P<quotes>{_QUOTES}))
      | (?P<string>(?:[rRuUbB]|[rR][bB]|[bB][rR])?(?:
            \"{{3}}[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+\"{{3}}
          | '{{3}}[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+'{{3}}
          | (?!\"{{3}})"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"
          | (?!'{{3}})'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'))
      | (?P<unclosed>["'])
      | (?P<word>[^\W\d]\w*+)
      | (?P<operand>\.?\d[\w.]*+|\.\.\.)
      | (?P<newline>\#[^\n]*+\n?|\n)
      | (?P<open>[(\[{{])
      | (?P<close>[)\]}}])
      | (?P<operator>\*\*|//|<<|>>|<=|>=|==|!=|->|:=|[-+*/%@&|^<>~!.])
      | (?P<separator>[,;:=])
      | (?P<other>.)
    )""",
    re.VERBOSE | re.DOTALL,
)
_TEXT = {
    quotes: re.compile(
        rf"(?:\\N\{{[^{{}}\n]*+\}}|\\[^{{}}]|\\(?=[{{}}])|\{{\{{|\}}\}}|[^{{}}\\{quotes[0]}{end}]{more})*+"
        rf"(?P<end>\{{|{quotes})?+",
        re.DOTALL,
    )
    for quotes in ('"', "'", '"""', "'''")
    for end, more in [(r"\n", "") if len(quotes) == 1 else ("", f"|{quotes[0]}(?!{quotes[0] * 2})")]
}
"""The text of an f-string up to the next hole, or to its end; no `end` where it has none."""
_FORMAT = re.compile(r"[^{}]*+(?P<end>[{}])?+")
"""A format up to a hole in it, or to its end; no `end` where it has none."""


@dataclass(slots=True)
class _Level:
    """The open level: the file, a bracket, or a hole of an f-string that has these `quotes`; `in_format`: in a format.

    `first` is the number of the token with which the chain began, `length` how many operators it has and `around` how
    many those have that it is inside of, `lambdas` how many heads of lambdas are open; `price` is what each token
    costs, `tries` how often it is tried in a pattern.
    """

    price: int = 0
    tries: int = 0
    quotes: str = ""
    in_format: bool = False
    first: int = 0
    length: int = 0
    around: int = 0
    lambdas: int = 0
    clauses: int = 0


def depth_within_limits(program: str) -> int:
    """Return the depth of brackets in a text. Raises `NotLinted` for one that costs too much to parse.

    What is no Python for its strings alone is counted up to there: LibCST refuses it before it parses anything.
    """
    counting = _Counting(program)
    at: int | None = 0
    while at is not None and at < len(program):
        at = counting.step(at)
    return counting.deepest


class _Counting:
    """Goes over the tokens of a text once. `inside` is what goes on where no tokens do: in the text or a format of an
    f-string with these `quotes`."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.level = _Level()
        self.levels = [self.level]
        self.at = self.tokens = self.work = self.deepest = self.items = self.decorators = self.calls = 0
        self.begins, self.head, self.operand = True, "", False
        self.branches = Counter[int]()  # of the last `if` that begins in each column
        self.quotes, self.inside = "", _TOKEN
        self.steps: dict[str, Callable[[str], bool]] = {
            "opened": self._opened, "string": self._operand, "operand": self._operand, "word": self._word,
            "newline": self._newline, "open": self._open, "close": self._close, "operator": self._operator,
            "separator": self._separator, "other": self._operand,
        }  # fmt: skip

    def step(self, at: int) -> int | None:
        """Count what stands at an offset; the offset behind it, None where the text is no Python."""
        found = self.inside.match(self.program, at)
        if found is None:
            return None
        if self.inside is not _TOKEN:
            return found.end() if self._part_of_string(found) else None
        kind = found.lastgroup
        if kind is None or kind not in self.steps:
            return None
        self.at = found.start(kind)
        self.tokens += 1
        if self.tokens > MOST_TOKENS:
            raise self._refusal(f"the file has more than {MOST_TOKENS:,} words and signs")
        self.work += self.level.price
        text = found[kind]
        if text == ":=" and self._ends_expression_of_hole():
            self.inside = _FORMAT
            return self.at + 1
        return found.end() if self.steps[kind](text) else None

    def _part_of_string(self, found: re.Match[str]) -> bool:
        in_format, self.inside = self.inside is _FORMAT, _TOKEN
        if found["end"] == "{":
            self._enter(_Level(quotes=self.quotes, in_format=in_format))
        elif found["end"] == "}":
            return self._close("}")
        return found["end"] is not None

    def _opened(self, text: str) -> bool:
        self.quotes = text.lstrip("fFtTrR")
        self.inside = _TEXT[self.quotes]
        return self._operand(text)

    def _operand(self, text: str) -> bool:
        self.operand, self.begins = True, False
        return True

    def _word(self, word: str) -> bool:
        if self.begins and word != "async":
            self.begins, self.head, self.items, self.decorators = False, word, 0, 0
            self.level.tries = int(word == "case")
            self._count_branches(word)
        elif word in _OPERATORS:
            self._operator(word)
            self.level.lambdas += word == "lambda"
            self.level.clauses += word == "for"
            if self.level.clauses > MOST_CLAUSES:
                raise self._refusal(f"a comprehension has more than {MOST_CLAUSES} loops")
            return True
        self.operand = True
        return True

    def _count_branches(self, word: str) -> None:
        column = self.at - self.program.rfind("\n", 0, self.at)
        if word == "if":
            self.branches[column] = 0
        elif word == "elif":
            self.branches[column] += 1
            if self.branches[column] > MOST_BRANCHES:
                raise self._refusal(f"an `if` has more than {MOST_BRANCHES:,} branches")

    def _operator(self, text: str) -> bool:
        level, self.operand = self.level, False
        if text == "@" and self.begins:
            self.begins = False
            self.decorators += 1
            if self.decorators > MOST_DECORATORS:
                raise self._refusal(f"something has more than {MOST_DECORATORS} decorators")
            return True
        level.length += 1
        self.work += self.tokens - level.first
        if level.around + level.length > LONGEST_CHAIN:
            raise self._refusal(f"an expression has more than {LONGEST_CHAIN:,} operators")
        return self._is_affordable()

    def _is_affordable(self) -> bool:
        if self.work > MOST_WORK:
            raise self._refusal("expressions are too long and nested too deeply")
        return True

    def _ends_expression_of_hole(self) -> bool:
        return bool(self.level.quotes) and not self.level.lambdas

    def _separator(self, text: str) -> bool:
        level, self.operand = self.level, False
        if level.lambdas:
            level.lambdas -= text == ":"
            return True
        if text == ":" and level.quotes:
            self.inside = _FORMAT
        elif text == ":" and len(self.levels) == 1:
            self.head, level.tries = "", 0
        elif text == "=":
            level.tries = level.tries if len(self.levels) > 1 else 0  # else it is a variable called `case`
        elif text == "," and self.head in _HEADS and len(self.levels) <= 2:
            self.items += 1
            if self.items > MOST_ITEMS:
                raise self._refusal(f"the head of a statement has more than {MOST_ITEMS:,} items")
        self._begin_chain()
        return True

    def _begin_chain(self) -> None:
        level = self.level
        level.first, level.length, level.lambdas, level.clauses = self.tokens, 0, 0, 0

    def _newline(self, text: str) -> bool:
        if len(self.levels) == 1:
            self._begin_chain()
            self.begins, self.head, self.operand, self.level.tries, self.calls = True, "", False, 0, 0
        return True

    def _open(self, bracket: str) -> bool:
        if self.operand:
            self.calls += bracket == "("
            if self.calls > MOST_CALLS:
                raise self._refusal(f"a statement has more than {MOST_CALLS:,} calls")
            self._operator(bracket)
        tries = self.level.tries * _TRIES[bracket]
        if tries > DEAREST_PATTERN:
            raise self._refusal("patterns are nested too deeply")
        self._enter(_Level(tries=tries))
        return True

    def _enter(self, level: _Level) -> None:
        depth = len(self.levels)
        level.around = self.level.around + self.level.length
        level.first, level.price = self.tokens, 2 * level.tries + WORK_OF_DEPTH * max(0, depth - USUAL_DEPTH)
        self.levels.append(level)
        self.level, self.deepest = level, max(self.deepest, depth)
        self.begins = self.operand = False

    def _close(self, bracket: str) -> bool:
        closed = self.level
        if len(self.levels) == 1 or (closed.quotes and bracket != "}"):
            return False
        self.levels.pop()
        self.level, self.operand = self.levels[-1], True
        if closed.quotes:
            self.quotes, self.inside = closed.quotes, _FORMAT if closed.in_format else _TEXT[closed.quotes]
        return self._is_affordable()

    def _refusal(self, what: str) -> NotLinted:
        row = self.program.count("\n", 0, self.at) + 1
        return NotLinted(row, self.at - self.program.rfind("\n", 0, self.at), f"{what}: it would take too long")
