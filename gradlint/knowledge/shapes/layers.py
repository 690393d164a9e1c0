"""Layers: how large their parameters are, and what those that have some give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradlint.knowledge.shapes.query import Asked, Function, Size, Untold, named, whole

CELL = ("input_size", "hidden_size")
LAYERS = (*CELL, "num_layers", "bias", "batch_first", "dropout", "bidirectional", "proj_size")
PLAIN_LAYERS = (*LAYERS[:3], "nonlinearity", *LAYERS[3:])
"""The arguments of recurrent layers, one after the other."""


def _recurrent(
    arguments: tuple[str, ...], gates: str, end: str = ""
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """The parameters of a layer that goes through so many gates; `end` is that of their names."""
    rows = f"{gates} hidden_size".strip()
    sizes = {"weight_ih": (rows, "input_size"), "weight_hh": (rows, "hidden_size"), "bias_ih": (rows,)}
    sizes["bias_hh"] = sizes["bias_ih"]
    return arguments, {f"{name}{end}": size for name, size in sizes.items()}


PARAMETERS: dict[str, tuple[tuple[str, ...], dict[str, tuple[str, ...]]]] = {
    "Linear": (("in_features", "out_features"), {"weight": ("out_features", "in_features"), "bias": ("out_features",)}),
    "Bilinear": (
        ("in1_features", "in2_features", "out_features"),
        {"weight": ("out_features", "in1_features", "in2_features"), "bias": ("out_features",)},
    ),
    "MultiheadAttention": (
        ("embed_dim", "num_heads"),
        {"in_proj_weight": ("3 embed_dim", "embed_dim"), "in_proj_bias": ("3 embed_dim",)},
    ),
    "Embedding": (("num_embeddings", "embedding_dim"), {"weight": ("num_embeddings", "embedding_dim")}),
    "GroupNorm": (("num_groups", "num_channels"), {"weight": ("num_channels",), "bias": ("num_channels",)}),
    **dict.fromkeys(
        ("BatchNorm1d", "BatchNorm2d", "BatchNorm3d"),
        (("num_features",), {"weight": ("num_features",), "bias": ("num_features",)}),
    ),
    "LayerNorm": (("normalized_shape",), {"weight": ("normalized_shape",), "bias": ("normalized_shape",)}),
    "RMSNorm": (("normalized_shape",), {"weight": ("normalized_shape",)}),
    "RNN": _recurrent(PLAIN_LAYERS, "", "_l0"),
    "GRU": _recurrent(LAYERS, "3", "_l0"),
    "LSTM": _recurrent(LAYERS, "4", "_l0"),
    "RNNCell": _recurrent(CELL, ""),
    "GRUCell": _recurrent(CELL, "3"),
    "LSTMCell": _recurrent(CELL, "4"),
}
"""By the name of a layer: its first arguments, and by which of them its parameters are as large as they are, where a
number stands before it as many times as large."""


def of_parameter(layer: str, name: str, given: Sequence[object], by_name: Mapping[str, object]) -> Size | None:
    """Return the size of a layer's parameter, by the constants that the layer is made with; None if not known."""
    arguments, parameters = PARAMETERS.get(layer, ((), {}))
    told = {**dict(zip(arguments, given, strict=False)), **by_name}
    if told.get("proj_size", 0) != 0:
        return None
    found = [_times(one, told) for one in parameters.get(name, ())]
    several = found[0] if len(found) == 1 and isinstance(found[0], tuple) else tuple(found)
    return whole(several)


def _times(length: str, told: Mapping[str, object]) -> object:
    """A length by the name of the argument that says it, or a number of times that."""
    times, _, name = length.rpartition(" ")
    one = told.get(name)
    return int(times) * one if times and type(one) is int else one


def _hidden(asked: Asked) -> Size:
    """Return the size of all outputs of a recurrence: as many numbers each as it passes on to itself."""
    weight = asked.own.get("weight_hh_l0", asked.own.get("weight_hh"))
    if weight is None or "" in asked.own:  # there are parameters of more layers, or of another direction
        raise Untold
    return (*asked.of(0)[:-1], weight[-1])


def _encoded(asked: Asked) -> Size:
    """Return the size of the argument, unless a mask is given as well: what it hides all over may be left out."""
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
    **named("RNN GRU", lambda asked: [_hidden(asked), None]),
    "LSTM": lambda asked: [_hidden(asked), None, None],
    **named("RNNCell GRUCell LSTMCell", _hidden),
    "MultiheadAttention": lambda asked: [asked.of(0), None],
}

REMEMBERED: dict[str, dict[str, int]] = {"Flatten": {"start_dim": 1, "end_dim": -1}}
"""By the name of a layer: the arguments of its constructor that say what it makes of sizes, and which they are if
nothing is said."""
WIDTH, WITH_WIDTH = "out_features", frozenset({"Linear", "LazyLinear"})
"""The argument and attribute that says how many numbers a layer makes of each row, and the layers that have it and do
nothing else to shapes."""
