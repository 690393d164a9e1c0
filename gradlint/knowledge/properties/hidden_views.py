"""Operations that give a view of memory that no handle stands for."""

from __future__ import annotations

VIEWS_OF_HIDDEN = frozenset(
    (
        "AdaptiveAvgPool1d AdaptiveMaxPool1d AvgPool1d InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d "
        "LazyInstanceNorm2d LazyInstanceNorm3d MaxUnpool1d MultiheadAttention adaptive_avg_pool1d adaptive_max_pool1d "
        "adaptive_max_pool1d_with_indices avg_pool1d chain_matmul cov einsum fft_ifft fft_ihfft inner "
        "instance_norm linalg_cond linalg_multi_dot linalg_tensorinv linalg_tensorsolve max_pool1d_with_indices "
        "max_unpool1d norm_except_dim pca_lowrank repeat_interleave svd svd_lowrank tensordot"
    ).split()
) | {"autograd.grad"}
"""By name: operations and layers whose result may be a view of something they computed on the way."""
