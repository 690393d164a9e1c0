"""Base classes of torch's module classes, and the names under which torch's own modules keep them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

INNER = "torch.nn.modules."
LAZY = "torch.nn.Lazy"
"""The prefix of the paths of layers that get their sizes from what they are called with first."""


def _of(pattern: str, *more: str) -> frozenset[str]:
    """The classes of a pattern, one for each number of dimensions where it ends in `Nd`, and others."""
    counts = (1, 2, 3) if "Nd" in pattern else (0,)
    names = [name for count in counts for name in pattern.replace("Nd", f"{count}d").split()]
    return frozenset(f"torch.nn.{name}" for name in (*names, *more))


_BATCH = _of("BatchNormNd LazyBatchNormNd", "SyncBatchNorm")
_INSTANCE = _of("InstanceNormNd LazyInstanceNormNd")
_TRANSPOSED = _of("ConvTransposeNd LazyConvTransposeNd")
_WEIGHTED = _of("BCELoss MultiLabelSoftMarginLoss CrossEntropyLoss NLLLoss MultiMarginLoss NLLLoss2d")
_LOSSES = _of(
    "MSELoss L1Loss SmoothL1Loss HuberLoss BCEWithLogitsLoss KLDivLoss PoissonNLLLoss SoftMarginLoss "
    "HingeEmbeddingLoss MultiLabelMarginLoss GaussianNLLLoss MarginRankingLoss CosineEmbeddingLoss TripletMarginLoss "
    "TripletMarginWithDistanceLoss CTCLoss"
)

FAMILIES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        f"{INNER}conv._ConvNd": _of("ConvNd LazyConvNd") | _TRANSPOSED,
        f"{INNER}conv._ConvTransposeNd": _TRANSPOSED,
        f"{INNER}batchnorm._BatchNorm": _BATCH,
        f"{INNER}batchnorm._NormBase": _BATCH | _INSTANCE,
        f"{INNER}instancenorm._InstanceNorm": _INSTANCE,
        f"{INNER}dropout._DropoutNd": _of("DropoutNd", "Dropout", "AlphaDropout", "FeatureAlphaDropout"),
        f"{INNER}rnn.RNNBase": _of("RNN GRU LSTM"),
        f"{INNER}rnn.RNNCellBase": _of("RNNCell GRUCell LSTMCell"),
        f"{INNER}loss._Loss": _LOSSES | _WEIGHTED,
        f"{INNER}loss._WeightedLoss": _WEIGHTED,
        "torch.nn.RNNBase": _of("RNN GRU LSTM"),
        "torch.nn.RNNCellBase": _of("RNNCell GRUCell LSTMCell"),
        "torch.nn.Linear": _of("LazyLinear"),
        **{
            f"torch.nn.{name}{count}d": _of(f"Lazy{name}{count}d")
            for name in ("Conv", "ConvTranspose")
            for count in (1, 2, 3)
        },
        **{f"torch.nn.ConstantPad{count}d": _of(f"ZeroPad{count}d") for count in (1, 2, 3)},
        "torch.nn.Hardtanh": _of("ReLU6"),
        "torch.nn.Upsample": _of("UpsamplingNearest2d UpsamplingBilinear2d"),
        "torch.nn.NLLLoss": _of("NLLLoss2d"),
    }
)
"""The module classes with a row that derive from a class, the class itself left out; other classes have none."""


def public(path: str) -> str:
    """The path under `torch.nn` of what an inner module of torch keeps: `torch.nn.modules.linear.Linear`."""
    if not path.startswith(INNER) or path in FAMILIES:
        return path
    return f"torch.nn.{path.rpartition('.')[2]}"
