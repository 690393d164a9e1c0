"""Statements drawn from the rows of knowledge: each row has an example, which is filled with what the program holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from gradlint.knowledge.schema import Operation
from gradlint.testing.measuring import LETTERS, kind_of, operand_names, rows_here
from tests.fuzz.kinds import KINDS, Unfilled, is_float, is_tensor

if TYPE_CHECKING:
    from tests.fuzz.writing import Scope, Writer

OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "matmul": "@", "pow": "**", "gt": ">", "lt": "<", "ge": ">=",
    "le": "<=", "eq": "==", "ne": "!=", "iadd": "+=", "isub": "-=", "imul": "*=", "itruediv": "/=", "ipow": "**=",
    "floordiv": "//", "mod": "%", "ifloordiv": "//=", "imod": "%=", "and_": "&", "or_": "|", "xor": "^",
    "iand": "&=", "ior": "|=", "ixor": "^=", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
UNARY = {"neg": "-", "pos": "+", "invert": "~", "not_": "not "}
NEW: tuple[tuple[int, tuple[str, str]], ...] = (
    (11, ("f", "torch.rand({shape})")),
    (6, ("f", "torch.rand({shape}, requires_grad=True)")),
    (2, ("f", "torch.rand({shape}, dtype=torch.float64)")),
    (3, ("i", "torch.ones({shape}, dtype=torch.long)")),
    (2, ("b", "torch.ones({shape}, dtype=torch.bool)")),
    (2, ("c", "torch.ones({shape}, dtype=torch.complex64)")),
    (1, ("f", "torch.rand({shape}, dtype=torch.bfloat16)")),
)
"""What an operation is given where nothing fits that is there, and of what kind that is."""
MOST_TRIES = 12
"""How often operands are chosen for an operation until it does not refuse their kinds."""
ROWS = tuple(row for row in rows_here("operations") if row.measured)
FACTORY_ROWS = rows_here("factories")
CONTEXT_ROWS = rows_here("contexts")
LOUD = ("torch.profiler.profile", "torch.autograd.profiler.profile")
"""Managers that write to the terminal, and take long."""
SCALER_ROWS = tuple(row for row in rows_here("scalers") if row.example)


def operation(writer: Writer, scope: Scope) -> str:
    """A call of an operation, in one of its spellings."""
    row = writer.chance.choice(ROWS)
    path = writer.chance.choice(row.paths)
    example = writer.chance.choice((row.example, row.example, *row.others))
    operands = _operands(writer, row, scope)
    letters = dict(zip(LETTERS, operands, strict=False))
    filled = re.sub(r"\b[xyzwvut]\b", lambda found: letters.get(found[0], found[0]), example)
    text = spelled(path, _with_more(writer, row, scope, filled))
    if re.fullmatch(r"\S+ \S*= .*", text) and not text.startswith("("):
        return text
    if row.results[0].kind == "none":
        return text
    if row.bundle == "tuple":
        names = [writer.fresh() for _ in row.results]
        return f"{', '.join(names)}{',' * (len(names) == 1)} = {text}"
    return f"{writer.fresh()} = {text}"


def _with_more(writer: Writer, row: Operation, scope: Scope, example: str) -> str:
    """The call with a tensor for something that is hardly ever one, now and then."""
    names = [name for name in row.besides if row.parameters.index(name) > example.count(",")]
    if not names or writer.chance.random() < 0.7:
        return example
    try:
        return f"{example[:-1]}, {writer.chance.choice(names)}={writer.place(scope, is_float)})"
    except Unfilled:
        return example


def _operands(writer: Writer, row: Operation, scope: Scope) -> list[str]:
    """What an operation is given, of kinds that it takes if any are found."""
    numbers = range(len(operand_names(row)))
    for _ in range(MOST_TRIES):
        at_hand = writer.chance.random() < 0.7
        found = [_operand(writer, row, number, scope, at_hand) for number in numbers]
        if not row.refused("".join(kind for kind, _ in found)):
            break
    return [text for _, text in found]


def _operand(writer: Writer, row: Operation, number: int, scope: Scope, at_hand: bool) -> tuple[str, str]:
    """The kind of what an operation is given, and the expression: something there is, if the shape fits, else new."""
    shape = row.shapes[number] if number < len(row.shapes) else (2, 2)
    names = operand_names(row)
    if names[number] in row.numbers and number and writer.chance.random() < 0.2:
        return writer.chance.choice((("F", "2.0"), ("I", "2")))
    if at_hand:
        try:
            place = writer.place(scope, lambda value: is_tensor(value) and tuple(value.shape) == shape)
        except Unfilled:
            pass
        else:
            return kind_of(writer.value(place).dtype), place
    kind, made = writer.among(NEW)
    return kind, made.format(shape=", ".join(map(str, shape)) if shape else "()")


def factory(writer: Writer, scope: Scope) -> str:
    """A new tensor."""
    row = writer.chance.choice(FACTORY_ROWS)
    path = writer.chance.choice(row.paths)
    text = re.sub(r"\bx\b", lambda _: writer.place(scope, is_float), row.example)
    text = text.replace(row.paths[0], path) if not path.startswith("torch.Tensor.") else text
    if row.takes_requires_grad and writer.chance.random() < 0.4:
        text = f"{text[:-1]}, requires_grad=True)"
    if "np." in text:
        text = re.sub(r"\bnp\.", "numpy.", text)
        return f"import numpy\n{writer.fresh()} = {text}"
    return f"{writer.fresh()} = {text}"


def module(writer: Writer, scope: Scope) -> str:
    """A module, mostly applied at once."""
    row = writer.chance.choice(rows_here("modules"))
    name = writer.fresh()
    if not row.input or writer.chance.random() < 0.2:
        return f"{name} = {row.example}"
    if writer.chance.random() < 0.5:
        return f"{name} = {row.example}({row.input})"
    return f"{name} = {row.example}\n{writer.fresh()} = {name}({row.input})"


def optimizer(writer: Writer, scope: Scope) -> str:
    """An optimizer over a leaf."""
    row = writer.chance.choice(rows_here("optimizers"))
    leaf = writer.place(scope, KINDS["leaf"])
    return f"{writer.fresh()} = " + re.sub(r"\bp\b", lambda _: f"[{leaf}]", row.example)


def scheduler(writer: Writer, scope: Scope) -> str:
    """A scheduler and its optimizer."""
    row = writer.chance.choice(rows_here("schedulers"))
    leaf, optimizer, name = writer.place(scope, KINDS["leaf"]), writer.fresh(), writer.fresh()
    made = re.sub(r"\bs\.", "torch.optim.lr_scheduler.", re.sub(r"\bo\b", optimizer, row.example))
    metric = "0.5" if row.needs_metric else ""
    return (
        f"{optimizer} = torch.optim.SGD([{leaf}], lr=0.1, momentum=0.9)\n"
        f"{name} = {made}\n{optimizer}.step()\n{name}.step({metric})"
    )


def scaler(writer: Writer, scope: Scope) -> str:
    """A GradScaler."""
    return f"{writer.fresh()} = {writer.chance.choice(SCALER_ROWS).example}"


def clipping(writer: Writer, scope: Scope) -> str:
    """Gradients are clipped."""
    row = writer.chance.choice(rows_here("clipping"))
    held = f"[{writer.place(scope, KINDS['w'])}]"
    call = re.sub(r"\bf\b", row.path, re.sub(r"\bp\b", lambda _: held, row.example))
    return call if row.returns == "none" else f"{writer.fresh()} = {call}"


def manager(writer: Writer, scope: Scope) -> str:
    """Something is computed under a context manager that leaves the grad mode alone."""
    row = writer.chance.choice([row for row in rows_here("managers") if row.path not in LOUD])
    made = re.sub(r"\bf\b", row.path, row.example, count=1)
    return f"{_imports(row.path)}with {made}:\n    {writer.filled('<new> = <like <x>>', scope)}"


def context(writer: Writer, scope: Scope) -> str:
    """Something is computed in another grad mode."""
    row = writer.chance.choice(CONTEXT_ROWS)
    given = writer.chance.choice(("True", "False")) if row.to in ("argument", "inference") else ""
    return f"with {writer.chance.choice(row.paths)}({given}):\n    {writer.filled('<new> = <like <x>>', scope)}"


def reparametrization(writer: Writer, scope: Scope) -> str:
    """A layer whose weight is computed from other parameters."""
    row = writer.chance.choice(rows_here("reparametrizations"))
    layer, name = writer.fresh(), writer.fresh()
    made = re.sub(r"\bm\b", layer, row.example)
    return f"{_imports(row.path)}{layer} = nn.Linear(2, 2)\n{name} = {made}\n" + writer.filled(
        f"<new> = {name}(<x>)", scope
    )


def _imports(path: str) -> str:
    """The import that an example needs besides torch."""
    place = path.rpartition(".")[0]
    return "" if place in ("torch", "torch.nn") else f"import {place}\n" if not _is_class(place) else ""


def _is_class(path: str) -> bool:
    return path.rpartition(".")[2][:1].isupper()


def spelled(path: str, example: str) -> str:
    """A call of `f` as people write it: a method of its first operand, an operator, or a function."""
    path = path.partition(" ")[0]
    found = re.fullmatch(r"f\(([^(),]+(?:\([^()]*\))?)(?:, (.*))?\)", example)
    if path.startswith("torch.Tensor.") and found:
        return f"{found[1]}.{path.removeprefix('torch.Tensor.')}({found[2] or ''})"
    word = path.removeprefix("operator.")
    symbol = OPERATORS.get(word, OPERATORS.get(word.rstrip("_")))
    if path.startswith("operator.") and symbol and found and found[2]:
        return f"{found[1]} {symbol} {found[2]}"
    if path.startswith("operator.") and word in UNARY and found:
        return f"{UNARY[word]}{found[1]}"
    if path == "operator.getitem" and found:
        return f"{found[1]}[{found[2]}]"
    if path == "operator.setitem" and found and found[2]:
        index, _, value = found[2].rpartition(", ")
        return f"{found[1]}[{index}] = {value}"
    return re.sub(r"\bf\(", f"{path}(", example, count=1)


DRAWN: tuple[tuple[int, Callable[[Writer, Scope], str]], ...] = (
    (30, operation),
    (4, factory),
    (8, module),
    (2, optimizer),
    (2, scheduler),
    (1, scaler),
    (2, clipping),
    (2, manager),
    (2, context),
    (2, reparametrization),
)
"""How often something is drawn from each table."""
