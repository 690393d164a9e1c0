"""An example is a file of its own: the text that gradlint lints, and the function that torch runs, are the same lines.

The text is the function without its decorators, dedented, followed by one call of it; for `script=True`
its body as module-level code. Markers (`# GRD101`, several: `# GRD101 GRD205`) stand on the first
physical line of the reported expression.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import inspect
import io
import re
import textwrap
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import Any

from gradlint.rule import Evidence

MARKER = re.compile(r"#\s*((?:[A-Z]{3}[0-9]{3}\s*)+)$")
FEW_LINES = 4
"""By how many lines of each side a cure may differ from what it cures."""


class Malformed(Exception):
    """An example cannot be read as a file of its own; the message names the example and the cure."""


@dataclass(frozen=True, slots=True)
class Text:
    """An example as a file: its lines, what is marked where, and how its rows lie in the file it was written in."""

    text: str
    marked: frozenset[tuple[int, str]]
    filename: str
    first: int

    def rows(self) -> frozenset[int]:
        """The marked rows."""
        return frozenset(row for row, _ in self.marked)

    def covers(self, filename: str, line: int) -> int | None:
        """The row of a line of the original file, if it is one of the example's."""
        row = line - self.first + 1
        return row if filename == self.filename and 1 <= row <= self.text.count("\n") else None

    def is_within_marked(self, row: int) -> bool:
        """Whether the row belongs to an expression that begins on a marked row."""
        marked = self.rows()
        return row in marked or any(
            node.lineno in marked and node.lineno <= row <= (node.end_lineno or node.lineno)
            for node in ast.walk(ast.parse(self.text))
            if isinstance(node, ast.expr)
        )


def text_of(evidence: Evidence) -> Text:
    """The example as gradlint reads it. Raises `Malformed`."""
    example = evidence.example
    name = example.__name__
    try:
        lines, start = inspect.getsourcelines(example)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError) as error:
        raise Malformed(f"the source of `{name}` cannot be read ({error}); define it in a file") from error
    function = tree.body[0]
    if not isinstance(function, ast.FunctionDef):
        raise Malformed(f"`{name}` is no plain function; define it with `def`")
    at = function.body[0].lineno if evidence.script else function.lineno
    if evidence.script and at == function.lineno:
        raise Malformed(f"`{name}` stands on one line; give its body lines of its own")
    text = textwrap.dedent("".join(lines[at - 1 : function.end_lineno]))
    text = _without_return(name, function, text, at) if evidence.script else f"{text}\n\n{_call(example)}\n"
    filename = example.__code__.co_filename
    return Text(text, frozenset(markers(text)), filename, start + at - 1)


def markers(text: str) -> Iterator[tuple[int, str]]:
    """The rows of a text with the codes that their comments say."""
    for row, comment in comments(text):
        if found := MARKER.search(comment):
            for code in found[1].split():
                yield row, code


def comments(text: str) -> Iterator[tuple[int, str]]:
    """The comments of a text with their rows."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def standing_alone(example: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with none of its file's names in sight, as it is linted and printed."""
    code: Any = example.__code__
    names = {"__builtins__": builtins, "__name__": "__main__", "__file__": code.co_filename}
    alone = FunctionType(code, names, example.__name__, example.__defaults__, example.__closure__)
    alone.__kwdefaults__ = example.__kwdefaults__
    return alone


def lines_changed(bad: Text, good: Text) -> int:
    """How many lines of the one or the other text (whichever are more) have no equal in the other."""
    before, after = _telling_lines(bad.text), _telling_lines(good.text)
    kept = sum(
        block.size for block in difflib.SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    )
    return max(len(before), len(after)) - kept


def takes_steps(example: Callable[..., Any]) -> bool:
    """Whether the example can be called with `steps=`."""
    return "steps" in inspect.signature(example).parameters


def _call(example: Callable[..., Any]) -> str:
    return f"{example.__name__}({'steps=8' if takes_steps(example) else ''})"


def _without_return(name: str, function: ast.FunctionDef, text: str, at: int) -> str:
    """The body's text with its last `return` blanked out; only there may one stand."""
    lines = text.splitlines()
    last = function.body[-1]
    nested = [node for node in _own_nodes(function) if isinstance(node, ast.Return) and node is not last]
    if nested:
        raise Malformed(f"`{name}` is a script and returns before its end; return once, in the last line")
    if isinstance(last, ast.Return):
        first, end = last.lineno - at, (last.end_lineno or last.lineno) - at
        lines[first : end + 1] = [""] * (end + 1 - first)
    return "\n".join(lines) + "\n"


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function, but for those of functions, lambdas and classes inside it."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(node)


def _telling_lines(text: str) -> list[str]:
    """A text's lines without indentation and comments; left out are blank lines, the example's name and its call."""
    bare = [re.sub(r"\s*#.*", "", line).strip() for line in text.splitlines()]
    lines = [line for line in bare if line]
    return lines[1:-1] if lines and lines[0].startswith("def ") else lines
