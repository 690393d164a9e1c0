"""Calls of operations, and what is known of their results before these are made: by the row and the operands alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

from gradlint.domain.facts import (
    ANY_DTYPE,
    ANY_GRAD,
    ANY_PRECISION,
    ANY_SHAPE,
    BOOL,
    COMPLEX,
    CPU,
    DISCRETE,
    FLOAT,
    FLOAT32,
    INTEGER,
    NO,
    NUMBER,
    UNSURE,
    YES,
    Device,
    Dtypes,
    Precision,
    Shape,
    Truth,
    both,
    either,
    truth,
)
from gradlint.domain.fields import Aspect, unknown
from gradlint.domain.objects import Tensor
from gradlint.domain.provenance import Belief
from gradlint.domain.value_sets import truth_of
from gradlint.domain.values import Value
from gradlint.frozen import frozen
from gradlint.interpreter.autograd.operands import Operand
from gradlint.interpreter.static.sites import Site
from gradlint.knowledge.properties.same_precision import KEEPING_PRECISION, LESS_PRECISE
from gradlint.knowledge.schema import DTYPE_RULES, KINDS, Operation, Result, refused
from gradlint.knowledge.shapes import NOT_SEEN, SHAPES, Asked, Size, Told, size_of
from gradlint.knowledge.shapes.element_count import (
    ARRANGING,
    ELEMENTWISE,
    FLATTENING,
    FOLLOWING,
    GROWING,
    MOST_PLANAR,
    NOT_DEEPER,
    SPREADING,
)
from gradlint.knowledge.shapes.memory_format import (
    FORMATTED,
    ITSELF_AS_DEEP,
    ITSELF_IN_ORDER,
    KEEPING_ORDER,
    KEEPING_ORDER_BY_NUMBERS,
    VIEWS_IN_ORDER,
)
from gradlint.knowledge.shapes.outline import of_size, shape_of

LETTERS = dict(zip(KINDS, (BOOL, INTEGER, FLOAT, COMPLEX), strict=True))


LETTER_OF = {fact: letter for letter, fact in LETTERS.items()}


UNKNOWN_LAYOUT = unknown(Tensor, Aspect.LAYOUT)
"""The facts of a tensor's sizes and of its layout in memory, once it may have been given other memory."""

UNKNOWN_SIZES = unknown(Tensor, Aspect.SIZE)
"""The facts of a tensor's sizes where nothing is known of them."""


@frozen()
class Requested:
    """The requests of a call about its results: `dtype`, `precision` and `device` (None: it asks for none), whether
    they are one element (`scalar`) where the arguments say so; `told` are the constants, `part` separates results of
    one site."""

    dtype: Dtypes | None = None
    precision: Precision = ANY_PRECISION
    device: Device | None = None
    scalar: Truth = UNSURE
    told: Told = NOT_SEEN
    part: str = ""


NOTHING_REQUESTED = Requested()


TAKING = frozenset({"getitem", "unbind"})
"""The operations that take a part of a thing, be it rows of a tensor or elements of a tuple."""


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

    @property
    def takes_element(self) -> bool:
        """Return whether an apparent view of the first operand may be an element of it, which was there before."""
        first = self.operands[0].tensor if self.operands else None
        return first is not None and first.may_be_structured and self.row.name in TAKING

    def flag(self, parameter: str, default: Truth) -> Truth:
        """Return whether an argument counts as true."""
        return truth_of(self.bound[parameter]) if parameter in self.bound else default


class Form(NamedTuple):
    """The facts of a result before it is made: which `kinds` of handle it may be, whether it requires grad where that
    is recorded (`wants`), and other `facts`."""

    result: Result
    kinds: frozenset[str]
    wants: Truth
    facts: dict[str, Any]


def forms(call: OperationCall) -> list[Form]:
    """Return the form of each result of a call."""
    row, told = call.row, call.requested.told
    lies = _contiguous(row, call.operands, told)
    measures = _sizes(row, call.operands, call.own, told)
    wants = either([both(one.hears, one.requires_grad) for one in call.involved if one.name not in row.ignores])
    alike = {"made": row.name, "is_summary": row.bundle == "list", "contiguous": lies} | _taken_over(call)
    pairs = zip(row.results, measures, strict=True)
    return [_form(call, result, known | alike, wants) for result, known in pairs]


def _taken_over(call: OperationCall) -> dict[str, Any]:
    """Return the facts of each result of a call that come from all of its operands."""
    tensors, own = [[one.tensor for one in some if one.tensor] for some in (call.operands, call.own)]
    facts: dict[str, Any] = {"belief": max([one.belief for one in (*tensors, *own)], default=Belief.PROVEN)}
    if call.takes_element:  # it may be one that was there before
        facts |= dict.fromkeys(("requires_grad", "leaf", "retains"), UNSURE)
        facts |= {"grad": ANY_GRAD, "may_be_structured": True}
    if len(tensors) == 1 and not call.own:
        facts["device"] = tensors[0].device
    if grads := tuple(dict.fromkeys(ref for tensor in tensors for ref in tensor.grad_of)):
        facts["grad_of"] = grads
    return facts


def _form(call: OperationCall, result: Result, facts: dict[str, Any], wants: Truth) -> Form:
    """Return the form of one result that lies like this and is so large."""
    row, requested = call.row, call.requested
    if requested.scalar is not UNSURE and result.kinds == COPY and "size" not in facts:
        facts["scalar"] = requested.scalar
    kind = facts["dtype"] = requested.dtype or _kind(row, result, call.operands)
    wants = NO if not result.differentiable or kind <= DISCRETE else wants
    first = call.operands[0] if call.operands else None
    if result.kinds <= NO_TENSOR or first is None:
        return Form(result, result.kinds, wants, facts)
    precision = Precision.named(result.precision) if result.precision else requested.precision
    kinds = _handles(row, first, requested.told, facts, result.kinds)
    if _converts(first, kind, precision) or _moves(first, requested.device):
        kinds = kinds - SHARING or kinds
    elif _needs_no_copy(first, result, requested, precision):
        kinds = ITSELF
    elif kinds == CASTING and kind <= DISCRETE and _is_not_seen(first):
        kinds = ON_ITS_MEMORY
    if kinds == COPY and requested.dtype is None and kind <= FLOAT and not (call.own or requested.told.hidden):
        precision = _precision_kept(row, call.operands)
    if precision is not ANY_PRECISION:
        facts["precision"] = precision
    if requested.device is not None:
        facts["device"] = requested.device
    return Form(result, kinds, wants, facts)


ITSELF, COPY = frozenset({"self"}), frozenset({"fresh"})


SHARING = frozenset({"self", "view"})
CASTING = ITSELF | COPY
"""The handles that a cast or a move gives."""
ON_ITS_MEMORY = frozenset({"alias"}) | COPY
"""The same as one handle of the kind that was requested: what nobody has seen has it already if it is given itself."""
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
    """Return whether a result of this kind is certainly not the operand itself, because the elements change."""
    if kind <= DISCRETE and first.requires_grad is YES and not (first.dtype and first.dtype <= DISCRETE):
        return True  # what requires grad is of floating point, unless a recorded write made it so
    if first.dtype is None or kind.is_unsure:
        return False
    if not first.dtype.may(kind):
        return True
    tensor = first.tensor if first.dtype <= FLOAT and kind <= FLOAT else None
    return tensor is not None and not tensor.precision.may(precision) and not precision.is_unsure


def _needs_no_copy(first: Operand, result: Result, requested: Requested, precision: Precision) -> bool:
    """Return whether what may be cast or moved certainly is as the call requests."""
    tensor, device = first.tensor, requested.device
    if tensor is None:
        return False
    there = device is CPU and tensor.device is CPU  # there may be several of other kinds
    if requested.dtype is None and not result.precision:
        return there
    precise = not precision.is_unsure and tensor.dtype <= FLOAT and tensor.precision <= precision
    return result.kinds == CASTING and (device is None or there) and precise


def _is_not_seen(first: Operand) -> bool:
    """Return whether an operand is a tensor by its use alone."""
    return first.tensor is not None and first.tensor.belief >= Belief.FROM_USAGE


def _moves(first: Operand, device: Device | None) -> bool:
    """Return whether a result on this device is certainly another tensor than the operand."""
    if device is None or device.is_unsure or first.tensor is None:
        return False
    return not first.tensor.device.may(device)


def _contiguous(row: Operation, operands: Sequence[Operand], told: Told) -> Truth:
    """Return whether what an operation gives is contiguous."""
    kept = _by_numbers(told) if row.name in KEEPING_ORDER_BY_NUMBERS else row.name in KEEPING_ORDER
    if not kept or _may_be_told_an_order(row, told):
        return UNSURE
    return YES if all(_in_order(one) for one in operands if one.tensor is not None or not one.known) else UNSURE


def _may_be_told_an_order(row: Operation, told: Told) -> bool:
    return row.name in FORMATTED and told.more


def _by_numbers(told: Told) -> bool:
    """Return whether the index between the brackets is integers."""
    key = told.by_name.get("key")
    return all(type(one) is int for one in (key if isinstance(key, tuple) else (key,)))


def _in_order(one: Operand) -> bool:
    return one.tensor is not None and not one.tensor.may_be_structured and one.tensor.contiguous is YES


def _handles(
    row: Operation, first: Operand, told: Told, measures: Mapping[str, Any], kinds: frozenset[str]
) -> frozenset[str]:
    """Return the handles of these kinds that an operation may give, by the layout of its operand and the sizes."""
    if first.tensor is None or first.tensor.may_be_structured:
        return kinds
    left, ordered = kinds, _in_order(first) and not _may_be_told_an_order(row, told)
    if ordered and row.name in VIEWS_IN_ORDER:
        left -= COPY
    if ordered and row.name in ITSELF_IN_ORDER:
        left &= ITSELF
    before, after = first.tensor.size, measures.get("size")
    if row.name in ITSELF_AS_DEEP and before is not None and after is not None:
        left = left & ITSELF if len(before) == len(after) else left - ITSELF
    return left or kinds


KEEPING = ELEMENTWISE | ARRANGING


FIRST = FOLLOWING | GROWING


ADDING = GROWING | SPREADING


def _sizes(row: Operation, operands: Sequence[Operand], own: Sequence[Operand], told: Told) -> list[dict[str, Any]]:
    """Return the size facts of each of an operation's results; `own` are the parameters of a layer."""
    if any(one.name in row.besides and one.tensor is not None and one.tensor.scalar is not YES for one in operands):
        return [UNKNOWN_SIZES] * len(row.results)  # what hardly ever is a tensor may make more of the others
    given = [_size(one) for one in operands if one.dtype is not None]
    sizes = size_of(row.name, Asked(given, told, {one.name: _size(one) for one in own}), len(row.results))
    if all(size is not None for size in sizes):
        return [measured(size) for size in sizes if size is not None]
    shape = shape_of(SHAPES.get(row.name), [_shape(one) for one in operands if one.dtype is not None], told)
    known = {"planar": _planar(row, operands), "scalar": _scalar(row, operands), "shape": shape}
    return [known if size is None else measured(size) for size in sizes]


def _size(one: Operand) -> Size | None:
    """The size of an operand; a number has no dimensions."""
    if one.tensor is None:
        return () if one.known else None
    return None if one.tensor.may_be_structured else one.tensor.size


def _shape(one: Operand) -> Shape:
    """The shape of an operand, as far as it is known."""
    if one.tensor is None:
        return NUMBER if one.known else ANY_SHAPE
    return ANY_SHAPE if one.tensor.may_be_structured else one.tensor.shape


def _planar(row: Operation, operands: Sequence[Operand]) -> Truth:
    """Return whether what an operation gives has at most two dimensions: as all its operands have, or by its nature."""
    if row.name in FLATTENING:
        return YES
    planar = all(one.known if one.tensor is None else one.tensor.planar is YES for one in operands)
    return YES if planar and row.name in NOT_DEEPER else UNSURE


def _scalar(row: Operation, operands: Sequence[Operand]) -> Truth:
    """Return whether the result of an operation that keeps or adds elements has one element: as its operands have."""
    if row.name in FIRST:
        operands = operands[:1]
    elif row.name not in KEEPING and row.name not in SPREADING:
        return UNSURE
    told = [UNSURE if one.tensor is None else one.tensor.scalar for one in operands if one.tensor or not one.known]
    if NO in told:
        return NO
    return YES if told and row.name not in ADDING and all(one is YES for one in told) else UNSURE


def measured(size: Size) -> dict[str, Any]:
    """All that is known of a tensor's sizes, by this one."""
    known = {"size": size, "scalar": truth(prod(size) == 1), "planar": truth(len(size) <= MOST_PLANAR)}
    return known | {"shape": of_size(size)}


MOST_COMBINED = 5
MOST_COMBINATIONS = 4096
"""The most answers of dtype rules that are remembered: they depend on nothing but the question."""


def combined(rule: str, kinds: Sequence[Dtypes], numbers: Sequence[bool] = (), row: Operation | None = None) -> Dtypes:
    """The dtype rule applied to facts: every combination of what the operands may be and the row does not refuse."""
    plain = (*numbers, *[False] * len(kinds))[:MOST_COMBINED]
    return _combined(rule, tuple(kinds[:MOST_COMBINED]), plain, row.refuses if row is not None else ())


@lru_cache(maxsize=MOST_COMBINATIONS)
def _combined(rule: str, kinds: tuple[Dtypes, ...], numbers: tuple[bool, ...], refuses: tuple[str, ...]) -> Dtypes:
    compute = DTYPE_RULES[rule]
    found: set[str] = set()
    for letters in product(*(_letters(kind) for kind in kinds or [ANY_DTYPE])):
        word = "".join(letter.upper() if plain else letter for letter, plain in zip(letters, numbers, strict=False))
        if not refused(refuses, word):
            try:
                found.update(compute(*letters))
            except TypeError:
                return ANY_DTYPE
    if not found or (len(found) > 1 and any(kind.is_unsure for kind in kinds)):
        return ANY_DTYPE
    out = [LETTERS[letter] for letter in KINDS if letter in found]
    return Dtypes.of(sum(fact.bits for fact in out))


def _letters(kind: Dtypes) -> str | list[str]:
    return KINDS if kind.is_unsure else [LETTER_OF[answer] for answer in kind.answers()]


def _precision_kept(row: Operation, operands: Sequence[Operand]) -> Precision:
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
"""The names of the precisions that are known to be one."""


AUTOCAST = frozenset(Precision.named(name) for name in LESS_PRECISE)
