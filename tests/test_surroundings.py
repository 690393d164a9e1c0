"""Examples run in torch's standard settings, and everything they change is put back, or said to be left changed."""

from __future__ import annotations

import os
import random
import sys

import planted
import pytest
from planted import fake_analyse

from gradlint import linter
from gradlint.proving import prove, surroundings
from gradlint.proving.running import run


@pytest.fixture(autouse=True)
def _linter(monkeypatch):
    monkeypatch.setattr(linter, "analyse", fake_analyse())


def _leave_hook():
    import torch

    torch.nn.modules.module.register_module_forward_hook(lambda *args: None)


def _leave_backward_hook():
    import torch

    torch.nn.modules.module.register_module_full_backward_hook(lambda *args: None)


HELD = []


def _leave_inference_mode():
    import torch

    HELD.append(torch.inference_mode())
    HELD[-1].__enter__()


def _leave_group():
    import torch.distributed as dist

    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
    dist.init_process_group("gloo", rank=0, world_size=1, store=dist.HashStore())


def _leave(name, *values):
    def change():
        import torch

        getattr(torch, name)(
            *(getattr(torch, value) if isinstance(value, str) and value != "cpu" else value for value in values)
        )

    return change


CHANGES = {
    "grad mode": _leave("set_grad_enabled", False),
    "inference mode": _leave_inference_mode,
    "default dtype": _leave("set_default_dtype", "float64"),
    "default device": lambda: __import__("torch").set_default_device("meta"),
    "autocast": lambda: __import__("torch").autocast("cpu").__enter__(),
    "anomaly mode": _leave("set_anomaly_enabled", True),
    "module hooks": _leave_hook,
    "backward hooks": _leave_backward_hook,
    "process group": _leave_group,
    "deterministic mode": _leave("use_deterministic_algorithms", True),
    "warnings": _leave("set_warn_always", False),
    "current folder": lambda: os.chdir("/"),
    "environment": lambda: os.environ.update(GRADLINT_PLANTED="1"),
    "import path": lambda: sys.path.insert(0, "planted"),
}


def _everything():
    values = tuple((setting.name, setting.get()) for setting in surroundings.settings())
    return values, os.getcwd(), dict(os.environ), list(sys.path)


@pytest.mark.parametrize("change", CHANGES)
def test_everything_is_put_back(change):
    before, changed = _everything(), []

    def example():
        start = _everything()
        CHANGES[change]()
        changed.append(_everything() != start)

    outcome = run(example, {})
    assert outcome.error is None, outcome.trouble
    assert changed == [True]
    assert _everything() == before


def test_examples_start_from_the_standard_settings():
    import torch

    torch.set_default_dtype(torch.float64)
    try:
        with torch.no_grad():
            outcome = run(lambda: (torch.get_default_dtype(), torch.is_grad_enabled()), {})
            assert not torch.is_grad_enabled()
        assert torch.get_default_dtype() is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert outcome.returned == (torch.float32, True)


def saved_tensor_hooks_left():
    import torch

    torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x).__enter__()
    return torch.ones(2, requires_grad=True)  # ABC101


def test_what_cannot_be_put_back_is_a_fault():
    import torch

    rule = planted.planted(saved_tensor_hooks_left, planted.not_asked, planted.requires_grad)
    try:
        proof, _ = prove([rule])
    finally:
        torch._C._autograd._pop_saved_tensors_default_hooks()
    assert proof.shown is False
    assert "left changed behind: hooks on saved tensors" in proof.detail


def gradients_left_off():
    import torch

    torch.set_grad_enabled(False)
    return torch.ones(2, requires_grad=True)  # ABC101


def test_a_grad_mode_that_is_not_put_back_is_a_fault(monkeypatch):
    """The check does not take the restoring for granted."""
    import torch

    monkeypatch.setattr(surroundings, "_restore", lambda *args: None)
    stuck = type("Stuck", (), {"__enter__": lambda self: None, "__exit__": lambda self, *details: None})
    monkeypatch.setattr(torch, "inference_mode", lambda mode: stuck())
    rule = planted.planted(gradients_left_off, planted.not_asked, planted.requires_grad)
    try:
        proof, _ = prove([rule])
    finally:
        torch.set_grad_enabled(True)
        torch.set_warn_always(False)
    assert proof.shown is False
    assert "grad mode" in proof.detail


def test_every_run_is_from_one_seed_and_leaves_the_generators_alone():
    import numpy
    import torch

    def example():
        return random.random(), torch.rand(1).item(), numpy.random.rand()

    random.seed(7), torch.manual_seed(7), numpy.random.seed(7)
    expected = example()
    random.seed(7), torch.manual_seed(7), numpy.random.seed(7)
    first, second = run(example, {}), run(example, {})
    assert first.returned == second.returned
    assert example() == expected


def test_every_warning_is_recorded_however_often_it_was_given():
    for _ in range(2):
        outcome = run(planted.gradient_read, {})
        assert any("is not a leaf" in warning for warning in outcome.warnings)
