"""Operations whose results are of the floating point numbers that their operands are of.

Source: measured (`tests/test_knowledge_precision.py`), under autocast on a CPU as well. Other devices were not
measured: the documentation of autocast names some of these that it computes in float32 there, and none that it computes
in less. So what is less precise is taken to become float32, perhaps.
"""

from __future__ import annotations

from gradlint.knowledge.shapes.element_count import ELEMENTWISE

KEEPING_PRECISION = (
    ELEMENTWISE
    | frozenset(
        (
            "amax amin cat cumprod cumsum diag dropout flip fliplr flipud hardshrink hstack logsumexp mean normalize "
            "outer relu6 repeat roll rrelu softmin softshrink stack std sum threshold tile tril triu var vstack "
            "CELU Dropout ELU GELU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax Mish ReLU "
            "ReLU6 SELU SiLU Sigmoid Softmax Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold"
        ).split()
    )
) - frozenset("bfloat16 complex double float float_power half polar".split())
"""By name, operations and layers."""

LESS_PRECISE = frozenset({"bfloat16", "float16"})
"""The numbers that autocast may replace."""
