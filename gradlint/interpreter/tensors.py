"""Tensors: how they are made, what an operation gives, what a write changes, what backward does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from gradlint import events
from gradlint.domain import (
    ANY_DTYPE,
    BOOL,
    COMPLEX,
    DISCRETE,
    FLOAT,
    FRESH,
    INTEGER,
    LOST,
    MIXED,
    NO,
    NONE,
    NOTHING,
    OPAQUE,
    UNKNOWN,
    UNSURE,
    USED,
    YES,
    Array,
    Belief,
    Const,
    Container,
    Dtypes,
    Grad,
    Mark,
    Named,
    Node,
    Plain,
    Ref,
    Scalar,
    Tensor,
    Truth,
    Unknown,
    Value,
    alternatives,
    both,
    either,
    negation,
    number_kind,
    object_references,
    one_of,
    origins,
    truth,
)
from gradlint.interpreter.core import Interpreter
from gradlint.knowledge import DTYPES
from gradlint.knowledge.rows import DTYPE_RULES, KINDS, Operation, Result

LETTERS = dict(zip(KINDS, (BOOL, INTEGER, FLOAT, COMPLEX), strict=True))
LETTER_OF = {fact: letter for letter, fact in LETTERS.items()}

AFTER_BACKWARD: dict[Grad, Grad] = {NONE: FRESH, FRESH: FRESH, USED: MIXED, MIXED: MIXED, LOST: FRESH}
AFTER_CLEARING: dict[Grad, Grad] = {FRESH: LOST, USED: NONE, MIXED: NONE}
AFTER_STEP: dict[Grad, Grad] = {FRESH: USED, LOST: NONE}


# ---- making tensors


def fresh(it: Interpreter, node: Any, part: str = "tensor", **facts: Any) -> Ref:
    """A new tensor with memory of its own that nothing has recorded."""
    known: dict[str, Any] = {
        "requires_grad": NO,
        "leaf": YES,
        "retains": NO,
        "parameter": NO,
        "inference": it.state.inference,
        "grad": NONE,
        "marks": (Mark("made", node),),
    }
    if "storage" not in facts:
        known["storage"] = (it.memory(node, part),)
    return it.new(node, part, Tensor(**(known | facts)))


def dtype_named(value: Value) -> Dtypes | None:
    """The kind that a dtype (`torch.float32`, `float`, `x.dtype`) stands for; None for what is no dtype."""
    if type(value) is Named:
        letter = DTYPES.get(value.path)
        return LETTERS[letter] if letter else None
    return None


def data_kind(it: Interpreter, value: Value, depth: int = 0) -> Dtypes:
    """The kind of tensor that literal data makes: of numbers, nested lists of them, arrays or tensors."""
    out: Dtypes | None = None
    for option in alternatives(value):
        found = _data_kind(it, option, depth)
        out = found if out is None else out | found
    return out or ANY_DTYPE


def _data_kind(it: Interpreter, value: Value, depth: int) -> Dtypes:
    number = number_kind(value)
    if number is not None:
        return number
    thing = it.state.heap.get(value) if type(value) is Ref else None
    if type(thing) is Tensor or type(thing) is Array:
        return thing.dtype
    if type(thing) is not Container or depth > 4:
        return ANY_DTYPE
    elements = [element for _, element in thing.items]
    if thing.rest != NOTHING:
        elements.append(thing.rest)
    if not elements:
        return FLOAT
    return combined("promote", [data_kind(it, element, depth + 1) for element in elements])


def truth_of(value: Value) -> Truth:
    """Whether a value counts as true, as far as that is known of constants."""
    out: Truth | None = None
    for option in alternatives(value):
        found = truth(bool(option.value)) if type(option) is Const else UNSURE
        out = found if out is None else out | found
    return UNSURE if out is None else out


# ---- what an operation gives


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of an operation: its value and the facts that matter."""

    name: str
    value: Value
    dtype: Dtypes | None
    requires_grad: Truth
    tensor: Tensor | None
    known: bool


def operand(it: Interpreter, name: str, value: Value) -> Operand:
    """Look up the facts of an operand."""
    tensor = it.only(value, Tensor)
    if tensor is not None:
        return Operand(name, value, tensor.dtype, tensor.requires_grad, tensor, True)
    kind = _number(value)
    if kind is not None:
        return Operand(name, value, kind, NO, None, True)
    if all(type(option) is Const or type(option) is Named for option in alternatives(value)):
        return Operand(name, value, None, NO, None, True)
    return Operand(name, value, ANY_DTYPE, UNSURE, None, False)


def _number(value: Value) -> Dtypes | None:
    out: Dtypes | None = None
    for option in alternatives(value):
        kind = number_kind(option)
        if kind is None:
            return None
        out = kind if out is None else out | kind
    return out


def combined(rule: str, kinds: Sequence[Dtypes], numbers: Sequence[bool] = (), row: Operation | None = None) -> Dtypes:
    """The dtype rule applied to facts: every combination of what the operands may be and the row does not refuse."""
    compute = DTYPE_RULES[rule]
    kinds, numbers = kinds[:MOST_COMBINED], (*numbers, *[False] * len(kinds))[:MOST_COMBINED]
    found: set[str] = set()
    for letters in product(*(_letters(kind) for kind in kinds or [ANY_DTYPE])):
        word = "".join(letter.upper() if plain else letter for letter, plain in zip(letters, numbers, strict=False))
        if row is None or not row.refused(word):
            try:
                found.add(compute(*letters))
            except TypeError:
                return ANY_DTYPE
    if not found or (len(found) > 1 and any(kind.is_unsure for kind in kinds)):
        return ANY_DTYPE
    out = [LETTERS[letter] for letter in KINDS if letter in found]
    return Dtypes.of(sum(fact.bits for fact in out))


MOST_COMBINED = 5


def _letters(kind: Dtypes) -> str | list[str]:
    return KINDS if kind.is_unsure else [LETTER_OF[answer] for answer in kind.answers()]


def apply(
    it: Interpreter,
    node: Any,
    row: Operation,
    slots: Sequence[tuple[str, Value]],
    *,
    dtype: Dtypes | None = None,
    part: str = "",
    extra: Sequence[Value] = (),
) -> Value:
    """What the operation gives for these operands; `extra` are parameters that take part (a module's own)."""
    operands = [operand(it, name, value) for name, value in slots]
    own = [operand(it, "own", value) for value in extra]
    involved = operands + own
    wants = either([o.requires_grad for o in involved if o.name not in row.ignores])
    parts = [
        _result(it, node, row, result, index, operands, own, wants, dtype, part)
        for index, result in enumerate(row.results)
    ]
    recording = [ref for _, ref in parts if ref is not None]
    if recording:
        _record(it, node, row, involved, recording, part)
    if not it.muted:
        _tell(it, node, row, involved, parts[0][0])
    values = [value for value, _ in parts]
    if it.only(values[0], Tensor) is None and not it.may_be(values[0], Tensor):
        return values[0]
    if row.bundle == "list":
        return it.new(node, f"{part}list", Container("tuple", rest=values[0]))
    if row.bundle or len(values) > 1:
        return it.new(node, f"{part}tuple", Container("tuple", items=tuple(enumerate(values))))
    return values[0]


def _result(
    it: Interpreter,
    node: Any,
    row: Operation,
    result: Result,
    index: int,
    operands: list[Operand],
    own: list[Operand],
    wants: Truth,
    dtype: Dtypes | None,
    part: str,
) -> tuple[Value, Ref | None]:
    """One result, and the new handle in it if it may be recorded in the graph."""
    counted = [o for o in operands if o.dtype is not None]
    kinds = [o.dtype for o in counted if o.dtype is not None]
    kind = dtype or combined(result.dtype, kinds, [o.known and o.tensor is None for o in counted], row)
    if result.kind in NO_TENSOR:
        return NO_TENSOR[result.kind](kind), None
    first = operands[0] if operands else None
    handles = result.kind.split(" or ")
    if first is not None and first.dtype is not None and not kind.is_unsure and not first.dtype.may(kind):
        handles = [handle for handle in handles if handle not in ("self", "view")] or handles
    if first is None or handles == ["self"]:
        return (first.value if first else UNKNOWN), None
    rest = [handle for handle in handles if handle != "self"]
    made = _handle(it, node, row, result, index, operands, own, wants, kind, " or ".join(rest), part)
    recorded = made if it[made].requires_grad.may(YES) else None
    return (one_of((first.value, made)) if "self" in handles else made), recorded


NO_TENSOR: dict[str, Callable[[Dtypes], Value]] = {
    "none": lambda kind: Const(None),
    "number": Scalar,
    "list": lambda kind: Plain("list"),
}
"""Results that leave the tensors' world."""


def _handle(
    it: Interpreter,
    node: Any,
    row: Operation,
    result: Result,
    index: int,
    operands: list[Operand],
    own: list[Operand],
    wants: Truth,
    kind: Dtypes,
    handle: str,
    part: str,
) -> Ref:
    """The new handle that a result is."""
    requires = NO if not result.differentiable or kind <= DISCRETE else wants
    first = operands[0]
    viewed = handle in ("view", "view or fresh")
    requires, leaf = _flags(it, requires, first.requires_grad if viewed else None)
    facts: dict[str, Any] = {"dtype": kind, "requires_grad": requires, "leaf": leaf, "made": row.name}
    if handle != "fresh":
        facts |= _shared(it, node, first, handle, f"{part}{index}")
        if first.tensor:
            facts["inference"] = first.tensor.inference
    tensors = [o.tensor for o in operands if o.tensor]
    if grads := tuple(dict.fromkeys(ref for tensor in tensors for ref in tensor.grad_of)):
        facts["grad_of"] = grads
    facts["belief"] = max(
        [t.belief for t in tensors] + [o.tensor.belief for o in own if o.tensor], default=Belief.PROVEN
    )
    facts["marks"] = _reasons(node, requires, operands + own)
    return fresh(it, node, f"{part}{index}", **facts)


def _flags(it: Interpreter, requires: Truth, viewed: Truth | None) -> tuple[Truth, Truth]:
    """requires_grad and leaf of a result, given the mode. A view made without the graph keeps its base's flag and is a leaf."""
    mode = it.recording
    on = (requires, negation(requires))
    off = (NO, YES) if viewed is None else (viewed, YES)
    if mode is YES:
        return on
    if mode is NO:
        return off
    ignorance = UNSURE if mode.is_unsure else on[0]
    return on[0] | off[0] | ignorance, on[1] | off[1] | (UNSURE if mode.is_unsure else on[1])


def _shared(it: Interpreter, node: Any, first: Operand, handle: str, part: str) -> dict[str, Any]:
    """What a result that shares memory takes over from its operand."""
    refs = tuple(ref for ref, _ in it.all(first.value, Tensor))
    storage = first.tensor.storage if first.tensor else ()
    base: tuple[Ref | None, ...] = ()
    if handle != "alias":
        found: dict[Ref | None, None] = {}
        for ref in refs:
            found |= dict.fromkeys(it[ref].base or (ref,))
        if None in found:
            found = {**dict.fromkeys(refs), **{ref: None for ref in found if ref is not None}}
        base = tuple(found)
    if handle == "view or fresh":
        storage, base = (*storage, it.memory(node, part)), (*base, None)
    return {"storage": storage, "base": base}


def _reasons(node: Any, requires: Truth, operands: Sequence[Operand]) -> tuple[Mark, ...]:
    """Where a result comes from: made here, and what cut it off the graph if something did."""
    marks = [Mark("made", node)]
    if requires is NO and any(o.requires_grad.possibly(YES) for o in operands):
        marks.append(Mark("cut", node))
    else:
        for o in operands:
            if o.tensor:
                marks += [mark for mark in o.tensor.marks if mark.how in ("asked", "cut")]
    return tuple(dict.fromkeys(marks))[:4]


def _record(
    it: Interpreter, node: Any, row: Operation, operands: Sequence[Operand], results: Sequence[Ref], part: str
) -> None:
    """Put the operation into the graph and let its results know."""
    inputs = tuple(it.operand(o.value) for o in operands)
    saves = tuple(_saved(it, token, operands, results) for token in row.saves)
    new = Node(row.name, node, inputs, tuple(part for part in saves if part))
    ref = it.new(node, f"{part}node", replace(new, grows=_grows(it, node, part, inputs)))
    for result in results:
        tensor = it[result]
        nodes: tuple[Ref | None, ...] = (ref,) if tensor.requires_grad is YES and tensor.leaf is NO else (ref, None)
        it.state.heap[result] = replace(tensor, node=nodes)


def _saved(it: Interpreter, token: str, operands: Sequence[Operand], results: Sequence[Ref]) -> tuple[Ref | None, ...]:
    """The memories that a token of a row's `saves` stands for; None among them where it may be none."""
    name, _, condition = token.partition(" if ")
    wanted = next((o.requires_grad for o in operands if o.name == condition), YES)
    if wanted is NO:
        return ()
    if name == "result":
        memories: tuple[Ref | None, ...] = it[results[0]].storage
    else:
        memories = tuple(m for o in operands if o.name == name and o.tensor for m in o.tensor.storage)
    return memories if wanted is YES or not memories else (*memories, None)


def _grows(it: Interpreter, node: Any, part: str, inputs: tuple[tuple[Ref | None, ...], ...]) -> Truth:
    """Whether the history certainly holds an older node of the same place."""
    older = Ref(it.site(node), f"{part}node", it.frame.id, 1)
    if older not in it.state.heap:
        return NO
    key = older.key
    sure = any(ref.key == key for slot in inputs for ref in sure_past(it, slot, MOST_LOOKED_BACK))
    return YES if sure else UNSURE


def _tell(it: Interpreter, node: Any, row: Operation, operands: Sequence[Operand], result: Value) -> None:
    shown = it.only(result, Tensor)
    if shown is None:
        return
    recorded = [it[ref] for ref in shown.node if ref is not None and ref in it.state.heap]
    memories = {memory for one in recorded for slot in one.saves for memory in slot if memory is not None}
    it.emit(
        events.Recorded,
        node,
        op=row.name,
        operands=tuple(o.tensor for o in operands if o.tensor),
        result=shown,
        saved=tuple(o.tensor for o in operands if o.tensor and memories.intersection(o.tensor.storage)),
        grows=either([one.grows for one in recorded]) if recorded else NO,
    )


# ---- writing


def write(
    it: Interpreter,
    node: Any,
    target: Value,
    op: str,
    by: str,
    operands: Iterable[Value] = (),
    name: str = "",
    differentiable: bool = True,
    checked: bool = True,
) -> None:
    """The memory of a tensor is written in place by an operation on these other operands.

    An operation that is not `checked` may write a leaf that requires grad: nobody needs to hear of it.
    """
    found = it.all(target, Tensor)
    if not found:
        return
    operands = list(operands)
    shown = it.only(target, Tensor)
    noticed = either([_unnoticed(it, ref) for ref, _ in found])
    if shown is not None and checked:
        it.emit(
            events.WrittenInPlace,
            node,
            target=shown,
            op=op,
            base=_base(it, shown),
            holders=holders(it, [ref for ref, _ in found]),
            by=by,
            noticed=negation(noticed),
            local=_local(it, found) and not (op == "copy_" and _from_strangers(it, operands)),
            name=name,
        )
    wants = either([operand(it, "", value).requires_grad for value in operands])
    for ref, tensor in found:
        if checked and _raises(it, tensor):
            continue
        sure = it.sure(found)
        memory_written(it, tensor.storage, sure=sure, noticed=negation(noticed), by=ref)
        if differentiable:
            _rebase(it, node, op, ref, wants, operands, sure)


def written_without_graph(it: Interpreter, node: Any, ref: Ref, op: str, by: str, *, sure: bool) -> None:
    """A parameter is written by code of torch that has switched gradients off: a step, a load."""
    tensor: Tensor = it[ref]
    mode, it.state.grad_mode = it.state.grad_mode, NO
    held_by = holders(it, [ref]) if not it.muted else ()
    it.emit(events.WrittenInPlace, node, target=tensor, op=op, base=None, holders=held_by, by=by, noticed=YES,
            local=_local(it, [(ref, tensor)]))  # fmt: skip
    it.state.grad_mode = mode
    memory_written(it, tensor.storage, sure=sure, noticed=YES, by=ref)


def _raises(it: Interpreter, tensor: Tensor) -> bool:
    """Whether torch certainly refuses the write: of a leaf that requires grad, or of a view of one."""
    if it.recording is not YES:
        return False
    base = _base(it, tensor) or tensor
    return base.leaf is YES and base.requires_grad is YES and (not tensor.base or tensor.requires_grad is YES)


def _unnoticed(it: Interpreter, ref: Ref) -> Truth:
    """Whether autograd does not see a write through this handle."""
    tensor = it[ref]
    through = [tensor, *(it[base] for base in tensor.base if base is not None and base in it.state.heap)]
    return truth(any(one.made == "data" for one in through))


def _base(it: Interpreter, tensor: Tensor) -> Tensor | None:
    """What a tensor is a view of; None where it certainly is no view, or where that is not known."""
    bases = [base for base in tensor.base if base is not None and base in it.state.heap]
    if not bases or None in tensor.base:
        return None
    return it.only(one_of(bases), Tensor)


def _local(it: Interpreter, found: Sequence[tuple[Ref, Tensor]]) -> bool:
    """Whether code that is shown made the target, or what it is a view of."""
    made = [base if base is not None else ref for ref, tensor in found for base in (tensor.base or (ref,))]
    return all(it[ref].belief is Belief.PROVEN for ref in made if ref in it.state.heap)


def _from_strangers(it: Interpreter, values: Iterable[Value]) -> bool:
    """Whether values that unseen code made are among these."""
    options = [option for value in values for option in alternatives(value)]
    things = [it.state.heap.get(option) if type(option) is Ref else option for option in options]
    return any(
        type(thing) is Unknown or getattr(thing, "belief", Belief.PROVEN) is not Belief.PROVEN for thing in things
    )


def holders(it: Interpreter, refs: Sequence[Ref]) -> tuple[Container, ...]:
    """The containers that hold one of these objects."""
    found = [
        (ref, thing)
        for ref, thing in it.state.heap.items()
        if type(thing) is Container and any(r in refs for r in _held(thing))
    ]
    alive = it.state.reach([*it.state.names.values(), *it.state.flight]) if found else {}
    here = it.frame.id
    return tuple(thing for ref, thing in found if ref in alive or (ref.age == 0 and ref.context == here))


def _held(thing: Container) -> list[Value]:
    return [o for value in (*(v for _, v in thing.items), thing.rest) for o in alternatives(value)]


def memory_written(
    it: Interpreter,
    memories: Iterable[Ref],
    *,
    sure: bool,
    noticed: Truth,
    by: Ref | None = None,
    known: bool = True,
) -> None:
    """Nodes that saved one of these memories, and other handles on it, no longer hold what they held.

    `known` says that a write was seen; else unknown code may have done it.
    """
    written = frozenset(memories)
    certain = sure and len(written) == 1 and next(iter(written)).age < 2
    made_at = {memory.origin for memory in written}
    for ref, thing in it.state.heap.items():
        if made_at.isdisjoint(origins(thing)) or written.isdisjoint(object_references(thing)):
            continue
        if type(thing) is Node and any(written.intersection(slot) for slot in thing.saves):
            strong = certain and any(written.issuperset(slot) for slot in thing.saves) and ref.age < 2
            it.state.heap[ref] = replace(thing, **_spoiled(thing, noticed, strong, YES if known else UNSURE))
        elif type(thing) is Tensor and ref != by and thing.overwritten is not YES:
            strong = certain and written.issuperset(thing.storage) and ref.age < 2
            now = YES if strong else thing.overwritten | (YES if known else UNSURE)
            if now is not thing.overwritten:
                it.state.heap[ref] = replace(thing, overwritten=now)


def _spoiled(thing: Node, noticed: Truth, strong: bool, verdict: Truth) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if noticed.may(YES):
        out["stale"] = YES if strong and noticed is YES else thing.stale | verdict
    if noticed.may(NO):
        out["corrupt"] = YES if strong and noticed is NO else thing.corrupt | verdict
    return out


def _rebase(it: Interpreter, node: Any, op: str, ref: Ref, wants: Truth, operands: Iterable[Value], sure: bool) -> None:
    """A written handle, what it is a view of and the other views of that move on to a new graph node."""
    tensor = it[ref]
    requires = both(it.recording, either([wants, tensor.requires_grad]))
    if requires is NO:
        return
    inputs = tuple(it.operand(value) for value in (ref, *operands))
    moved = it.new(node, "written node", Node(op, node, inputs))
    family = {ref: None, **{base: None for base in tensor.base if base is not None}}
    for other, thing in it.state.heap.items():
        if type(thing) is Tensor and any(base in family for base in thing.base if base is not None):
            family[other] = None
    for other in family:
        member = it.state.heap.get(other)
        if type(member) is Tensor:
            now = either([member.requires_grad, requires])
            it.put(other, replace(member, requires_grad=now, leaf=negation(now), node=(moved,)), sure=sure)


# ---- asking for gradients


def set_requires_grad(it: Interpreter, node: Any, value: Value, to: Truth, by: str, name: str = "") -> None:
    """`requires_grad` of a tensor is set; only a leaf can change it, and only if it is no view made without the graph."""
    found = it.all(value, Tensor)
    shown = it.only(value, Tensor)
    if shown is not None:
        it.emit(events.RequiresGradChanged, node, tensor=shown, to=to, by=by, name=name)
    for ref, tensor in found:
        fixed = tensor.leaf is NO or (to is NO and bool(tensor.base) and None not in tensor.base)
        if fixed:
            continue
        now = to if tensor.leaf is YES else tensor.requires_grad | to
        marks = (*[m for m in tensor.marks if m.how != "asked"], Mark("asked", node))[-4:]
        it.put(ref, replace(tensor, requires_grad=now, marks=marks), sure=it.sure(found))


# ---- differentiating


MOST_WEIGHED = 300
MOST_LOOKED_BACK = 20
"""Nodes of a history that are weighed in whole; behind them only what is straight ahead, or nothing when asked whether a graph grows."""


def sure_past(it: Interpreter, start: tuple[Ref | None, ...], most: int = MOST_WEIGHED) -> dict[Ref, None]:
    """Nodes and leaves that are certainly in the history: in every history it may be."""
    nodes = it.past(start, most)
    if len(nodes) > most:
        if most is MOST_WEIGHED:
            it.hit("size of a graph")
        return _single_past(it, start, most)
    order = _inputs_first(it, start)
    certain: dict[Ref, set[Ref]] = {}
    for ref in order:
        thing = it.state.heap.get(ref)
        inside = {ref} if ref.age < 2 else set()
        for slot in thing.inputs if type(thing) is Node else ():
            inside |= _in_all(slot, certain)
        certain[ref] = inside
    sure = _in_all(start, certain)
    return {ref: None for ref in nodes if ref in sure}


def _in_all(slot: tuple[Ref | None, ...], certain: dict[Ref, set[Ref]]) -> set[Ref]:
    """What every alternative certainly has in its history."""
    if None in slot or not slot:
        return set()
    found = [certain.get(ref, set()) for ref in slot if ref is not None]
    return set.intersection(*found)


def _inputs_first(it: Interpreter, start: tuple[Ref | None, ...]) -> list[Ref]:
    """The nodes of a history, each after those it was made from (but for cycles)."""
    order: list[Ref] = []
    seen: set[Ref] = set()
    todo: list[tuple[Ref, bool]] = [(ref, False) for ref in start if ref is not None]
    while todo:
        ref, done = todo.pop()
        if done:
            order.append(ref)
            continue
        if ref in seen:
            continue
        seen.add(ref)
        todo.append((ref, True))
        thing = it.state.heap.get(ref)
        if type(thing) is Node:
            todo += [(other, False) for slot in thing.inputs for other in slot if other is not None]
    return order


def _single_past(it: Interpreter, start: tuple[Ref | None, ...], most: int) -> dict[Ref, None]:
    """The part of the history to which only one way leads at every step."""
    found: dict[Ref, None] = {}
    todo = list(start) if len(start) == 1 else []
    while todo and (len(found) < most or most is MOST_WEIGHED):
        ref = todo.pop()
        if ref is None or ref in found or ref.age >= 2:
            continue
        found[ref] = None
        thing = it.state.heap.get(ref)
        if type(thing) is Node:
            todo += [slot[0] for slot in thing.inputs if len(slot) == 1]
    return found


def backward(it: Interpreter, node: Any, root: Value, *, how: str, retain: Truth = NO, create: Truth = NO) -> None:
    """Differentiate: gradients of the leaves in the history are filled (`how` "backward") and the graph is freed."""
    start = it.operand(root)
    past, sure = it.past(start), sure_past(it, start)
    heap = it.state.heap
    nodes = [ref for ref in past if type(heap.get(ref)) is Node]
    leaves = [ref for ref in past if type(heap.get(ref)) is Tensor]
    it.used.update(ref.key for ref in nodes)
    shown = it.only(root, Tensor)
    if shown is not None:
        it.emit(
            events.BackwardRun,
            node,
            root=shown,
            leaves=tuple(heap[ref] for ref in leaves),
            freed=_state_of(it, nodes, sure, "freed"),
            stale=_state_of(it, nodes, sure, "stale"),
            corrupt=_state_of(it, nodes, sure, "corrupt"),
            retain=retain,
            create_graph=create,
            how=how,
        )
    for ref in nodes:
        _differentiated(it, ref, ref in sure, either([retain, create]))
    if how == "backward":
        _fill(it, node, leaves, sure, nodes, opaque=OPAQUE in past)


def _state_of(it: Interpreter, nodes: Sequence[Ref], sure: dict[Ref, None], attr: str) -> Truth:
    """Whether the graph holds a node in that state which needs what it saved."""
    if any(ref in sure and it[ref].saves and getattr(it[ref], attr) is YES for ref in nodes):
        return YES
    if any(getattr(it[ref], attr).may(YES) for ref in nodes):
        return NO | YES
    return NO


def _differentiated(it: Interpreter, ref: Ref, sure: bool, keep: Truth) -> None:
    thing: Node = it[ref]
    facts: dict[str, Any] = {"reached": YES if sure else thing.reached | YES}
    if keep is not YES:
        facts["freed"] = YES if sure and keep is NO else thing.freed | YES
    it.state.heap[ref] = replace(thing, **facts)


def _fill(
    it: Interpreter, node: Any, leaves: Sequence[Ref], sure: dict[Ref, None], nodes: Sequence[Ref], *, opaque: bool
) -> None:
    """Gradients arrive at leaves and at tensors that retain theirs; through an opaque node, perhaps anywhere."""
    reached = set(nodes)
    for ref, thing in list(it.state.heap.items()):
        if type(thing) is not Tensor:
            continue
        if ref in leaves:
            certain = ref in sure
        elif thing.retains.may(YES) and reached.intersection(thing.node):
            certain = thing.retains is YES and any(one in sure for one in thing.node) and len(thing.node) == 1
        elif opaque and thing.requires_grad.may(YES):
            certain = False
        else:
            continue
        filled = thing.grad.mapped(AFTER_BACKWARD)
        marks = thing.marks if any(m.how == "backward" for m in thing.marks) else (*thing.marks, Mark("backward", node))
        now = replace(thing, grad=filled if certain else thing.grad | filled, marks=marks[-4:])
        it.state.heap[ref] = now if certain or ref not in leaves else replace(now, gradient=UNKNOWN)


def read_gradient(it: Interpreter, node: Any, value: Value, *, guard: bool, name: str) -> Value:
    """`.grad` of a tensor is read."""
    shown = it.only(value, Tensor)
    if shown is None:
        return Unknown(tuple(ref for ref, _ in it.all(value, Tensor)))
    nodes = [it[ref] for ref in shown.node if ref is not None and ref in it.state.heap]
    reached = either([one.reached for one in nodes]) if nodes else NO
    it.emit(events.GradientRead, node, tensor=shown, guard=guard, reached=reached, name=name)
    out: list[Value] = []
    for ref, tensor in it.all(value, Tensor):
        if type(tensor.gradient) is Unknown and (tensor.grad.may(NONE) or tensor.grad.may(LOST)):
            out.append(Const(None))
        if has_gradient(tensor):
            out.append(_gradient(it, node, ref, tensor))
    return one_of(out)


def has_gradient(tensor: Tensor) -> bool:
    """Whether `.grad` may hold a tensor, if only one of zeros."""
    return type(tensor.gradient) is not Unknown or not tensor.grad <= NONE | LOST


def _gradient(it: Interpreter, node: Any, ref: Ref, tensor: Tensor) -> Value:
    """The tensor that `.grad` holds: the same one until it is cleared."""
    if type(tensor.gradient) is not Unknown:
        return tensor.gradient
    made = fresh(it, node, f"grad of {ref.site}.{ref.part}", dtype=tensor.dtype, made="grad", grad_of=(ref,),
                 belief=tensor.belief, requires_grad=NO | UNSURE, leaf=UNSURE)  # fmt: skip
    it.put(ref, replace(it[ref], gradient=made))
    return made


def clear_gradients(it: Interpreter, node: Any, refs: Sequence[Ref], *, to_none: Truth, sure: bool = True) -> None:
    """The gradients of these tensors are cleared."""
    tensors = tuple(it[ref] for ref in refs if type(it.state.heap.get(ref)) is Tensor)
    grad = _joined_grad(tensors)
    it.emit(events.GradientsCleared, node, parameters=tensors, grad=grad, to_none=to_none)
    for ref in refs:
        thing = it.state.heap.get(ref)
        if type(thing) is Tensor:
            zeros = UNKNOWN if to_none is YES or not has_gradient(thing) else _gradient(it, node, ref, thing)
            left = zeros if to_none is NO or zeros == UNKNOWN else one_of((zeros, Const(None)))
            now = replace(thing, grad=thing.grad.mapped(AFTER_CLEARING), gradient=left)
            it.put(ref, now, sure=sure)


def _joined_grad(tensors: Sequence[Tensor]) -> Grad:
    out = None
    for tensor in tensors:
        out = tensor.grad if out is None else out | tensor.grad
    return out if out is not None else Grad.unsure()
