"""Each summand of what is differentiated, and its way to parameters: which it reaches, and from which it was cut."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from gradlint.domain import NO, YES, Cause, CauseKind, CutKind, Graph, Memory, Syntax, Tensor, memories
from gradlint.events import BackwardRun, Event, ModuleCalled, ModuleFinished, OptimizerStepped, Recorded, WrittenInPlace

from ._steps import next_steps

Sum = Recorded | WrittenInPlace
"""An operation on tensors, of its own or into memory."""
DIFFERENCES = frozenset({"sub", "sub_", "isub"})
SUMS = frozenset({"add", "add_", "iadd"}) | DIFFERENCES
JOINTS = frozenset({"stack", "cat"})
"""The operations whose operands a sum or mean adds up."""
SCALES = frozenset({"neg", "mul", "div", "mul_", "div_"})
"""Operations that a sum goes through term by term, where one tensor that carries a graph is all that comes to it."""
FORMS = frozenset("sum mean clone to float double cuda view reshape flatten squeeze unsqueeze GradScaler.scale".split())
"""Operations on one tensor that a sum goes through term by term as well."""
ON_PURPOSE = frozenset({"detach", "data"})
"""Operations that say that a constant is wanted."""
SEVERAL = frozenset({"max along dim", "min along dim", "median along dim", "topk", "sort", "kthvalue", "mode"})
"""Operations that give places beside what stands there; events show the first alone."""
Key = tuple[object, ...]


@dataclass(frozen=True)
class Way:
    """The way of a summand's gradients, of the parameters that a step trains."""

    meaning: str


REACHES = Way("gets to some of them")
CUT = Way("was computed from some, behind a cut, and gets to none")
OTHERS = Way("gets to other parameters alone")
NEVER = Way("has nothing to do with them")


@dataclass(frozen=True)
class Term:
    """A summand: the `tensor` (None: a number), the sum that adds it (None: nothing is added), and the marks of its
    cuts. `reached` are the parameters that gradients get to by it, `lost` those that it was computed from behind a cut,
    which stands at `cut`; `open` says that nobody knows all of the first, `dim` that nobody knows all of the others.
    `meant`: it is there for what it weighs, and not to be compared with something; `handed`: the cut was made in
    another run of a function than the sum; `scalar`: what is added is one number; `fed`: what is behind the cut was
    given to a network."""

    tensor: Tensor | None
    sum: Sum | None
    marks: tuple[Cause, ...]
    reached: frozenset[Memory]
    lost: frozenset[Memory]
    cut: Syntax
    open: bool
    meant: bool
    dim: bool = False
    handed: bool = False
    scalar: bool = False
    fed: bool = False

    @property
    def added(self) -> Syntax:
        """Return the place where it is added."""
        return None if self.sum is None else self.sum.node

    @property
    def is_constant(self) -> bool:
        """Return whether no gradient goes back by it."""
        return self.tensor is None or self.tensor.requires_grad <= NO

    @property
    def is_of_gradients(self) -> bool:
        """Return whether it was computed from gradients that were taken without a graph."""
        return any(mark.how is CutKind.DIFFERENTIATED for mark in self.marks)

    def way(self, trained: frozenset[Memory]) -> Way:
        """Return the way of its gradients, of the parameters that are trained."""
        if self.reached & trained:
            return REACHES
        if self.lost & trained:
            return CUT
        return OTHERS if self.reached else NEVER


@dataclass(frozen=True)
class _Part:
    """A tensor on the way from what is differentiated to its terms; `undone` is how many writes to its memory came
    after, `scalar` whether what was added was one number."""

    tensor: Tensor
    sum: Sum | None = None
    meant: bool = True
    undone: int = 0
    scalar: bool = False


@dataclass
class Ways:
    """The ways from parameters to each result of the story so far. Parameters are bits, of which the first stands for
    all that is not known; `made` are the last operations that gave a node, `written` those that wrote a memory since it
    was made, `cut_in` the run of a function in which a cut was made, `fed` the cuts of what networks were given."""

    bits: dict[Memory, int] = field(default_factory=dict)
    listed: list[Memory] = field(default_factory=list)
    reached: dict[Graph, int] = field(default_factory=dict)
    lost: dict[Key, tuple[int, Syntax]] = field(default_factory=dict)
    made: dict[Graph, Recorded] = field(default_factory=dict)
    written: dict[Memory, list[WrittenInPlace]] = field(default_factory=dict)
    cut_in: dict[Syntax, int] = field(default_factory=dict)
    fed: set[Syntax] = field(default_factory=set)

    def hear(self, event: Event) -> None:
        """Take in what happened next."""
        if isinstance(event, Recorded):
            self._give(event.result, event.operands, event)
            self.made |= dict.fromkeys(nodes_of(event.result), event)
            if event.result.storage in self.written and all(
                one.storage != event.result.storage for one in event.operands
            ):
                del self.written[event.result.storage]
            if event.result.made in ON_PURPOSE:
                self.cut_in[event.node] = event.run
        elif isinstance(event, WrittenInPlace) and event.target.storage:
            self.written.setdefault(event.target.storage, []).append(event)
            self._write(event)
        elif isinstance(event, ModuleCalled) and not event.nested:
            given = [one for one in event.args if isinstance(one, Tensor)]
            self.fed |= {cut for lost, cut in map(self.lost_by, given) if lost}
            if isinstance(event.result, Tensor) and not any(node in self.reached for node in nodes_of(event.result)):
                own = sum({self._bit(memory) for memory in event.memories}) if event.trainable.may(YES) else 0
                self._give(event.result, given, event, own)

    def _give(self, result: Tensor, operands: Sequence[Tensor], event: Recorded | ModuleCalled, own: int = 0) -> None:
        reached, lost = own, (0, None)
        for one in operands:
            reached |= self.reached_by(one)
            lost = (lost[0] | (before := self.lost_by(one))[0], lost[1] or before[1])
        if result.requires_grad.may(YES):
            self.reached |= dict.fromkeys(nodes_of(result), reached)
        elif reached:
            lost = (lost[0] | reached, _cut(result) or event.node)
        if lost[0]:
            self.lost[_key(result)] = lost
            if isinstance(event, Recorded) and event.op in SEVERAL:
                self.lost[(event.node,)] = lost

    def _write(self, event: WrittenInPlace) -> None:
        """Note a write to a tensor without a graph: what is written was lost before, or nothing is recorded there."""
        lost = self.lost_by(event.target)
        for one in event.operands:
            before = self.lost_by(one)
            lost = (lost[0] | before[0], lost[1] or before[1])
        if lost[0] and event.target.requires_grad <= NO:
            self.lost[_key(event.target)] = lost

    def reached_by(self, tensor: Tensor) -> int:
        """The parameters that gradients get to by a tensor."""
        if not tensor.requires_grad.may(YES):
            return 0
        nodes = nodes_of(tensor)
        if not nodes and tensor.storage and tensor.leaf <= YES:
            return self._bit(tensor.storage)
        found = 0 if nodes else UNKNOWN
        for node in nodes:
            found |= self.reached.get(node, UNKNOWN)
        return found

    def lost_by(self, tensor: Tensor) -> tuple[int, Syntax]:
        """The parameters that a tensor was computed from behind a cut, and where that is."""
        return self.lost.get(key := _key(tensor)) or self.lost.get(key[1:2], (0, None))

    def _bit(self, memory: Memory) -> int:
        if memory not in self.bits:
            self.bits[memory] = 2 << len(self.bits)
            self.listed.append(memory)
        return self.bits[memory]

    def memories(self, found: int) -> frozenset[Memory]:
        """The parameters that stand so."""
        stood = list[Memory]()
        known = found & ~UNKNOWN
        while known:
            stood.append(self.listed[known.bit_length() - 2])
            known ^= 1 << known.bit_length() - 1
        return frozenset(stood)

    def terms(self, root: Tensor, passed: set[Memory]) -> Iterator[Term]:
        """The summands of a tensor, itself where it is no sum; the memories on the way there are returned as well,
        of what carries a graph."""
        waiting = [_Part(root)]
        seen: set[int] = set()
        while waiting:
            part = waiting.pop()
            if part.tensor.requires_grad.may(YES) and part.tensor.storage:
                passed.add(part.tensor.storage)
            made = self._maker(part)
            if made is None or id(made) in seen:
                yield self._term(part)
                continue
            seen.add(id(made))
            waiting += self._parts(made, part)
            if made.op in SUMS and made.numbers:
                marks = tuple(made.numbers)
                meant = self._adds_up(made, part) if made.op in DIFFERENCES else part.meant
                yield Term(None, made, marks, frozenset(), frozenset(), marks[0].node, False, meant)

    def _term(self, part: _Part) -> Term:
        tensor = part.tensor
        reached, (lost, cut) = self.reached_by(tensor), self.lost_by(tensor)
        marks = tuple(mark for mark in tensor.causes if mark.kind == CauseKind.CUT)
        here = -1 if part.sum is None else part.sum.run
        return Term(
            tensor,
            part.sum,
            marks,
            self.memories(reached),
            self.memories(lost),
            cut,
            bool(reached & UNKNOWN),
            part.meant,
            bool(lost & UNKNOWN),
            any(self.cut_in.get(mark.node, here) != here for mark in marks),
            part.scalar,
            cut in self.fed,
        )

    def _parts(self, made: Sum, part: _Part) -> Iterator[_Part]:
        """Yield the parts that come together in a sum, or the one that is scaled. What something alone is subtracted
        from, and what is subtracted from that, is compared."""
        if made.op not in SUMS | JOINTS:
            (one,) = self._graphs(made)
            yield _Part(one, part.sum, part.meant, self._undone(made, one), part.scalar)
            return
        meant = part.meant and (made.op not in DIFFERENCES or self._adds_up(made, part))
        for one in _operands(made):
            yield _Part(one, made, meant, self._undone(made, one), one.scalar <= YES)

    def _adds_up(self, made: Sum, part: _Part) -> bool:
        """Return whether the first operand of a difference is a sum of several."""
        first = _operands(made)[0]
        if any(at == 0 for at, _ in getattr(made, "others", ())):
            return False
        below, seen = self._maker(_Part(first, undone=self._undone(made, first))), {id(made)}
        while below is not None and below.op not in (SUMS | JOINTS) - DIFFERENCES:
            if id(below) in seen:
                return False
            seen.add(id(below))
            operands = self._graphs(below) if below.op not in DIFFERENCES else _operands(below)
            below = self._maker(_Part(operands[0], undone=self._undone(below, operands[0])))
        return below is not None

    @staticmethod
    def _graphs(made: Sum) -> list[Tensor]:
        """The operands by which gradients may go on."""
        return [one for one in _operands(made) if one.requires_grad.may(YES)]

    def _undone(self, made: Sum, one: Tensor) -> int:
        """Return the number of writes to its memory that an operand has not seen: none for a target."""
        return self._writes_before(made) if isinstance(made, WrittenInPlace) and one is made.target else 0

    def _writes_before(self, event: WrittenInPlace) -> int:
        """Return the number of writes to a memory that are left out, to see what it was before one."""
        found = self.written.get(event.target.storage, [])
        return next((len(found) - at for at, one in enumerate(found) if one is event), 0)

    def _maker(self, part: _Part) -> Sum | None:
        """The sum, or what scales one, that gave a tensor, if it is that."""
        tensor = part.tensor
        found: Sum | None = next((self.made[node] for node in nodes_of(tensor) if node in self.made), None)
        if found is None and nodes_of(tensor):
            writes = self.written.get(tensor.storage, [])
            left = writes[: len(writes) - part.undone]
            found = left[-1] if left else None
        if found is None or found.op in SUMS | JOINTS:
            return found
        is_way = found.op in SCALES or (found.op in FORMS and len(found.operands) == 1)
        return found if is_way and len(self._graphs(found)) == 1 else None


def _operands(made: Sum) -> Sequence[Tensor]:
    return made.operands if isinstance(made, Recorded) else (made.target, *made.operands)


UNKNOWN = 1
"""The bit of parameters that nobody knows."""


def nodes_of(tensor: Tensor) -> list[Graph]:
    """The nodes that may have made a tensor."""
    return [ref.key for ref in tensor.node if ref is not None]


def _key(tensor: Tensor) -> Key:
    """Return the key that separates a tensor without a graph from others on its memory, as far as known: where it
    was made. What is the same further on has a lost way of its own."""
    first = next((mark.node for mark in tensor.causes if mark.kind is CauseKind.MADE), None)
    return (tensor.storage, first, *nodes_of(tensor))


def _cut(tensor: Tensor) -> Syntax:
    return next((mark.node for mark in tensor.causes if mark.kind is CauseKind.CUT), None)


def ways_before(story: Sequence[Event], runs: Iterable[BackwardRun]) -> Iterator[tuple[BackwardRun, Ways]]:
    """Each of these backwards, with the ways as they are when it runs."""
    wanted, ways = set(map(id, runs)), Ways()
    for event in story if wanted else ():
        if id(event) in wanted:
            assert isinstance(event, BackwardRun)
            yield event, ways
        ways.hear(event)


@dataclass(frozen=True)
class Loss:
    """The loss that a backward differentiates: its terms, and the memories `passed` on the way to these. `trained` are
    the parameters of the step that alone uses its gradients, if there is one, and `strange` the leaves whose gradients
    are cleared or added to before another does."""

    run: BackwardRun
    terms: tuple[Term, ...]
    passed: frozenset[Memory]
    step: OptimizerStepped | None
    trained: frozenset[Memory]
    strange: frozenset[Memory]

    @property
    def constants(self) -> list[Term]:
        """The terms that no gradient goes back by and that are there for what they weigh. One for each element of a
        batch may be a target; a gradient is none."""
        if self.is_shifted:
            return []
        of_losses = any(term.scalar for term in self.terms if not term.is_constant)
        still = [term for term in self.terms if term.is_constant and term.meant and term.sum is not None]
        return [term for term in still if of_losses or term.scalar or term.is_of_gradients]

    @property
    def is_shifted(self) -> bool:
        """Return whether one of its terms is taken away again as a constant: it has a value for its gradient that is
        not its own, as a straight-through estimator has."""
        still = [term.tensor for term in self.terms if term.tensor is not None and term.is_constant]
        return any(one.storage in self.passed for one in still)


def losses(end: ModuleFinished) -> tuple[Loss, ...]:
    """Return the loss that each backward of a file differentiates, term by term."""
    runs = [event for event in end.story if isinstance(event, BackwardRun) and event.root.requires_grad.may(YES)]
    steps = next_steps(end.story)
    found = list[Loss]()
    for run, ways in ways_before(end.story, runs):
        step, strange = steps.get(run, (None, frozenset[Memory]()))
        trained = memories(() if step is None else step.parameters)
        terms = tuple(ways.terms(run.root, passed := set[Memory]()))
        found.append(Loss(run, terms, frozenset(passed), step, trained, strange))
    return tuple(found)
