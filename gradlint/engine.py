"""The analysis of one file after the other, with all rules and packs loaded: from bytes to a result."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property
from types import ModuleType

from gradlint import installation, kinds, linter, run, showing, source, texts, unused
from gradlint.catalogue import Catalogue, Listed
from gradlint.changes import Wanted
from gradlint.finding import Finding
from gradlint.fixing import Fixer
from gradlint.knowledge import project_packs
from gradlint.knowledge.pack_index import NO_PACKS, Packs
from gradlint.knowledge.python.duck_typing_names import TORCH_WORDS
from gradlint.project import Project, ProjectView
from gradlint.queries import Queries
from gradlint.results import (
    Result,
    as_recovered,
    at_the_call,
    not_linted,
    one_line,
    run_as_it_stands,
    unreadable,
    with_fixes_for,
)
from gradlint.rule import Rule
from gradlint.settings import Known, Request, Terms
from gradlint.suppression import unsuppressed
from gradlint.unused import Silenced


class Installation:
    """All that is installed: rules, packs, and what can be known of them without running anything."""

    def __init__(
        self,
        rules: Sequence[Rule],
        packs: Packs = NO_PACKS,
        versions: Sequence[str] = (),
        modules: Iterable[ModuleType] = (),
    ) -> None:
        """`versions` are those of other libraries that results rest on, `modules` the ones with rules and packs."""
        self.rules, self.packs = tuple(rules), packs
        self._versions, self._modules = versions, tuple(modules)

    @cached_property
    def watched(self) -> dict[str, str]:
        return installation.watched(self._modules) if self._modules else {}

    @cached_property
    def catalogue(self) -> Catalogue:
        libraries = tuple(sorted(self.packs.on_torch))
        return Catalogue(tuple(map(Listed.of, self.rules)), (*TORCH_WORDS, *libraries), libraries=libraries)

    def digest(self) -> str:
        """A name for the code of all that is installed; empty where nobody can know."""
        return installation.digest(self.watched, self._versions) if self.watched else ""

    def engine(self, queries: Queries) -> Engine:
        """Return the engine that lints with all this."""
        return Engine(self.rules, self.packs, queries)


def lint(
    request: Request,
    rules: Sequence[Rule],
    packs: Packs = NO_PACKS,
    progress: run.Progress = run.silent,
    tell: run.Teller | None = None,
) -> run.Outcome:
    """Lint what is asked for, with these rules and this knowledge of libraries. Raises `run.Refused`."""
    return run.lint(request, lambda: Installation(rules, packs), progress, tell)


class Engine:
    """Rules and packs, and the project around the files that are linted."""

    def __init__(self, rules: Sequence[Rule], packs: Packs = NO_PACKS, queries: Queries | None = None) -> None:
        self.rules, self._installed = tuple(rules), packs
        self.project = Project(queries=queries)
        self.given_up = self.project.given_up
        self.packs: Callable[[Known], Packs] = cache(self._packs)

    def _packs(self, known: Known) -> Packs:
        """Return the facts of a version of torch and of libraries: what is installed, and before it what is
        configured."""
        told = project_packs.pack(known.modules, known.no_grad, known.backward)
        return Packs.of((*told, *self._installed.packs), known.version) if told else self._installed.at(known.version)

    def lint(self, data: bytes, path: str, filename: str, terms: Terms, *, named: bool) -> Result:
        """Return the result of linting a file under these terms; of one that is `named` with what lies around it.
        Nothing is raised but `MemoryError`: an error of ours is a finding about the file."""
        try:
            whole = kinds.read(data, filename, terms.most)
            return self._linted(whole, path, filename, terms, self.project.at(filename) if named else None)
        except texts.Unreadable as error:
            return Result(path, filename, (_about(error),))
        except MemoryError:
            raise  # nobody knows what else it cost: the process ends
        except Exception as error:  # the other files are still linted
            message = f"internal error: {one_line(error)}; please report it"
            return Result(path, filename, (not_linted(message),), traceback=_shortened(traceback.format_exc()))

    def _linted(self, whole: texts.Text, path: str, filename: str, terms: Terms, project: ProjectView | None) -> Result:
        """Return the result of a text; what is ignored in it may still be found in the files it leads to."""
        rules, packs = [rule for rule in self.rules if rule.code in terms.heard], self.packs(terms.known)
        if not linter.may_find(whole.program, rules, packs=packs, project=project) and not whole.is_broken:
            return Result(path, filename)
        sound = whole.sound(source.refused)
        try:
            found = linter.analyse(sound.program, rules, packs=packs, project=project)
        except texts.Unreadable as error:
            sound = whole.recovered(error, source.refused)
            found = linter.analyse(sound.program, rules, packs=packs, project=project)
        text, broken, recovered = sound
        here = [as_recovered(one, recovered) for one in found.findings if one.code not in terms.ignored]
        there = [as_recovered(one, recovered) for one in found.elsewhere]
        shown = showing.shown((*here, *there), rules, terms.least, filename if project is None else project.path)
        own = run_as_it_stands(tuple(one for one in shown if not one.path), project)
        elsewhere = tuple(one for one in shown if one.path)
        about = [_about(error) for error in broken]
        if (at := found.given_up) is not None:
            about.append(not_linted(TOO_MUCH, at.row, at.column))
        told = with_fixes_for(whole, unsuppressed(text, own))
        findings = tuple(sorted((*told, *about), key=lambda one: (one.place, one.code)))
        silenced = _silenced(text, filename, (*here, *found.elsewhere), project)
        counts, unread = found.counts, found.unread
        return Result(path, filename, findings, counts=counts, elsewhere=elsewhere, unread=unread, silenced=silenced)

    def fix(
        self,
        data: bytes,
        name: str,
        lint: Callable[[bytes], Result],
        wanted: Wanted,
        besides: Sequence[Finding] = (),
    ) -> tuple[bytes, tuple[Finding, ...]]:
        """Return the fixed bytes of a file of this name that is linted so, and the findings that are cured of this and
        of `besides`."""
        return Fixer(lint, wanted, name).fixed(data, besides)


def _about(error: texts.Unreadable) -> Finding:
    """The finding that says why a file, or a part of it, could not be linted."""
    told = not_linted if isinstance(error, texts.NotLinted) else unreadable
    return told(error.message, error.row, error.column)


def _silenced(
    text: str, filename: str, findings: Sequence[Finding], project: ProjectView | None
) -> tuple[Silenced, ...]:
    """Return the findings that comments silence, whatever is believed of them, those in other files also at the call
    there."""
    calls = [call for one in findings if one.path for call in at_the_call(one, filename, "")]

    def text_of(path: str) -> str:
        return (project.project.text(path) or "") if path and project is not None else text

    return unused.silenced([*findings, *calls], text_of)


TOO_MUCH = "so much is known of it here that it would take too long"
"""The reason that the analysis of a file ends before its end; what was found until then is told."""
LONGEST_TRACEBACK = 100
"""Rows of a traceback; a deep recursion has thousands."""


def _shortened(text: str) -> str:
    rows = text.splitlines()
    left_out = len(rows) - LONGEST_TRACEBACK
    if left_out > 0:
        half = LONGEST_TRACEBACK // 2
        rows = [*rows[:half], f"  [{left_out} rows left out]", *rows[-half:]]
    return "\n".join(rows) + "\n"
