"""What is said to go well does so in torch."""

from __future__ import annotations

import pytest
import torch

from gradlint.knowledge.properties.never_raises import ALONE, BACKWARD, DENSE

SIZES = ((), (1,), (3,), (2, 2), (0,), (2, 0, 3), (2, 3, 4, 5))
FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted(ALONE))
def test_an_operation_goes_well_with_any_tensor(name):
    for size in SIZES:
        for dtype in FLOATS:
            for asked in (False, True):
                tensor = torch.ones(size, dtype=dtype, requires_grad=asked)
                for result in (
                    getattr(torch, name)(tensor),
                    getattr(tensor, name)(),
                    getattr(tensor.t(), name)() if len(size) < 3 else tensor,
                ):
                    if result.requires_grad and result is not tensor:
                        result.sum().backward()
                        assert tensor.grad is not None


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted(BACKWARD - ALONE))
def test_a_backward_goes_through_an_operation(name):
    sizes = [((2, 2), (2, 2)), ((3,), (3,)), ((2, 2), (2,)), ((4, 2, 2), (2, 2)), ((0, 2), (2, 3)), ((2, 1), (1, 2))]
    tried = 0
    for first, second in sizes:
        for dtype in FLOATS:
            for asked in ((True, True), (True, False), (False, True)):
                given = [
                    torch.zeros(size, dtype=dtype, requires_grad=one)
                    for size, one in zip((first, second), asked, strict=True)
                ]
                try:
                    result = getattr(torch, name)(*given)
                except RuntimeError:
                    continue  # these sizes do not fit
                result.sum().backward()
                assert [tensor.grad is not None for tensor in given] == list(asked)
                tried += 1
    assert tried >= 2 * len(FLOATS) * 3


@pytest.mark.torch
@pytest.mark.parametrize("name", sorted(DENSE - {"Parameter"}))
def test_what_a_factory_makes_is_dense(name):
    given = {"full": ((2, 2), 1.0), "linspace": (0, 1, 3), "tensor": ([1.0, 2.0],), "eye": (2,)}.get(name, (2, 2))
    assert getattr(torch, name)(*given).layout is torch.strided
