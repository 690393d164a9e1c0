"""What something must be, from what the program does with it.

Nobody was seen to make it: a parameter of a function whose callers are elsewhere, or the result of
unknown code. `x.eval()` and `x(batch)` make it a module, `x.zero_grad()` and `x.step()` an
optimizer. Such knowledge is believed less than a proof (`Belief.BY_USE`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradlint.domain import UNSURE, Belief, Mark, Optimizer, Ref, Tensor, Value
from gradlint.interpreter.core import Frame, Interpreter

SIGNS: tuple[tuple[str, tuple[frozenset[str], ...]], ...] = (
    (
        "module",
        (
            frozenset({"eval()"}),
            frozenset({"parameters()"}),
            frozenset({"named_parameters()"}),
            frozenset({"named_modules()"}),
            frozenset({"named_children()"}),
            frozenset({"train()", "()"}),
            frozenset({"state_dict()", "()"}),
            frozenset({"load_state_dict(.)", "()"}),
            frozenset({"zero_grad()", "()"}),
        ),
    ),
    ("optimizer", (frozenset({"zero_grad()", "step()"}), frozenset({"zero_grad()", "step(.)"}))),
    (
        "tensor",
        (
            frozenset({"backward()"}),
            frozenset({"detach()"}),
            frozenset({"requires_grad_()"}),
            frozenset({"retain_grad()"}),
        ),
    ),
)
"""Kinds, and the sets of uses each of which shows it."""


def uses_of(frame: Frame, chain: str) -> dict[str, None]:
    """What the scopes around do with a dotted name; for `self.x`, what the whole class does."""
    scope: Any = frame.scope
    found: dict[str, None] = {}
    while scope is not None:
        found = found | scope.uses.get(chain, {})
        scope = scope.parent
    return found


def _module(it: Interpreter, node: Any, part: str) -> Ref:
    from gradlint.interpreter.modules import unknown_module

    return unknown_module(it, node, part, Belief.BY_USE)


def _optimizer(it: Interpreter, node: Any, part: str) -> Ref:
    return it.new(node, part, Optimizer(open=UNSURE, belief=Belief.BY_USE, marks=(Mark("made", node),)))


def _tensor(it: Interpreter, node: Any, part: str) -> Ref:
    return unknown_tensor(it, node, part, Belief.BY_USE)


MAKERS: dict[str, Callable[[Interpreter, Any, str], Ref]] = {
    "module": _module,
    "optimizer": _optimizer,
    "tensor": _tensor,
}


def unknown_tensor(it: Interpreter, node: Any, part: str, belief: Belief) -> Ref:
    """A tensor of which nothing else is known."""
    return it.new(node, part, Tensor(storage=(it.memory(node, part),), belief=belief, marks=(Mark("made", node),)))


def by_use(it: Interpreter, node: Any, chain: str, part: str) -> Ref | None:
    """An object of the kind that the uses of a dotted name show, or None."""
    if not chain or it.torchless:
        return None
    uses = uses_of(it.frame, chain)
    if not uses:
        return None
    for kind, signs in SIGNS:
        if any(sign <= uses.keys() for sign in signs):
            return MAKERS[kind](it, node, f"{part} by use")
    return None


def told_by_use(it: Interpreter, node: Any, value: Value, chain: str) -> Value:
    """The value itself, or what its use tells where nothing else does."""
    from gradlint.domain import Unknown

    if type(value) is not Unknown:
        return value
    found = by_use(it, node, chain, chain)
    return value if found is None else found
