"""What the rules on forbidden writes have in common."""

from __future__ import annotations

from gradlint.domain import NO, YES, Tensor
from gradlint.events import WrittenInPlace
from gradlint.rule import POSSIBLE, Draft, Edit

SANCTIONED = frozenset({"step", "load"})
"""Writers that switch gradients off themselves: optimizers and `load_state_dict()`."""


def is_watched(event: WrittenInPlace) -> bool:
    """Whether autograd certainly watches this write, which it does not where data made in inference mode is written."""
    recorded = event.grad_mode <= YES and event.inference <= NO and not event.target.inference.possibly(YES)
    return recorded and event.noticed <= YES and event.by not in SANCTIONED


def is_leaf_that_requires_grad(tensor: Tensor) -> bool:
    """Whether a write into this tensor is certainly refused while autograd watches."""
    return tensor.leaf <= YES and tensor.requires_grad <= YES


UPDATES = frozenset({"augmented", "setitem", "method"})
"""Writes that as a rule are a statement of their own."""


def put_under_no_grad(draft: Draft, event: WrittenInPlace) -> Draft:
    """The finding with the cure that an update is meant to have."""
    if event.by not in UPDATES:
        return draft
    return draft.fix(Edit("put under", event.node, "with torch.no_grad():"), safety="unsafe", imports=("torch",))


def weighed(draft: Draft, event: WrittenInPlace) -> Draft:
    """The finding, believed less where unseen callers may have switched gradients off.

    A function that makes the leaf itself hardly runs with gradients off; one that is handed a
    parameter to write, or to copy into a new model, often does (initialisation, weight surgery).
    """
    return draft.lowered(POSSIBLE) if event.assumed_mode and not event.local else draft
