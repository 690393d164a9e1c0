"""The project of a linted file, for its analysis: what is found in it, with the syntax of each file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field

from gradlint import source, texts, workers
from gradlint.callers import Uses, all_off, any_on, is_read_of_another, uses
from gradlint.disk import Files
from gradlint.frozen import frozen
from gradlint.interpreter.static.scopes import Program, scan
from gradlint.queries import Queries
from gradlint.reading import reason
from gradlint.resolving import Found, Resolver, Shelf, View

MOST_SYNTAX = 2_500_000
"""The most text that is kept as syntax, which takes 65 to 130 times its room."""

OPTIMIZERS = "optim"
"""The text by which a file that makes optimizers of torch is known."""
WITH_MODES = re.compile(r"\b(?:(?:Sync)?BatchNorm|(?:Alpha|Feature)?Dropout)[1-3]?d?\(|\bdropout\w*=")
"""The text by which a file that makes layers with a train and an eval mode is known."""


class Project(Resolver):
    """Files, and what was read and parsed of them: shared by all that are linted in this process. Of those that were
    `given_up`, for these reasons, there is no syntax."""

    def __init__(self, files: Files | None = None, queries: Queries | None = None, room: int = MOST_SYNTAX) -> None:
        super().__init__(files, queries, 8 * room)
        self._programs: Shelf[str, Program | texts.Unreadable] = Shelf(room, lambda text, program: len(text))
        self.given_up: dict[str, str] = {}
        self._by_name["called off"] = self.is_called_without_gradients
        self._by_name["called on"] = self.is_called_with_gradients
        self._by_name["optimized"] = self.is_read_for_an_optimizer
        self._by_name["read"] = self.is_read
        self._by_name["modal"] = self.has_layers_with_modes

    def at(self, path: str) -> ProjectView:
        """Return the view of what can be imported from a file."""
        return ProjectView(self, path)

    def program(self, text: str) -> Program:
        """The syntax of a text. Raises `texts.Unreadable`."""
        found = self._programs.get(text, _parsed)
        if isinstance(found, texts.Unreadable):
            raise found
        return found

    def uses(self, path: str) -> Uses:
        """The names that a file reads, and how."""
        return self.queries.ask(("uses", path), lambda: uses(self.text(path) or ""))

    def is_called_without_gradients(self, top: str, path: str, name: str, related: tuple[str, ...]) -> bool:
        """Return whether files below a folder call something of this name, and gradients are off wherever they do: a
        file itself, one of the `related` ones, which hold the bases of its class, or one that imports these."""
        query = ("called off", top, path, name, related)
        return self.queries.ask(query, lambda: self._is_called_without_gradients(top, path, name, related))

    def _is_called_without_gradients(self, top: str, path: str, name: str, related: tuple[str, ...]) -> bool:
        importing, own = self.importing(top), (path, *related)
        near = [*own, *(other for one in own for other in importing.get(one, ()))]
        if not any(all_off(self.uses(one), name) for one in near):
            return False
        others = [
            one for one in {**importing, **dict.fromkeys(related)} if one != path and name in (self.text(one) or "")
        ]
        meant = [one for one in others if one in near or not self._imports_another(importing, one, path, name)]
        return all(all_off(self.uses(other), name) is not False for other in meant)

    def _imports_another(self, importing: Mapping[str, Sequence[str]], file: str, path: str, name: str) -> bool:
        """Return whether a file imports another one than this that defines a function of this name: what it calls by
        that is most likely there."""
        imported = [one for one, by in importing.items() if file in by and one != path]
        return any(f"def {name}(" in (self.text(one) or "") for one in imported)

    def is_called_with_gradients(self, top: str, path: str, cls: str, method: str) -> bool:
        """Return whether a file below a folder that imports this one calls a method of one of its classes where
        gradients are on."""
        query = ("called on", top, path, cls, method)
        importing = self.importing(top).get(path, ())
        return self.queries.ask(query, lambda: any(any_on(self.uses(other), cls, method) for other in importing))

    def is_read_for_an_optimizer(self, top: str, path: str, name: str) -> bool:
        """Return whether a file below a folder that imports this one reads an attribute of this name and makes
        optimizers."""
        importing = self.importing(top).get(path, ())
        return self.queries.ask(
            ("optimized", top, path, name),
            lambda: any(
                OPTIMIZERS in (self.text(one) or "") and is_read_of_another(self.uses(one), name) for one in importing
            ),
        )

    def is_read(self, top: str, path: str, name: str) -> bool:
        """Return whether a file below a folder that imports this one reads an attribute of this name, or another reads
        one of what is not its own."""
        return self.queries.ask(("read", top, path, name), lambda: self._is_read(top, path, name))

    def _is_read(self, top: str, path: str, name: str) -> bool:
        importing = self.importing(top)
        near = set(importing.get(path, ()))
        every = {*importing, *(one for many in importing.values() for one in many)} - {path}
        mentioning = [one for one in sorted(every) if name in (self.text(one) or "")]
        return any(
            use.owner and (one in near or use.owner != "self")
            for one in mentioning
            for use in self.uses(one).get(name, ())
        )

    def has_layers_with_modes(self, top: str, path: str) -> bool:
        """Return whether this file, or one below a folder that is imported or imports, makes layers that compute
        something else in train mode than in eval mode."""
        return self.queries.ask(("modal", top, path), lambda: self._has_layers_with_modes(top, path))

    def _has_layers_with_modes(self, top: str, path: str) -> bool:
        importing = self.importing(top)
        every = {path, *importing, *(one for many in importing.values() for one in many)}
        return any(WITH_MODES.search(self.text(one) or "") for one in sorted(every))


def _parsed(text: str) -> Program | texts.Unreadable:
    try:
        with workers.parsing():
            tree = source.parse(text)
    except texts.Unreadable as error:
        return error
    return Program(tree, scan(tree))


@frozen()
class Neighbour(Found):
    """A module of the project, with its syntax."""

    project: Project = field(repr=False)

    def program(self) -> Program | None:
        """Its syntax; None where it cannot be read."""
        text = "" if self.bare else self.project.text(self.path)
        if text is None or self.path in self.project.given_up:
            return None
        workers.busy_with(self.path)
        try:
            return self.project.program(text)
        except texts.Unreadable:
            return None
        finally:
            workers.busy_with("")

    def fault(self) -> str:
        """Return the reason that its syntax cannot be had, with the place; nothing where it can."""
        if self.path in self.project.given_up:
            return self.project.given_up[self.path]
        try:
            self.project.program(self.project.files.opened(self.path))
        except texts.Unreadable as error:
            return str(error)
        except (OSError, ValueError) as error:
            return reason(error)
        return ""


class ProjectView(View):
    """The project as one file sees it, with the syntax of what is in it."""

    project: Project

    def program(self, text: str) -> Program:
        """The syntax of a text. Raises `texts.Unreadable`."""
        return self.project.program(text)

    def find(self, module: str) -> Neighbour | None:
        """Return the file that an import of this dotted name finds in the project."""
        found = super().find(module)
        return None if found is None else Neighbour(found.name, found.path, found.own, self.project)

    def is_called_without_gradients(self, name: str, related: tuple[str, ...] = ()) -> bool:
        """Return whether files of the project call something of this name, and gradients are off wherever they do: this
        one, one of the `related` ones, which hold the bases of its class, or one that imports these."""
        return self.project.is_called_without_gradients(self.top, self.path, name, related)

    def is_called_with_gradients(self, cls: str, method: str) -> bool:
        """Return whether a file that imports this one calls a method of one of its classes where gradients are on."""
        return self.project.is_called_with_gradients(self.top, self.path, cls, method)

    def is_read_for_an_optimizer(self, name: str) -> bool:
        """Return whether a file that imports this one reads an attribute of this name and makes optimizers."""
        return self.project.is_read_for_an_optimizer(self.top, self.path, name)

    def is_read(self, name: str) -> bool:
        """Return whether a file of the project reads an attribute of this name of something that may be of this one."""
        return self.project.is_read(self.top, self.path, name)

    def has_layers_with_modes(self) -> bool:
        """Return whether a file of the project makes layers that compute something else in train mode."""
        return self.project.has_layers_with_modes(self.top, self.path)
