"""An example as the linter reads it: a file of its own, with the lines that must be reported.

An example is a function. Its decorators are left out, it is dedented and followed by one call of it, so every
caller is seen. A script's body stands alone as module-level code, with each `return` replaced by `pass`.
"""

from __future__ import annotations

import ast
import inspect
import io
import linecache
import re
import textwrap
import tokenize
from collections.abc import Iterator
from typing import cast

from gradlint.frozen import frozen
from gradlint.rule import Evidence, Example, Grows, Rule

MARKER = re.compile(r"#\s*+([A-Z]{3}[0-9]{3}(?:\s++[A-Z]{3}[0-9]{3})*)\s*+")
_AT_THE_END = re.compile(rf"(?<!\s)\s*+{MARKER.pattern}$")
STEPS = (2, 4, 8)
"""The numbers of steps that an example that shows growth is asked to repeat."""


class BadEvidence(Exception):
    """An example cannot be judged as it is written; the message says why and what to change."""


@frozen()
class Source:
    """The text of an example. `marks` are the codes to be reported by row of the text; row `n` of the text is row
    `n + shift` of the `file` that the example stands in."""

    text: str
    marks: tuple[tuple[int, tuple[str, ...]], ...]
    file: str
    shift: int
    body: tuple[str, ...]

    @property
    def reported(self) -> frozenset[tuple[int, str]]:
        """Return the reports to be made: pairs of row and code."""
        return frozenset((row, code) for row, codes in self.marks for code in codes)


def read(rule: Rule, evidence: Evidence) -> Source:
    """The example of some evidence as the linter reads it. Raises `BadEvidence`."""
    lines, shift, file = _definition(evidence.example)
    node = _function("".join(lines), evidence.example)
    if evidence.script:
        body, inner = _script(lines, node)
        return _source(textwrap.dedent("".join(body)), file, shift + inner, body)
    calling = f"steps={STEPS[-1]}" if isinstance(evidence.shows or rule.consequence, Grows) else ""
    text = f"{''.join(lines).rstrip()}\n\n\n{node.name}({calling})\n"
    return _source(text, file, shift, lines[node.body[0].lineno - 1 :])


def without_markers(text: str) -> str:
    """The text as pages print it."""
    found = dict(marked_rows(text))
    lines = text.splitlines()
    for row in found:
        lines[row - 1] = _AT_THE_END.sub("", lines[row - 1])
    return "\n".join(lines) + "\n"


def marked_rows(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Each row that ends in a marker, with the codes in it."""
    for row, comment in comments(text):
        if found := MARKER.fullmatch(comment):
            yield row, tuple(found[1].split())


def comments(text: str) -> Iterator[tuple[int, str]]:
    """Each comment of a text with its row."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.strip()


def defined(text: str, example: Example) -> Example:
    """The function that stands first in a text, with the globals of the example it came from."""
    file = f"<{_name(example)}, fixed>"
    node = next(statement for statement in ast.parse(text).body if isinstance(statement, ast.FunctionDef))
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, object] = dict(getattr(example, "__globals__", {}))
    above = [statement for statement in ast.parse(text).body if isinstance(statement, ast.Import | ast.ImportFrom)]
    exec(compile(ast.Module([*above, node], []), file, "exec"), namespace)  # our own evidence, which torch runs anyway
    return cast(Example, namespace[node.name])


def is_same_program(bad: Source, good: Source) -> bool:
    """Return whether two examples have the same body, markers aside."""
    return _bare(bad) == _bare(good)


def changed_lines(bad: Source, good: Source) -> int:
    """Return the number of lines the cure removes or adds, whichever is more; indentation and markers do not count."""
    from difflib import SequenceMatcher

    before, after = ([line.strip() for line in _bare(source)] for source in (bad, good))
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    changes = [(a1 - a0, b1 - b0) for what, a0, a1, b0, b1 in steps if what != "equal"]
    return max(sum(taken for taken, _ in changes), sum(put for _, put in changes))


def _bare(source: Source) -> list[str]:
    """The lines of an example's body that say something."""
    lines = (_AT_THE_END.sub("", line.rstrip()) for line in source.body)
    return [line for line in lines if line.strip() and not line.lstrip().startswith("#")]


# ---- from the function to its text


def _definition(example: Example) -> tuple[list[str], int, str]:
    """The dedented lines of the function from its `def` on, the row before it in its file, and the file."""
    try:
        lines, first = inspect.getsourcelines(example)
        file = inspect.getsourcefile(example) or ""
    except (OSError, TypeError) as error:
        raise BadEvidence(f"the source of `{_name(example)}` cannot be read ({error}); write it in a file") from error
    lines = textwrap.dedent("".join(lines)).splitlines(keepends=True)
    skipped = _function("".join(lines), example).lineno - 1
    return lines[skipped:], first - 1 + skipped, file


def _function(text: str, example: Example) -> ast.FunctionDef:
    try:
        (node,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        node = None
    if not isinstance(node, ast.FunctionDef):
        raise BadEvidence(f"`{_name(example)}` is no function of its own; write it with `def` at the top of a module")
    return node


def _name(example: Example) -> str:
    return getattr(example, "__name__", str(example))


def _script(lines: list[str], node: ast.FunctionDef) -> tuple[list[str], int]:
    """The body's lines, every `return` of the function itself replaced, and how many lines were left out before."""
    start = node.body[0].lineno
    if start == node.lineno:
        raise BadEvidence(f"the body of the script `{node.name}` stands beside its `def`; give it lines of its own")
    raw = [line.encode() for line in lines]
    for statement in _returns(node):
        first, last = statement.lineno - 1, (statement.end_lineno or statement.lineno) - 1
        if any(MARKER.search(line) for line in lines[first : last + 1]):
            raise BadEvidence(
                f"a marker of the script `{node.name}` stands on its `return`, which is left out; move it"
            )
        tail = raw[last][statement.end_col_offset or 0 :]
        raw[first] = raw[first][: statement.col_offset] + b"pass" + (tail if first == last else b"\n")
        raw[first + 1 : last + 1] = [b"\n"] * (last - first)
    return [line.decode() for line in raw[start - 1 :]], start - 1


def _returns(node: ast.AST) -> Iterator[ast.Return]:
    """The returns of a function, without those of functions inside it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            yield child
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            yield from _returns(child)


def _source(text: str, file: str, shift: int, body: list[str]) -> Source:
    return Source(text, tuple(marked_rows(text)), file, shift, tuple(body))
