"""Flow of parameters into cuts, for the rules on these: the parameters that what is cut off was computed from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from gradlint.domain import NO, Cause, CauseKind, CutKind, Memory, Ref, Syntax, Tensor
from gradlint.events import Called, Event, Recorded, WrittenInPlace

from ._cutting import SAMPLE, kind_of

IN_PLACE = frozenset({"torch.Tensor.detach_", "torch.Tensor.numpy"})
"""The functions that cut and give no tensor of their own."""
Cuts = dict[Syntax, dict[Memory, Syntax]]
"""The memories of what was computed from, for each place where something leaves the graph, each with where that is
computed or cut first."""


def cut_off(story: Sequence[Event], wanted: frozenset[Memory]) -> tuple[Cuts, Set[Memory]]:
    """Return the cuts by which what is computed from the wanted memories leaves the graph, and those of them from which
    something is computed that does not."""
    uses = [event for event in story if isinstance(event, Recorded) and not _cuts(event)]
    uses = [event for event in uses if any(one.storage in wanted for one in event.operands)]
    cuts = _followed(story, wanted | {use.result.storage for use in uses})
    cut = {memory for sources in cuts.values() for memory in sources}
    return cuts, {one.storage for use in uses if use.result.storage not in cut for one in use.operands}


def _followed(story: Iterable[Event], wanted: frozenset[Memory]) -> Cuts:
    flow: dict[Ref, frozenset[Memory]] = {}
    behind: Cuts = {}

    def sources(tensors: Iterable[Tensor]) -> frozenset[Memory]:
        tensors = tuple(tensors)
        own = wanted & {tensor.storage for tensor in tensors}
        return own.union(*(flow.get(memory, frozenset()) for tensor in tensors for memory in tensor.storage))

    def into(tensor: Tensor, found: frozenset[Memory]) -> None:
        for memory in tensor.storage if found else ():
            flow[memory] = flow.get(memory, frozenset()) | found

    for event in story:
        if isinstance(event, Recorded):
            found = sources(event.operands)
            for node in _cuts(event):
                behind[node] = dict.fromkeys(found, event.node) | behind.get(node, {})
            into(event.result, found)
        elif isinstance(event, WrittenInPlace):
            into(event.target, sources(event.operands))
        elif isinstance(event, Called) and event.path in IN_PLACE:
            found = sources(one for one in event.args[:1] if isinstance(one, Tensor))
            behind[event.node] = dict.fromkeys(found, event.node) | behind.get(event.node, {})
    return behind


def _cuts(event: Recorded) -> list[Syntax]:
    """Return the place of the cut that this operation is, or that the grad mode makes of it."""
    first = [mark for mark in event.result.causes if mark.kind == CauseKind.CUT][:1]
    off = event.grad_mode <= NO
    return [mark.node for mark in first if _is_cut_here(mark, event.node) or (kind_of(mark) is CutKind.MODE and off)]


def _is_cut_here(mark: Cause, node: Syntax) -> bool:
    return (kind_of(mark) is CutKind.DETACHED or mark.by == SAMPLE) and mark.node is node
