"""Hearing: of which operands an operation knows that they require grad."""

from __future__ import annotations

from collections.abc import Sequence

from gradlint.domain.facts import MAYBE, NO, YES, Dtypes, Truth
from gradlint.domain.values import Constant
from gradlint.interpreter.autograd.operands import Operand
from gradlint.knowledge.properties.inference_operands import accompanies, hears, hears_own
from gradlint.knowledge.schema import Operation


def heard(
    row: Operation, operands: Sequence[Operand], own: Sequence[Operand], dtype: Dtypes | None
) -> list[Truth] | None:
    """Whether the operation hears of each operand's flag, the `own` ones last: of every one that was not made in
    inference mode, as is taken of what unseen code hands over; of the others, where it runs outside of it, as the
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
    """Whether the knowledge speaks of such a call: one with all operands of a row of its own, and nothing besides. What
    may be a copy is recorded then, and only then."""
    names = {one.name for one in operands}
    needed = {*row.operands} - {*row.optional}
    copies = any("fresh" in result.kinds and len(result.kinds) > 1 for result in row.results)
    known = bool(row.paths) and row.measured and not row.writes and not copies
    return known and needed <= names <= {*row.operands}


def _company(row: Operation, operands: Sequence[Operand]) -> bool | None:
    """Whether something takes part that was certainly not made in inference mode; None where nobody knows."""
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
