"""Gradients after `zero_grad()`."""

from __future__ import annotations

from gradlint.knowledge.schema import ClearingRow

OF_OPTIMIZERS, OF_MODULES = "torch.optim.Optimizer.zero_grad", "torch.nn.Module.zero_grad"
TOLD = "pull request 92731, released with 2.0"

ROWS = tuple(
    row
    for path in (OF_OPTIMIZERS, OF_MODULES)
    for row in (
        ClearingRow(path, to_none=False, until=(2, 0), source=TOLD),
        ClearingRow(path, to_none=True, since=(2, 0), source=TOLD),
    )
)
