"""What torch does that no row says: the states of a tensor, who shares memory, and what each mode changes.

The interpreter is written against these facts; each is measured on the installed torch.
"""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import Any

import pytest
import torch
from torch import nn

torch.set_num_threads(1)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

Flags = tuple[bool, bool]
PLAIN: Flags = (False, True)
LEAF: Flags = (True, True)
RECORDED: Flags = (True, False)


def flags(tensor: torch.Tensor) -> Flags:
    """Whether it requires grad, and whether it is a leaf."""
    return tensor.requires_grad, tensor.is_leaf


def leaf() -> torch.Tensor:
    return torch.ones(2, 2, requires_grad=True)


def off(make: Any) -> torch.Tensor:
    with torch.no_grad():
        return make()


def inference(make: Any) -> torch.Tensor:
    with torch.inference_mode():
        return make()


class Unmarked(torch.autograd.Function):
    """Marks its output as not differentiable."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        result = x.clone()
        ctx.mark_non_differentiable(result)
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> Any:
        return gradients[0]


def kept_entry() -> torch.Tensor:
    entry = nn.Linear(2, 2).state_dict(keep_vars=True)["weight"]
    assert isinstance(entry, torch.Tensor)
    return entry


def retained() -> torch.Tensor:
    made = leaf() * 2
    made.retain_grad()
    return made


# how made: its flags; what requires_grad_(True), requires_grad_(False), retain_grad() do ("raises", or the flags then)
STATES: dict[str, tuple[Any, Flags, object, object, object]] = {
    "a factory": (lambda: torch.ones(2), PLAIN, LEAF, PLAIN, "raises"),
    "a leaf": (leaf, LEAF, LEAF, PLAIN, LEAF),
    "a result": (lambda: leaf() * 2, RECORDED, RECORDED, "raises", RECORDED),
    "a result that retains": (retained, RECORDED, RECORDED, "raises", RECORDED),
    "a result, detached in place": (lambda: (leaf() * 2).detach_(), PLAIN, LEAF, PLAIN, "raises"),
    "a result under no_grad": (lambda: off(lambda: leaf() * 2), PLAIN, LEAF, PLAIN, "raises"),
    "a view of a leaf under no_grad": (lambda: off(lambda: leaf()[0]), LEAF, LEAF, LEAF, LEAF),
    "a view of a result under no_grad": (lambda: off(lambda: VIEWED[0]), LEAF, LEAF, LEAF, LEAF),
    "a factory that asks under no_grad": (lambda: off(leaf), LEAF, LEAF, PLAIN, LEAF),
    "a factory that asks under inference mode": (lambda: inference(leaf), LEAF, "raises", PLAIN, LEAF),
    "a result under inference mode": (lambda: inference(lambda: leaf() * 2), PLAIN, "raises", PLAIN, "raises"),
    "a view of a normal leaf under inference mode": (lambda: inference(lambda: NORMAL[0]), LEAF, LEAF, LEAF, LEAF),
    "whole numbers": (lambda: torch.ones(2, dtype=torch.int64), PLAIN, "raises", PLAIN, "raises"),
    "an argmax": (lambda: leaf().argmax(), PLAIN, "raises", PLAIN, "raises"),
    "a comparison": (lambda: leaf() > 0, PLAIN, "raises", PLAIN, "raises"),
    "an output marked as not differentiable": (lambda: Unmarked.apply(leaf()), PLAIN, LEAF, PLAIN, "raises"),
    "a parameter": (lambda: nn.Parameter(torch.ones(2)), LEAF, LEAF, PLAIN, LEAF),
    "a parameter from a result": (lambda: nn.Parameter(leaf() * 2), LEAF, LEAF, PLAIN, LEAF),
    "a frozen parameter": (lambda: nn.Parameter(torch.ones(2), False), PLAIN, LEAF, PLAIN, "raises"),
    "a parameter's data": (lambda: nn.Parameter(torch.ones(2)).data, PLAIN, LEAF, PLAIN, "raises"),
    "a detached leaf": (lambda: leaf().detach(), PLAIN, LEAF, PLAIN, "raises"),
    "a cloned leaf": (lambda: leaf().clone(), RECORDED, RECORDED, "raises", RECORDED),
    "an entry of a state dict": (lambda: nn.Linear(2, 2).state_dict()["weight"], PLAIN, LEAF, PLAIN, "raises"),
    "an entry of a state dict with keep_vars": (lambda: kept_entry(), LEAF, LEAF, PLAIN, LEAF),
    "a buffer": (lambda: nn.BatchNorm1d(2).running_mean, PLAIN, LEAF, PLAIN, "raises"),
    "a deep copy of a leaf": (lambda: copy.deepcopy(leaf()), LEAF, LEAF, PLAIN, LEAF),
    "a deep copy of a parameter": (lambda: copy.deepcopy(nn.Parameter(torch.ones(2))), LEAF, LEAF, PLAIN, LEAF),
    "a shallow copy of a leaf": (lambda: copy.copy(leaf()), LEAF, LEAF, PLAIN, LEAF),
    "the gradient of a leaf": (lambda: graded().grad, PLAIN, LEAF, PLAIN, "raises"),
}  # fmt: skip

LAYER = nn.Linear(2, 2)
VIEWED = leaf() * 2
NORMAL = leaf()


def graded(**keywords: Any) -> torch.Tensor:
    made = leaf()
    (made * made).sum().backward(**keywords)
    return made


def after(made: torch.Tensor, act: Any) -> object:
    """The flags after acting on a tensor, or "raises"."""
    try:
        act(made)
    except RuntimeError:
        return "raises"
    return flags(made)


@pytest.mark.parametrize("state", STATES)
def test_each_state_of_a_tensor_allows_what_it_allows(state: str) -> None:
    make, first, to_yes, to_no, retaining = STATES[state]
    assert flags(make()) == first
    assert after(make(), lambda t: t.requires_grad_(True)) == to_yes
    assert after(make(), lambda t: t.requires_grad_(False)) == to_no
    assert after(make(), lambda t: setattr(t, "requires_grad", True)) == (to_yes if first[1] else "raises")
    assert after(make(), lambda t: setattr(t, "requires_grad", False)) == to_no
    assert after(make(), lambda t: t.retain_grad()) == retaining


@pytest.mark.parametrize("state", STATES)
def test_only_a_result_retains_after_retain_grad(state: str) -> None:
    make, first, *_, retaining = STATES[state]
    if retaining != "raises":
        made = make()
        made.retain_grad()
        assert made.retains_grad == (first == RECORDED)


def test_requires_grad_underscore_gives_the_tensor_itself_and_defaults_to_true() -> None:
    made = torch.ones(2)
    assert made.requires_grad_() is made and made.requires_grad


def test_any_name_may_be_set_on_a_tensor_and_does_nothing() -> None:
    made = torch.ones(2)
    made.require_grad = True
    assert not made.requires_grad


# ---- memory


def shares(a: torch.Tensor, b: torch.Tensor) -> bool:
    return a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()


SHARED = {
    "a parameter and what it was made from": (lambda t: nn.Parameter(t), True),
    "data": (lambda t: t.data, True),
    "detach": (lambda t: t.detach(), True),
    "a view": (lambda t: t[0], True),
    "numpy and back": (lambda t: torch.from_numpy(t.detach().numpy()), True),
    "a shallow copy": (lambda t: copy.copy(t), True),
    "an element while iterating": (lambda t: next(iter(t)), True),
    "clone": (lambda t: t.clone(), False),
    "a deep copy": (lambda t: copy.deepcopy(t), False),
    "torch.tensor of a tensor": (lambda t: torch.tensor(t), False),
    "tolist and back": (lambda t: torch.tensor(t.tolist()), False),
    "an index by a list": (lambda t: t[[0]], False),
    "arithmetic": (lambda t: t + 0, False),
}


@pytest.mark.parametrize("how", SHARED)
def test_who_shares_memory(how: str) -> None:
    make, expected = SHARED[how]
    original = leaf()
    assert shares(make(original), original) == expected


def test_a_state_dict_shares_the_memory_of_the_parameters_and_is_new_each_time() -> None:
    first, second = LAYER.state_dict(), LAYER.state_dict()
    assert type(first) is OrderedDict and first is not second
    assert shares(first["weight"], LAYER.weight) and first["weight"] is not LAYER.weight
    assert LAYER.state_dict(keep_vars=True)["weight"] is LAYER.weight


def test_load_state_dict_writes_the_parameters_in_place() -> None:
    layer = nn.Linear(2, 2)
    parameter, version = layer.weight, layer.weight._version
    layer.load_state_dict({name: torch.zeros_like(value) for name, value in layer.state_dict().items()})
    assert layer.weight is parameter and parameter._version > version and not parameter.any()


def test_assigning_to_data_keeps_the_handle_and_changes_its_memory() -> None:
    made, other = leaf(), torch.zeros(2, 2)
    before, version = id(made), made._version
    made.data = other
    assert id(made) == before and shares(made, other) and flags(made) == LEAF and made._version == version


def test_moving_a_module_keeps_its_parameters_and_changes_their_memory_only_if_the_dtype_changes() -> None:
    layer = nn.Linear(2, 2)
    parameter, memory = layer.weight, layer.weight.data_ptr()
    assert layer.to("cpu") is layer and layer.weight is parameter and parameter.data_ptr() == memory
    assert layer.double() is layer and layer.weight is parameter and parameter.data_ptr() != memory
    assert flags(parameter) == LEAF


def test_numpy_refuses_what_requires_grad_unless_gradients_are_off() -> None:
    with pytest.raises(RuntimeError, match="detach"):
        leaf().numpy()
    with torch.no_grad():
        leaf().numpy()
    leaf().detach().numpy()
    leaf().numpy(force=True)


def test_a_deep_copy_of_a_result_raises() -> None:
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(leaf() * 2)


def test_iterating_a_tensor_gives_views_that_require_grad() -> None:
    assert [(row._is_view(), *flags(row)) for row in leaf()] == [(True, *RECORDED)] * 2


# ---- writing in place


def add_to(tensor: torch.Tensor) -> None:
    tensor += 1


WRITES = {
    "a leaf that requires grad": (leaf, lambda t: t.add_(1), True),
    "by augmented assignment": (leaf, add_to, True),
    "by index": (leaf, lambda t: t.__setitem__(0, 1.0), True),
    "through a view": (leaf, lambda t: t[0].add_(1), True),
    "through a view's index": (leaf, lambda t: t.t().__setitem__(0, 1.0), True),
    "through data": (leaf, lambda t: t.data.add_(1), False),
    "through detach": (leaf, lambda t: t.detach().add_(1), False),
    "a copy by mask": (leaf, lambda t: t[t > 0].add_(1), False),
    "under no_grad": (leaf, lambda t: off(lambda: t.add_(1)), False),
    "under inference mode": (leaf, lambda t: inference(lambda: t.add_(1)), False),
    "a result": (lambda: leaf() * 2, lambda t: t.add_(1), False),
    "a leaf that requires none": (lambda: torch.ones(2, 2), lambda t: t.add_(leaf()), False),
    "by nn.init": (leaf, lambda t: nn.init.zeros_(t), False),
    "an element of unbind": (lambda: leaf() * 2, lambda t: t.unbind()[0].add_(1), True),
    "an element of chunk": (lambda: leaf() * 2, lambda t: t.chunk(2)[0].add_(1), True),
    "an element while iterating": (lambda: leaf() * 2, lambda t: next(iter(t)).add_(1), True),
    "a view of a result": (lambda: leaf() * 2, lambda t: t[0].add_(1), False),
}


@pytest.mark.parametrize("what", WRITES)
def test_what_torch_lets_be_written_with_gradients_on(what: str) -> None:
    make, write, raises = WRITES[what]
    assert (after(make(), write) == "raises") == raises


def test_augmented_assignment_keeps_the_object_and_gives_it_a_new_node() -> None:
    made = leaf() * 2
    before, node = made, made.grad_fn
    made += 1
    assert made is before and made.grad_fn is not node and flags(made) == RECORDED


def test_augmented_matrix_product_rebinds() -> None:
    made = torch.ones(2, 2)
    before = made
    made @= torch.ones(2, 2)
    assert made is not before


def test_writing_what_requires_grad_into_a_plain_tensor_makes_it_and_its_base_require_grad() -> None:
    base = torch.zeros(2, 2)
    base[0] = leaf()[0]
    assert flags(base) == RECORDED
    base = torch.zeros(2, 2)
    view = base[0]
    view.add_(leaf()[0])
    assert flags(base) == RECORDED and flags(view) == RECORDED


def test_writing_a_result_moves_its_earlier_views_to_the_new_graph() -> None:
    made = leaf() * 2
    view = made[0]
    node = view.grad_fn
    made.mul_(3)
    assert view.grad_fn is not node and flags(view) == RECORDED


def test_versions_are_shared_by_views_and_detach_and_not_by_data() -> None:
    made = torch.ones(2, 2)
    made[0].add_(1)
    assert made._version == 1
    made.detach().add_(1)
    assert made._version == 2
    made.data.add_(1)
    assert made._version == 2
    made.detach().numpy()[0] = 5
    assert made._version == 2


def stale(write: Any) -> bool:
    """Whether backward notices that a saved tensor was written."""
    made = leaf()
    saved = made * 1
    result = saved * saved
    write(saved)
    try:
        result.sum().backward()
    except RuntimeError:
        return True
    return False


def test_backward_notices_writes_but_those_through_data_and_numpy() -> None:
    assert stale(lambda t: t.add_(1))
    assert stale(lambda t: t.detach().add_(1))
    assert stale(lambda t: off(lambda: t.add_(1)))
    assert stale(lambda t: off(lambda: t[0].add_(1)))
    assert not stale(lambda t: t.data.add_(1))
    assert not stale(lambda t: t.detach().numpy().fill(5))
    assert not stale(lambda t: t + 1)


def test_no_name_of_torch_stands_for_a_tensor() -> None:
    homes = (torch, torch.nn, torch.nn.functional, torch.linalg, torch.special, torch.fft, torch.autograd, torch.optim)
    assert [name for home in homes for name, held in vars(home).items() if isinstance(held, torch.Tensor)] == []
