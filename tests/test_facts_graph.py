"""What torch does that no row says: backward, inference mode and modules.

The interpreter is written against these facts; each is measured on the installed torch.
"""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import torch
from torch import nn

torch.set_num_threads(1)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

PLAIN, RECORDED = (False, True), (True, False)


def flags(tensor: torch.Tensor) -> tuple[bool, bool]:
    """Whether it requires grad, and whether it is a leaf."""
    return tensor.requires_grad, tensor.is_leaf


def leaf() -> torch.Tensor:
    return torch.ones(2, 2, requires_grad=True)


def graded(**keywords: Any) -> torch.Tensor:
    made = leaf()
    (made * made).sum().backward(**keywords)
    return made


def inference(make: Any) -> torch.Tensor:
    with torch.inference_mode():
        return make()


NORMAL = leaf()


# ---- backward


def test_backward_fills_the_gradient_of_leaves_and_of_results_that_retain() -> None:
    made = leaf()
    middle, kept = made * 2, made * 3
    kept.retain_grad()
    (middle + kept).sum().backward()
    assert made.grad is not None and middle.grad is None and kept.grad is not None


def test_retain_grad_after_backward_fills_nothing() -> None:
    made = leaf() * 2
    made.sum().backward()
    made.retain_grad()
    assert made.grad is None and made.retains_grad


def test_a_second_backward_raises_iff_something_was_saved() -> None:
    saving, saved_none = (leaf() * leaf()).sum(), leaf().sum()
    saving.backward()
    with pytest.raises(RuntimeError, match="second time"):
        saving.backward()
    saved_none.backward()
    saved_none.backward()
    kept = (leaf() * leaf()).sum()
    kept.backward(retain_graph=True)
    kept.backward()


def test_gradients_add_up_in_place_in_the_same_tensor() -> None:
    made = graded()
    first, values = made.grad, made.grad.clone()
    (made * made).sum().backward()
    assert made.grad is first and torch.equal(made.grad, 2 * values)


def test_backward_needs_a_root_that_requires_grad_and_is_a_number() -> None:
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.ones(()).backward()
    with pytest.raises(RuntimeError, match="scalar"):
        (leaf() * 2).backward()
    (leaf() * 2).sum().reshape(1).backward()
    (leaf() * 2).backward(torch.ones(2, 2))


def test_backward_under_no_grad_works_on_a_graph_made_outside() -> None:
    made = leaf()
    loss = (made * 2).sum()
    with torch.no_grad():
        loss.backward()
    assert made.grad is not None


def test_autograd_grad_fills_no_gradient_and_gives_a_tuple() -> None:
    made = leaf()
    given = torch.autograd.grad((made * made).sum(), made)
    assert type(given) is tuple and made.grad is None and flags(given[0]) == PLAIN
    (given,) = torch.autograd.grad((made * made).sum(), made, create_graph=True)
    assert flags(given) == RECORDED


def test_create_graph_gives_gradients_a_graph() -> None:
    assert flags(graded(create_graph=True).grad) == RECORDED


def test_a_gradient_must_fit_its_tensor() -> None:
    made = leaf()
    made.grad = None
    made.grad = torch.ones(2, 2)
    for wrong, error in ((1, TypeError), (torch.ones(3), RuntimeError), (torch.ones(2, 2).double(), RuntimeError)):
        with pytest.raises(error):
            made.grad = wrong


def test_reading_the_gradient_of_a_result_warns_and_gives_none() -> None:
    with pytest.warns(UserWarning, match="not a leaf"):
        assert (leaf() * 2).grad is None


# ---- inference mode


def test_inference_tensors_may_not_be_saved_or_written_outside() -> None:
    made = inference(lambda: torch.ones(2, 2))
    assert made.is_inference() and not inference(lambda: NORMAL.detach()).is_inference()
    assert flags(made + leaf()) == RECORDED
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved"):
        made * leaf()
    with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
        made.add_(1)
    assert not made.clone().is_inference()


def test_enable_grad_inside_inference_mode_records_nothing() -> None:
    with torch.inference_mode(), torch.enable_grad():
        assert torch.is_grad_enabled() and flags(leaf() * 2) == PLAIN
    with torch.no_grad(), torch.enable_grad():
        assert flags(leaf() * 2) == RECORDED


def test_inference_mode_false_turns_gradients_on_even_inside_no_grad() -> None:
    with torch.no_grad(), torch.inference_mode(False):
        assert torch.is_grad_enabled()


def test_a_generator_runs_under_the_mode_of_its_decorator_only_between_its_yields() -> None:
    @torch.no_grad()
    def values() -> Any:
        yield torch.is_grad_enabled()

    generator = values()
    assert next(generator) is False and torch.is_grad_enabled()

    def entered() -> Any:
        with torch.no_grad():
            yield

    iterator = entered()
    next(iterator)
    assert not torch.is_grad_enabled()
    iterator.close()
    assert torch.is_grad_enabled()


# ---- modules


def test_eval_and_train_change_the_mode_of_all_parts_and_no_gradient() -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Dropout())
    assert model.eval() is model and not model[1].training and model[0].weight.requires_grad
    assert flags(model(torch.ones(1, 2))) == RECORDED
    assert model.train() is model and model[1].training


def test_freezing_a_module_freezes_its_parameters_and_assigning_the_flag_does_nothing() -> None:
    layer = nn.Linear(2, 2)
    layer.requires_grad = False
    assert layer.weight.requires_grad
    assert layer.requires_grad_(False) is layer and not layer.weight.requires_grad


def test_attributes_register_parameters_and_modules_only() -> None:
    module = nn.Module()
    module.parameter, module.tensor, module.part, module.parts = (
        nn.Parameter(torch.ones(1)),
        leaf(),
        nn.Linear(1, 1),
        [nn.Linear(1, 1)],
    )
    assert [name for name, _ in module.named_parameters()] == ["parameter", "part.weight", "part.bias"]
    with pytest.raises(TypeError):
        module.parameter = torch.ones(1)
    module.parameter = None
    assert [name for name, _ in module.named_parameters()] == ["part.weight", "part.bias"]


def test_parameters_is_used_up_by_one_pass() -> None:
    parameters = nn.Linear(2, 2).parameters()
    assert len(list(parameters)) == 2 and not list(parameters)


def test_arithmetic_on_a_parameter_gives_a_plain_result() -> None:
    made = nn.Parameter(torch.ones(2)) * 2
    assert type(made) is torch.Tensor and flags(made) == RECORDED
    assert type(nn.Parameter(torch.ones(2)).detach()) is torch.Tensor
    assert type(nn.Parameter(torch.ones(2)).data) is torch.Tensor


def test_a_module_clears_gradients_to_none() -> None:
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    layer.zero_grad()
    assert layer.weight.grad is None


def test_a_second_backward_after_an_optimizer_step_notices_the_write() -> None:
    first, second = nn.Linear(2, 2), nn.Linear(2, 2)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
    loss = second(first(torch.ones(1, 2))).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.parametrize(
    ("let_go", "freed"),
    [
        (lambda module: module.zero_grad(), True),
        (lambda module: module.zero_grad(set_to_none=False), True),
        (lambda module: [one.grad.detach_() for one in module.parameters()], True),
        (lambda module: [one.grad.zero_() for one in module.parameters()], False),
        (lambda module: None, False),
    ],
)
def test_a_gradient_off_its_graph_frees_what_create_graph_kept(let_go: Any, freed: bool) -> None:
    module, given = nn.Linear(2, 1), torch.ones(3, 2) * 2
    seen = weakref.ref(given)
    module(given).pow(2).sum().backward(create_graph=True)
    let_go(module)
    del given
    gc.collect()
    assert (seen() is None) is freed
