"""The arguments of a call, after evaluation: as they are passed in, and in the function that runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from gradlint.domain.objects import Container
from gradlint.domain.refs import Ref
from gradlint.domain.value_sets import alternatives
from gradlint.domain.values import UNKNOWN, Value
from gradlint.interpreter.engine.machine import Interpreter
from gradlint.source import parameters_of


@dataclass(slots=True)
class Arguments:
    """Positional and keyword arguments; `unknown` says that star arguments brought others that are not known. Then
    `certain` is what certainly is among the positional ones."""

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    unknown: bool = False
    certain: tuple[Ref, ...] = ()

    @property
    def first(self) -> Value:
        """Return the first positional argument."""
        return self.positional[0] if self.positional else UNKNOWN

    def get(self, name: str, position: int, default: Value) -> Value:
        """An argument given by name or position."""
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[position] if 0 <= position < len(self.positional) else default

    def given(self, name: str, position: int = -1) -> bool:
        """Return whether an argument is certainly given."""
        return name in self.keywords or 0 <= position < len(self.positional)

    def values(self) -> list[Value]:
        """All values passed in."""
        return [*self.positional, *self.keywords.values()]

    def with_values(self, values: Sequence[Value]) -> Arguments:
        """The same arguments with these values, in the order of `values`."""
        count = len(self.positional)
        return replace(
            self, positional=[*values[:count]], keywords=dict(zip(self.keywords, values[count:], strict=True))
        )

    def with_first(self, value: Value) -> Arguments:
        """The same arguments behind another one."""
        return Arguments([value, *self.positional], self.keywords, self.unknown, self.certain)


def arguments_in(m: Interpreter, value: Value) -> tuple[str, ...]:
    """The parameters of the function that runs whose arguments a value is, or holds as a container: what the function
    made itself and bound to the name of a parameter is no argument."""
    frame, function = m.frame, m.frame.function
    if function is None:
        return ()
    handed: dict[Value, str] = {}
    for param in parameters_of(function.node.params):
        bound = m.state.names.get((frame.id, param.name.value))
        if type(bound) is Ref and (bound.context != frame.id or bound.site == m.allocations.sites.get(param)):
            handed[bound] = param.name.value
    if not handed:
        return ()
    container = m.only(value, Container)
    kept = alternatives(value) if container is None else [inner for _, inner in container.items]
    found = [handed.get(part, "") for part in kept]
    return tuple(name for name in found if name) if container is not None or all(found) else ()
