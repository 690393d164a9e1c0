"""Calls of operations, and what is known of their results before these are made: by the row and the operands alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from gradlint.domain.facts import (
    ANY_DTYPE,
    ANY_PRECISION,
    COMPLEX,
    CPU,
    DISCRETE,
    FLOAT,
    NO,
    UNSURE,
    YES,
    Device,
    Dtypes,
    Precision,
    Truth,
    both,
    either,
)
from gradlint.domain.provenance import Belief
from gradlint.domain.values import Value
from gradlint.frozen import frozen
from gradlint.interpreter.autograd import layout, shape
from gradlint.interpreter.autograd.inference_mode import heard
from gradlint.interpreter.autograd.layout import COPY, ITSELF
from gradlint.interpreter.autograd.operands import Operand, operand, precision_kept
from gradlint.interpreter.autograd.tensor import combined, truth_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.schema import Operation, Result
from gradlint.knowledge.shapes import NOT_SEEN, Told


@frozen()
class Requested:
    """What a call asks of its results: `dtype`, `precision` and `device` (None: it asks for none), whether they are one
    element (`scalar`) where the arguments say so; `told` are those that are constants, `part` tells apart what is made
    at one site."""

    dtype: Dtypes | None = None
    precision: Precision = ANY_PRECISION
    device: Device | None = None
    scalar: Truth = UNSURE
    told: Told = NOT_SEEN
    part: str = ""


NOTHING_REQUESTED = Requested()


@frozen()
class OperationCall:
    """An operation that runs at a `site` on `operands` and on parameters of a module's `own`, with what is `requested`
    of its results; `bound` are its arguments by the names of the row's parameters."""

    site: Site
    row: Operation
    operands: Sequence[Operand]
    own: Sequence[Operand] = ()
    requested: Requested = NOTHING_REQUESTED
    bound: Mapping[str, Value] = field(default_factory=dict)

    @property
    def involved(self) -> list[Operand]:
        """All that takes part."""
        return [*self.operands, *self.own]

    @property
    def slots(self) -> list[tuple[str, Value]]:
        """The operands by name, whatever is known of them."""
        return [(one.name, one.value) for one in self.operands]

    def flag(self, parameter: str, default: Truth) -> Truth:
        """Whether an argument counts as true."""
        return truth_of(self.bound[parameter]) if parameter in self.bound else default


def looked_up(
    m: Interpreter,
    row: Operation,
    slots: Sequence[tuple[str, Value]],
    extra: Sequence[tuple[str, Value]] = (),
    dtype: Dtypes | None = None,
) -> tuple[list[Operand], list[Operand]]:
    """The facts of operands and of parameters that take part (`extra`), with whether the operation hears of their
    flags."""
    operands = [operand(m, name, value) for name, value in slots]
    own = [operand(m, name, value) for name, value in extra]
    hears = heard(row, operands, own, dtype)
    if hears is None:
        return operands, own
    involved = [one._replace(hears=hearing) for one, hearing in zip([*operands, *own], hears, strict=True)]
    return involved[: len(operands)], involved[len(operands) :]


class Form(NamedTuple):
    """What is known of a result before it is made: which `kinds` of handle it may be, whether it requires grad where
    that is recorded (`wants`), and other `facts`."""

    result: Result
    kinds: frozenset[str]
    wants: Truth
    facts: dict[str, Any]


def forms(call: OperationCall) -> list[Form]:
    """Return what is known of each result of a call."""
    row, told = call.row, call.requested.told
    lies = layout.of_results(row, call.operands, told)
    measures = shape.of_results(row, call.operands, call.own, told)
    wants = either([both(one.hears, one.requires_grad) for one in call.involved if one.name not in row.ignores])
    pairs = zip(row.results, measures, strict=True)
    return [_form(call, result, known | {"contiguous": lies}, wants) for result, known in pairs]


def _form(call: OperationCall, result: Result, facts: dict[str, Any], wants: Truth) -> Form:
    """Return what is known of one result that lies like this and is so large."""
    row, requested = call.row, call.requested
    kind = facts["dtype"] = requested.dtype or _kind(row, result, call.operands)
    wants = NO if not result.differentiable or kind <= DISCRETE else wants
    first = call.operands[0] if call.operands else None
    if result.kinds <= NO_TENSOR or first is None:
        return Form(result, result.kinds, wants, facts)
    precision = Precision.named(result.precision) if result.precision else requested.precision
    kinds = layout.handles(row, first, requested.told, facts, result.kinds)
    if _converts(first, kind, precision) or _moves(first, requested.device):
        kinds = kinds - SHARING or kinds
    elif _needs_no_copy(first, result, requested, precision):
        kinds = ITSELF
    elif kinds == CASTING and kind <= DISCRETE and _is_not_seen(first):
        kinds = ON_ITS_MEMORY
    if kinds == COPY and requested.dtype is None and kind <= FLOAT and not (call.own or requested.told.hidden):
        precision = precision_kept(row, call.operands)
    if precision is not ANY_PRECISION:
        facts["precision"] = precision
    if requested.device is not None:
        facts["device"] = requested.device
    return Form(result, kinds, wants, facts)


SHARING = frozenset({"self", "view"})
CASTING = ITSELF | COPY
"""What a cast or a move gives."""
ON_ITS_MEMORY = frozenset({"alias"}) | COPY
"""The same as one handle of the kind that was asked for: what nobody has seen has it already if it is given itself."""
NO_TENSOR = frozenset({"none", "number", "list"})
"""Results that leave the tensors' world."""


def _kind(row: Operation, result: Result, operands: Sequence[Operand]) -> Dtypes:
    """The kind of a result by those of the operands; what takes part besides may make a complex number of it."""
    kinds = [(one, one.dtype) for one in operands if one.dtype is not None]
    if any(one.name in row.besides and kind.may(COMPLEX) for one, kind in kinds):
        return ANY_DTYPE
    counted = [(kind, one.known and one.tensor is None) for one, kind in kinds if one.name not in row.besides]
    return combined(result.dtype, [kind for kind, _ in counted], [number for _, number in counted], row)


def _converts(first: Operand, kind: Dtypes, precision: Precision) -> bool:
    """Whether a result of this kind is certainly another tensor than the operand, because the elements change."""
    if kind <= DISCRETE and first.requires_grad is YES and not (first.dtype and first.dtype <= DISCRETE):
        return True  # what requires grad is of floating point, unless a recorded write made it so
    if first.dtype is None or kind.is_unsure:
        return False
    if not first.dtype.may(kind):
        return True
    tensor = first.tensor if first.dtype <= FLOAT and kind <= FLOAT else None
    return tensor is not None and not tensor.precision.may(precision) and not precision.is_unsure


def _needs_no_copy(first: Operand, result: Result, requested: Requested, precision: Precision) -> bool:
    """Whether what may be cast or moved certainly is as it is asked to be."""
    tensor, device = first.tensor, requested.device
    if tensor is None:
        return False
    there = device is CPU and tensor.device is CPU  # there may be several of other kinds
    if requested.dtype is None and not result.precision:
        return there
    precise = not precision.is_unsure and tensor.dtype <= FLOAT and tensor.precision <= precision
    return result.kinds == CASTING and (device is None or there) and precise


def _is_not_seen(first: Operand) -> bool:
    """Whether an operand is a tensor by its use alone."""
    return first.tensor is not None and first.tensor.belief >= Belief.FROM_USAGE


def _moves(first: Operand, device: Device | None) -> bool:
    """Whether a result on this device is certainly another tensor than the operand."""
    if device is None or device.is_unsure or first.tensor is None:
        return False
    return not first.tensor.device.may(device)
