"""Forbidden writes, for the rules on them."""

from __future__ import annotations

from gradlint.domain import NO, YES, Tensor, WriteKind
from gradlint.events import WrittenInPlace
from gradlint.rule import POSSIBLE, Draft, Edit, Question, Rule, quoted

SANCTIONED = frozenset({WriteKind.STEP, WriteKind.LOAD})
"""Writers that switch gradients off themselves: optimizers and `load_state_dict()`."""


def is_watched(event: WrittenInPlace) -> bool:
    """Return whether autograd certainly watches this write: it does not watch writes of inference tensors."""
    recorded = event.grad_mode <= YES and event.inference <= NO and not event.target.inference.possibly(YES)
    return recorded and event.noticed <= YES and event.by not in SANCTIONED


def is_leaf_that_requires_grad(tensor: Tensor) -> bool:
    """Return whether a write into this tensor is certainly refused while autograd watches."""
    return tensor.leaf <= YES and tensor.requires_grad <= YES


UPDATES = frozenset({WriteKind.AUGMENTED, WriteKind.ITEM, WriteKind.METHOD})
"""Writes that as a rule are a statement of their own."""
KEEP = "build it with `torch.stack()`, `torch.cat()` or `torch.where()`, or write into a `clone()`"
TAKE = "use the result instead of passing `out=`"


def refused(rule: Rule, event: WrittenInPlace, **facts: str) -> Draft:
    """The finding with its cure: an update goes under `no_grad()`, which would cut off a result that needs its gradient
    from what it was computed from."""
    needs = _needs_its_gradient(event)
    draft = rule.at(event.node, name=quoted(event.name, "the tensor"), **facts)
    if needs:
        draft = draft.advising(TAKE if event.by is WriteKind.OUT else KEEP)
    elif event.by in UPDATES:
        edit = Edit("put under", event.node, "with torch.no_grad():")
        draft = draft.fix(edit, safety="unsafe", imports=("torch",))
    return weighed(draft, event)


def _needs_its_gradient(event: WrittenInPlace) -> bool:
    """Return whether a result that requires grad is written into a non-parameter, by more than an update."""
    written = event.target if event.base is None else event.base
    results = any(one.leaf.possibly(NO) and one.requires_grad.possibly(YES) for one in event.operands)
    return results and written.parameter <= NO and not event.updates


def weighed(draft: Draft, event: WrittenInPlace) -> Draft:
    """The finding, believed less where unseen callers may have switched gradients off.

    A function that makes the leaf itself hardly runs with gradients off; one that is passed a
    parameter to write, or to copy into a new model, often does (initialisation, weight surgery).
    """
    return (
        draft.lowered(POSSIBLE, "callers that nobody sees may have switched gradients off", Question.TORCH)
        if event.assumed_mode and not event.local
        else draft
    )
