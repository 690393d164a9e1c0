"""Writing programs: each statement is tried on torch as it is written, so most of a program runs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from gradlint.knowledge.rows import Operation
from gradlint.proving import known_here
from gradlint.testing.agreement.vocabulary import DECORATORS, HEADS, IMPORTS, SIMPLE
from gradlint.testing.measuring import LETTERS, operand_names

SLOT = re.compile(r"\{([a-z]+)(\d*)\}")
INDENT = "    "
MOST_REFUSED = 0.35
"""How often a statement that autograd refuses is kept."""
OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "matmul": "@", "pow": "**", "gt": ">", "lt": "<", "ge": ">=",
    "le": "<=", "eq": "==", "ne": "!=", "iadd": "+=", "isub": "-=", "imul": "*=", "itruediv": "/=", "ipow": "**=",
}  # fmt: skip
TABLES = known_here().torch
FACTORY_ROWS = tuple(dict.fromkeys(TABLES.factories.values()))
ROWS = tuple(row for row in dict.fromkeys(TABLES.operations.values()) if row.measured)

Test = Callable[[Any], bool]


def is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.layout is torch.strided


def is_float(value: Any) -> bool:
    return is_tensor(value) and value.dtype.is_floating_point


def _holds_tensors(kind: type) -> Test:
    def test(value: Any) -> bool:
        members = list(value.values()) if kind is dict and isinstance(value, dict) else value
        return isinstance(value, kind) and bool(members) and all(is_tensor(member) for member in members)

    return test


KINDS: dict[str, Test] = {
    "t": is_tensor,
    "f": is_float,
    "g": lambda value: is_float(value) and value.requires_grad,
    "q": lambda value: is_tensor(value) and not value.requires_grad,
    "leaf": lambda value: is_float(value) and value.is_leaf and value.requires_grad,
    "n": lambda value: is_tensor(value) and not value.is_leaf,
    "s": lambda value: is_float(value) and value.requires_grad and value.ndim == 0,
    "i": lambda value: is_tensor(value) and not value.is_floating_point(),
    "w": lambda value: is_float(value) and value.is_leaf and value.grad is not None,
    "p": lambda value: isinstance(value, nn.Parameter),
    "m": lambda value: isinstance(value, nn.Module),
    "o": lambda value: isinstance(value, torch.optim.Optimizer),
    "sc": lambda value: isinstance(value, torch.amp.GradScaler),
    "d": _holds_tensors(dict),
    "l": _holds_tensors(list),
}
"""What may fill a slot."""


class Unfilled(Exception):
    """A template cannot be filled here."""


@dataclass
class Scope:
    """The names that can be used at a point, and those that are bound in the function around it.

    `names` are expressions over names. A block that may not run hides what it binds from what follows.
    """

    names: list[str] = field(default_factory=list)
    inside: bool = False
    """Whether it is in a block that may not run, or run again."""


class Writer:
    """Writes one program from chance."""

    def __init__(self, chance: random.Random, most: int = 34) -> None:
        self.chance, self.most = chance, most
        self.lines: list[str] = IMPORTS.splitlines()
        self.space: dict[str, Any] = {}
        self.count = 0
        self.ended = False

    # ---- trying

    def start(self) -> None:
        """Forget what was tried, and run all that is written."""
        torch.set_grad_enabled(True)
        self.space = {"__name__": "__main__", "reveal": lambda *_: None}
        random.seed(0)
        torch.manual_seed(0)

    def rerun(self) -> Exception | None:
        """Run the program from its beginning; what stops it."""
        self.start()
        return self.tried("\n".join(self.lines))

    def tried(self, text: str) -> Exception | None:
        """Run a piece of the program; what stops it."""
        try:
            exec(compile(text, "<program>", "exec", dont_inherit=True), self.space)  # statements of our own
        except Exception as error:
            return error
        return None

    def value(self, expression: str) -> Any:
        try:
            return eval(expression, self.space)
        except Exception:
            return None

    # ---- choosing

    def among(self, table: Sequence[tuple[int, Any]]) -> Any:
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
        self.count += 1
        return f"v{self.count}"

    def filled(self, template: str, scope: Scope) -> tuple[str, list[str]]:
        """A template with its slots filled, and the names it binds. Raises `Unfilled`."""
        taken: dict[str, str] = {}

        def fill(slot: re.Match[str]) -> str:
            if slot[0] not in taken:
                taken[slot[0]] = self.fresh() if slot[1] == "new" else self.place(scope, KINDS[slot[1]])
            return taken[slot[0]]

        text = SLOT.sub(fill, template.replace("{{", "\0").replace("}}", "\1"))
        text = text.replace("\0", "{").replace("\1", "}")
        return text, [name for slot, name in taken.items() if slot.startswith("{new")]

    # ---- statements

    def statement(self, scope: Scope) -> list[str]:
        """The lines of one statement that runs, or that autograd refuses; none if the attempt fails."""
        makers: list[tuple[int, Callable[[Scope], tuple[str, list[str]]]]] = [
            (10, lambda scope: self.filled(self.among(SIMPLE), scope)),
            (4, self.operation),
            (1, self.factory),
            (1, self.module),
            (1, self.optimizer),
        ]
        try:
            text, bound = self.among(makers)(scope)
        except Unfilled:
            return []
        if text.startswith("del ") and (scope.inside or not text[4:].isidentifier()):
            return []
        error = self.tried(text)
        if error is not None:
            return self.refused(text, error, scope)
        scope.names += [name for name in bound if name not in scope.names]
        if text.startswith("del "):
            scope.names = [name for name in scope.names if name.partition("[")[0].partition(".")[0] != text[4:]]
        scope.names += [place for name in bound for place in self.parts(name)]
        return [text, *self.revealing(scope)]

    def parts(self, name: str) -> Iterator[str]:
        """Expressions for what is in a container or a module."""
        value = self.value(name)
        if isinstance(value, dict):
            yield from (f"{name}[{key!r}]" for key, each in list(value.items())[:3] if is_tensor(each))
        elif isinstance(value, nn.Linear):
            yield from (f"{name}.weight", f"{name}.bias")
        elif isinstance(value, list | tuple):
            yield from (f"{name}[{number}]" for number, each in enumerate(value[:2]) if is_tensor(each))

    def refused(self, text: str, error: Exception, scope: Scope) -> list[str]:
        """What autograd refuses is sometimes kept: caught, or as the end of the program."""
        if not is_autograds(error) or self.chance.random() > MOST_REFUSED:
            return []
        if self.chance.random() < 0.7:
            return [
                "try:",
                INDENT + text,
                INDENT + "done = True",
                "except RuntimeError as error:",
                INDENT + "reveal(error)",
            ]
        self.ended = not scope.inside
        return [text] if self.ended else []

    def revealing(self, scope: Scope) -> list[str]:
        """The line that asks for all tensors there are."""
        tensors = [name for name in scope.names if is_tensor(self.value(name))]
        return [f"reveal({', '.join(tensors)})"] if tensors else []

    def operation(self, scope: Scope) -> tuple[str, list[str]]:
        """A call of a row of the knowledge table."""
        row = self.chance.choice(ROWS)
        path = self.chance.choice(row.paths)
        example = self.chance.choice((row.example, *row.others))
        operands = [self.operand(row, number, scope) for number in range(len(operand_names(row)))]
        letters = dict(zip(LETTERS, operands, strict=False))
        text = spelled(path, re.sub(r"\b[xyzwvut]\b", lambda found: letters.get(found[0], found[0]), example))
        if re.fullmatch(r"\S+ \S*= .*", text) and not text.startswith("("):
            return text, []
        if row.results[0].kind == "none":
            return text, []
        if row.bundle == "tuple":
            names = [self.fresh() for _ in row.results]
            return f"{', '.join(names)}{',' * (len(names) == 1)} = {text}", names
        name = self.fresh()
        return f"{name} = {text}", [name]

    def operand(self, row: Operation, number: int, scope: Scope) -> str:
        """What an operation is given: something there is, if the shape fits, else something new."""
        shape = row.shapes[number] if number < len(row.shapes) else (2, 2)
        names = operand_names(row)
        if names[number] in row.numbers and number and self.chance.random() < 0.2:
            return self.chance.choice(("2.0", "2"))
        try:
            return self.place(scope, lambda value: is_tensor(value) and tuple(value.shape) == shape)
        except Unfilled:
            return f"torch.rand({', '.join(map(str, shape))})" if shape else "torch.tensor(0.5)"

    def factory(self, scope: Scope) -> tuple[str, list[str]]:
        """A new tensor, by a row of the knowledge table."""
        row = self.chance.choice(FACTORY_ROWS)
        text = re.sub(r"\bx\b", lambda _: self.place(scope, is_float), row.example).replace("np.ones", "torch.ones")
        if row.takes_requires_grad and self.chance.random() < 0.4:
            text = f"{text[:-1]}, requires_grad=True)"
        name = self.fresh()
        return f"{name} = {text}", [name]

    def module(self, scope: Scope) -> tuple[str, list[str]]:
        """A module by a row of the knowledge table, applied at once."""
        row = self.chance.choice(tuple(TABLES.modules.values()))
        name = self.fresh()
        if not row.input or self.chance.random() < 0.3:
            return f"{name} = {row.example}", [name]
        return f"{name} = {row.example}({row.input})", [name]

    def optimizer(self, scope: Scope) -> tuple[str, list[str]]:
        row = self.chance.choice(tuple(TABLES.optimizers.values()))
        name, leaf = self.fresh(), self.place(scope, KINDS["leaf"])
        made = re.sub(r"\bp\b", lambda _: f"[{leaf}]", row.example)
        return f"{name} = {made}", [name]

    # ---- blocks

    def block(self, scope: Scope, depth: int) -> list[str]:
        """A statement with a block."""
        try:
            head, bound = self.filled(self.among(HEADS), scope)
        except Unfilled:
            return []
        inner = Scope([*scope.names], inside=scope.inside or not head.startswith("with"))
        with self.entered(head):
            inner.names += bound
            body = self.body(inner, depth + 1, self.chance.randint(1, 4))
        lines = [head, *(INDENT + line for line in body)]
        if head.startswith("with"):
            scope.names[:] = inner.names
        elif head.startswith("try"):
            lines += ["except RuntimeError as error:", INDENT + "reveal(error)"]
        elif head.startswith("if") and self.chance.random() < 0.5:
            other = self.body(Scope([*scope.names], inside=True), depth + 1, self.chance.randint(1, 3))
            lines += ["else:", *(INDENT + line for line in other)]
        return lines

    @contextmanager
    def entered(self, head: str) -> Iterator[None]:
        """What is written in a block is tried as its head says."""
        before = torch.is_grad_enabled()
        manager = self.value(head[5:-1]) if head.startswith("with ") else None
        if head.startswith("for "):
            self.tried(f"{head}\n    break")
        try:
            if manager is None:
                yield
            else:
                with manager:
                    yield
        finally:
            torch.set_grad_enabled(before)

    def body(self, scope: Scope, depth: int, length: int) -> list[str]:
        """The lines of a block; never none."""
        lines: list[str] = []
        for _ in range(length):
            if depth < 3 and self.chance.random() < 0.15:
                lines += self.block(scope, depth)
            else:
                lines += self.statement(scope)
        return lines or ["pass"]

    def function(self, scope: Scope) -> list[str]:
        """A function and a call of it."""
        name, given = self.fresh(), [self.place(scope, is_tensor) for _ in range(self.chance.randint(1, 2))]
        parameters = [f"{name}_{letter}" for letter, _ in zip("ab", given, strict=False)]
        outside, inner = dict(self.space), Scope([*parameters])
        self.space |= {parameter: self.value(place) for parameter, place in zip(parameters, given, strict=True)}
        decorator = self.among(DECORATORS)
        with self.entered(f"with {decorator[1:].removesuffix('()')}():" if decorator else ""):
            body = self.body(inner, 1, self.chance.randint(2, 4))
            gives = self.place(inner, is_tensor)
        self.space = outside
        lines = [decorator] if decorator else []
        lines += [f"def {name}({', '.join(parameters)}):", *(INDENT + line for line in body), f"{INDENT}return {gives}"]
        result = self.fresh()
        scope.names.append(result)
        return ["", *lines, "", f"{result} = {name}({', '.join(given)})"]

    def network(self, scope: Scope) -> list[str]:
        """A module class with a `forward`, and an instance of it."""
        name, thing = f"Net{self.fresh()}", self.fresh()
        head = [
            f"class {name}(nn.Module):",
            f"{INDENT}def __init__(self):",
            f"{INDENT * 2}super().__init__()",
            f"{INDENT * 2}self.layer = nn.Linear(2, 2)",
            f"{INDENT * 2}self.scale = nn.Parameter(torch.ones(2, 2))",
            f"{INDENT * 2}self.register_buffer('seen', torch.zeros(2, 2))",
            "",
        ]
        self.tried("\n".join(head))
        outside, inner = dict(self.space), Scope(["x", "self.layer", "self.scale", "self.seen"])
        self.space |= {"self": self.value(f"{name}()"), "x": torch.rand(2, 2)}
        body = self.body(inner, 1, self.chance.randint(2, 4))
        gives = self.place(inner, is_float)
        self.space = outside
        lines = [*head, f"{INDENT}def forward(self, x):", *(INDENT * 2 + line for line in body)]
        scope.names += [thing, f"{thing}.scale", f"{thing}.seen"]
        return ["", *lines, f"{INDENT * 2}return {gives}", "", f"{thing} = {name}()"]

    # ---- the program

    def write(self) -> str:
        """The text of a whole program."""
        scope = Scope()
        self.rerun()
        for _ in range(3):
            self.lines += self.statement(scope)
        while len([line for line in self.lines if "reveal(" not in line]) < self.most and not self.ended:
            chosen = self.chance.random()
            names = [*scope.names]
            try:
                if chosen < 0.68:
                    self.lines += self.statement(scope)
                    continue
                lines = self.block(scope, 0) if chosen < 0.9 else (self.function, self.network)[chosen > 0.96](scope)
            except Unfilled:
                lines = []
            before, self.lines = self.lines, [*self.lines, *lines]
            if self.rerun() is not None:
                self.lines, scope.names = before, names
                self.rerun()
            else:
                self.lines += self.revealing(scope)
        torch.set_grad_enabled(True)
        return "\n".join(self.lines) + "\n"


def spelled(path: str, example: str) -> str:
    """A call of `f` as people write it: a method of its first operand, an operator, or a function."""
    path = path.partition(" ")[0]
    found = re.fullmatch(r"f\(([^(),]+(?:\([^()]*\))?)(?:, (.*))?\)", example)
    if path.startswith("torch.Tensor.") and found:
        return f"{found[1]}.{path.removeprefix('torch.Tensor.')}({found[2] or ''})"
    symbol = OPERATORS.get(path.removeprefix("operator.").rstrip("_"))
    if path.startswith("operator.") and symbol and found and found[2]:
        return f"{found[1]} {symbol} {found[2]}"
    if path == "operator.getitem" and found:
        return f"{found[1]}[{found[2]}]"
    if path == "operator.setitem" and found and found[2]:
        index, _, value = found[2].rpartition(", ")
        return f"{found[1]}[{index}] = {value}"
    return re.sub(r"\bf\(", f"{path}(", example, count=1)


REFUSALS = (
    "leaf Variable", "inplace", "in-place", "requires grad", "require grad", "require gradients", "second time",
    "nference tensor", "implicitly created", "unused in the graph", "deepcopy protocol", "non-leaf", "grad_fn",
    "detach()", "is_leaf", "unscale_", "differentiated Tensors", "No inf checks", "requires_grad",
)  # fmt: skip


def is_autograds(error: Exception) -> bool:
    """Whether autograd refuses, and not a shape or a kind of number that does not fit."""
    return isinstance(error, RuntimeError | ValueError | TypeError) and any(words in str(error) for words in REFUSALS)
