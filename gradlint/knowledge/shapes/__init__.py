"""Sizes of the results of operations in each dimension, where those of the operands give them.

An operation is found in `DIMENSIONS` by its name: a function from its question (`Asked`) to the size of its
result, or a list with a size for each of several. What an operation refuses may get any answer, for its result is
never seen. `tests/test_knowledge_dimensions.py` holds every answer to what torch gives.
"""

from __future__ import annotations

from gradlint.knowledge.shapes.decomposition import DECOMPOSED
from gradlint.knowledge.shapes.indexing import TAKEN
from gradlint.knowledge.shapes.layers import APPLIED, PARAMETERS, REMEMBERED, WIDTH, WITH_WIDTH, of_parameter
from gradlint.knowledge.shapes.matmul import PRODUCTS
from gradlint.knowledge.shapes.outline import OUTLINES, Outline, told_by_sizes
from gradlint.knowledge.shapes.outline import first as as_first
from gradlint.knowledge.shapes.outline import spread as as_spread
from gradlint.knowledge.shapes.query import (
    NOT_SEEN,
    UNTOLD,
    Asked,
    Function,
    Size,
    Told,
    Untold,
    first,
    named,
    spread,
    whole,
)
from gradlint.knowledge.shapes.rearrange import ARRANGED
from gradlint.knowledge.shapes.reduce import COMPUTED
from gradlint.knowledge.shapes.stateful import STEPPED, of_steps
from gradlint.knowledge.shapes.window import WINDOWS

__all__ = [
    "DIMENSIONS",
    "NOT_SEEN",
    "PARAMETERS",
    "REMEMBERED",
    "SHAPES",
    "STEPPED",
    "UNTOLD",
    "WIDTH",
    "WITH_WIDTH",
    "Asked",
    "Size",
    "Told",
    "of_parameter",
    "of_steps",
    "size_of",
    "whole",
]

SAME = (
    "abs acos acosh alpha_dropout angle argsort asin asinh atan atanh bernoulli bfloat16 bool byte cdouble ceil celu "
    "cfloat chalf channel_shuffle char cholesky cholesky_inverse clone conj conj_physical contiguous cos cosh cpu "
    "cumprod cumsum data deg2rad detach detach_ digamma double dropout dropout1d dropout2d dropout3d elu erf erfc "
    "erfinv exp exp2 expm1 feature_alpha_dropout fft_fftshift fft_ifftshift flip fliplr flipud float floor frac frexp "
    "gelu gumbel_softmax half hardshrink hardsigmoid hardswish hardtanh i0 instance_norm int inverse isfinite isinf "
    "isnan isneginf isposinf isreal leaky_relu lgamma linalg_cholesky linalg_householder_product local_response_norm "
    "log log10 log1p log2 log_softmax logcumsumexp logical_not logit logsigmoid long matrix_exp matrix_power mish "
    "msort mvlgamma nan_to_num neg normalize poisson polygamma positive rad2deg real reciprocal relu relu6 renorm "
    "resolve_conj resolve_neg roll round rrelu rsqrt selu sgn short sigmoid sign signbit silu sin sinc sinh softmax "
    "softmin softplus softshrink softsign sort special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 "
    "special_bessel_y1 special_entr special_erfcx special_i0e special_i1 special_i1e special_log_ndtr "
    "special_modified_bessel_i0 special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 "
    "special_ndtr special_ndtri special_round special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 "
    "special_spherical_bessel_j0 sqrt square tan tanh tanhshrink threshold to to_dense tril triu trunc type cummax "
    "cummin batch_norm layer_norm group_norm rms_norm prelu diagonal_scatter select_scatter slice_scatter index_add "
    "index_copy index_fill index_put index_reduce put scatter scatter_add scatter_reduce type_as isin bucketize alias "
    "bitwise_not imag "
    # layers
    "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d InstanceNorm1d "
    "InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d LayerNorm RMSNorm "
    "GroupNorm LocalResponseNorm CrossMapLRN2d ChannelShuffle Dropout Dropout1d Dropout2d Dropout3d AlphaDropout "
    "FeatureAlphaDropout ReLU ReLU6 LeakyReLU ELU SELU CELU GELU SiLU Mish Softplus Softsign Softshrink Hardshrink "
    "Tanhshrink Hardtanh Hardswish Hardsigmoid Sigmoid Tanh LogSigmoid PReLU RReLU Threshold Softmax LogSoftmax "
    "Softmin Softmax2d"
)
"""By name, operations and layers: the result is as large as the first operand."""


SPREAD = (
    "add addcdiv addcmul atan2 clamp clamp_max clamp_min complex copysign div eq float_power floor_divide fmax fmin "
    "fmod ge gt heaviside hypot igamma igammac isclose ldexp le lerp logaddexp logaddexp2 logical_and logical_or "
    "logical_xor lt maximum minimum mul ne nextafter polar pow remainder rsub special_chebyshev_polynomial_t "
    "special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w "
    "special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l "
    "special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u "
    "special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w special_xlog1py special_zeta sub "
    "xlogy where bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor gcd lcm"
)
"""By name: the operands are spread to one size, and that is what the result has."""


DIMENSIONS: dict[str, Function] = {
    **named(SAME, first),
    **named(SPREAD, spread),
    **ARRANGED,
    **TAKEN,
    **PRODUCTS,
    **DECOMPOSED,
    **WINDOWS,
    **COMPUTED,
    **APPLIED,
}
"""The functions from operands to the size of a result, by the name of the operation or layer."""


SHAPES: dict[str, Outline] = {
    **dict.fromkeys(SAME.split(), as_first),
    **dict.fromkeys((*SPREAD.split(), "max of two", "min of two"), as_spread),
    **told_by_sizes(DIMENSIONS),
    **OUTLINES,
}
"""The functions from shapes of operands to that of the results, by the name of the operation or layer."""


def size_of(name: str, asked: Asked, results: int) -> list[Size | None]:
    """The size of each of an operation's results, None for those that are not known."""
    answer = DIMENSIONS.get(name)
    if answer is None or asked.told.hidden:
        return [None] * results
    try:
        told = answer(asked)
    except (Untold, LookupError, TypeError, ValueError, ArithmeticError):  # torch refuses what has no answer
        return [None] * results
    several: list[Size | None] = list(told) if isinstance(told, list) else [told] * results
    return several if len(several) == results else [None] * results
