"""Operands made in inference mode that an operation hears of, where it runs outside of it.

Such a tensor carries no mark that calls autograd. Without an ordinary tensor among the operands most operations are not
recorded, whatever flags are on; with one they are, and hear of all. A Python number becomes an ordinary tensor on its
way. What consists of other operations may look at an operand through a view first, which shows no flag, or may make an
ordinary tensor on the way. Operations and operands are named as in their rows.
"""

from __future__ import annotations

HEARD_ALONE = frozenset("clone msort sort".split())
"""The operations that write their operand into an ordinary tensor, which is recorded."""

UNKNOWN_ALONE = frozenset(
    (
        "abs addbmm addmm alpha_dropout atleast_3d baddbmm batch_norm bernoulli bfloat16 bilinear "
        "binary_cross_entropy_with_logits block_diag bmm cdouble cfloat chain_matmul chalf cholesky_inverse "
        "complex conj_physical constant_pad_nd contiguous conv1d conv2d conv3d conv_transpose1d conv_transpose2d "
        "conv_transpose3d corrcoef cosine_similarity cov cross_entropy ctc_loss cummax cummin cumprod cumsum "
        "deg2rad diag diag_embed diagflat diagonal_scatter diff double dropout dropout1d dropout2d dropout3d "
        "embedding embedding_bag feature_alpha_dropout fft_fft2 fft_fftn fft_hfft fft_hfft2 fft_hfftn fft_ifft2 "
        "fft_ifftn fft_irfft fft_irfft2 fft_irfftn flatten flip flipud float float_power fractional_max_pool2d "
        "fractional_max_pool3d frexp gaussian_nll_loss group_norm gumbel_softmax half hardtanh "
        "hinge_embedding_loss index_add index_copy index_fill index_put index_reduce instance_norm inverse "
        "kthvalue ldexp linalg_cholesky linalg_cholesky_ex linalg_eig linalg_eigh linalg_eigvals "
        "linalg_householder_product linalg_inv_ex linalg_ldl_factor linalg_lstsq linalg_lu linalg_lu_factor "
        "linalg_multi_dot linalg_qr linalg_solve_triangular linalg_tensorsolve linalg_vecdot linear "
        "local_response_norm logcumsumexp logsumexp masked_fill masked_scatter matmul matrix_power max_unpool3d "
        "mean mm mode multilabel_soft_margin_loss mv nan_to_num nanquantile nonzero_static norm_except_dim normal "
        "normalize pad pca_lowrank pdist pinverse poisson_nll_loss polar positive prelu put qr quantile rad2deg "
        "ravel relu6 renorm repeat_interleave reshape resolve_neg rms_norm roll rot90 rrelu "
        "scaled_dot_product_attention scatter scatter_add scatter_reduce select_scatter share_memory_ "
        "slice_scatter soft_margin_loss softsign special_ndtr svd_lowrank tanhshrink to to_dense to_sparse topk "
        "triangular_solve type type_as unravel_index"
    ).split()
) | {"builtin sum", "getitem advanced", "max along dim", "median along dim", "min along dim", "nanmedian along dim"}
"""Operations of which shapes, layouts or arguments decide whether they are recorded without an ordinary tensor, or that
torch refuses then (`mean`), so that nothing was measured, or that autocast gives a copy (`mm`)."""

UNHEARD = frozenset(
    {
        "einsum operands",
        "expand_as input",
        "kron input",
        "kron other",
        "outer input",
        "tensordot a",
        "tensordot b",
        "view_as input",
    }
)
"""The operands that are looked at through a view first, even beside ordinary tensors."""

UNKNOWN_BESIDE = frozenset(
    (
        "batch_norm bilinear binary_cross_entropy binary_cross_entropy_with_logits block_diag broadcast_tensors "
        "cartesian_prod cdist chain_matmul clamp column_stack conv1d conv2d conv3d conv_transpose1d "
        "conv_transpose2d conv_transpose3d cosine_embedding_loss cosine_similarity cross cross_entropy ctc_loss "
        "diff dstack embedding embedding_bag float_power gaussian_nll_loss grid_sample grid_sampler group_norm "
        "hinge_embedding_loss hstack huber_loss inner kl_div l1_loss layer_norm linalg_householder_product "
        "linalg_multi_dot linalg_solve linalg_solve_ex linalg_tensorsolve linalg_vecdot linear "
        "margin_ranking_loss matmul max_unpool2d meshgrid mse_loss multi_margin_loss multilabel_margin_loss "
        "multilabel_soft_margin_loss nll_loss pairwise_distance poisson_nll_loss prelu put reshape_as rms_norm "
        "scaled_dot_product_attention smooth_l1_loss soft_margin_loss take_along_dim triplet_margin_loss "
        "triplet_margin_with_distance_loss type_as vstack"
    ).split()
) | {"builtin sum"}
"""Operations, and operands of some, where shapes, layouts or arguments decide whether they hear of an operand beside
ordinary tensors: most of those that consist of others."""

OWN = frozenset({"Linear bias"})
"""Parameters of layers that are certainly heard of where what the layer is called with is ordinary."""

NUMBERS_APART = frozenset(
    {"clamp min", "clamp max", "clamp_min min", "clamp_max max", "lerp weight", "div input", "pow input"}
)
"""Numbers that stay numbers."""

EXPONENTS = frozenset({"pow exponent", "pow other"})
"""Numbers that stay numbers, but for one: the first power is a copy, which is recorded."""


def hears(name: str, operand: str, *, beside: bool) -> bool | None:
    """Return whether an operation hears of an operand made in inference mode that requires grad: alone, or `beside`
    something that was not. None where it depends on more, or was not measured."""
    if not beside:
        return None if name in UNKNOWN_ALONE else name in HEARD_ALONE
    one = f"{name} {operand}"
    return None if UNKNOWN_BESIDE & {name, one} else one not in UNHEARD


def hears_own(layer: str, parameter: str) -> bool:
    """Return whether a layer certainly hears of a parameter made in inference mode, called with what was not."""
    return f"{layer} {parameter}" in OWN


def accompanies(name: str, operand: str, number: object) -> bool | None:
    """Return whether a Python number does what an ordinary tensor does for the other operands."""
    one = f"{name} {operand}"
    if one in EXPONENTS:
        return None if number is None or number == 1 else False
    return one not in NUMBERS_APART
