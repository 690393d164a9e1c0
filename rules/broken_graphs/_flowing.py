"""What the rules on cuts have in common: which parameters what is cut off was computed from."""

from __future__ import annotations

from collections.abc import Iterable

from gradlint.domain import NO, Mark, Ref, Syntax, Tensor
from gradlint.events import Called, Event, Recorded, WrittenInPlace

from ._cutting import DETACHED, MODE, kind_of
from ._parameters import Memory

IN_PLACE = frozenset({"torch.Tensor.detach_", "torch.Tensor.numpy"})
"""What cuts and gives no tensor of its own."""


Cuts = dict[Syntax, dict[Memory, Syntax]]
"""For each place where something leaves the graph, the memories of all that it was computed from, each with where that
is computed or cut first."""


def cut_off(story: Iterable[Event]) -> Cuts:
    """All that leaves the graph in a story."""
    flow: dict[Ref, frozenset[Memory]] = {}
    behind: Cuts = {}
    for event in story:
        if isinstance(event, Recorded):
            sources = _sources(event.operands, flow)
            for cut in _cuts(event):
                behind[cut.node] = dict.fromkeys(sources, event.node) | behind.get(cut.node, {})
            _flow_into(event.result, sources, flow)
        elif isinstance(event, WrittenInPlace):
            _flow_into(event.target, _sources(event.operands, flow), flow)
        elif isinstance(event, Called) and event.path in IN_PLACE:
            sources = _sources([one for one in event.args[:1] if isinstance(one, Tensor)], flow)
            behind[event.node] = dict.fromkeys(sources, event.node) | behind.get(event.node, {})
    return behind


def used_uncut(story: Iterable[Event], cuts: Cuts) -> frozenset[Memory]:
    """The memories of which something was computed that does not leave the graph."""
    cut = {memory for sources in cuts.values() for memory in sources}
    uses = [event for event in story if isinstance(event, Recorded) and not _cuts(event)]
    return frozenset(one.storage for use in uses if use.result.storage not in cut for one in use.operands)


def _sources(tensors: Iterable[Tensor], flow: dict[Ref, frozenset[Memory]]) -> frozenset[Memory]:
    """The memories of tensors and of what was computed into them."""
    found: set[Memory] = set()
    for tensor in tensors:
        found.add(tensor.storage)
        for memory in tensor.storage:
            found |= flow.get(memory, frozenset())
    return frozenset(found)


def _flow_into(tensor: Tensor, sources: frozenset[Memory], flow: dict[Ref, frozenset[Memory]]) -> None:
    for memory in tensor.storage:
        flow[memory] = flow.get(memory, frozenset()) | sources


def _cuts(event: Recorded) -> list[Mark]:
    """The cut that this operation is, or that the grad mode makes of it: the first of those behind its result."""
    first = [mark for mark in event.result.marks if mark.how == "cut"][:1]
    off = event.grad_mode <= NO
    return [mark for mark in first if kind_of(mark) == DETACHED or (kind_of(mark) == MODE and off)]
