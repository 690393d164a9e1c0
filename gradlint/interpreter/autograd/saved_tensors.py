"""Saved tensors: the memories that an operation keeps for backward."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from gradlint.domain.facts import FLOAT, INEXACT, NO, UNSURE, YES, Truth, both, either
from gradlint.domain.objects import Tensor
from gradlint.domain.refs import KEPT, Alternatives, Ref
from gradlint.domain.values import Value
from gradlint.interpreter.autograd.operands import Operand, operand
from gradlint.interpreter.autograd.version_counter import compared, kept
from gradlint.interpreter.engine.history import nodes_of
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.knowledge.schema import ANY, STACK, VIEW, Saving

OTHERS = "others"
"""The condition of what is saved of one of several operands of a name where another of them requires grad."""


def saved(
    m: Interpreter,
    saving: Saving,
    operands: Sequence[Operand],
    asked: Mapping[str, Truth],
    results: Sequence[Ref],
    sure: Truth = YES,
) -> list[Alternatives]:
    """The memories that an entry of a row's `savings` stands for; None among them where it may be none, or a copy.

    A number is kept as well, in memory that nothing else can write. `asked` says which operands require grad, `sure`
    whether what the row says certainly holds.
    """
    name, kinds, condition, beside, or_copy = saving
    chosen = [one for one in operands if one.name.removeprefix("*") == name]
    if condition == OTHERS:
        each = [asked[_numbered(one.name, index)] for index, one in enumerate(chosen)]
        wanted = [either(each[:index] + each[index + 1 :]) for index in range(len(chosen))]
        each_slots = [_slots(m, [one], kinds, want, or_copy) for one, want in zip(chosen, wanted, strict=True)]
        return [slot for slots in each_slots for slot in slots]
    wanted_all = both(sure, both(_asked(asked, condition), _is_tensor(operands, beside)))
    if name == "result":
        return [_perhaps(m, m[results[0]].storage, wanted_all)]
    if saving.is_own:
        return [_perhaps(m, (KEPT,), wanted_all)]
    return _slots(m, chosen, kinds, wanted_all, or_copy)


def _slots(m: Interpreter, chosen: Sequence[Operand], kinds: str, wanted: Truth, or_copy: str) -> list[Alternatives]:
    """The memory of one of these operands, if they are of a kind that is saved; or that of a copy. And what counts the
    writes to it, where that is certain."""
    sure = all(not kinds or one.dtype <= DTYPES[kinds] for one in chosen if one.dtype is not None)
    memories = tuple(memory for one in chosen for memory in _memories(m, one, kinds))
    copied = any(COPIED[or_copy](one.tensor) for one in chosen)
    slot = _perhaps(m, (*memories, KEPT) if copied else memories, wanted if sure else wanted | UNSURE)
    one = chosen[0].tensor if len(chosen) == 1 else None
    if one is None or copied or not slot or None in slot:
        return [slot]
    return [slot, compared(m, one)]


def _is_stack(tensor: Tensor | None) -> bool:
    """Whether an operand may be a stack of matrices."""
    return tensor is not None and tensor.planar is not YES


COPIED: dict[str, Callable[[Tensor | None], bool]] = {
    "": lambda tensor: False,
    ANY: lambda tensor: True,
    STACK: _is_stack,
    VIEW: lambda tensor: tensor is not None and bool(tensor.base) and _is_stack(tensor),
}
"""Whether a copy of an operand may be kept, by the word for those of which one may."""


def _perhaps(m: Interpreter, memories: Alternatives, wanted: Truth) -> Alternatives:
    if wanted is NO:
        return ()
    return memories if (wanted is YES and not m.blocks.copying) or not memories else (*memories, None)


def is_differentiated(one: Operand, slot: Alternatives) -> Truth:
    """Whether an operation computes a gradient for an operand, given what it is in the graph: not for what has a flag
    that says so but is in no graph, or whose flag it does not hear."""
    flag = NO if one.hears is NO else one.requires_grad
    return flag | NO if None in slot else flag


def differentiated(operands: Iterable[Operand], inputs: Iterable[Alternatives]) -> dict[str, Truth]:
    """Whether an operation computes a gradient for each operand, given what they are in the graph. Of several of one
    name the second is called 1 and so on."""
    asked: dict[str, Truth] = {}
    met: Counter[str] = Counter()
    for one, slot in zip(operands, inputs, strict=True):
        asked[_numbered(one.name, met[one.name])] = is_differentiated(one, slot)
        met[one.name] += 1
    return asked


def _numbered(name: str, index: int) -> str:
    return f"{name} {index}" if index else name


def _asked(asked: Mapping[str, Truth], condition: str) -> Truth:
    """Whether a condition holds; an operand that is left out requires no grad."""
    return asked.get(condition, NO) if condition else YES


def _is_tensor(operands: Sequence[Operand], name: str) -> Truth:
    """Whether the operand of that name is a tensor, which it is without a name as well."""
    chosen = next((one for one in operands if one.name == name), None)
    if chosen is None or chosen.tensor is not None:
        return YES
    return NO if chosen.known else UNSURE


DTYPES = {"f": FLOAT, "fc": INEXACT}


def _memories(m: Interpreter, one: Operand, kinds: str) -> Alternatives:
    if one.tensor is None:
        return () if kinds or not one.known or one.dtype is None else (KEPT,)
    return kept(m, one.tensor) if not kinds or one.tensor.dtype.may(DTYPES[kinds]) else ()


class Saves(NamedTuple):
    """What an operation keeps for backward that writes one of its operands: what it leaves `behind` when it is done,
    and others as they were `before`."""

    behind: tuple[Alternatives, ...] = ()
    before: tuple[Alternatives, ...] = ()


def saved_in_place(
    m: Interpreter, savings: Sequence[Saving], slots: Sequence[tuple[str, Value]], target: Value, name: str = "input"
) -> Saves:
    """The memories that an operation keeps for backward which writes its target, the operand of this name; of what the
    target held before the write it can only keep a copy, unless it is another operand as well."""
    operands = [operand(m, each, value) for each, value in slots]
    asked = differentiated(operands, (nodes_of(m, one.value) for one in operands))
    others = [one for one in operands if one.name != name]
    written = tuple(memory for _, tensor in m.all(target, Tensor) for memory in kept(m, tensor))
    behind, before = list[Alternatives](), list[Alternatives]()
    for saving in savings:
        what = saving.name
        wanted = both(_asked(asked, saving.condition), _is_tensor(operands, saving.beside))
        if what == "own" or any(one.name == what for one in others):
            before += saved(m, saving, others, asked, ())
        elif wanted is not NO:
            memories = written if what == "result" else (*written, KEPT)
            behind.append(memories if wanted is YES else (*memories, None))
    return Saves(tuple(filter(None, behind)), tuple(filter(None, before)))
