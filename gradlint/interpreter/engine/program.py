"""The collections over a whole program that are read at its end: its definitions, and the fates of its graphs."""

from __future__ import annotations

from dataclasses import dataclass, field

from gradlint.domain.objects import Instance, Module
from gradlint.domain.provenance import Cause
from gradlint.domain.refs import Escape, Graph, Ref
from gradlint.domain.values import Function, Value


@dataclass(slots=True)
class Definitions:
    """The `functions` and `classes` of the linted file by their syntax, with the `instances` made of classes for unseen
    callers, the names that classes which derive from one define `anew`, the functions that were `called` and those that
    `escaped` to unseen code or were not followed, the names of methods that were called on `strangers`, of whose class
    nothing is known, and the modules that are `hooked`: hooks may keep what their calls are passed."""

    functions: dict[object, Function] = field(default_factory=dict)
    classes: dict[object, Ref] = field(default_factory=dict)
    instances: dict[object, Module | Instance | None] = field(default_factory=dict)
    anew: dict[Ref, frozenset[object]] = field(default_factory=dict)
    called: dict[object, None] = field(default_factory=dict)
    escaped: dict[object, None] = field(default_factory=dict)
    strangers: dict[str, None] = field(default_factory=dict)
    hooked: dict[Value, None] = field(default_factory=dict)

    def is_called_elsewhere(self, function: Function | None) -> bool:
        """Return whether a function is called as well where that was not followed, or may be: by the name of a method,
        on what nobody knows."""
        if function is None:
            return False
        return function.node in self.escaped or (function.owner is not None and function.name in self.strangers)


@dataclass(slots=True)
class Graphs:
    """The fates of graphs: the nodes that a backward has `used`, those of them that made `terms` of what it
    differentiated, and whether one has `kept` its graph; those that
    functions have `returned` to unseen callers, and those that methods have `left_on` objects of these; what unseen
    code may do with those that `escaped`, and these again for each new fact; those that it
    `found_freed`, so that it may have raised; what has `left` the graph, and the first that left it; for nodes inside
    calls that were summarised, those that stood for them (`around`)."""

    used: set[Graph] = field(default_factory=set)
    terms: set[Graph] = field(default_factory=set)
    kept: bool = False
    returned: set[Graph] = field(default_factory=set)
    left_on: set[Graph] = field(default_factory=set)
    escaped: dict[Graph, Escape] = field(default_factory=dict)
    escapes: list[Graph] = field(default_factory=list)
    found_freed: set[Graph] = field(default_factory=set)
    left: dict[Graph, Cause] = field(default_factory=dict)
    around: dict[Graph, dict[Graph, None]] = field(default_factory=dict)

    def escape(self, graph: Graph, how: Escape) -> None:
        """A graph is passed to something that the file does not show, which may do this with it."""
        if self.escaped.get(graph, -1) < how:
            self.escaped[graph] = how
            self.escapes.append(graph)
