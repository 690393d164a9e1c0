"""Saved tensors: the memories that an operation keeps for backward."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from gradlint.domain import FLOAT, INEXACT, KEPT, NO, UNSURE, YES, Ref, Tensor, Truth, Value, both
from gradlint.interpreter.core import Interpreter
from gradlint.interpreter.operands import Operand, operand
from gradlint.knowledge.rows import saving

Slot = tuple[Ref | None, ...]
"""One part of what a node refers to: its alternatives."""


def saved(
    it: Interpreter, token: str, operands: Sequence[Operand], asked: Mapping[str, Truth], results: Sequence[Ref]
) -> Slot:
    """The memories that a token of a row's `saves` stands for; None among them where it may be none, or a copy.

    A number is kept as well, in memory that nothing else can write. `asked` says which operands require grad.
    """
    name, kinds, condition, beside = saving(token)
    wanted = both(_asked(asked, condition), _is_tensor(operands, beside))
    if wanted is NO:
        return ()
    sure = wanted is YES and not it.copying
    if name == "result":
        memories: Slot = it[results[0]].storage
    elif name == "own" or name.startswith("result "):
        memories = (KEPT,)
    else:
        chosen = [one for one in operands if one.name == name]
        memories = tuple(memory for one in chosen for memory in _memories(one, kinds))
        sure = sure and all(not kinds or one.dtype <= DTYPES[kinds] for one in chosen if one.dtype is not None)
    return memories if sure or not memories else (*memories, None)


def is_differentiated(one: Operand, slot: Slot) -> Truth:
    """Whether an operation computes a gradient for an operand, given what it is in the graph: not for what has a flag
    that says so but is in no graph."""
    return one.requires_grad | NO if None in slot else one.requires_grad


def differentiated(operands: Iterable[Operand], inputs: Iterable[Slot]) -> dict[str, Truth]:
    """Whether an operation computes a gradient for the first operand of each name, given what they are in the graph."""
    asked: dict[str, Truth] = {}
    for one, slot in zip(operands, inputs, strict=True):
        asked.setdefault(one.name, is_differentiated(one, slot))
    return asked


def _asked(asked: Mapping[str, Truth], condition: str) -> Truth:
    """Whether a condition holds; of what is known by another name than the row's (a weight that something computes)
    nobody knows."""
    return asked.get(condition, UNSURE) if condition else YES


def _is_tensor(operands: Sequence[Operand], name: str) -> Truth:
    """Whether the operand of that name is a tensor, which it is without a name as well."""
    chosen = next((one for one in operands if one.name == name), None)
    if chosen is None or chosen.tensor is not None:
        return YES
    return NO if chosen.known else UNSURE


DTYPES = {"f": FLOAT, "fc": INEXACT}


def _memories(one: Operand, kinds: str) -> Slot:
    if one.tensor is None:
        return () if kinds or not one.known or one.dtype is None else (KEPT,)
    return one.tensor.storage if not kinds or one.tensor.dtype.may(DTYPES[kinds]) else ()


def saved_in_place(
    it: Interpreter, tokens: Sequence[str], slots: Sequence[tuple[str, Value]], target: Value
) -> tuple[Slot, ...]:
    """The memories that an operation keeps for backward which writes its target; of what the target held before the
    write it can only keep a copy."""
    operands = [operand(it, name, value) for name, value in slots]
    asked = differentiated(operands, (it.operand(one.value) for one in operands))
    others = [o for o in operands if o.value != target]
    written = tuple(memory for _, tensor in it.all(target, Tensor) for memory in tensor.storage)
    found = []
    for token in tokens:
        name, _, condition, beside = saving(token)
        wanted = both(_asked(asked, condition), _is_tensor(operands, beside))
        if name == "own" or any(one.name == name for one in others):
            found.append(saved(it, token, others, asked, ()))
        elif wanted is not NO:
            kept = written if name == "result" else (*written, KEPT)
            found.append(kept if wanted is YES else (*kept, None))
    return tuple(slot for slot in found if slot)
