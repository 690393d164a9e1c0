"""The arguments of a call, after evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradlint.domain import Ref, Value


@dataclass(slots=True)
class Arguments:
    """Positional and keyword arguments; `unknown` says that star arguments brought others that are not known. Then
    `certain` is what certainly is among the positional ones."""

    positional: list[Value] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    unknown: bool = False
    certain: tuple[Ref, ...] = ()

    def get(self, name: str, position: int, default: Value) -> Value:
        """An argument given by name or position."""
        if name in self.keywords:
            return self.keywords[name]
        return self.positional[position] if 0 <= position < len(self.positional) else default

    def given(self, name: str, position: int = -1) -> bool:
        """Whether an argument is certainly given."""
        return name in self.keywords or 0 <= position < len(self.positional)

    def values(self) -> list[Value]:
        """All values handed over."""
        return [*self.positional, *self.keywords.values()]

    def with_first(self, value: Value) -> Arguments:
        """The same arguments behind another one."""
        return Arguments([value, *self.positional], self.keywords, self.unknown, self.certain)
