"""Tensors that layers of torch have only where an argument says so; without it, the names are there and None.

Measured: `tests/test_knowledge_arguments.py` holds every class of torch with every switch of its constructor to this.
"""

from __future__ import annotations

from gradlint.frozen import frozen


@frozen()
class Option:
    """The tensors that a layer has if the keyword (by default False) is True."""

    keyword: str
    parameters: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()


_INSTANCE_NORM = (
    Option("affine", parameters=("weight", "bias")),
    Option("track_running_stats", buffers=("running_mean", "running_var", "num_batches_tracked")),
)
OPTIONS: dict[str, tuple[Option, ...]] = {
    **dict.fromkeys(("InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"), _INSTANCE_NORM),
    "MultiheadAttention": (Option("add_bias_kv", parameters=("bias_k", "bias_v")),),
}
"""By the last part of the name of the class."""

GIVEN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("BCELoss", "CrossEntropyLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss", "NLLLoss", "NLLLoss2d"),
        ("weight",),
    ),
    "BCEWithLogitsLoss": ("weight", "pos_weight"),
}
"""The arguments that a loss keeps as buffers of these names."""


def names_of(cls: str) -> tuple[str, ...]:
    """All names of tensors that a class may have so."""
    options = OPTIONS.get(cls, ())
    return (*(name for one in options for name in (*one.parameters, *one.buffers)), *GIVEN.get(cls, ()))
