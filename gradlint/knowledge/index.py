"""The tables of every version: rows by path, those that hold in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar

from gradlint.frozen import frozen
from gradlint.knowledge import modules, operations
from gradlint.knowledge.modules import reparametrizations
from gradlint.knowledge.python import context_managers, library_objects, pure_functions
from gradlint.knowledge.schema import (
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
from gradlint.knowledge.torch import attributes, factories, mode_contexts
from gradlint.knowledge.training import clearing, clipping, optimizers, scalers, schedulers
from gradlint.versions import NEWEST, Version, Versioned, holds, of, told

RowT = TypeVar("RowT", bound=Versioned)

OPERATION_ROWS = operations.ROWS
MODULE_ROWS = modules.ROWS


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
        "managers": context_managers.ROWS,
        "scalers": scalers.ROWS,
        "schedulers": schedulers.ROWS,
        "contexts": mode_contexts.ROWS,
        "plain": pure_functions.TENSOR_ROWS,
        "harmless": pure_functions.HARMLESS_ROWS,
        "object_methods": library_objects.METHOD_ROWS,
        "object_attributes": library_objects.ATTRIBUTE_ROWS,
        "constants": library_objects.CONSTANT_ROWS,
    }
)
"""All rows there are, of all versions, by the name of their table."""


@frozen()
class Tables:
    """The tables of one version of torch: a row for each path.

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
        """The same tables, which call `doubt` whenever a row is read that was measured nowhere."""
        if not self.told:
            return self
        tables: dict[str, Any] = {kind: _Telling(getattr(self, kind), doubt) for kind in ROWS}
        return replace(self, **tables)


class _Telling(dict[str, RowT]):
    """A table that reports the read of a row that was measured nowhere."""

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
    """Return the tables of a version of torch."""
    tables = {kind: _by_path(of(rows, version)) for kind, rows in ROWS.items()}
    ever = frozenset(paths(*ROWS))
    only_told = {path for table in tables.values() for path, row in table.items() if told(row)}
    return Tables(version, **tables, absent=ever.difference(*tables.values()), told=frozenset(only_told))


def differing(one: Version, other: Version) -> tuple[Any, ...]:
    """The rows that hold in one of two versions and not in the other."""
    return tuple(row for rows in ROWS.values() for row in rows if holds(row, one) is not holds(row, other))
