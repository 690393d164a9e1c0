"""Facts about torch, as read-only tables by path: `at(version)` gives those of a version.

Every row is measured on the installed torch by `tests/test_knowledge.py`. An operation that has several
forms under one spelling has one path per form, the form after a space: `torch.max` is `max(x)`,
`torch.max along dim` is `max(x, dim)`, `operator.getitem advanced` is indexing by lists and tensors.

A row may say from which version on it holds (`since`), and from which on no more (`until`): where torch changed, two
rows speak of one path. What no measured version shows carries a `source`, and nothing that rests on it is believed
further than possible.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gradlint.knowledge.index import MODULE_ROWS, OPERATION_ROWS, ROWS, Tables, at, differing
from gradlint.knowledge.torch import mode_contexts

__all__ = ["DTYPES", "MODULE_ROWS", "OPERATION_ROWS", "PRECISIONS", "ROWS", "Tables", "at", "differing"]

DTYPES: Mapping[str, str] = MappingProxyType(mode_contexts.KIND_OF_DTYPE)
PRECISIONS: Mapping[str, str] = MappingProxyType(mode_contexts.PRECISIONS)
