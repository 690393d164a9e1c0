"""Layers of `torch.nn`: a row for each, by what they do."""

from __future__ import annotations

from gradlint.knowledge.modules import activation, layers, loss, norm, recurrent, shape
from gradlint.knowledge.schema import ModuleRow

ROWS: tuple[ModuleRow, ...] = (
    *layers.ROWS,
    *norm.ROWS,
    *recurrent.ROWS,
    *activation.ROWS,
    *shape.ROWS,
    *loss.ROWS,
)
