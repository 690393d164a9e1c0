"""What is seen of gradients that are not there, and of memory that is shared."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import torch

from tests.fuzz.acts import COMPARING, Act, Run
from tests.fuzz.seeing import Mistake, always, at, has_gradient
from tests.fuzz.telling import guarded
from tests.fuzz.witness import one_run


def _nothing(act: Act) -> bool:
    return act.result is None and not act.leaf and not act.retains and act.asking


def non_leaf_read(run: Run) -> Iterator[Mistake]:
    """The gradient of what is no leaf is read, and is None."""
    return (at(act.row) for act in run.of("read") if _nothing(act))


def non_leaf_always_read(run: Run) -> Iterator[Mistake]:
    """The same where every read of the row is so and none only asks."""
    asking = guarded(run.text)
    return (at(row) for row in always(run.of("read"), _nothing) if row not in asking)


def made_what_has_none(run: Run) -> Iterator[Mistake]:
    """What is made here is no leaf, requires grad, and its gradient is read and None, or it is stepped or kept."""
    lacking = {id(act.tensor) for act in run.of("read") if _nothing(act)}
    lacking |= {id(act.value) for act in run.of("part") if act.computed}
    for act in run.of("op"):
        if any(id(one) in lacking for one, *_ in act.made):
            yield at(act.row)
    yield from non_leaf_read(run)


def retained_late(run: Run) -> Iterator[Mistake]:
    """A gradient was to be retained, and is None where it is read afterwards."""
    found = (act for act in run.of("read") if act.result is None and act.retains and not act.leaf)
    none = {id(act.tensor): act.row for act in found}
    for act in run.of("op"):
        if act.name == "retain_grad" and id(act.args[0]) in none:
            yield at(act.row, none[id(act.args[0])])


def retained_after_backward(run: Run) -> Iterator[Mistake]:
    """The same where the backward had passed already."""
    passed: dict[Any, None] = {}
    late = {row for mistake in retained_late(run) for row in mistake}
    for act in run.of("backward", "op"):
        if act.what == "backward" and act.error is None:
            passed |= act.nodes
        elif act.what == "op" and act.name == "retain_grad" and act.args[0].grad_fn in passed and act.row in late:
            yield from (one for one in retained_late(run) if act.row in one)


def asked_late(run: Run) -> Iterator[Mistake]:
    """A leaf was asked after it was used, a backward ran, and its gradient is None: whatever unseen code computed from
    it meanwhile, and dropped."""
    used: set[int] = set()
    asked: dict[int, list[Any]] = {}
    for act in run.of("op", "asked", "backward", "read"):
        if act.what == "op":
            used |= {id(one) for one in act.operands}
            for one in act.operands if act.direct else ():
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
        elif act.what == "step" and not any(has_gradient(state) for state in act.states):
            yield from (at(wanted[id(one)]) for one, *_ in act.states if id(one) in wanted)


def copied(run: Run) -> Iterator[Mistake]:
    """`torch.tensor` is given a tensor that requires grad, with gradients on."""
    for act in run.of("op"):
        if act.name == "tensor" and act.recording and act.asking:
            yield at(act.row)


def memory_compared(run: Run) -> Iterator[Mistake]:
    """What is compared is twice the same memory, which was written since it was made."""
    making = {act.row for act in run.of("built", "parameter")}
    written: set[int] = set()
    for act in run.of("op", "step"):
        if act.what == "step":
            written |= {one.data_ptr() for one, *_ in act.states if act.moved}
            continue
        if act.row not in making:
            written |= {one.data_ptr() for one in act.written}
        pointers = [one.data_ptr() for one in act.operands] if act.name in COMPARING else []
        if len(set(pointers)) < len(pointers) and not written.isdisjoint(pointers):
            yield at(act.row)


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
                if (
                    made
                    and any(one.data_ptr() == other.data_ptr() for other in others)
                    and not torch.equal(made[2], now)
                ):
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


def state_taken_again(run: Run) -> Iterator[Mistake]:
    """The state of a module is taken more than once, and it has changed in between: each is what the last one is."""
    taken: dict[int, list[Act]] = {}
    for act in run.of("state"):
        earlier = taken.setdefault(id(act.module), [])
        if any(not torch.equal(before.values[key], act.values[key]) for before in earlier for key in act.values):
            yield from (at(one.row, act.row) for one in [*earlier, act])
        earlier.append(act)


def module_named_again(run: Run) -> Iterator[Mistake]:
    """A module is bound to a name or set as an attribute; whether that name was to keep what it was, nobody sees."""
    return (at(act.row) for act in run.of("named again", "set") if isinstance(act.value, torch.nn.Module))


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
