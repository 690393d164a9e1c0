"""Tensor attributes that are tensors."""

from __future__ import annotations

from gradlint.knowledge.schema import Operation, Result

ATTRIBUTE_ROWS = (
    Operation("T", ("torch.Tensor.T",), results=(Result("view"),)),
    Operation("mT", ("torch.Tensor.mT",), results=(Result("view"),)),
    Operation("H", ("torch.Tensor.H",), results=(Result("view"),)),
    Operation("mH", ("torch.Tensor.mH",), results=(Result("view"),)),
    Operation("data", ("torch.Tensor.data",), results=(Result("alias", differentiable=False),)),
    Operation("real", ("torch.Tensor.real",), results=(Result("self or view", dtype="real"),)),
    Operation("imag", ("torch.Tensor.imag",), results=(Result("view", dtype="float"),), refuses=("[bif]",)),
)
