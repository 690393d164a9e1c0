"""Layouts of elements in memory, and the results that are views because of them.

Source: measured (`tests/test_knowledge_layout.py`).
"""

from __future__ import annotations

from gradlint.knowledge.shapes.element_count import ELEMENTWISE

FORMATTED = frozenset("bfloat16 clone contiguous double float half".split())
"""By name: operations with an argument for the order of the elements (`memory_format=`)."""

KEEPING_ORDER = ELEMENTWISE | frozenset(
    (
        "Flatten cumprod cumsum detach flatten hardshrink ravel relu6 reshape reshape_as softmin softshrink squeeze "
        "threshold unflatten unsqueeze view view_as"
    ).split()
)
"""By name, operations and layers: from operands that are contiguous comes what is."""

KEEPING_ORDER_BY_NUMBERS = frozenset({"getitem"})
"""And these where whole numbers alone say what is taken: the first parts of it, one after the other."""

VIEWS_IN_ORDER = frozenset({"Flatten", "flatten", "ravel", "reshape", "reshape_as"})
"""By name, operations and layers: of what is contiguous they give a view, if not the operand itself."""

ITSELF_IN_ORDER = frozenset({"contiguous"})
"""By name: what is contiguous comes back as it is."""

ITSELF_AS_DEEP = frozenset({"Flatten", "atleast_1d", "atleast_2d", "atleast_3d", "flatten"})
"""By name, operations and layers: the operand comes back where the result has as many dimensions, and nowhere else."""

IN_ORDER = frozenset(
    "arange empty eye full linspace logspace ones rand randint randn randperm range scalar_tensor tensor zeros".split()
)
"""By name: factories that make what is contiguous out of numbers, unless an argument gives an order or a layout."""

GIVEN_AS_IT_IS = frozenset({"_weight"})
"""Arguments that a layer takes for its parameters."""
