"""Networks that a loss passes on its way to what is trained: they cannot be cut off."""

from __future__ import annotations

from collections.abc import Mapping

from gradlint.domain import Memories, Memory
from gradlint.events import BackwardRun, ModuleCalled, ModuleFinished


def fed_unseen(end: ModuleFinished) -> dict[Memory, Memories]:
    """Return, for the parameters of modules that are called, those that unseen code may have computed their inputs
    from."""
    found: dict[Memory, Memories] = {}
    for call in end.story:
        if isinstance(call, ModuleCalled) and call.made_of:
            found |= {own: found.get(own, frozenset()) | call.made_of for own in call.memories}
    return found


def can_be_cut(run: BackwardRun, stepped: Memories, wasted: Memories, fed: Mapping[Memory, Memories]) -> bool:
    """Return whether what a backward reaches from the wasted parameters does not depend on the stepped ones."""
    if any(fed.get(memory, frozenset()) & stepped for memory in wasted):
        return False
    bits = sum(1 << index for index, leaf in enumerate(run.leaves) if leaf.storage in stepped)
    return all(
        not company & bits for leaf, company in zip(run.leaves, run.co_leaves, strict=True) if leaf.storage in wasted
    )
