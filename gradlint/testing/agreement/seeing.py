"""What of a silent mistake is seen in a run: the rows at which it shows.

Each is a function of a run of the program. `Mistake` is a set of rows, any of which may be reported.
"""

from __future__ import annotations

import types
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any

import torch
from torch import nn

from gradlint.domain import FRESH, LOST, MIXED, SCALED, USED
from gradlint.testing.agreement.telling import guarded
from gradlint.testing.agreement.witness import COMPARING, Act, Run, nodes_of, one_run

Mistake = frozenset[int]
Sight = Callable[[Run], Iterable[Mistake]]


def at(*rows: int) -> Mistake:
    return frozenset(rows)


def _by_row(acts: Iterable[Act]) -> dict[int, list[Act]]:
    rows: dict[int, list[Act]] = defaultdict(list)
    for act in acts:
        rows[act.row].append(act)
    return rows


def _always(acts: Iterable[Act], test: Callable[[Act], bool]) -> Iterator[int]:
    """The rows at which every such act is so."""
    return (row for row, found in _by_row(acts).items() if all(map(test, found)))


def _pointers(tensors: Iterable[Any]) -> set[int]:
    return {one.data_ptr() for one in tensors if isinstance(one, torch.Tensor)}


# ---- attributes and methods


def flag_of_module_set(run: Run) -> Iterator[Mistake]:
    """`requires_grad` of a module is set, which the program never reads."""
    for act in run.of("set"):
        if isinstance(act.owner, nn.Module) and act.name == "requires_grad" and act.plain:
            yield at(act.row)


def set_in_vain(run: Run) -> Iterator[Mistake]:
    """An attribute was set of a tensor or module, and no flag of it is another."""
    for act in run.of("set"):
        if act.plain and act.same and isinstance(act.owner, torch.Tensor | nn.Module):
            yield at(act.row)


def misspelled(run: Run) -> Iterator[Mistake]:
    """A new attribute that speaks of gradients, that the program never reads."""
    for act in run.of("set"):
        ours = isinstance(act.owner, torch.Tensor | nn.Module) and not hasattr(type(act.owner), act.name)
        unread = run.text.count(f".{act.name}") == run.text.count(f".{act.name} = ") and "requ" in act.name
        if ours and act.plain and unread and "grad" in act.name.lower() and act.written != "self":
            yield at(act.row)


def method_hidden(run: Run) -> Iterator[Mistake]:
    """A plain value stands before a method of the owner's class."""
    for act in run.of("set"):
        method = getattr(type(act.owner), act.name, None)
        ours = act.plain and isinstance(act.owner, torch.Tensor | nn.Module) and callable(method)
        if ours and isinstance(act.value, bool | int | None) and act.written != "self":
            yield at(act.row)


def looked_at(run: Run) -> Iterator[Mistake]:
    """An attribute was looked up and dropped."""
    return (at(act.row) for act in run.of("looked"))


def uncalled(run: Run) -> Iterator[Mistake]:
    """A method that acts on its owner was looked up and dropped."""
    acting = ("_", "grad", "step", "backward", "update", "train", "eval", "detach", "clone", "item")
    for act in run.of("looked"):
        if isinstance(act.value, types.MethodType | types.BuiltinMethodType) and act.name.endswith(acting):
            yield at(act.row)


def _dropped(run: Run) -> Iterator[Act]:
    """Methods of tensors whose result was dropped and is another tensor."""
    last: Act | None = None
    for act in run.of("method", "dropped"):
        if act.what == "dropped" and last is not None and last.row == act.row and last.result is act.value:
            another = isinstance(act.value, torch.Tensor) and isinstance(last.owner, torch.Tensor)
            if another and (act.value is not last.owner or not last.name.endswith("_")):
                yield last
        last = act if act.what == "method" else None


def result_dropped(run: Run) -> Iterator[Mistake]:
    return (at(act.row) for act in _dropped(run))


def change_dropped(run: Run) -> Iterator[Mistake]:
    """What was dropped is not what the tensor is, and there is a way to write it."""
    for act in _dropped(run):
        owner, result = act.owner, act.result
        twin = hasattr(owner, f"{act.name}_") and act.name not in ("set", "apply")
        named = act.written.isidentifier()
        other = (owner.dtype, owner.requires_grad) != (result.dtype, result.requires_grad)
        if named and (twin or (other and act.name in ("float", "double", "detach", "to", "long", "half"))):
            yield at(act.row)


def mode_dropped(run: Run) -> Iterator[Mistake]:
    """A grad mode was made and dropped."""
    modes = (torch.no_grad, torch.enable_grad, torch.inference_mode)
    return (at(act.row) for act in run.of("dropped") if isinstance(act.value, modes))


# ---- gradients that are not there


def _nothing(act: Act) -> bool:
    return act.result is None and not act.leaf and not act.retains and act.tensor.requires_grad


def non_leaf_read(run: Run) -> Iterator[Mistake]:
    """The gradient of what is no leaf is read, and is None."""
    return (at(act.row) for act in run.of("read") if _nothing(act))


def non_leaf_always_read(run: Run) -> Iterator[Mistake]:
    """The same where every read of the row is so and none only asks."""
    asking = guarded(run.text)
    return (at(row) for row in _always(run.of("read"), _nothing) if row not in asking)


def made_what_has_none(run: Run) -> Iterator[Mistake]:
    """What is made here is no leaf, requires grad, and its gradient is read and None, or it is stepped or kept."""
    lacking = {id(act.tensor) for act in run.of("read") if _nothing(act)}
    lacking |= {id(act.value) for act in run.of("part") if _is_computed(act.value)}
    for act in run.of("op"):
        if any(id(one) in lacking for one, *_ in act.made):
            yield at(act.row)
    yield from non_leaf_read(run)


def _is_computed(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad and not value.is_leaf


def retained_late(run: Run) -> Iterator[Mistake]:
    """A gradient was to be retained, and is None where it is read afterwards."""
    none = {id(act.tensor): act.row for act in run.of("read") if act.result is None and act.retains}
    for act in run.of("op"):
        if act.name == "retain_grad" and id(act.args[0]) in none and not act.args[0].is_leaf:
            yield at(act.row, none[id(act.args[0])])


def retained_after_backward(run: Run) -> Iterator[Mistake]:
    """The same where the backward had passed already."""
    passed: dict[Any, None] = {}
    late = {row for mistake in retained_late(run) for row in mistake}
    for act in run.of("backward", "op"):
        if act.what == "backward" and act.error is None:
            passed |= act.nodes
        elif act.what == "op" and act.name == "retain_grad" and act.args[0].grad_fn in passed and act.row in late:
            yield at(act.row)


def asked_late(run: Run) -> Iterator[Mistake]:
    """A leaf was asked after it was used, a backward ran, and its gradient is None."""
    used: set[int] = set()
    asked: dict[int, list[Any]] = {}
    for act in run.of("op", "asked", "backward", "read"):
        if act.what == "op":
            used |= {id(one) for one in act.operands}
            for one in act.operands:
                asked.pop(id(one), None)
        elif act.what == "asked" and act.to and not act.had and act.leaf and id(act.tensor) in used:
            asked[id(act.tensor)] = [act.row, False]
        elif act.what == "backward" and act.error is None:
            for entry in asked.values():
                entry[1] = True
        elif act.what == "read" and act.result is None and asked.get(id(act.tensor), (0, False))[1]:
            yield at(asked[id(act.tensor)][0])


def grad_dropped(run: Run) -> Iterator[Mistake]:
    """What `autograd.grad` returned was dropped."""
    for act, after in pairwise(run.of("grad", "dropped")):
        if act.what == "grad" and after.what == "dropped" and after.value is act.result:
            yield at(act.row)


def grad_dropped_and_wanted(run: Run) -> Iterator[Mistake]:
    """The same, and the gradient is None where it is looked for."""
    dropped = {row for one in grad_dropped(run) for row in one}
    wanted: dict[int, int] = {}
    for act in run.of("grad", "read", "step"):
        if act.what == "grad" and act.row in dropped:
            wanted |= {id(one): act.row for one in act.inputs}
        elif act.what == "read" and act.result is None and act.leaf and id(act.tensor) in wanted:
            yield at(wanted[id(act.tensor)])
        elif act.what == "step" and not any(_has(state) for state in act.states):
            yield from (at(wanted[id(one)]) for one, *_ in act.states if id(one) in wanted)


# ---- asking


def asked_of_entries(run: Run) -> Iterator[Mistake]:
    """An entry of a state dict is asked, and it is no parameter."""
    entries = {one.data_ptr() for act in run.of("state") for one in act.state.values()}
    for act in run.of("asked"):
        if not isinstance(act.tensor, nn.Parameter) and act.tensor.data_ptr() in entries:
            yield at(act.row)


def entries_frozen(run: Run) -> Iterator[Mistake]:
    """The same where it is asked not to require grad."""
    frozen = {act.row for act in run.of("asked") if not act.to}
    return (one for one in asked_of_entries(run) if one <= frozen)


def asked_of_clone(run: Run) -> Iterator[Mistake]:
    """What is no leaf is asked to require grad."""
    return (at(act.row) for act in run.of("asked", "refused") if act.to and not act.leaf and act.had)


def asked_of_plain_clone(run: Run) -> Iterator[Mistake]:
    """The same of what `clone()` made."""
    for act in run.of("asked"):
        if act.to and not act.leaf and act.had and act.maker == "CloneBackward0":
            yield at(act.row)


def root_asked(run: Run) -> Iterator[Mistake]:
    """A tensor was asked that a backward then starts from, and ends at."""
    asked = {id(act.tensor): act.row for act in run.of("asked") if act.to and not act.had}
    for act in run.of("backward"):
        for root in act.roots:
            if root.grad_fn is None and root.requires_grad:
                yield at(asked.get(id(root), act.row), act.row)


def computed_root_asked(run: Run) -> Iterator[Mistake]:
    """The same of what was computed from tensors."""
    computed = {id(one) for act in run.of("op") if act.operands for one, *_ in act.made}
    asked = {act.row for act in run.of("asked") if id(act.tensor) in computed}
    return (one for one in root_asked(run) if one & asked)


def unfrozen(run: Run) -> Iterator[Mistake]:
    """What had been frozen is asked again."""
    frozen: dict[int, int] = {}
    for act in run.of("asked"):
        if not act.to:
            frozen[id(act.tensor)] = act.row
        elif id(act.tensor) in frozen:
            yield at(act.row, frozen[id(act.tensor)])


def unfrozen_at_once(run: Run) -> Iterator[Mistake]:
    """All that one row froze, and more, is asked by another row before anything used it."""
    frozen: dict[int, set[int]] = {}
    asking: dict[int, set[int]] = {}
    for act in run.of("asked", "backward", "module", "optimizer"):
        if act.what != "asked":
            frozen.clear()
            asking.clear()
        elif not act.to and act.had:
            frozen.setdefault(act.row, set()).add(id(act.tensor))
            asking.clear()
        elif act.to:
            asking.setdefault(act.row, set()).add(id(act.tensor))
            for row, those in frozen.items():
                if row != act.row and those < asking[act.row]:
                    yield at(act.row, row)


# ---- memory that is shared


def aliases_compared(run: Run) -> Iterator[Mistake]:
    """A second handle on memory that was written since is compared with the first."""
    kept: dict[int, tuple[Act, Any, Any]] = {}
    for act in run.of("op"):
        if act.name in ("detach", "data"):
            kept |= {id(one): (act, one, value) for one, value, _ in act.made}
        elif act.name in COMPARING and len(act.operands) > 1:
            for one, now in zip(act.operands, act.values, strict=True):
                made = kept.get(id(one))
                others = [other for other in act.operands if other is not one and id(other) not in kept]
                if made and one.data_ptr() in _pointers(others) and not torch.equal(made[2], now):
                    yield at(made[0].row, act.row)


def hooks_writing(run: Run) -> Iterator[Mistake]:
    """A hook wrote what it was handed."""
    return (frozenset(act.rows) for act in run.of("hooked"))


def rebound(run: Run) -> Iterator[Mistake]:
    """A loop's name was bound to another tensor, and what it named is as it was."""
    for act in run.of("rebound"):
        if isinstance(act.old, torch.Tensor) and isinstance(act.new, torch.Tensor) and act.new is not act.old:
            yield at(act.row)


def rebound_unread(run: Run) -> Iterator[Mistake]:
    """The same where nothing reads the name afterwards."""
    unread = {act.row for act in run.of("rebound") if not act.read}
    return (one for one in rebound(run) if one <= unread)


def state_changed(run: Run) -> Iterator[Mistake]:
    """A state dict is loaded, saved or returned, and is not any more what it was when it was taken."""
    taken: dict[int, tuple[Act, Any]] = {}
    for act in run.of("state", "loaded", "saved", "left"):
        if act.what == "state":
            taken |= {id(one): (act, act.values[key]) for key, one in act.state.items() if key in act.values}
            continue
        for key, now in act.values.items():
            before, value = taken.get(act.ids[key], (None, None))
            if before is not None and not torch.equal(value, now):
                yield at(before.row, act.row)


def spoiled(run: Run) -> Iterator[Mistake]:
    """A backward gave other gradients than with copies of what was saved."""
    if not any(word in run.text for word in (".data", "numpy")):
        return
    true = dict(enumerate(one_run(run.text, run.number, keeping=True).of("backward")))
    for number, act in enumerate(run.of("backward")):
        meant = true[number].arrived if number in true else []
        if act.error is None and len(meant) == len(act.arrived):
            pairs = zip(act.arrived, meant, strict=True)
            if any(not torch.allclose(one, other, equal_nan=True) for (_, one), (_, other) in pairs):
                yield at(act.row)


# ---- modes


def evaluated_with_graph(run: Run) -> Iterator[Mistake]:
    """A module in eval mode recorded a graph that nothing went through."""
    used: dict[Any, None] = {}
    for act in run.of("backward", "grad"):
        used |= act.nodes
    for act in run.of("module"):
        graph = nodes_of([*_tensors(act.result)])
        if not act.training and graph and not act.nested and not any(node in used for node in [*graph][:1]):
            yield at(act.row)


def _tensors(result: Any) -> Iterator[Any]:
    yield from (one for one in (result if isinstance(result, list | tuple) else [result]) if hasattr(one, "grad_fn"))


def _calls(run: Run) -> Iterator[tuple[Act, Act]]:
    """How functions of the program were entered and left."""
    entered: dict[int, Act] = {}
    for act in run.of("entered", "left"):
        if act.what == "entered":
            entered.setdefault(id(act.frame), act)
        elif id(act.frame) in entered:
            yield entered[id(act.frame)], act


def _switched_off(run: Run, code: types.CodeType) -> bool:
    """Whether a function itself switches gradients off."""
    rows = _rows_of(code)
    return any(act.name == "_set_grad_enabled" and act.row in rows and not act.args[0] for act in run.of("op"))


def _rows_of(code: types.CodeType) -> Mistake:
    return frozenset(row for _, _, row in code.co_lines() if row)


def left_off(run: Run) -> Iterator[Mistake]:
    """A function was entered with gradients on and left with them off."""
    for first, last in _calls(run):
        if first.recording and not last.recording and not is_generator(last):
            yield _rows_of(last.code)


def left_off_with_result(run: Run) -> Iterator[Mistake]:
    """The same of a function that gives something back."""
    for first, last in _calls(run):
        leaks = first.recording and not last.recording and not is_generator(last)
        if leaks and last.state is not None and _switched_off(run, last.code):
            yield _rows_of(last.code)


def left_on(run: Run) -> Iterator[Mistake]:
    """A function was entered with gradients off and left with them on."""
    for first, last in _calls(run):
        if not first.recording and last.recording:
            yield _rows_of(last.code)


def always_entered_on(run: Run) -> Iterator[Mistake]:
    """Functions that only callers with gradients on have called."""
    for code in {last.code for _, last in _calls(run)}:
        if all(first.recording for first, last in _calls(run) if last.code is code):
            yield _rows_of(code)


def is_generator(act: Act) -> bool:
    return bool(act.code.co_flags & 0x20)


def yielded_off(run: Run) -> Iterator[Mistake]:
    """A generator that was entered with gradients on gave something with them off."""
    for first, last in _calls(run):
        if is_generator(last) and first.recording and not last.recording and _switched_off(run, last.code):
            yield at(last.row)


def trained_in_eval(run: Run) -> Iterator[Mistake]:
    """A call that had found its module in train mode finds it in eval mode."""
    for row, acts in _by_row(act for act in run.of("module") if act.recording and not act.nested).items():
        modes = [act.training for act in acts]
        if True in modes and False in modes[modes.index(True) :]:
            yield at(row)


def stepped_in_eval(run: Run) -> Iterator[Mistake]:
    """An optimizer moved something after a module in eval mode was called."""
    evaluating = False
    for act in run.of("module", "step"):
        if act.what == "module" and not act.nested:
            evaluating = not act.training
        elif act.what == "step" and act.moved and evaluating and act.functions[-1] != "<module>":
            yield at(act.row)


# ---- graphs that stay


def graphs_growing(run: Run) -> Iterator[Mistake]:
    """What is computed at a row has an ever longer history."""
    for row, acts in _by_row(act for act in run.of("op") if act.made).items():
        sizes: dict[str, list[int]] = defaultdict(list)
        for act in acts:
            if act.made[0][2] is not None:
                sizes[act.name].append(len(_behind([act.made[0][2]])))
        if any(len(each) > 1 and each == sorted(set(each)) for each in sizes.values()):
            yield at(row)


def _behind(nodes: Iterable[Any]) -> dict[Any, None]:
    waiting, found = [*nodes], dict[Any, None]()
    while waiting:
        node = waiting.pop()
        if node not in found:
            found[node] = None
            waiting += [before for before, _ in node.next_functions if before is not None]
    return found


def sums_growing(run: Run) -> Iterator[Mistake]:
    """The same of sums that nothing differentiates."""
    used: dict[Any, None] = {}
    for act in run.of("backward", "grad"):
        used |= act.nodes
    growing = {row for one in graphs_growing(run) for row in one}
    for row, acts in _by_row(run.of("op")).items():
        adding = [act for act in acts if act.name in ADDING and act.made and act.functions[-1] == "<module>"]
        nodes = [act.made[0][2] for act in adding]
        if row in growing and len(nodes) > 2 and None not in nodes and not any(node in used for node in nodes):
            yield at(row)


ADDING = frozenset({"add", "__add__", "__radd__", "__iadd__", "add_"})


def _collected(run: Run) -> Iterator[Act]:
    for act in run.of("method", "stored"):
        if (act.what == "stored" or act.name == "append") and act.given and isinstance(act.given[0], torch.Tensor):
            yield act


def graph_collected(run: Run) -> Iterator[Mistake]:
    """What is put into a container carries a graph."""
    return (at(act.row) for act in _collected(run) if act.size)


def graphs_collected_in_vain(run: Run) -> Iterator[Mistake]:
    """The same, again and again, into a list that stays, and nothing differentiates it later."""
    places = {id(act): number for number, act in enumerate(run.acts)}
    for row, acts in _by_row(_collected(run)).items():
        graphs = [act for act in acts if act.size]
        later = [act for act in run.of("backward", "grad") if places[id(act)] > places[id(acts[0])]]
        reached = any(
            act.given[0].grad_fn in one.nodes and places[id(one)] > places[id(act)] for act in graphs for one in later
        )
        retained = any(act.kept for act in run.of("backward"))
        used_before = {node for one in run.of("backward") for node in one.nodes}
        in_vain = all(
            (act.given[0].grad_fn in used_before) == (acts[0].given[0].grad_fn in used_before) for act in graphs
        )
        if len(graphs) > 2 and len(graphs) == len(acts) and not (reached or retained) and in_vain:
            yield at(row)


def kept_for_nothing(run: Run) -> Iterator[Mistake]:
    """A backward kept its graph, and no other goes through it."""
    runs = [*run.of("backward", "grad")]
    for number, act in enumerate(runs):
        if (
            act.what == "backward"
            and act.kept
            and not any(act.nodes.keys() & one.nodes.keys() - _leaves(act) for one in runs[number + 1 :])
        ):
            yield at(act.row)


def _leaves(act: Act) -> set[Any]:
    return {node for node in act.nodes if hasattr(node, "variable")}


def kept_by_habit(run: Run) -> Iterator[Mistake]:
    """The same of every backward there is, again and again."""
    acts = [*run.of("backward")]
    rows = {act.row for act in acts}
    in_vain = [row for one in kept_for_nothing(run) for row in one]
    if len(rows) == 1 and len(acts) > 1 and len(in_vain) == len(acts) and not any(act.circle for act in acts):
        yield at(*rows)


def circles(run: Run) -> Iterator[Mistake]:
    """A gradient that carries a graph stays to the end."""
    for act in run.of("backward"):
        if act.circle and act.error is None and any(leaf.grad is not None and leaf.grad.grad_fn for leaf in act.leaves):
            yield at(act.row)


# ---- training


def _grads(act: Act) -> list[Any]:
    return [grad for tensor, grad, _ in act.states if tensor.grad is not None or grad is not None]


def nothing_arrives(run: Run) -> Iterator[Mistake]:
    """Every gradient that a backward gives is zero, or it is refused."""
    for act in run.of("backward"):
        if act.error is not None or (act.arrived and not any(one.any() for _, one in act.arrived)):
            yield at(act.row)


FLAT = ("RoundBackward", "FloorBackward", "CeilBackward", "TruncBackward", "SignBackward", "SgnBackward", "FloorDivide")


def flat_everywhere(run: Run) -> Iterator[Mistake]:
    """Every way from a root to a leaf goes through an operation of zero gradient."""
    for act in run.of("backward"):
        waiting, reached, flat = [root.grad_fn for root in act.roots if root.grad_fn is not None], False, False
        seen = set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            if type(node).__name__.startswith(FLAT):
                flat = True
                continue
            reached = reached or hasattr(node, "variable")
            waiting += [before for before, _ in node.next_functions if before is not None]
        if flat and not reached:
            yield at(act.row)


def added_to_used(run: Run) -> Iterator[Mistake]:
    """A backward adds to gradients that a step, or a write by hand, has used."""
    for act in run.of("backward"):
        if act.error is None and any(one is not None for one in act.before):
            yield at(act.row)


def steps_on_mixed(run: Run) -> Iterator[Mistake]:
    """A step uses gradients that were added to what an earlier step had used."""
    filled: dict[int, int] = {}
    for act in run.of("backward", "step"):
        if act.what == "backward" and act.error is None:
            old = {id(leaf) for leaf, grad, _ in act.states if grad is not None and grad in (USED, MIXED)}
            filled |= {id(leaf): act.row for leaf, _ in act.arrived if id(leaf) in old}
        elif act.what == "step":
            rows = {filled[id(one)] for one, grad, _ in act.states if grad == MIXED and id(one) in filled}
            yield from (at(row) for row in rows)


def steps_in_vain(run: Run) -> Iterator[Mistake]:
    """A step finds no gradient each time it runs."""
    steps = [act for act in run.of("step") if act.states]
    return (at(row) for row in _always(steps, lambda act: not any(_has(one) for one in act.states)))


def _has(state: tuple[Any, Any, Any]) -> bool:
    return state[1] in (FRESH, USED, MIXED)


def steps_on_lost(run: Run) -> Iterator[Mistake]:
    """The same where the gradients had been there, and were cleared."""
    vain = {row for one in steps_in_vain(run) for row in one}
    for row, acts in _by_row(run.of("step")).items():
        lost = [any(grad == LOST for _, grad, _ in act.states) for act in acts]
        if row in vain and all(lost[1:]) and any(lost):
            yield at(row)


def steps_without_backward(run: Run) -> Iterator[Mistake]:
    """The same again and again, and no backward runs although a graph is there that could give gradients."""
    held = {id(one) for act in run.of("step") for one, *_ in act.states}
    used = any(id(one) in held and one.requires_grad for act in run.of("op") for one in act.operands)
    for row, acts in _by_row(run.of("step")).items():
        if (
            len(acts) > 1
            and used
            and not [*run.of("backward")]
            and row in {one for s in steps_in_vain(run) for one in s}
        ):
            yield at(row)


def never_stepped(run: Run) -> Iterator[Mistake]:
    """A backward fills gradients that an optimizer holds and none ever uses."""
    stepped = {id(one) for act in run.of("step") for one, *_ in act.states}
    for built in run.of("optimizer"):
        mine = {id(one) for one, _ in built.held}
        for act in run.of("backward"):
            if mine.isdisjoint(stepped) and any(id(leaf) in mine for leaf, _ in act.arrived):
                yield at(act.row)


def cleared_and_never_stepped(run: Run) -> Iterator[Mistake]:
    """The same again and again, by an optimizer that clears."""
    clearing = [act.by for act in run.of("cleared") if isinstance(act.by, torch.optim.Optimizer)]
    held = {id(p) for one in clearing for group in one.param_groups for p in group["params"]}
    read = {id(act.tensor) for act in run.of("read")}
    often = Counter(act.row for act in run.of("backward"))
    arrived = {act.row for act in run.of("backward") if held & {id(leaf) for leaf, _ in act.arrived} - read}
    return (one for one in never_stepped(run) if all(often[row] > 1 and row in arrived for row in one))


def clipped_late(run: Run) -> Iterator[Mistake]:
    """What is clipped was used before."""
    used = {USED}
    return (at(act.row) for act in run.of("clipped") if {grad for _, grad, _ in act.tensors} & used)


def clipped_always_late(run: Run) -> Iterator[Mistake]:
    """The same each time, and nothing uses it afterwards."""
    late = _always(run.of("clipped"), lambda act: _all_in(act, USED) and USED in _stages(act))
    mixed = any(grad in (MIXED, USED) for act in run.of("step") for _, grad, _ in act.states)
    return (at(row) for row in late if not mixed)


def _stages(act: Act) -> set[Any]:
    return {grad for _, grad, _ in act.tensors}


def _all_in(act: Act, *stages: Any) -> bool:
    return bool(act.tensors) and not any(
        tensor.grad is not None and grad not in stages for tensor, grad, _ in act.tensors
    )


def clipped_early(run: Run) -> Iterator[Mistake]:
    """There is nothing to be clipped."""
    empty = _always(run.of("clipped"), lambda act: not any(_has(one) for one in act.tensors))
    return (at(row) for row in empty)


def clipped_before_use(run: Run) -> Iterator[Mistake]:
    """The same, and a step uses what comes later."""
    stepped = {id(one) for act in run.of("step") for one, grad, _ in act.states if grad == FRESH}
    mine = {act.row for act in run.of("clipped") if stepped & {id(one) for one, *_ in act.tensors}}
    return (one for one in clipped_early(run) if one <= mine)


def clipped_scaled(run: Run) -> Iterator[Mistake]:
    """What is clipped is multiplied by the factor of a scaler."""
    for act in run.of("clipped"):
        if any(grad in (FRESH, MIXED) and unit == SCALED for _, grad, unit in act.tensors):
            yield at(act.row)


def spent(run: Run) -> Iterator[Mistake]:
    """An iterator that has nothing more to give is asked."""
    return (at(act.row) for act in run.of("spent"))


def parameters_spent(run: Run) -> Iterator[Mistake]:
    """The same of `parameters()`."""
    return (at(act.row) for act in run.of("spent") if act.by in ("parameters", "named_parameters"))


def held_without_grad(run: Run) -> Iterator[Mistake]:
    """An optimizer was given what never required grad, and it is as it was."""
    for act in run.of("optimizer"):
        for tensor, value in act.held:
            plain = not isinstance(tensor, nn.Parameter) and not tensor.requires_grad and tensor.grad is None
            if plain and torch.equal(tensor, value):
                yield at(act.row)


def replaced(run: Run) -> Iterator[Mistake]:
    """What an optimizer holds was replaced in a module, and no optimizer got the new, though the old one steps."""
    built: list[Act] = []
    held = {id(one) for act in run.of("optimizer") for one, _ in act.held}
    held |= {id(one) for act in run.of("step") for one, *_ in act.states}
    places = {id(act): number for number, act in enumerate(run.acts)}
    for act in run.of("optimizer", "part"):
        if act.what == "optimizer":
            built.append(act)
        else:
            old, new = ({id(one) for one in _own(thing)} for thing in (act.old, act.value))
            steps = [one for one in run.of("step") if places[id(one)] > places[id(act)]]
            mine = [one for one in built if old & {id(tensor) for tensor, _ in one.held}]
            stepped = any(step.optimizer is one.optimizer for step in steps for one in mine)
            if new and stepped and new.isdisjoint(held):
                yield at(act.row)


def _own(thing: Any) -> list[Any]:
    """The parameters of a part of a module."""
    if isinstance(thing, nn.Module):
        return [*thing.parameters()]
    return [thing] if isinstance(thing, nn.Parameter) else []


def cleared_unused(run: Run) -> Iterator[Mistake]:
    """Gradients are cleared that no step has used."""
    for act in run.of("cleared"):
        if any(grad == FRESH for _, grad, _ in act.tensors):
            yield at(act.row)


def accumulation_cleared(run: Run) -> Iterator[Mistake]:
    """The same between steps that come every so often."""
    steps = Counter(act.row for act in run.of("step"))
    often = Counter(act.row for act in run.of("cleared") if act.by)
    fresh = Counter(row for one in cleared_unused(run) for row in one)
    for row, count in often.items():
        if len(steps) == 1 and 1 < min(steps.values()) < count and fresh[row] == count - min(steps.values()):
            yield at(row)


def wasted(run: Run) -> Iterator[Mistake]:
    """A backward filled gradients that were cleared before any step used them."""
    filled: dict[int, int] = {}
    for act in run.of("backward", "cleared"):
        if act.what == "backward":
            filled |= {id(leaf): act.row for leaf, _ in act.arrived}
        else:
            for leaf, grad, _ in act.tensors:
                if grad == FRESH and id(leaf) in filled:
                    yield at(filled[id(leaf)])


def stepped_without(run: Run) -> Iterator[Mistake]:
    """Some of what a step is to move has no gradient."""
    for act in run.of("step"):
        if any(not _has(state) and state[0].requires_grad for state in act.states):
            yield at(act.row)


def held_by_none(run: Run) -> Iterator[Mistake]:
    """A parameter of a module has a gradient, and no optimizer ever held it."""
    held = {id(one) for act in run.of("optimizer") for one, _ in act.held}
    held |= {id(one) for act in run.of("step") for one, *_ in act.states}
    arrived = {id(leaf) for act in run.of("backward") for leaf, _ in act.arrived}
    orphans = {id(p) for act in run.of("built") for p in act.module.parameters()} & arrived - held
    return (at(act.row) for act in run.of("optimizer") if orphans)


# ---- modules and functions


def unregistered(run: Run) -> Iterator[Mistake]:
    """An attribute of a module holds what the module does not know of."""
    for act in run.of("part"):
        known = {id(one) for one in act.module.parameters()} | {id(one) for one in act.module.buffers()}
        things = [*_held(act.value)] if getattr(act.module, act.name, None) is act.value else []
        if any(id(one) not in known for thing in things for one in _learnt(thing)):
            yield at(act.row)


def _held(value: Any) -> Iterator[Any]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    if isinstance(value, torch.Tensor | nn.Module):
        yield value
    for part in parts:
        yield from _held(part)


def _learnt(thing: Any) -> list[Any]:
    if isinstance(thing, nn.Module):
        return [*thing.parameters()]
    return [thing] if thing.requires_grad else []


def several_unregistered(run: Run) -> Iterator[Mistake]:
    """The same of a list of several."""
    several = {act.row for act in run.of("part") if isinstance(act.value, list | dict) and len(act.value) > 1}
    return (one for one in unregistered(run) if one <= several)


def leaf_unregistered(run: Run) -> Iterator[Mistake]:
    """The same of one leaf."""
    leaves = {act.row for act in run.of("part") if isinstance(act.value, torch.Tensor) and act.value.is_leaf}
    return (one for one in unregistered(run) if one <= leaves)


def parameter_moved(run: Run) -> Iterator[Mistake]:
    """What a module is given was computed from a parameter that nobody holds."""
    for act in run.of("part"):
        if _is_computed(act.value):
            leaves = [getattr(node, "variable", None) for node in nodes_of([act.value])]
            own = [one for one in leaves if isinstance(one, nn.Parameter)]
            known = {id(one) for one in act.module.parameters()} | {id(one) for one in run.space.values()}
            if own and not any(id(one) in known for one in own):
                yield at(act.row)


def buffers_asking(run: Run) -> Iterator[Mistake]:
    """A buffer requires grad."""
    return (at(act.row) for act in run.of("buffer") if act.tensor is not None and act.tensor.requires_grad)


def forward_called(run: Run) -> Iterator[Mistake]:
    """`forward` of another module is called by its name."""
    return (at(act.row) for act in run.of("forward") if act.written not in ("self", "super()"))


def made_in_forward(run: Run) -> Iterator[Mistake]:
    """A parameter or a layer with parameters is made while `forward` runs."""
    for act in run.of("parameter", "built"):
        made = act.result if act.what == "parameter" else act.module
        if "forward" in act.functions and _learnt(made):
            yield at(act.row)


def made_in_each_forward(run: Run) -> Iterator[Mistake]:
    """The same each time, in `forward` itself."""
    calls = Counter(act.code for act in run.of("entered") if act.code.co_name == "forward")
    rows = Counter(act.row for act in run.of("parameter", "built") if act.functions[-1] == "forward")
    made = {row for one in made_in_forward(run) for row in one}
    for code, times in calls.items():
        yield from (at(row) for row in made & _rows_of(code) if rows[row] >= times)


def computed_wrapped(run: Run) -> Iterator[Mistake]:
    """A parameter is made of a tensor that carries a graph."""
    for act in run.of("parameter"):
        if isinstance(act.data, torch.Tensor) and act.data.grad_fn is not None:
            yield at(act.row)


def computed_wrapped_in_forward(run: Run) -> Iterator[Mistake]:
    """The same in `forward`."""
    inside = {act.row for act in run.of("parameter") if act.functions[-1] == "forward"}
    return (one for one in computed_wrapped(run) if one <= inside)


def grads_without_graph(run: Run) -> Iterator[Mistake]:
    """What `autograd.grad` gives has no history."""
    return (at(act.row) for act in run.of("grad") if not any(one.requires_grad for one in _tensors(act.result)))


SQUASHING = {"cross_entropy": "Softmax", "nll_loss": "Softmax", "binary_cross_entropy_with_logits": "Sigmoid"}


def squashed_twice(run: Run) -> Iterator[Mistake]:
    """A loss that takes scores is given what a softmax or a sigmoid made."""
    made: dict[int, str] = {}
    for act in run.of("op"):
        made |= {id(one): act.name for one, *_ in act.made}
        squash = next((by for loss, by in SQUASHING.items() if act.name.startswith(loss)), None)
        if squash and act.operands and made.get(id(act.operands[0]), "").lower() == squash.lower():
            yield at(act.row)


def kept_on_context(run: Run) -> Iterator[Mistake]:
    """A tensor is set on the context of a custom function."""
    for act in run.of("set"):
        if isinstance(act.owner, torch.autograd.function.FunctionCtx) and isinstance(act.value, torch.Tensor):
            yield at(act.row)


def argument_kept_on_context(run: Run) -> Iterator[Mistake]:
    """The same of an argument with which one differentiates."""
    real = {
        act.row
        for act in run.of("set")
        if act.argument and isinstance(act.value, torch.Tensor) and act.value.is_floating_point()
    }
    return (one for one in kept_on_context(run) if one <= real)


def inputs_written(run: Run) -> Iterator[Mistake]:
    """A function writes in place what it was handed."""
    return (at(act.row) for act in run.of("op") if act.written and act.functions[-1] == "forward")


def copied(run: Run) -> Iterator[Mistake]:
    """`torch.tensor` is given a tensor that requires grad, with gradients on."""
    for act in run.of("op"):
        if act.name == "tensor" and act.recording and any(one.requires_grad for one in act.operands):
            yield at(act.row)


def warning(words: str) -> Sight:
    """torch warns."""

    def seen(run: Run) -> Iterator[Mistake]:
        return (at(act.row) for act in run.of("warned") if words in act.words)

    return seen
