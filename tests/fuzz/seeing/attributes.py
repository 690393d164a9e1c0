"""What is seen of attributes, methods and flags that have no effect."""

from __future__ import annotations

import re
import types
from collections.abc import Iterator

import torch
from torch import nn

from tests.fuzz.acts import Act, Run
from tests.fuzz.seeing import Mistake, at, warning


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
    """A new attribute that speaks of gradients in other words than torch, that the program never reads."""
    for act in run.of("set"):
        ours = isinstance(act.owner, torch.Tensor | nn.Module) and not hasattr(type(act.owner), act.name)
        unread = re.search(rf"\.{act.name}\b(?! = )", run.text) is None
        speaks = "requ" in act.name and "grad" in act.name.lower() and act.name != "requires_grad"
        if ours and act.plain and unread and speaks and act.written != "self":
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
            kinds = (torch.Tensor, nn.Module)
            another = any(isinstance(act.value, kind) and isinstance(last.owner, kind) for kind in kinds)
            if another and (act.value is not last.owner or not last.name.endswith("_")):
                yield last
        last = act if act.what == "method" else None


def result_dropped(run: Run) -> Iterator[Mistake]:
    return (at(act.row) for act in _dropped(run))


def change_dropped(run: Run) -> Iterator[Mistake]:
    """What was dropped is not what the tensor is, and there is a way to write it."""
    for act in _dropped(run):
        owner, result = act.owner, act.result
        if not isinstance(owner, torch.Tensor):
            continue
        twin = hasattr(owner, f"{act.name}_") and act.name not in ("set", "apply")
        named = act.written.isidentifier()
        other = (owner.dtype, owner.requires_grad) != (result.dtype, result.requires_grad)
        if named and (twin or (other and act.name in ("float", "double", "detach", "to", "long", "half"))):
            yield at(act.row)


def mode_dropped(run: Run) -> Iterator[Mistake]:
    """A grad mode was made and dropped."""
    modes = (torch.no_grad, torch.enable_grad, torch.inference_mode)
    return (at(act.row) for act in run.of("dropped") if isinstance(act.value, modes))


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


def asked_in_passing(run: Run) -> Iterator[Mistake]:
    """A leaf is asked that is no parameter, and that requires no grad."""
    return (at(act.row) for act in run.of("asked") if not act.had and not isinstance(act.tensor, nn.Parameter))


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
        yield from (at(asked.get(id(root), act.row), act.row) for root in act.own)


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


def volatile(run: Run) -> Iterator[Mistake]:
    """torch warns that `volatile` has no effect, where it is switched on."""
    off = {act.row for act in run.of("set") if act.value is False}
    return (one for one in warning("volatile was removed")(run) if not one & off)
