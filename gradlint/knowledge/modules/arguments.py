"""Positions of the arguments that decide which tensors layers of torch have and what they give.

Measured: `tests/test_knowledge_arguments.py` reads the constructors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

_NORMS = "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d"
_LAZY_NORMS = "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d"
_TABLE: tuple[tuple[str, int, str], ...] = (
    ("bias", 1, "LazyLinear"),
    ("bias", 2, "Linear RNNCell GRUCell LSTMCell"),
    ("bias", 3, "Bilinear LayerNorm MultiheadAttention LSTM GRU"),
    ("bias", 4, "RNN"),
    ("bias", 6, "LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d"),
    ("bias", 7, "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d"),
    ("bias", 8, "TransformerEncoderLayer TransformerDecoderLayer"),
    ("bias", 12, "Transformer"),
    ("affine", 2, _LAZY_NORMS),
    ("affine", 3, f"{_NORMS} GroupNorm"),
    ("track_running_stats", 3, _LAZY_NORMS),
    ("track_running_stats", 4, _NORMS),
    ("elementwise_affine", 2, "LayerNorm RMSNorm"),
    ("add_bias_kv", 4, "MultiheadAttention"),
    ("head_bias", 4, "AdaptiveLogSoftmaxWithLoss"),
    ("num_layers", 2, "RNN LSTM GRU"),
    ("dropout", 2, "MultiheadAttention"),
    ("dropout", 3, "TransformerEncoderLayer TransformerDecoderLayer"),
    ("dropout", 5, "LSTM GRU Transformer"),
    ("dropout", 6, "RNN"),
    ("bidirectional", 6, "LSTM GRU"),
    ("bidirectional", 7, "RNN"),
    ("proj_size", 7, "LSTM"),
    ("out_features", 0, "LazyLinear"),
    ("out_features", 1, "Linear"),
    ("out_features", 2, "Bilinear"),
    ("weight", 0, "BCELoss BCEWithLogitsLoss MultiLabelSoftMarginLoss CrossEntropyLoss NLLLoss NLLLoss2d"),
    ("weight", 2, "MultiMarginLoss"),
    ("pos_weight", 4, "BCEWithLogitsLoss"),
    ("size_average", 0, "MSELoss L1Loss SmoothL1Loss KLDivLoss SoftMarginLoss MultiLabelMarginLoss"),
    ("size_average", 1, "BCELoss BCEWithLogitsLoss HingeEmbeddingLoss MultiLabelSoftMarginLoss MarginRankingLoss"),
    ("size_average", 1, "CosineEmbeddingLoss CrossEntropyLoss NLLLoss NLLLoss2d"),
    ("size_average", 2, "PoissonNLLLoss"),
    ("size_average", 3, "MultiMarginLoss"),
    ("size_average", 4, "TripletMarginLoss"),
    ("reduce", 1, "MSELoss L1Loss SmoothL1Loss KLDivLoss SoftMarginLoss MultiLabelMarginLoss"),
    ("reduce", 2, "BCELoss BCEWithLogitsLoss HingeEmbeddingLoss MultiLabelSoftMarginLoss MarginRankingLoss"),
    ("reduce", 2, "CosineEmbeddingLoss"),
    ("reduce", 3, "CrossEntropyLoss NLLLoss NLLLoss2d"),
    ("reduce", 4, "PoissonNLLLoss MultiMarginLoss"),
    ("reduce", 5, "TripletMarginLoss"),
    ("reduction", 0, "HuberLoss"),
    ("reduction", 1, "CTCLoss"),
    ("reduction", 2, "MSELoss L1Loss SmoothL1Loss KLDivLoss SoftMarginLoss MultiLabelMarginLoss"),
    ("reduction", 3, "BCELoss BCEWithLogitsLoss HingeEmbeddingLoss MultiLabelSoftMarginLoss MarginRankingLoss"),
    ("reduction", 3, "CosineEmbeddingLoss"),
    ("reduction", 4, "CrossEntropyLoss NLLLoss NLLLoss2d"),
    ("reduction", 5, "PoissonNLLLoss MultiMarginLoss"),
    ("reduction", 6, "TripletMarginLoss"),
    ("return_indices", 1, "AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d"),
    ("return_indices", 3, "FractionalMaxPool2d FractionalMaxPool3d"),
    ("return_indices", 4, "MaxPool1d MaxPool2d MaxPool3d"),
    ("start_dim", 0, "Flatten"),
    ("end_dim", 1, "Flatten"),
)


def _by_class(table: Iterable[tuple[str, int, str]]) -> Mapping[str, Mapping[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for keyword, position, names in table:
        for name in names.split():
            found.setdefault(name, {})[keyword] = position
    return found


POSITIONS = _by_class(_TABLE)
"""By the last part of the name of the class: at which place an argument stands, by its name."""


def named(cls: str, count: int) -> Iterator[tuple[str, int]]:
    """The arguments among the first `count` of a constructor that have names here."""
    return ((keyword, at) for keyword, at in POSITIONS.get(cls, {}).items() if at < count)
