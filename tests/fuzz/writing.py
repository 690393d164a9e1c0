"""Writing programs: each statement is tried on torch as it is written, so most of a program runs.

A template is a piece of program with slots, `<new> = <f> * 2`; `vocabulary` says what may stand in them. One that has a
line `<body>` is a block: it is run up to there, and what stands in it is written and tried right there, in the
function, the loop and the grad mode that it belongs to.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from types import CodeType
from typing import Any

import torch

from tests.fuzz.drawing import DRAWN
from tests.fuzz.kinds import KINDS, Test, Unfilled
from tests.fuzz.recipes import BLOCKS, RECIPES, Table
from tests.fuzz.revealing import is_plain_tensor, tensors_in, with_reveals
from tests.fuzz.vocabulary import IMPORTS, POOLS, SIMPLE
from tests.fuzz.watching import begin, settled

SLOT = re.compile(r"<([a-z]+)(\d*)(?: ([^<>]+))?>")
BODY = "<body>"
INDENT = "    "
MOST_REFUSED = 0.35
"""How often a statement that autograd refuses is kept."""
DEEPEST = 3
HERE = "__here__"


@dataclass(slots=True)
class Scope:
    """The expressions that a statement may use: names, and places in what they hold. `inside`: the block may not run,
    or run again."""

    names: list[str] = field(default_factory=list)
    inside: bool = False


class _Written(BaseException):
    """The body of a block is written; nothing after it is to be run."""


class Writer:
    """Writes one program from chance, of about `most` lines."""

    def __init__(self, chance: random.Random, most: int = 18) -> None:
        self.chance, self.most = chance, most
        self.lines: list[str] = IMPORTS.splitlines()
        self.space: dict[str, Any] = {}
        self.count = 0
        self.ended = False

    def write(self) -> str:
        """The text of a whole program, with a `reveal` wherever there is something to ask for."""
        with settled():
            self._write()
        return with_reveals("\n".join(self.lines) + "\n")

    def _write(self) -> None:
        scope = Scope()
        self.rerun()
        while len(self.lines) < self.most and not self.ended:
            if self.chance.random() < 0.62:
                self.lines += self.statement(scope)
            else:
                self.lines += self.whole(scope)

    def whole(self, scope: Scope) -> list[str]:
        """The lines of a block or a recipe, if the program runs with them; trying them may have changed anything, so
        all of it is run again."""
        names = [*scope.names]
        try:
            text = self.block(scope, 0, BLOCKS if self.chance.random() < 0.5 else RECIPES)
        except Unfilled:
            return []
        before, self.lines = self.lines, [*self.lines, *text.splitlines()]
        error = self.rerun()
        lines, self.lines = self.lines[len(before) :], before
        if error is not None:
            scope.names = names
            self.rerun()
            return []
        self.bind(scope, text)
        return lines

    # ---- trying

    def rerun(self) -> Exception | None:
        """Forget what was tried, and run the program from its beginning; what stops it."""
        begin(0)
        self.space = {"__name__": "__main__"}
        return self.tried("\n".join(self.lines))

    def tried(self, text: str) -> Exception | None:
        """Run a piece of the program; what stops it. What breaks torch's own process is not run."""
        if "eig" in text and not all(map(_is_finite, self.space.values())):
            return ValueError("eigenvalues of what is not finite")
        try:
            exec(compile(text, "<program>", "exec", dont_inherit=True), self.space)  # statements of our own
        except Exception as error:
            return error
        return None

    def value(self, expression: str) -> Any:
        """What an expression is now; None where it is nothing."""
        try:
            return eval(_compiled(expression), self.space)
        except Exception:
            return None

    # ---- choosing

    def among(self, table: Sequence[tuple[int, Any]]) -> Any:
        """An entry of a table of weights and entries."""
        return self.chance.choices([entry for _, entry in table], [weight for weight, _ in table])[0]

    def place(self, scope: Scope, test: Test) -> str:
        """An expression for something of a kind; the newer the likelier. Raises `Unfilled`."""
        fitting = [name for name in scope.names if self.passes(name, test)]
        if not fitting:
            raise Unfilled
        return self.chance.choices(fitting, range(1, len(fitting) + 1))[0]

    def passes(self, name: str, test: Test) -> bool:
        """Whether something is of a kind; what torch forbids to look at is of none."""
        try:
            return test(self.value(name))
        except RuntimeError:
            return False

    def fresh(self) -> str:
        """A name that is not bound yet."""
        self.count += 1
        return f"v{self.count}"

    def filled(self, template: str, scope: Scope) -> str:
        """A template with its slots filled, the innermost first; but the bodies of blocks. Raises `Unfilled`."""
        taken: dict[str, str] = {BODY: BODY}

        def fill(slot: re.Match[str]) -> str:
            kind, _, given = slot.groups()
            if kind in POOLS:
                found: str = self.chance.choice(POOLS[kind])
                return re.sub(r"\b_\b", given or "", found)
            if slot[0] not in taken:
                taken[slot[0]] = self.fresh() if kind == "new" else self.place(scope, KINDS[kind])
            return taken[slot[0]]

        text, before = template, ""
        while text != before:
            text, before = SLOT.sub(fill, text), text
        return text

    def bind(self, scope: Scope, text: str) -> None:
        """Take up the names that a piece of program certainly binds, and what is in them."""
        bound = [name for name in _bound(ast.parse(text).body) if name in self.space]
        gone = [*_deleted(text), *bound]
        scope.names = [place for place in scope.names if re.split(r"[.\[]", place)[0] not in gone]
        for name in bound:
            value = self.value(name)
            parts = list(tensors_in(name, value, 2))
            scope.names += parts if parts[:1] == [name] else [name, *parts]

    # ---- statements

    def statement(self, scope: Scope) -> list[str]:
        """The lines of one statement that runs, or that autograd refuses; none if the attempt fails."""
        try:
            if self.chance.random() < 0.55:
                text = self.filled(self.among(SIMPLE), scope)
            else:
                text = self.among(DRAWN)(self, scope)
        except Unfilled:
            return []
        if text.startswith("del ") and (scope.inside or not text[4:].isidentifier()):
            return []
        error = self.tried(text)
        if error is not None:
            return self.refused(text, error, scope)
        self.bind(scope, text)
        return text.splitlines()

    def refused(self, text: str, error: Exception, scope: Scope) -> list[str]:
        """What autograd refuses is sometimes kept: caught, or as the end of the program.

        What is tried alone is taken to be a question whether it raises, so something else is tried with it.
        """
        if not is_autograds(error) or "\n" in text or self.chance.random() > MOST_REFUSED:
            return []
        if self.chance.random() < 0.7:
            kind = "RuntimeError" if isinstance(error, RuntimeError) else "Exception"
            caught = [f"except {kind} as error:", INDENT + "print(error)"]
            return ["try:", INDENT + text, INDENT + "print('went well')", *caught]
        self.ended = not scope.inside
        return [text] if self.ended else []

    # ---- blocks

    def block(self, scope: Scope, depth: int, table: Table = BLOCKS) -> str:
        """A piece of program with the bodies of its blocks. Raises `Unfilled`."""
        text = self.filled(self.among(table), scope)
        while BODY in text:
            before, _, after = text.partition(BODY)
            indent = before.rpartition("\n")[2]
            body = self.inside(text, scope, depth)
            text = before + f"\n{indent}".join(body) + after
        return text

    def inside(self, text: str, scope: Scope, depth: int) -> list[str]:
        """The lines of the first body that is missing, written where the program comes by it."""
        found: list[list[str]] = []
        growing = {name for name in _gone_over(text) if isinstance(self.value(name), list)}  # would never end

        def here(names: dict[str, Any]) -> None:
            outside, self.space = self.space, self.space if names is self.space else {**self.space, **names}
            inner = Scope([*scope.names], inside=not text.startswith("with"))
            if names is not outside:
                inner.names = self.chance.sample(scope.names, min(2, len(scope.names)))
            new = names if names is not outside else _bound_first(text)
            for name in new:
                inner.names += [name, *(place for place in tensors_in(name, self.value(name), 2) if place != name)]
            inner.names = [name for name in inner.names if name not in growing]
            try:
                found.append(self.body(inner, depth + 1))
            finally:
                self.space = outside
            raise _Written

        self.space[HERE] = here
        running = text.replace(BODY, f"{HERE}(locals())", 1).replace(BODY, "pass")
        with suppress(_Written):
            self.tried(running)
        return found[0] if found else self.body(Scope([*scope.names], inside=True), depth + 1)

    def body(self, scope: Scope, depth: int) -> list[str]:
        """The lines of a block; never none."""
        lines: list[str] = []
        for _ in range(self.chance.randint(2, 5)):
            if depth < DEEPEST and self.chance.random() < 0.15:
                try:
                    lines += self.block(scope, depth).splitlines()
                except Unfilled:
                    continue
            else:
                lines += self.statement(scope)
        return lines or ["pass"]


@cache
def _compiled(expression: str) -> CodeType:
    return compile(expression, "<program>", "eval", dont_inherit=True)


def _gone_over(text: str) -> Iterator[str]:
    """The names in what the loops of a piece of program go over."""
    for loop in ast.walk(ast.parse(text.replace(BODY, "pass"))):
        if isinstance(loop, ast.For):
            yield from (node.id for node in ast.walk(loop.iter) if isinstance(node, ast.Name))


def _bound(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that these statements certainly bind."""
    for statement in body:
        if isinstance(statement, ast.With):
            yield from _bound(statement.body)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name
        elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
            yield from stored(statement)


def stored(node: ast.AST) -> Iterator[str]:
    """The names that a piece of program binds, each as often as it does."""
    yield from (each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))


def _bound_first(text: str) -> list[str]:
    """What the head of a block binds: a loop's variables, what `as` gives."""
    head = ast.parse(text.replace(BODY, "pass")).body[0]
    parts = [head.target] if isinstance(head, ast.For) else []
    parts += [item.optional_vars for item in head.items if item.optional_vars] if isinstance(head, ast.With) else []
    return [name for part in parts for name in stored(part)]


def _deleted(text: str) -> list[str]:
    return [text[4:]] if text.startswith("del ") else []


REFUSALS = (
    "leaf Variable", "inplace", "in-place", "requires grad", "require grad", "require gradients", "second time",
    "nference tensor", "implicitly created", "unused in the graph", "deepcopy protocol", "non-leaf", "grad_fn",
    "detach()", "is_leaf", "unscale_", "differentiated Tensors", "No inf checks", "requires_grad",
)  # fmt: skip


def is_autograds(error: BaseException | None) -> bool:
    """Whether autograd refuses, and not a shape or a kind of number that does not fit."""
    return isinstance(error, RuntimeError | ValueError | TypeError) and any(words in str(error) for words in REFUSALS)


def _is_finite(value: Any) -> bool:
    return not is_plain_tensor(value) or bool(torch.isfinite(value.detach()).all())
