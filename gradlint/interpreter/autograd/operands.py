"""Operands: what an operation is given, as far as it matters to autograd."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

from gradlint.domain.facts import ANY_DTYPE, ANY_PRECISION, FLOAT, FLOAT32, NO, UNSURE, YES, Dtypes, Precision, Truth
from gradlint.domain.objects import Tensor
from gradlint.domain.refs import NOWHERE, Alternatives
from gradlint.domain.value_sets import alternatives, number_kind
from gradlint.domain.values import Constant, ImportPath, Value
from gradlint.interpreter.engine.history import nodes_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.knowledge.properties.same_precision import KEEPING_PRECISION, LESS_PRECISE
from gradlint.knowledge.schema import Operation


class Operand(NamedTuple):
    """One operand of an operation: its value and the facts that matter, with whether the operation `hears` that it
    requires grad."""

    name: str
    value: Value
    dtype: Dtypes | None
    requires_grad: Truth
    tensor: Tensor | None
    known: bool
    hears: Truth = YES


def operand(m: Interpreter, name: str, value: Value) -> Operand:
    """Look up the facts of an operand."""
    tensor = m.only(value, Tensor)
    if tensor is not None:
        return Operand(name, value, tensor.dtype, tensor.requires_grad, tensor, True)
    kind = numbers_kind(value)
    if kind is not None:
        return Operand(name, value, kind, NO, None, True)
    if all(map(_is_no_tensor, alternatives(value))):
        return Operand(name, value, None, NO, None, True)
    return Operand(name, value, ANY_DTYPE, UNSURE, None, False)


def precision_kept(row: Operation, operands: Sequence[Operand]) -> Precision:
    """The precision of what an operation gives that keeps that of its operands, where all are of one."""
    tensors = [one.tensor for one in operands if one.tensor is not None]
    if row.name not in KEEPING_PRECISION or not all(one.known for one in operands):
        return ANY_PRECISION
    if any(one.may_be_structured or not one.dtype <= FLOAT for one in tensors):
        return ANY_PRECISION
    found = {one.precision for one in tensors}
    if len(found) != 1 or (kept := found.pop()) not in PRECISE:
        return ANY_PRECISION
    return kept | FLOAT32 if kept in AUTOCAST else kept


PRECISE = {Precision.named(name): name for name in Precision.names}
"""What is known to be of one precision, and how that is called."""
AUTOCAST = frozenset(Precision.named(name) for name in LESS_PRECISE)


def in_graph(m: Interpreter, value: Value) -> Alternatives:
    """Return what an operand is in the graph. Of one of several leaves that only one handle stands for, nobody knows
    whether it is the one that is asked about."""
    slot, tensor = nodes_of(m, value), m.only(value, Tensor)
    return (*slot, NOWHERE) if tensor and tensor.is_summary and tensor.leaf.possibly(YES) else slot


SEEN = frozenset(
    "torch numpy math cmath numbers random string os sys time datetime itertools functools operator collections typing "
    "enum copy re json logging pathlib dataclasses warnings abc types inspect contextlib statistics fractions decimal "
    "argparse io pickle gc tempfile shutil glob uuid threading multiprocessing subprocess asyncio unittest".split()
)
"""Packages of which it is known what their names stand for: no tensors that take part in a graph."""


def _is_no_tensor(value: Value) -> bool:
    return type(value) is Constant or (type(value) is ImportPath and _is_seen(value.path))


@lru_cache(4096)
def _is_seen(path: str) -> bool:
    """Whether an import path, or a name that nobody binds, is known to stand for no tensor."""
    root, _, rest = path.partition(".")
    return hasattr(builtins, rest) if root == "builtins" else root in SEEN


def numbers_kind(value: Value) -> Dtypes | None:
    """The kind of a Python number; None where it may be something else."""
    kinds = [number_kind(option) for option in alternatives(value)]
    known = [kind for kind in kinds if kind is not None]
    return reduce(or_, known) if len(known) == len(kinds) else None
