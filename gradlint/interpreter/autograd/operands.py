"""Operands: what an operation is given, as far as it matters to autograd, and whether it hears of that."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from functools import lru_cache, reduce
from operator import or_
from typing import NamedTuple

from gradlint.domain.facts import (
    ANY_DTYPE,
    MAYBE,
    NO,
    UNSURE,
    YES,
    Dtypes,
    Truth,
)
from gradlint.domain.objects import Tensor
from gradlint.domain.value_sets import alternatives, number_kind
from gradlint.domain.values import Constant, ImportPath, Value
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.knowledge.properties.inference_operands import accompanies, hears, hears_own
from gradlint.knowledge.schema import Operation


class Operand(NamedTuple):
    """One operand of an operation: its value and facts, and whether the operation `hears` that it requires grad."""

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
    return Operand(name, value, ANY_DTYPE, _asks_in_each_case(m, value), None, False)


def _asks_in_each_case(m: Interpreter, value: Value) -> Truth:
    """Return whether a value requires grad that is a tensor on some paths and a number on others: a sum that begins
    with 0.0 asks for no more than what is added to it."""
    asks = [_asks(m, option) for option in alternatives(value)]
    return reduce(or_, asks)


def _asks(m: Interpreter, option: Value) -> Truth:
    tensor = m.only(option, Tensor)
    if tensor is not None:
        return tensor.requires_grad
    return UNSURE if number_kind(option) is None and not _is_no_tensor(option) else NO


def looked_up(
    m: Interpreter,
    row: Operation,
    slots: Sequence[tuple[str, Value]],
    extra: Sequence[tuple[str, Value]] = (),
    dtype: Dtypes | None = None,
) -> tuple[list[Operand], list[Operand]]:
    """The facts of operands and of `extra` parameters, with whether the operation hears of their flags."""
    operands = [operand(m, name, value) for name, value in slots]
    own = [operand(m, name, value) for name, value in extra]
    hears = heard(row, operands, own, dtype)
    if hears is None:
        return operands, own
    involved = [one._replace(hears=hearing) for one, hearing in zip([*operands, *own], hears, strict=True)]
    return involved[: len(operands)], involved[len(operands) :]


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
    """Return whether an import path, or a name that nobody binds, is known to stand for no tensor."""
    root, _, rest = path.partition(".")
    return hasattr(builtins, rest) if root == "builtins" else root in SEEN


def numbers_kind(value: Value) -> Dtypes | None:
    """The kind of a Python number; None where it may be something else."""
    kinds = [number_kind(option) for option in alternatives(value)]
    known = [kind for kind in kinds if kind is not None]
    return reduce(or_, known) if len(known) == len(kinds) else None


def heard(
    row: Operation, operands: Sequence[Operand], own: Sequence[Operand], dtype: Dtypes | None
) -> list[Truth] | None:
    """Return whether the operation hears of each operand's flag, the `own` ones last: of every one that was not made in
    inference mode, as is taken of what unseen code passes; of the others, where it runs outside of it, as the
    knowledge says. None where it hears of all."""
    if not any(map(_may_be_inference, (*operands, *own))):
        return None
    company = None if own or dtype is not None or not _is_measured(row, operands) else _company(row, operands)
    found = [_heard(row, one, company) if _may_be_inference(one) else YES for one in operands]
    beside = all(one.tensor is not None and one.tensor.inference is NO for one in operands)
    for one in own:
        found.append(YES if not _may_be_inference(one) or (beside and hears_own(row.name, one.name)) else MAYBE)
    return found


def _heard(row: Operation, one: Operand, company: bool | None) -> Truth:
    if company is None or one.tensor is None or one.tensor.inference is not YES:
        return MAYBE
    return HEARD[hears(row.name, one.name.removeprefix("*"), beside=company)]


HEARD = {True: YES, False: NO, None: MAYBE}


def _may_be_inference(one: Operand) -> bool:
    return one.tensor is not None and one.tensor.inference.possibly(YES)


def _is_measured(row: Operation, operands: Sequence[Operand]) -> bool:
    """Return whether the knowledge speaks of such a call: one with all operands of a row of its own, and nothing
    besides. What may be a copy is recorded then, and only then."""
    names = {one.name for one in operands}
    needed = {*row.operands} - {*row.optional}
    copies = any("fresh" in result.kinds and len(result.kinds) > 1 for result in row.results)
    known = bool(row.paths) and row.measured and not row.writes and not copies
    return known and needed <= names <= {*row.operands}


def _company(row: Operation, operands: Sequence[Operand]) -> bool | None:
    """Return whether something takes part that was certainly not made in inference mode; None where nobody knows."""
    found = [_is_company(row, one) for one in operands]
    return None if None in found else True in found


def _is_company(row: Operation, one: Operand) -> bool | None:
    if one.tensor is not None:
        return {YES: False, NO: True}.get(one.tensor.inference)
    if not one.known:
        return None
    if one.dtype is None:  # nothing at all
        return False
    return accompanies(row.name, one.name, one.value.value if type(one.value) is Constant else None)
