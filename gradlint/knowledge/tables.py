"""The tables of every version: rows by path, those that hold in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar

from gradlint.frozen import frozen
from gradlint.knowledge import (
    attributes,
    clearing,
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
    ClearingRow,
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
from gradlint.versions import NEWEST, Version, Versioned, holds, of, told

RowT = TypeVar("RowT", bound=Versioned)

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


ROWS: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "operations": OPERATION_ROWS,
        "attributes": attributes.ATTRIBUTE_ROWS,
        "factories": factories.ROWS,
        "modules": MODULE_ROWS,
        "reparametrizations": reparametrizations.ROWS,
        "optimizers": optimizers.ROWS,
        "clearing": clearing.ROWS,
        "clipping": clipping.ROWS,
        "managers": managers.ROWS,
        "scalers": scalers.ROWS,
        "schedulers": schedulers.ROWS,
        "contexts": contexts.ROWS,
        "plain": plain.TENSOR_ROWS,
        "harmless": plain.HARMLESS_ROWS,
        "object_methods": plain_objects.METHOD_ROWS,
        "object_attributes": plain_objects.ATTRIBUTE_ROWS,
        "constants": plain_objects.CONSTANT_ROWS,
    }
)
"""All rows there are, of all versions, by the name of their table."""


@frozen()
class Tables:
    """What one version of torch does: a row for each path.

    `absent` are the paths that rows of other versions speak of and none of this one: nothing is known of them here;
    `told` those whose row was measured nowhere.
    """

    version: Version
    operations: Mapping[str, Operation]
    attributes: Mapping[str, Operation]
    factories: Mapping[str, Factory]
    modules: Mapping[str, ModuleRow]
    reparametrizations: Mapping[str, ReparametrizationRow]
    optimizers: Mapping[str, OptimizerRow]
    clearing: Mapping[str, ClearingRow]
    clipping: Mapping[str, ClipRow]
    managers: Mapping[str, ManagerRow]
    scalers: Mapping[str, ScalerRow]
    schedulers: Mapping[str, SchedulerRow]
    contexts: Mapping[str, ContextRow]
    plain: Mapping[str, PlainRow]
    harmless: Mapping[str, PlainRow]
    object_methods: Mapping[str, PlainRow]
    object_attributes: Mapping[str, PlainRow]
    constants: Mapping[str, PlainRow]
    absent: frozenset[str] = frozenset()
    told: frozenset[str] = frozenset()

    def telling(self, doubt: Callable[[], None]) -> Tables:
        """The same tables, which call `doubt` whenever a row is asked for that was measured nowhere."""
        if not self.told:
            return self
        tables = {kind: _Telling(getattr(self, kind), doubt) for kind in ROWS}
        return replace(self, **tables)  # type: ignore[arg-type]


class _Telling(dict[str, RowT]):
    """A table that tells when a row is asked for that was measured nowhere."""

    def __init__(self, rows: Mapping[str, RowT], doubt: Callable[[], None]) -> None:
        super().__init__(rows)
        self._doubt, self._told = doubt, frozenset(path for path, row in rows.items() if told(row))

    def __getitem__(self, path: str) -> RowT:
        if path in self._told:
            self._doubt()
        return super().__getitem__(path)

    def get(self, path: str, default: Any = None) -> Any:
        if path in self._told:
            self._doubt()
        return super().get(path, default)

    def __contains__(self, path: object) -> bool:
        if path in self._told:
            self._doubt()
        return super().__contains__(path)


def spellings(row: Any) -> tuple[str, ...]:
    """The paths that a row speaks of."""
    return row.paths if hasattr(row, "paths") else (row.path,)


def paths(*kinds: str) -> tuple[str, ...]:
    """All paths that the rows of these tables speak of, in whatever version."""
    return tuple(dict.fromkeys(path for kind in kinds for row in ROWS[kind] for path in spellings(row)))


def _by_path(rows: Iterable[RowT]) -> Mapping[str, RowT]:
    return MappingProxyType({path: row for row in rows for path in spellings(row)})


@cache
def at(version: Version = NEWEST) -> Tables:
    """What a version of torch does."""
    tables = {kind: _by_path(of(rows, version)) for kind, rows in ROWS.items()}
    ever = frozenset(paths(*ROWS))
    only_told = {path for table in tables.values() for path, row in table.items() if told(row)}
    return Tables(version, **tables, absent=ever.difference(*tables.values()), told=frozenset(only_told))


def differing(one: Version, other: Version) -> tuple[Any, ...]:
    """The rows that hold in one of two versions and not in the other."""
    return tuple(row for rows in ROWS.values() for row in rows if holds(row, one) is not holds(row, other))
