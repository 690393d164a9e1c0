"""Operations with a known number of elements or dimensions in the result, whatever the shapes are."""

from __future__ import annotations

ELEMENTWISE = frozenset(
    (
        "add sub mul div remainder fmod maximum minimum fmax fmin atan2 hypot logaddexp pow rsub lerp "
        "abs neg exp expm1 log log1p log2 log10 sqrt rsqrt square reciprocal sin cos tan sinh cosh asin acos atan tanh "
        "sigmoid erf relu leaky_relu elu selu celu gelu silu mish softplus softsign tanhshrink hardtanh hardsigmoid "
        "hardswish logsigmoid softmax log_softmax clamp round floor ceil trunc sign clone float double half bfloat16 "
        "acosh angle asinh atanh deg2rad digamma erfc erfinv exp2 frac i0 lgamma logit rad2deg sgn sinc bernoulli "
        "poisson conj_physical floor_divide logaddexp2 copysign nextafter xlogy ldexp igamma igammac heaviside "
        "float_power addcmul addcdiv complex polar special_round special_entr special_erfcx special_i0e special_i1 "
        "special_i1e special_log_ndtr special_ndtr special_ndtri special_xlog1py special_zeta"
    ).split()
)
"""By name: the result has an element for each element of any operand."""

ARRANGING = frozenset(
    (
        "H T adjoint mH mT contiguous data detach to type double float half bfloat16 flatten reshape view squeeze "
        "unsqueeze unflatten permute movedim t transpose flip fliplr flipud roll rot90 tril triu cumsum cumprod "
        "relu6 rrelu hardshrink softshrink softmin threshold dropout dropout1d dropout2d dropout3d alpha_dropout "
        "feature_alpha_dropout normalize nan_to_num positive conj msort real resolve_conj resolve_neg "
        "to_dense cpu cfloat cdouble chalf fft_fftshift fft_ifftshift gumbel_softmax sort cummax cummin "
        "BatchNorm1d BatchNorm2d BatchNorm3d SyncBatchNorm LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d "
        "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d "
        "LayerNorm RMSNorm GroupNorm LocalResponseNorm CrossMapLRN2d Flatten Unflatten ChannelShuffle PixelShuffle "
        "PixelUnshuffle Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout ReLU ReLU6 LeakyReLU "
        "ELU SELU CELU GELU SiLU Mish Softplus Softsign Softshrink Hardshrink Tanhshrink Hardtanh Hardswish "
        "Hardsigmoid Sigmoid Tanh LogSigmoid PReLU RReLU Threshold Softmax LogSoftmax Softmin Softmax2d"
    ).split()
)
"""By name, operations and layers: the result has as many elements as the one tensor that they are given."""

FOLLOWING = frozenset(
    (
        "argsort atleast_3d batch_norm bool byte channel_shuffle char cholesky cholesky_inverse "
        "diagonal_scatter frexp group_norm index_add index_copy index_fill index_put index_reduce instance_norm int "
        "inverse layer_norm linalg_cholesky linalg_householder_product local_response_norm logcumsumexp long "
        "matrix_exp matrix_power mvlgamma pixel_shuffle pixel_unshuffle polygamma prelu put renorm reshape_as rms_norm "
        "scatter scatter_add scatter_reduce select_scatter short slice_scatter special_airy_ai special_bessel_j0 "
        "special_bessel_j1 special_bessel_y0 special_bessel_y1 special_modified_bessel_i0 special_modified_bessel_i1 "
        "special_modified_bessel_k0 special_modified_bessel_k1 special_scaled_modified_bessel_k0 "
        "special_scaled_modified_bessel_k1 special_spherical_bessel_j0 type_as view_as"
    ).split()
)
"""By name: the result has as many elements as the first operand, whatever the others are."""

GROWING = frozenset(
    ("addbmm addmm addmv addr baddbmm broadcast_to expand expand_as masked_fill masked_scatter repeat tile").split()
)
"""By name: the result has no fewer elements than the first operand, or none at all."""

SPREADING = frozenset("broadcast_tensors cartesian_prod kron meshgrid outer stack".split())
"""By name: each result has no fewer elements than any of the operands, or none at all."""

REDUCING = frozenset("sum mean prod std var norm nansum nanmean".split())
"""By name: without `dim` the result is one element."""

REDUCTIONS = {"none": False, "mean": True, "sum": True, "batchmean": True}
"""The values of a loss's `reduction=`, and whether its result is then one element."""

BY_ROW = frozenset(
    (
        "cross_entropy nll_loss multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss "
        "triplet_margin_loss triplet_margin_with_distance_loss cosine_embedding_loss "
        "CrossEntropyLoss NLLLoss NLLLoss2d MultiMarginLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss "
        "TripletMarginLoss TripletMarginWithDistanceLoss CosineEmbeddingLoss"
    ).split()
)
"""Losses that are a number for a row of what they are given, where they are not reduced; the others are one for each
element."""

CTC = frozenset({"ctc_loss", "CTCLoss"})
"""Losses that are a number for a sequence."""

MOST_PLANAR = 2
"""A tensor of no more dimensions is a matrix, a vector or a number."""

PLANAR_LAYERS = frozenset(
    (
        "Linear LazyLinear Embedding EmbeddingBag BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d "
        "InstanceNorm2d InstanceNorm3d RNN LSTM GRU RNNCell LSTMCell GRUCell PReLU"
    ).split()
)
"""By name: the parameters of the layer have at most two dimensions, whatever it is made with."""

FLATTENING = frozenset("addmm addmv dot mm mv ravel t vdot".split())
"""By name: the result has at most two dimensions, whatever is given."""

NOT_DEEPER = (
    ELEMENTWISE
    | REDUCING
    | frozenset(
        (
            "H T adjoint mH mT contiguous data detach to type flatten squeeze permute movedim transpose flip fliplr "
            "flipud roll rot90 tril triu cumsum cumprod relu6 rrelu hardshrink softshrink softmin threshold dropout "
            "alpha_dropout feature_alpha_dropout normalize nan_to_num positive conj msort real resolve_conj "
            "resolve_neg to_dense cpu cfloat cdouble chalf gumbel_softmax sort cummax cummin amax amin logsumexp "
            "argsort bool byte char int long short layer_norm rms_norm batch_norm masked_fill masked_select where cat "
            "hstack vstack gather index_select index_add index_copy index_fill select narrow diagonal diag matmul "
            "linear inner mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy cross_entropy nll_loss "
            "binary_cross_entropy_with_logits kl_div kron chain_matmul linalg_multi_dot addr outer eq ne lt le gt ge "
            "Linear LazyLinear BatchNorm1d LayerNorm RMSNorm GroupNorm Dropout AlphaDropout FeatureAlphaDropout ReLU "
            "ReLU6 LeakyReLU ELU SELU CELU GELU SiLU Mish Softplus Softsign Softshrink Hardshrink Tanhshrink Hardtanh "
            "Hardswish Hardsigmoid Sigmoid Tanh LogSigmoid PReLU RReLU Threshold Softmax LogSoftmax Softmin"
        ).split()
    )
)
"""By name, operations and layers: where no operand has more than two dimensions, no result has."""

RESIZING = {
    "as_strided_": ("scalar", "planar", "shape", "size", "contiguous"),
    "squeeze_": ("planar", "shape", "size"),
    "unsqueeze_": ("planar", "shape", "size"),
    "transpose_": ("shape", "size", "contiguous"),
    "t_": ("shape", "size", "contiguous"),
}
"""By name, operations that give what they write other sizes, and what was known of these that is not any more."""
