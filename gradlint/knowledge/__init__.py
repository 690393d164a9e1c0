"""What torch does, as read-only tables by path.

Every row is measured on the installed torch by `tests/test_knowledge.py`. An operation that has several
forms under one spelling has one path per form, the form after a space: `torch.max` is `max(x)`,
`torch.max along dim` is `max(x, dim)`, `operator.getitem advanced` is indexing by lists and tensors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Protocol, TypeVar

from gradlint.knowledge import (
    attributes,
    clipping,
    contexts,
    factories,
    managers,
    modules,
    modules_activation,
    modules_loss,
    modules_norm,
    modules_recurrent,
    modules_shape,
    operations_activation,
    operations_arrange,
    operations_binary,
    operations_cast,
    operations_compare,
    operations_decomposition,
    operations_functional,
    operations_in_place,
    operations_in_place_binary,
    operations_in_place_compare,
    operations_in_place_fill,
    operations_in_place_index,
    operations_index,
    operations_init,
    operations_linalg,
    operations_linear,
    operations_loss,
    operations_neural,
    operations_operator,
    operations_order,
    operations_pointwise,
    operations_pooling,
    operations_pooling_indices,
    operations_reduction,
    operations_shape,
    operations_special,
    operations_spectral,
    optimizers,
    plain,
    plain_objects,
    reparametrizations,
    scalers,
    schedulers,
)
from gradlint.knowledge.rows import (
    ClipRow,
    ContextRow,
    Factory,
    ManagerRow,
    ModuleRow,
    Operation,
    OptimizerRow,
    PlainRow,
    ReparametrizationRow,
    ScalerRow,
    SchedulerRow,
)


class _Spelled(Protocol):
    @property
    def paths(self) -> tuple[str, ...]: ...


class _Named(Protocol):
    @property
    def path(self) -> str: ...


SpelledT = TypeVar("SpelledT", bound=_Spelled)
NamedT = TypeVar("NamedT", bound=_Named)


def _by_paths(rows: Iterable[SpelledT]) -> Mapping[str, SpelledT]:
    return MappingProxyType({path: row for row in rows for path in row.paths})


def _by_path(rows: Iterable[NamedT]) -> Mapping[str, NamedT]:
    return MappingProxyType({row.path: row for row in rows})


OPERATION_ROWS: tuple[Operation, ...] = (
    *operations_pointwise.ROWS,
    *operations_binary.ROWS,
    *operations_compare.ROWS,
    *operations_operator.ROWS,
    *operations_reduction.ROWS,
    *operations_order.ROWS,
    *operations_shape.ROWS,
    *operations_arrange.ROWS,
    *operations_cast.ROWS,
    *operations_index.ROWS,
    *operations_linear.ROWS,
    *operations_decomposition.ROWS,
    *operations_activation.ROWS,
    *operations_neural.ROWS,
    *operations_pooling.ROWS,
    *operations_loss.ROWS,
    *operations_in_place.ROWS,
    *operations_in_place_fill.ROWS,
    *operations_in_place_binary.ROWS,
    *operations_in_place_compare.ROWS,
    *operations_in_place_index.ROWS,
    *operations_init.ROWS,
    *operations_spectral.ROWS,
    *operations_special.ROWS,
    *operations_pooling_indices.ROWS,
    *operations_linalg.ROWS,
    *operations_functional.ROWS,
)
MODULE_ROWS: tuple[ModuleRow, ...] = (
    *modules.ROWS,
    *modules_norm.ROWS,
    *modules_recurrent.ROWS,
    *modules_activation.ROWS,
    *modules_shape.ROWS,
    *modules_loss.ROWS,
)

OPERATIONS: Mapping[str, Operation] = _by_paths(OPERATION_ROWS)
ATTRIBUTES: Mapping[str, Operation] = _by_paths(attributes.ATTRIBUTE_ROWS)
FACTORIES: Mapping[str, Factory] = _by_paths(factories.ROWS)
MODULES: Mapping[str, ModuleRow] = _by_path(MODULE_ROWS)
REPARAMETRIZATIONS: Mapping[str, ReparametrizationRow] = _by_path(reparametrizations.ROWS)
OPTIMIZERS: Mapping[str, OptimizerRow] = _by_path(optimizers.ROWS)
CLIPPING: Mapping[str, ClipRow] = _by_path(clipping.ROWS)
MANAGERS: Mapping[str, ManagerRow] = _by_path(managers.ROWS)
SCALERS: Mapping[str, ScalerRow] = _by_path(scalers.ROWS)
SCHEDULERS: Mapping[str, SchedulerRow] = _by_path(schedulers.ROWS)
CONTEXTS: Mapping[str, ContextRow] = _by_paths(contexts.ROWS)
PLAIN: Mapping[str, PlainRow] = _by_path(plain.TENSOR_ROWS)
HARMLESS: Mapping[str, PlainRow] = _by_path(plain.HARMLESS_ROWS)
OBJECT_METHODS: Mapping[str, PlainRow] = _by_path(plain_objects.METHOD_ROWS)
OBJECT_ATTRIBUTES: Mapping[str, PlainRow] = _by_path(plain_objects.ATTRIBUTE_ROWS)
CONSTANTS: Mapping[str, PlainRow] = _by_path(plain_objects.CONSTANT_ROWS)
DTYPES: Mapping[str, str] = MappingProxyType(contexts.KIND_OF_DTYPE)
PRECISIONS: Mapping[str, str] = MappingProxyType(contexts.PRECISIONS)
