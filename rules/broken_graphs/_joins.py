"""Joins of what strange parameters computed with what a step trains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gradlint.domain import EVAL, YES, Memory, Syntax, Tensor
from gradlint.events import BackwardRun, Event, ModuleCalled, Recorded, Thing, WrittenInPlace

from ._terms import SUMS

STRANGE, TRAINED = "strange", "trained"
BOTH = frozenset({STRANGE, TRAINED})
Flow = dict[tuple[int, str, int], frozenset[str]]
"""The parameters from which what was made at each place was computed, whichever of those made there it is."""


@dataclass
class Meeting:
    """The meeting of a loss with strange networks: by which names these are called, and where what they gave meets what
    the step trains: `handed` to a trained network, `compared` with what that gave, or `judged`, where a strange network
    is passed what a trained one gave. `hands` are all places where it is handed over since the backward before, with
    whether that is in the function that runs this one, and `earlier` the last one before that. `summed`: it is compared
    by a sum of two terms of the loss, each of its own."""

    names: dict[str, None] = field(default_factory=dict)
    hands: dict[Syntax, bool] = field(default_factory=dict)
    earlier: Syntax = None
    compared: Syntax = None
    judged: Syntax = None
    summed: bool = False
    in_eval: bool = False

    @property
    def handed(self) -> Syntax:
        """Return the last place where it is handed over, in the function that runs the backward if there is one."""
        near = [node for node, is_near in self.hands.items() if is_near]
        return (near or [*self.hands] or [self.earlier])[-1]

    @property
    def place(self) -> Syntax:
        """Return the place where they meet, as far as that is seen."""
        return self.handed or self.compared or self.judged

    def hand_over(self, node: Syntax, *, near: bool, since: bool) -> None:
        """Note a place where it is handed over, `since` the backward before or earlier, `near` this one."""
        if not since:
            self.earlier = node
            return
        self.hands.pop(node, None)  # what is done again is done last
        self.hands[node] = near


def meeting(
    story: Sequence[Event], run: BackwardRun, strange: frozenset[Memory], trained: frozenset[Memory]
) -> Meeting:
    """Return the meeting of a backward's loss with strange parameters beside those that are trained."""
    found, flow = Meeting(), Flow()
    before = story[: next((at for at, event in enumerate(story) if event is run), len(story))]
    for at, event in enumerate(before, -_since_the_last_backward(before)):
        if isinstance(event, ModuleCalled) and not event.nested:
            given = _flows(event.args, flow)
            roles = {STRANGE} if event.memories & strange else set[str]()
            roles |= {TRAINED} if event.memories & trained else set[str]()
            if roles == {STRANGE} and event.name:
                found.names[event.name] = None
                found.in_eval |= event.module.mode <= EVAL
            if roles == {STRANGE} and TRAINED in given:
                found.judged = event.node
            elif roles == {TRAINED} and given == {STRANGE}:
                found.hand_over(event.node, near=event.run == run.run, since=at >= 0)
            elif not roles and given == BOTH and not any(_flows([one], flow) == BOTH for one in event.args):
                found.compared, found.summed = event.node, False
            _flow_into(event.result, frozenset(roles | given), flow)
        elif isinstance(event, Recorded):
            given = _flows(event.operands, flow)
            if given == BOTH and not any(_flows([one], flow) == BOTH for one in event.operands):
                found.compared = event.node
                found.summed = event.op in SUMS and event.result.scalar <= YES
            if given:
                _flow_into(event.result, given, flow)
        elif isinstance(event, WrittenInPlace):
            _write_into(event, flow)
    return found


def _since_the_last_backward(story: Sequence[Event]) -> int:
    """Return the number of the first event behind the last backward: what happened before is of other losses."""
    ran = [at for at, event in enumerate(story, 1) if isinstance(event, BackwardRun) and event.how == "backward"]
    return ran[-1] if ran else 0


def _write_into(event: WrittenInPlace, flow: Flow) -> None:
    given = _flows(event.operands, flow)
    for tensor in (event.target, event.base) if given else ():
        if tensor is not None:
            flow |= {ref.key: flow.get(ref.key, frozenset()) | given for ref in tensor.storage}


def _flows(things: Iterable[Thing], flow: Flow) -> frozenset[str]:
    """Return the parameters from which these were computed."""
    tensors = [thing for thing in things if isinstance(thing, Tensor) and thing.requires_grad.may(YES)]
    return frozenset[str]().union(*[flow.get(ref.key, frozenset()) for tensor in tensors for ref in tensor.storage])


def _flow_into(thing: Thing, roles: frozenset[str], flow: Flow) -> None:
    """Note it of what carries the graph: what is cut from it shares its memory."""
    if isinstance(thing, Tensor) and thing.requires_grad.may(YES):
        flow |= {ref.key: roles for ref in thing.storage}
