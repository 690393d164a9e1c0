"""Calls that nothing can make torch refuse, whatever sizes and values their tensors have.

Source: measured (`tests/test_knowledge_going_well.py`), with tensors of all float dtypes, of all sizes and of none.
"""

from __future__ import annotations

ALONE = frozenset(
    {"abs", "clone", "cos", "detach", "exp", "mean", "neg", "relu", "sigmoid", "sin", "square", "sum", "tanh"}
)
"""Operations that go well with a dense float tensor and nothing else, and the backward through them does."""
BACKWARD = ALONE - {"detach"} | {"add", "div", "matmul", "mul", "sub"}
"""Operations that a backward goes through well, once they have been recorded."""
DENSE = frozenset({"Parameter", "empty", "eye", "full", "linspace", "ones", "rand", "randn", "tensor", "zeros"})
"""The makers of tensors that are neither sparse nor quantized nor nested."""
