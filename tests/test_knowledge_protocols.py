"""Row == measured for what drives a training loop: GradScalers, schedulers, closures, clipping."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import pytest
import torch

from gradlint.knowledge.schema import ClearingRow, ClipRow, ManagerRow, OptimizerRow, ScalerRow, SchedulerRow
from gradlint.testing.measuring import TABLES, resolve

torch.set_num_threads(1)

pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"), pytest.mark.filterwarnings("ignore::FutureWarning")]

FACTOR = 65536.0


def parameter() -> torch.Tensor:
    return torch.ones(2, requires_grad=True)


def sgd(*tensors: torch.Tensor, **options: Any) -> torch.optim.SGD:
    return torch.optim.SGD(tensors, **({"lr": 1.0} | options))


# ---- scalers

WORKING = [row for row in TABLES.scalers.values() if row.example]
each_scaler = pytest.mark.parametrize("row", TABLES.scalers.values(), ids=lambda row: row.path)
each_working_scaler = pytest.mark.parametrize("row", WORKING, ids=lambda row: row.path)


def made(row: ScalerRow) -> Any:
    return eval(row.example, {"torch": torch})  # examples are our own rows


@each_scaler
def test_enabled_is_where_the_row_says_and_on_unless_told_otherwise(row: ScalerRow) -> None:
    listed = list(inspect.signature(resolve(row.path)).parameters.values())
    assert listed[row.enabled].name == "enabled" and listed[row.enabled].default is True


@each_scaler
def test_a_scaler_without_its_device_switches_itself_off(row: ScalerRow) -> None:
    if row.example:
        assert made(row).is_enabled()
    elif not torch.cuda.is_available():
        assert not resolve(row.path)().is_enabled()


@each_working_scaler
def test_a_scaled_loss_gives_scaled_gradients_until_they_are_unscaled(row: ScalerRow) -> None:
    scaler, weight = made(row), parameter()
    optimizer = sgd(weight)
    loss = scaler.scale(weight.sum())
    assert loss.requires_grad and not loss.is_leaf and loss.item() == 2 * FACTOR
    loss.backward()
    assert weight.grad is not None and weight.grad.tolist() == [FACTOR, FACTOR]
    held = weight.grad
    scaler.unscale_(optimizer)
    assert weight.grad is held and held.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.unscale_(optimizer)
    assert scaler.step(optimizer) is None
    assert weight.tolist() == [0.0, 0.0] and weight.grad is held
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.step(optimizer)
    scaler.update()
    scaler.unscale_(optimizer)


@each_working_scaler
def test_a_step_unscales_what_is_not_yet_and_skips_what_is_not_finite(row: ScalerRow) -> None:
    scaler, weight, other = made(row), parameter(), parameter()
    optimizer = sgd(weight)
    scaler.scale((weight + other).sum()).backward()
    scaler.step(optimizer)
    assert weight.grad is not None and weight.grad.tolist() == [1.0, 1.0] and weight.tolist() == [0.0, 0.0]
    assert other.grad is not None and other.grad.tolist() == [FACTOR, FACTOR]
    scaler.update()
    scaler.scale((weight * float("inf")).sum()).backward()
    version = weight._version
    assert scaler.step(optimizer) is None and weight._version == version


@each_working_scaler
def test_the_scaled_result_is_recorded_and_saves_the_factor_which_update_writes(row: ScalerRow) -> None:
    scaler, weight = made(row), parameter()
    optimizer, loss = sgd(weight), scaler.scale(weight.sum())
    loss.backward(retain_graph=True)
    scaler.step(optimizer)
    loss.backward(retain_graph=True)
    scaler.update()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
    plain = torch.ones(2)
    assert scaler.scale(plain) is not plain and not scaler.scale(plain).requires_grad
    first, second = scaler.scale([weight.sum(), plain])
    assert first.requires_grad and not second.requires_grad
    assert type(scaler.scale([plain])) is list and type(scaler.scale((plain,))) is tuple


@each_working_scaler
def test_nothing_can_be_done_before_the_first_scale(row: ScalerRow) -> None:
    optimizer = sgd(parameter())
    for method, arguments in (("unscale_", (optimizer,)), ("step", (optimizer,)), ("update", ())):
        with pytest.raises(AssertionError, match="_scale is None"):
            getattr(made(row), method)(*arguments)


@each_scaler
def test_a_scaler_that_is_not_enabled_hands_everything_on(row: ScalerRow) -> None:
    scaler, weight = resolve(row.path)(enabled=False), parameter()
    optimizer, loss = sgd(weight), (weight * 2).sum()
    assert scaler.scale(loss) is loss and not scaler.is_enabled() and scaler.get_scale() == 1.0
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert weight.grad is not None and weight.grad.tolist() == [2.0, 2.0] and weight.tolist() == [-3.0, -3.0]


def test_an_enabled_scaler_refuses_closures_except_for_lbfgs() -> None:
    scaler, weight = torch.amp.GradScaler("cpu"), parameter()
    scaler.scale(weight.sum()).backward()
    with pytest.raises(RuntimeError, match="Closure use is not currently supported"):
        scaler.step(sgd(weight), closure=lambda: 1.0)


# ---- schedulers

each_scheduler = pytest.mark.parametrize("row", TABLES.schedulers.values(), ids=lambda row: row.path)


def over(row: SchedulerRow) -> tuple[Any, torch.optim.SGD]:
    optimizer = sgd(parameter(), momentum=0.9)
    names = {"o": optimizer, "s": torch.optim.lr_scheduler, "torch": torch}
    return eval(row.example, names), optimizer  # examples are our own rows


def test_every_scheduler_has_a_row() -> None:
    module = torch.optim.lr_scheduler
    listed = {name for name in module.__all__ if inspect.isclass(getattr(module, name))}
    assert listed - {"LRScheduler"} <= {path.rpartition(".")[2] for path in TABLES.schedulers}


@each_scheduler
def test_a_scheduler_drives_its_optimizer_and_touches_no_tensor(row: SchedulerRow) -> None:
    scheduler, optimizer = over(row)
    assert scheduler.optimizer is optimizer
    weight = optimizer.param_groups[0]["params"][0]
    version = weight._version
    if row.needs_metric:
        with pytest.raises(TypeError):
            scheduler.step()
        scheduler.step(1.0)
    else:
        scheduler.step()
    assert weight._version == version and weight.grad is None
    assert all(type(rate) in (int, float) for rate in scheduler.get_last_lr())
    assert row.chained or type(scheduler.last_epoch) is int
    first = next(iter(inspect.signature(resolve(row.path)).parameters))
    assert first == ("schedulers" if row.chained else "optimizer")


@each_scheduler
def test_torch_warns_of_a_scheduler_that_steps_before_its_optimizer_iff_the_row_says(row: SchedulerRow) -> None:
    for optimizer_first in (False, True):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            scheduler, optimizer = over(row)
            if optimizer_first:
                optimizer.step()
            scheduler.step(*([1.0] if row.needs_metric else []))
        warned = any("before `optimizer.step()`" in str(one.message) for one in heard)
        assert warned == (row.early and not optimizer_first)


# ---- closures


@pytest.mark.parametrize("row", TABLES.optimizers.values(), ids=lambda row: row.path)
def test_a_closure_runs_with_gradients_on_and_as_often_as_the_row_says(row: OptimizerRow) -> None:
    weight = torch.full((2, 2), 3.0, requires_grad=True)
    optimizer = eval(row.example, {"torch": torch, "p": [weight]})  # examples are our own rows
    modes, losses = [], []

    def closure() -> torch.Tensor:
        modes.append(torch.is_grad_enabled())
        optimizer.zero_grad()
        loss = (weight * weight).sum()
        loss.backward()
        if "Sparse" in row.path and weight.grad is not None:
            weight.grad = weight.grad.to_sparse()
        losses.append(loss)
        return loss

    with torch.no_grad():
        given = optimizer.step(closure)
    assert all(modes) and (len(modes) > 1) == row.repeats_closure
    assert given is losses[0]


# ---- clearing


@pytest.mark.parametrize("row", TABLES.clearing.values(), ids=lambda row: row.path)
def test_clearing_leaves_what_the_row_says(row: ClearingRow) -> None:
    layer = torch.nn.Linear(2, 1)
    owner: Any = layer if ".nn." in row.path else torch.optim.SGD(layer.parameters())
    assert resolve(row.path) is type(owner).zero_grad or issubclass(type(owner), resolve(row.path.rpartition(".")[0]))
    layer(torch.ones(2)).sum().backward()
    owner.zero_grad()
    assert (layer.weight.grad is None) is row.to_none


# ---- clipping and vectors


@pytest.mark.parametrize("row", TABLES.clipping.values(), ids=lambda row: row.path)
def test_clipping_makes_gradients_smaller_in_place_and_gives_what_the_row_says(row: ClipRow) -> None:
    weight = parameter()
    (weight * 3).sum().backward()
    before, names = weight.grad, {"f": resolve(row.path), "p": [weight], "torch": torch}
    given = eval(row.example, names)  # examples are our own rows
    assert weight.grad is before and before is not None and float(before.abs().max()) < 3
    assert (given is None) == (row.returns == "none")
    if given is not None:
        assert not given.requires_grad and given.is_leaf and given.dtype.is_floating_point
    (weight**2).sum().backward(create_graph=True)
    given = eval(row.example, names)
    assert given is None or not given.requires_grad
    assert weight.tolist() == [1.0, 1.0]


def test_the_norm_of_gradients_is_outside_the_graph() -> None:
    weight = parameter()
    (weight**2).sum().backward(create_graph=True)
    assert weight.grad is not None and weight.grad.requires_grad
    assert not torch.nn.utils.get_total_norm([weight.grad]).requires_grad


def test_parameters_become_a_recorded_vector_and_stretches_of_one() -> None:
    layer = torch.nn.Linear(2, 1)
    vector = torch.nn.utils.parameters_to_vector(layer.parameters())
    assert vector.requires_grad and not vector.is_leaf
    weight, version = layer.weight, layer.weight._version
    other = vector.detach() * 2
    torch.nn.utils.vector_to_parameters(other, layer.parameters())
    assert layer.weight is weight and weight.requires_grad and weight.is_leaf and weight._version == version
    assert weight.data_ptr() == other.data_ptr()


# ---- managers

each_manager = pytest.mark.parametrize("row", TABLES.managers.values(), ids=lambda row: row.path)


def managing(row: ManagerRow) -> Any:
    return eval(row.example, {"f": resolve(row.path), "torch": torch})  # examples are our own rows


def modes() -> tuple[bool, bool]:
    return torch.is_grad_enabled(), torch.is_inference_mode_enabled()


@each_manager
def test_a_manager_leaves_the_modes_and_gives_what_the_row_says(row: ManagerRow) -> None:
    for outer in (torch.enable_grad, torch.no_grad):
        with outer():
            before, manager = modes(), managing(row)
            assert modes() == before
            with manager as given:
                assert modes() == before
            assert modes() == before
    assert row.gives not in ("none", "argument") or given is None
    assert (given is manager) == (row.gives == "itself")
    if row.gives == "argument":
        with resolve(row.path)(before) as given:
            assert given is before


@each_manager
def test_operations_in_a_managed_block_keep_their_kind_and_are_recorded(row: ManagerRow) -> None:
    left, right = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2)
    with managing(row):
        for made in (left @ right, left.exp(), left + right, left.sum(), left.softmax(0), left.view(-1)):
            assert made.dtype.is_floating_point and made.requires_grad and not made.is_leaf
        assert (right.long() @ right.long()).dtype is torch.int64


@each_manager
def test_backward_reads_a_copy_iff_the_row_says(row: ManagerRow) -> None:
    if row.copies and not torch.cuda.is_available() and ".cuda." in row.path:
        pytest.skip("copies on its device")
    left, right = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
    with managing(row):
        made = (left @ right).sum()
        with torch.no_grad():
            right.add_(1)
        if row.copies:
            made.backward()
        else:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                made.backward()


@pytest.mark.parametrize("row", [row for row in TABLES.managers.values() if row.enabled >= 0], ids=lambda row: row.path)
def test_a_manager_can_be_switched_off_where_the_row_says(row: ManagerRow) -> None:
    assert list(inspect.signature(resolve(row.path)).parameters)[row.enabled] == "enabled"


# ---- hooks


def test_a_tensor_hook_is_called_before_the_gradient_is_accumulated_and_by_autograd_grad_too() -> None:
    weight, heard = parameter(), []

    def hook(gradient: torch.Tensor) -> None:
        heard.append((torch.is_grad_enabled(), gradient.requires_grad, gradient.is_leaf, weight.grad is None))

    weight.register_hook(hook)
    (weight**2).sum().backward()
    assert heard.pop() == (False, False, True, True)
    torch.autograd.grad((weight**2).sum(), weight)
    assert heard.pop() == (False, False, True, False)
    torch.autograd.grad((weight**2).sum(), weight, create_graph=True)
    assert heard.pop() == (True, True, False, False)


def test_a_post_accumulate_hook_is_handed_the_tensor_itself_and_by_backward_alone() -> None:
    weight, heard = parameter(), []
    weight.register_post_accumulate_grad_hook(lambda given: heard.append((given is weight, weight.grad is not None)))
    torch.autograd.grad((weight**2).sum(), weight)
    assert not heard
    (weight**2).sum().backward()
    assert heard == [(True, True)]


def test_hooks_of_a_module_are_called_by_a_call_alone() -> None:
    layer, heard = torch.nn.Linear(2, 1), []
    layer.register_forward_pre_hook(lambda module, args: heard.append(type(args)))
    layer.register_forward_hook(lambda module, args, output: output.detach())
    layer.register_full_backward_hook(lambda module, inputs, outputs: heard.append((type(inputs), type(outputs))))
    layer.register_full_backward_pre_hook(lambda module, outputs: heard.append(type(outputs)))
    assert layer.forward(torch.ones(1, 2)).requires_grad and not heard
    assert not layer(torch.ones(1, 2)).requires_grad and heard == [tuple]
    other = torch.nn.Linear(2, 1)
    other.register_full_backward_hook(lambda module, inputs, outputs: heard.append((inputs[0] is None, outputs)))
    other(torch.ones(1, 2)).sum().backward()
    assert heard[1][0] is True


# ---- backward by inputs


def test_backward_by_inputs_frees_and_fills_what_leads_to_them_alone() -> None:
    first, second = parameter(), parameter()
    squares = first**2, second**2
    total = (squares[0] + squares[1]).sum()
    total.backward(inputs=[first])
    assert first.grad is not None and second.grad is None
    with pytest.raises(RuntimeError, match="second time"):
        squares[0].sum().backward()
    squares[1].sum().backward()
    hidden = first * 2
    (hidden * second).sum().backward(inputs=hidden)
    assert hidden.retains_grad and hidden.grad is not None


def test_a_graph_that_is_created_is_kept_unless_the_call_says_otherwise() -> None:
    weight = parameter()
    loss = (weight**2).sum()
    loss.backward(create_graph=True)
    loss.backward(create_graph=True, retain_graph=False)
    with pytest.raises(RuntimeError, match="second time"):
        loss.backward()


def test_second_order_gradients_require_grad_unless_they_are_constant() -> None:
    weight = parameter()
    for function, asked in ((lambda w: (w * 2).sum(), False), (lambda w: (w**2).sum(), True)):
        (gradient,) = torch.autograd.grad(function(weight), weight, create_graph=True)
        assert gradient.requires_grad == asked


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("given", "rates"), [(True, [1.0, 0.5, 0.25]), (False, [0.5, 0.25, 0.125])])
def test_a_scheduler_that_is_given_the_epoch_skips_no_rate(given: bool, rates: list[float]) -> None:
    """`scheduler.step(epoch)` before the steps of that epoch sets the rate of the epoch, from the first one on."""
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scheduler, seen = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5), []
    for epoch in range(3):
        scheduler.step(*([epoch] if given else []))
        seen.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
    assert seen == rates
