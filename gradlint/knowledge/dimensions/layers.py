"""Layers: how large their parameters are, and what those that have some give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradlint.knowledge.dimensions.asking import Asked, Function, Size, Untold, whole

PARAMETERS: dict[str, tuple[tuple[str, ...], dict[str, tuple[str, ...]]]] = {
    "Linear": (("in_features", "out_features"), {"weight": ("out_features", "in_features"), "bias": ("out_features",)}),
    "Bilinear": (
        ("in1_features", "in2_features", "out_features"),
        {"weight": ("out_features", "in1_features", "in2_features"), "bias": ("out_features",)},
    ),
    "Embedding": (("num_embeddings", "embedding_dim"), {"weight": ("num_embeddings", "embedding_dim")}),
    "GroupNorm": (("num_groups", "num_channels"), {"weight": ("num_channels",), "bias": ("num_channels",)}),
    **dict.fromkeys(
        ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d"),
        (("num_features",), {"weight": ("num_features",), "bias": ("num_features",)}),
    ),
    "LayerNorm": (("normalized_shape",), {"weight": ("normalized_shape",), "bias": ("normalized_shape",)}),
    "RMSNorm": (("normalized_shape",), {"weight": ("normalized_shape",)}),
}
"""By the name of a layer: its first arguments, and by which of them its parameters are as large as they are."""


def of_parameter(layer: str, name: str, given: Sequence[object], by_name: Mapping[str, object]) -> Size | None:
    """How large a layer's parameter is, by the constants that the layer is made with; None where that is not known."""
    arguments, parameters = PARAMETERS.get(layer, ((), {}))
    told = {**dict(zip(arguments, given, strict=False)), **by_name}
    found = [told.get(one) for one in parameters.get(name, ())]
    several = found[0] if len(found) == 1 and isinstance(found[0], tuple) else tuple(found)
    return whole(several)


def _encoded(asked: Asked) -> Size:
    """As large as what is given, unless a mask is given as well: what it hides all over may be left out."""
    if len(asked.sizes) > 1:
        raise Untold
    return asked.of(0)


APPLIED: dict[str, Function] = {
    "Linear": lambda asked: (*asked.of(0)[:-1], asked.parameter("weight")[0]),
    "Bilinear": lambda asked: (*asked.of(0)[:-1], asked.parameter("weight")[0]),
    "AdaptiveLogSoftmaxWithLoss": lambda asked: [asked.sizes[1], ()],
    "TransformerDecoderLayer": lambda asked: asked.of(0),
    "Embedding": lambda asked: (*asked.of(0), asked.parameter("weight")[1]),
    "TransformerEncoderLayer": _encoded,
    "TransformerEncoder": _encoded,
    "MultiheadAttention": lambda asked: [asked.of(0), None],
}
