"""Measuring torch: what one call really does, in the words of `gradlint.knowledge.schema`."""

from __future__ import annotations

import importlib
import itertools
import operator
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from types import CodeType
from typing import Any

import torch
from torch.autograd.graph import saved_tensors_hooks
from torch.nn import functional

from gradlint.knowledge import ROWS
from gradlint.knowledge.schema import DTYPE_RULES, KINDS, Operation
from gradlint.proving import known_here
from gradlint.versions import of

TABLES = known_here().torch
"""The tables for the torch that runs."""


def rows_here(kind: str) -> tuple[Any, ...]:
    """The rows of one kind (see `gradlint.knowledge.ROWS`) that hold for the torch that is installed."""
    return tuple(of(ROWS[kind], TABLES.version))


OPERATION_ROWS, ATTRIBUTE_ROWS = rows_here("operations"), rows_here("attributes")
MEASURED_ROWS = tuple(row for row in (*OPERATION_ROWS, *ATTRIBUTE_ROWS) if row.measured)
LETTERS = "xyzwvut"
MODES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "on": nullcontext,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
}
REFUSALS = (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError)
DTYPES = {"b": torch.bool, "i": torch.int64, "f": torch.float32, "c": torch.complex64}
NUMBERS: dict[str, object] = {"B": True, "I": 1, "F": 0.5, "C": 0.5 + 0.25j}


def kind_of(dtype: torch.dtype) -> str:
    """The letter of a dtype's kind."""
    if dtype is torch.bool:
        return "b"
    return "c" if dtype.is_complex else "f" if dtype.is_floating_point else "i"


def resolve(path: str) -> Any:
    """The object at a dotted path; raises LookupError where there is none."""
    parts = path.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        try:
            return operator.attrgetter(".".join(parts[cut:]))(found) if parts[cut:] else found
        except AttributeError:
            break
    raise LookupError(path)


def operand_names(row: Operation) -> tuple[str, ...]:
    """The operands as measured, one per letter of a word: a sequence of tensors is given two."""
    names: list[str] = []
    for name in row.operands:
        names += [name[1:]] * 2 if name.startswith("*") else [name]
    return tuple(names)


def words(row: Operation, *, absent: bool = False) -> Iterator[str]:
    """All combinations of operand kinds with at least one tensor, capitals for Python numbers.

    `absent`: the optional operands are left out, written "-".
    """
    choices = [
        "-" if absent and name in row.optional else KINDS + KINDS.upper() if name in row.numbers else KINDS
        for name in operand_names(row)
    ]
    for letters in itertools.product(*choices):
        if any(letter.islower() for letter in letters) or not letters:
            yield "".join(letters)


def sample(kind: str, shape: tuple[int, ...]) -> torch.Tensor:
    """A new tensor of that kind: whole numbers are all one, a square matrix is positive definite."""
    with torch.inference_mode(False):
        first = _sample(kind, shape)
    return first.clone()


@cache
def _sample(kind: str, shape: tuple[int, ...]) -> torch.Tensor:
    """Return the sample that all samples of a kind and shape are copies of."""
    if kind in "bi":
        return torch.ones(shape, dtype=DTYPES[kind])
    count = torch.Size(shape).numel()
    values = (0.2 + 0.6 * torch.arange(count).mul(5).remainder(7) / 7).reshape(shape).clone()
    if shape == (2, 2):
        values = torch.tensor([[0.7, 0.2], [0.2, 0.6]])
    return values.to(DTYPES[kind]) if kind == "f" else torch.complex(values, torch.zeros_like(values))


def filled(word: str) -> str:
    """The word by which a row answers where operands are left out."""
    return word.replace("-", word[0])


@dataclass(frozen=True)
class Seen:
    """One result as torch gave it."""

    kind: str
    dtype: str = ""
    requires_grad: bool = False
    leaf: bool = True


@dataclass(frozen=True)
class Outcome:
    """The outcome of one call: the results, the operands written (by name), those of them that now require grad, and
    the memories kept for backward."""

    results: tuple[Seen, ...]
    written: frozenset[str]
    recorded: frozenset[str]
    saved: frozenset[str]
    listed: bool
    raw: Any = None


def storage(tensor: torch.Tensor) -> int:
    """Return the identity of a tensor's memory."""
    return int(tensor.untyped_storage().data_ptr())


def seen(value: Any, operands: list[Any]) -> Seen:
    """A result described relative to the operands."""
    if value is None:
        return Seen("none")
    if isinstance(value, bool | int | float | complex):
        return Seen("number", {bool: "b", int: "i", float: "f", complex: "c"}[type(value)])
    if not isinstance(value, torch.Tensor):
        return Seen(type(value).__name__)
    tensors = [o for o in operands if isinstance(o, torch.Tensor)]
    if any(value is o for o in tensors):
        kind = "self"
    elif value.layout is torch.strided and storage(value) and storage(value) in map(storage, tensors):
        kind = "view" if value._is_view() else "alias"
    else:
        kind = "fresh"
    return Seen(kind, kind_of(value.dtype), value.requires_grad, value.is_leaf)


@dataclass(frozen=True)
class Operands:
    """The operands of a call: the `word` has a letter for each. Those `asking` require grad, as leaves unless the row
    writes them (those as well with `leaf_written`); those that are `there` are made in inference mode."""

    word: str
    asking: frozenset[int] = frozenset()
    leaf_written: bool = False
    there: frozenset[int] = frozenset()

    def made(self, row: Operation) -> list[Any]:
        """New operands for a row."""
        made: list[Any] = []
        names = operand_names(row)
        for i, letter in enumerate(self.word):
            if letter == "-" or letter.isupper():
                made.append(NUMBERS.get(letter))
                continue
            with torch.inference_mode() if i in self.there else nullcontext():
                tensor = sample(letter, row.shapes[i] if i < len(row.shapes) else (2, 2))
                if i in self.asking:
                    tensor.requires_grad_()
                    if names[i] in row.writes and not self.leaf_written:
                        tensor = tensor.clone()
            made.append(tensor)
        return made


def call(
    row: Operation,
    function: Callable[..., Any],
    given: Operands | str,
    mode: str = "on",
    example: str = "",
    watched: bool = False,
) -> Outcome:
    """Run an example of the row once, on these operands or those of a word; raises what torch raises. What backward
    keeps is only noted where `watched`."""
    torch.default_generator.manual_seed(0)
    names = operand_names(row)
    operands = (Operands(given) if isinstance(given, str) else given).made(row)
    scope: dict[str, Any] = dict(zip(LETTERS, operands, strict=False))
    scope |= {"f": function, "torch": torch, "F": functional, "operator": operator}
    kept: list[torch.Tensor] = []
    versions = [_version(o) for o in operands]
    code = _compiled(example or row.example)

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        kept.append(tensor)
        return tensor

    with MODES[mode](), saved_tensors_hooks(pack, lambda tensor: tensor) if watched else nullcontext():
        value = eval(code, scope)  # examples are our own rows
    written = frozenset(
        n for n, o, v in zip(names, operands, versions, strict=True) if isinstance(o, torch.Tensor) and _version(o) != v
    )
    recorded = frozenset(n for n, o in zip(names, operands, strict=True) if n in written and o.requires_grad)
    listed = isinstance(value, tuple | list) and type(value) is not torch.Size
    results = tuple(value) if listed and row.bundle else (value,)
    saved = _named(kept, row, results, operands, written)
    return Outcome(tuple(seen(r, operands) for r in results), written, recorded, saved, listed, value)


def _version(operand: Any) -> int:
    """Return the version counter of an operand: torch counts no writes of what was made in inference mode."""
    return operand._version if isinstance(operand, torch.Tensor) and not operand.is_inference() else 0


def _named(
    kept: list[torch.Tensor], row: Operation, given: tuple[Any, ...], operands: list[Any], written: frozenset[str]
) -> frozenset[str]:
    """The operands and results whose memory is among what was kept; those of a sequence with their index."""
    if not kept:
        return frozenset()
    memories: dict[int, str] = {}
    for i, result in enumerate(given):
        if isinstance(result, torch.Tensor) and result.layout is torch.strided:
            memories[storage(result)] = f"result {i}" if i and row.bundle == "tuple" else "result"
    for i, (name, operand) in enumerate(zip(operand_names(row), operands, strict=True)):
        if isinstance(operand, torch.Tensor):
            label = name if name in row.operands else f"{name} {i}"
            memories[storage(operand)] = "result" if name in written else label
    dense = [storage(tensor) for tensor in kept if tensor.layout is torch.strided]
    return frozenset(memories[memory] for memory in dense if memory and memory in memories)


@cache
def _compiled(example: str) -> CodeType:
    """An example, compiled once for all its calls."""
    return compile(example, "<example>", "eval")


def functions(row: Operation) -> list[Any]:
    """The callable behind each spelling; an attribute is read."""
    if row in ATTRIBUTE_ROWS:
        return [operator.attrgetter(path.rpartition(".")[2]) for path in row.paths]
    return [resolve(path.partition(" ")[0]) for path in row.paths]


def attempt(row: Operation, function: Any, given: Operands | str, **how: Any) -> Outcome | None:
    """The outcome of a call, None where torch refuses it."""
    try:
        return call(row, function, given, **how)
    except REFUSALS:
        return None


@cache
def accepted(row: Operation) -> tuple[str, ...]:
    """The words that torch takes, by the row's first spelling."""
    function = functions(row)[0]
    return tuple(word for word in words(row) if attempt(row, function, word))


def richest(row: Operation) -> str:
    """The accepted word with the most floating point tensors."""
    return max(accepted(row), key=lambda word: (word.count("f"), -word.count("c")))


def inexact(word: str) -> list[int]:
    """The operands of a word that can require grad."""
    return [i for i, letter in enumerate(word) if letter in "fc"]


# ---- what a row says of the same call


def answers(row: Operation, path_result: int = 0) -> frozenset[str]:
    """The kinds a result may have."""
    return frozenset(row.results[path_result].kind.split(" or "))


def expected(row: Operation, word: str, mode: str, asking: frozenset[int], index: int, kind: str) -> Seen:
    """The result at `index` as the row says it is, where torch was seen to give this `kind` of result."""
    names = operand_names(row)
    result = row.results[index if row.bundle == "tuple" else 0]
    kinds = filled(word).lower()
    origin, apart = 0, row.bundle == "list" and row.operands[0].startswith("*")
    if apart:
        origin = index
    dtype = DTYPE_RULES[result.dtype](*(kinds[origin] if apart else kinds))[0]
    if kind == "number":
        return Seen(kind, dtype)
    if kind not in ("self", "view", "alias", "fresh"):
        return Seen(kind)
    on = mode == "on" and not row.in_no_grad
    asked = any(
        i in asking and not row.ignored(names[i], filled(word)) and (not apart or i == origin)
        for i in range(len(names))
    )
    recorded = on and result.differentiable and asked and dtype in "fc"
    if kind == "self":
        before = origin in asking
        if names[origin] in row.writes:
            after = before or (on and result.differentiable and asked)
            return Seen(kind, dtype, after, not after)
        return Seen(kind, dtype, before and (result.differentiable or mode == "inference"), True)
    if kind == "view" and not on:
        return Seen(kind, dtype, origin in asking, True)
    return Seen(kind, dtype, recorded, not recorded)


def expected_saves(row: Operation, word: str, asking: frozenset[int]) -> frozenset[str]:
    """The tensors that the row says backward reads, for operands of these kinds of which these require grad."""
    names = operand_names(row)
    numbers = {name for name, kind in zip(names, word, strict=True) if kind.isupper()}
    asked = {names[i] for i in asking}
    saved = set()
    for name, _, condition, beside, _ in row.savings:
        if name in numbers or beside in numbers:
            continue
        if "*" + name in row.operands:
            saved |= {f"{name} {i}" for i, n in enumerate(names) if n == name and (not condition or asking - {i})}
        elif name != "own" and (not condition or condition in asked):
            saved.add(name)
    return frozenset(saved)


def keeps(row: Operation, word: str, asking: frozenset[int]) -> bool:
    """Return whether the row says that backward reads anything, for operands of these kinds and flags."""
    names = operand_names(row)
    kinds = dict(zip(names, word, strict=True))
    asked = {names[i] for i in asking}
    for name, only, condition, beside, _ in row.savings:
        if beside and kinds[beside].isupper():
            continue
        others = condition == "others" and any(asking - {i} for i, one in enumerate(names) if one == name)
        if (others or not condition or condition in asked) and (not only or kinds[name] in only):
            return True
    return False
