"""Operations that tell how many elements their result has, whatever the shapes are."""

from __future__ import annotations

ELEMENTWISE = frozenset(
    (
        "add sub mul div remainder fmod maximum minimum fmax fmin atan2 hypot logaddexp pow rsub lerp "
        "abs neg exp expm1 log log1p log2 log10 sqrt rsqrt square reciprocal sin cos tan sinh cosh asin acos atan tanh "
        "sigmoid erf relu leaky_relu elu selu celu gelu silu mish softplus softsign tanhshrink hardtanh hardsigmoid "
        "hardswish logsigmoid softmax log_softmax clamp round floor ceil trunc sign clone float double half bfloat16"
    ).split()
)
"""By name: the result has an element for each element of any operand."""

REDUCING = frozenset("sum mean prod std var norm nansum nanmean".split())
"""By name: without `dim` the result is one element."""

REDUCTIONS = {"none": False, "mean": True, "sum": True, "batchmean": True}
"""What a loss is told by `reduction=`, and whether its result is then one element."""
