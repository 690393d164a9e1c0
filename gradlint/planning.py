"""The plan of a run: a task for each text, and what comes of each, remembered or linted.

A run is planned in a process that has loaded neither rules nor what analyses. It asks the cache what it remembers, and
looks at the words of the other files. Only for what is left is the engine loaded, and that works in processes of its
own.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from gradlint import gate, installation, kinds, texts, unused
from gradlint.cache import Cache, Remembered
from gradlint.catalogue import Catalogue
from gradlint.changes import Changed, Wanted
from gradlint.collecting import no_collections
from gradlint.files import Found, displayed, is_excluded
from gradlint.finding import Finding
from gradlint.frozen import frozen, replace
from gradlint.queries import Dependencies, Queries, digest
from gradlint.reading import MOST_SOURCE, TooLarge, read_regular
from gradlint.resolving import Resolver, View
from gradlint.results import STDIN, Result, Rows, cannot_be_read, not_linted, unreadable
from gradlint.selection import NOT_LINTED, OF_FILES, UNUSED
from gradlint.settings import Request, Settings, Terms

if TYPE_CHECKING:
    from gradlint.workers import End

MOST_ALONE, MOST_CALLERS = 10, 3
"""The most files linted by themselves of which callers are looked for, and the most callers of each."""
MOST_TRIES = 3
"""The most times that a file is tried again without one around it on which its process has ended."""


class Engine(Protocol):
    """A linter of one file after the other."""

    @property
    def project(self) -> Resolver: ...
    @property
    def given_up(self) -> dict[str, str]:
        """Files of whose syntax nothing is to be known, with the reasons: parsing them costs a process its life."""

    def lint(self, data: bytes, path: str, filename: str, terms: Terms, *, named: bool) -> Result:
        """Return the result for a file; for one that is `named` with what lies around it."""

    def fix(
        self, data: bytes, name: str, lint: Callable[[bytes], Result], wanted: Wanted, besides: Sequence[Finding] = ()
    ) -> tuple[bytes, tuple[Finding, ...]]:
        """Return the fixed bytes of a file of this name, and the findings that are cured, of `besides` as well."""


class Installation(Protocol):
    """All that is installed."""

    @property
    def catalogue(self) -> Catalogue: ...
    @property
    def watched(self) -> dict[str, str]:
        """The stamps of all files that decide what is installed."""

    def digest(self) -> str:
        """A name for the code of all that is installed."""

    def engine(self, queries: Queries) -> Engine: ...


class Installed:
    """The installation, loaded when it is needed: what is known of it otherwise may be remembered."""

    def __init__(self, load: Callable[[], Installation], remembered: Cache | None) -> None:
        self._load, self.cache = load, remembered
        self._loaded: Installation | None = None
        self.catalogue = self._catalogue()

    def _catalogue(self) -> Catalogue:
        known = None if self.cache is None else self.cache.installation(installation.key())
        if known is not None and installation.is_unchanged(known[0]):
            return known[1]
        loaded = self.loaded()
        if self.cache is None:  # nobody asks for a name, and to read all that is installed for it takes time
            return loaded.catalogue
        catalogue = replace(loaded.catalogue, digest=loaded.digest())
        self.cache.keep_installation(installation.key(), loaded.watched, catalogue)
        return catalogue

    def loaded(self) -> Installation:
        """All that is installed."""
        if self._loaded is None:
            with no_collections():
                self._loaded = self._load()
        return self._loaded


@frozen()
class Task:
    """A text to be linted: the `path` that it is shown under, the `filename` of its result, the `file` whose settings
    hold for it, and the `terms`. It is what the file holds, or what came over `stdin`; what lies around it is looked at
    if it is `named`."""

    path: str
    filename: str
    file: str
    terms: Terms
    stdin: bytes | None = field(default=None, repr=False)
    named: bool = True

    def read(self) -> bytes | Finding:
        """The bytes of the text, or the finding that says why they cannot be had."""
        if self.stdin is None:
            return read(self.file, self.terms.most)
        if lacking := kinds.lacking(self.file):
            return unreadable(lacking)
        most = self.terms.most
        return cannot_be_read(TooLarge(most)) if len(self.stdin) > kinds.most_bytes(self.file, most) else self.stdin

    @property
    def size(self) -> int:
        """Return the number of its bytes."""
        try:
            return os.path.getsize(self.file) if self.stdin is None else len(self.stdin)
        except OSError:
            return 0


def read(file: str, most: int = MOST_SOURCE) -> bytes | Finding:
    """Return the content of a file, `most` bytes or fewer, or the finding that says why it cannot be had."""
    if lacking := kinds.lacking(file):
        return unreadable(lacking)
    try:
        return read_regular(file, kinds.most_bytes(file, most))
    except (OSError, ValueError) as error:
        return cannot_be_read(error)


Answer = tuple[Result | None, Dependencies, float]
"""The answer of a process to a task: its result, None where the task is still to be done, what it rests on, and CPU
seconds."""


class Plan:
    """The plan from tasks to results: what is remembered, what the gate keeps back, what the engine is to do."""

    def __init__(self, request: Request, settings: Settings, installed: Installed) -> None:
        self.request, self.settings, self.installed = request, settings, installed
        self.cache = installed.cache
        self.project = Resolver(queries=Queries(keeping=self.cache is not None))
        self._engine: Engine | None = None
        self._tries = Counter[str]()
        self._names: dict[Terms, str] = {}

    # ---- tasks

    def tasks(self, found: Found) -> list[Task]:
        """All that is to be linted."""
        stdin = self.of_stdin() if STDIN in self.request.paths else None
        return [*map(self.of_file, found.files), *([] if stdin is None else [stdin])]

    def of_file(self, file: str) -> Task:
        """The task of linting a file; what is to be warned of its settings is noted."""
        return Task(displayed(file), file, file, self.settings.terms(file))

    def of_stdin(self) -> Task | None:
        """The task of linting what comes over stdin, under the name it is given; None where that is left out."""
        request, name = self.request, self.request.stdin_filename
        file = os.path.abspath(name or "stdin.py")
        if name and request.force_exclude and is_excluded(file, self.settings.excluded(os.path.dirname(file))):
            return None
        shown, filename = (name, file) if name else (STDIN, STDIN)
        return Task(shown, filename, file, self.settings.terms(file), request.stdin, named=bool(name))

    def may_have_callers(self, files: Sequence[str]) -> bool:
        """Return whether other files are looked for that call what is in these."""
        return len(files) <= MOST_ALONE

    def callers(self, files: Sequence[str]) -> list[str]:
        """Other files of the project that import what is linted: the nearest few, where few files are linted. Of a run
        over all of a project these are among the files."""
        if not self.may_have_callers(files):
            return []
        found = (path for file in files for path in self.project.at(file).callers()[:MOST_CALLERS])
        return [path for path in dict.fromkeys(found) if path not in files]

    # ---- results

    def results(self, tasks: Sequence[Task]) -> Iterator[Result]:
        """Yield the results of tasks, as they come."""
        left = list(tasks)
        if self.cache is not None:
            remembered = self._remembered(self.cache, left)
            for task in [task for task in left if task.stdin is None and task.file in remembered]:
                yield self._finished(task, remembered[task.file])
            left = [task for task in left if task.stdin is not None or task.file not in remembered]
        asked, at_once = list[Task](), list[Task]()
        for task in left:
            seen = self._at_a_glance(task)
            if isinstance(seen, Result):
                yield self._finished(task, seen)
            else:
                (at_once if seen else asked).append(task)
        for task, (result, rests_on, _) in self._done(asked, self._behind_gate):
            if result is None:
                at_once.append(task)
            else:
                self._keep(task, result, rests_on)
                yield self._finished(task, result)
        while at_once:
            self.engine()  # is loaded before processes are forked
            again = list[Task]()
            for task, (result, rests_on, seconds) in self._done(at_once, self._analysed):
                if result is None:
                    again.append(task)
                else:
                    self._keep(task, result, rests_on)
                    yield self._finished(task, replace(result, seconds=seconds))
            at_once = again

    def _done(self, tasks: list[Task], work: Callable[[Task], Answer]) -> Iterator[tuple[Task, Answer]]:
        """Yield the answers of processes to tasks, as they come; the largest first, where several work at once."""
        if not tasks:
            return
        jobs = min(self.request.jobs, len(tasks))
        if jobs > 1:
            tasks = sorted(tasks, key=lambda task: task.size, reverse=True)
        from gradlint import workers  # a run in which all is remembered needs no processes

        gave_up, limits = self._gave_up, self.settings.limits()
        yield from workers.done(tasks, lambda task: (task, work(task)), gave_up, jobs=jobs, limits=limits)

    def _gave_up(self, task: Task, end: End) -> tuple[Task, Answer]:
        """Return the answer to a task on which a process has ended: nothing yet where it was a file around that one
        that it was busy with, and it can be tried without that."""
        around = end.busy_with
        if around not in ("", task.file) and self._tries[task.file] < MOST_TRIES:
            self._tries[task.file] += 1
            self.engine().given_up[around] = end.why
            return task, (None, Dependencies(), 0.0)
        return task, (Result(task.path, task.filename, (not_linted(end.why),)), Dependencies(), 0.0)

    def _finished(self, task: Task, result: Result) -> Result:
        """A result with what is known of its file now; where that is ignored, nobody hears that it was given up."""
        whole = OF_FILES.isdisjoint(one.code for one in result.findings)
        if NOT_LINTED.code not in self.settings.codes(task.file):
            told = tuple(one for one in result.findings if one.code != NOT_LINTED.code)
            result = replace(result, findings=told, traceback="")
        rows = Rows.of(task.file) if task.stdin is None else Rows(lambda: task.stdin or b"", task.file)
        return replace(result, path=task.path, lines=rows, whole=whole)

    # ---- the gate

    def _at_a_glance(self, task: Task) -> Result | bool:
        """Return the result of a task whose text is not taken apart: where it cannot be read, else whether it has what
        is needed for a finding itself."""
        data = task.read()
        if isinstance(data, Finding):
            return Result(task.path, task.filename, (data,))
        try:
            return gate.is_open(kinds.words(data, task.file), self._needed(task.terms))
        except texts.Unreadable:
            return True

    def _behind_gate(self, task: Task) -> Answer:
        """The result of a task where nothing can be found in it: it is not analysed."""
        data, queries = task.read(), self.project.queries
        if isinstance(data, Finding):
            return Result(task.path, task.filename, (data,)), Dependencies(), 0.0
        with queries.noted() as rests_on:
            queries.content(task.file)
            view: View | None = self.project.at(task.file) if task.named else None
            try:
                text = kinds.read(data, task.file, task.terms.most)
                is_open = gate.may_find(text.program, self._needed(task.terms), view) or text.is_broken
            except texts.Unreadable:
                is_open = True
        unknown = self._unknown_words(task, data)
        return (None if is_open else Result(task.path, task.filename, unknown=unknown)), rests_on, 0.0

    def _unknown_words(self, task: Task, data: bytes) -> tuple[tuple[int, str], ...]:
        """The words in suppressions of a file that name no rule of those that are installed."""
        with contextlib.suppress(texts.Unreadable):
            return unused.unknown(kinds.read(data, task.file, task.terms.most).program, self.installed.catalogue.rules)
        return ()

    def _needed(self, terms: Terms) -> gate.Needed:
        """The words that are needed for a finding under these terms."""
        catalogue = self.installed.catalogue
        heard = [rule for rule in catalogue.rules if rule.code in terms.heard]
        return gate.needed(heard, (*catalogue.words, *terms.known.roots))

    # ---- the engine

    def engine(self) -> Engine:
        """The engine, with what is known of the project so far."""
        if self._engine is None:
            self._engine = self.installed.loaded().engine(self.project.queries)
            self.project = self._engine.project
        return self._engine

    def _analysed(self, task: Task) -> Answer:
        """Return the engine's answer to a task."""
        before, data, queries = time.process_time(), task.read(), self.project.queries
        if isinstance(data, Finding):
            return Result(task.path, task.filename, (data,)), Dependencies(), 0.0
        with queries.noted() as rests_on:
            queries.content(task.file)
            result = self.engine().lint(data, task.path, task.filename, task.terms, named=task.named)
        return replace(result, unknown=self._unknown_words(task, data)), rests_on, time.process_time() - before

    def changes(self, found: Mapping[Task, Sequence[Finding]]) -> Iterator[Changed]:
        """Yield the changes that fixes make of the files of tasks with these findings, where they make any."""
        engine, jobs, limits = self.engine(), min(self.request.jobs, len(found)), self.settings.limits()

        def changed(task: Task) -> Changed | None:
            return self._changed(engine, task, [one for one in found[task] if one.code == UNUSED.code])

        from gradlint import workers

        made = workers.done(found, changed, lambda task, end: None, jobs=jobs, limits=limits)
        yield from (change for change in made if change is not None)

    def _changed(self, engine: Engine, task: Task, besides: Sequence[Finding]) -> Changed | None:
        before = task.read()
        if isinstance(before, Finding):
            return None

        def lint(data: bytes) -> Result:
            return engine.lint(data, task.path, task.filename, task.terms, named=task.named)

        after, cured = engine.fix(before, task.file, lint, self.settings.fixes(task.file), besides)
        if after == before:
            return None
        return Changed(task.path, task.filename, before, after, cured, over_stdin=task.stdin is not None)

    # ---- the cache

    def _name_of(self, terms: Terms) -> str:
        """A name for the terms and all else that a result rests on but files."""
        if terms not in self._names:
            text = f"{self.installed.catalogue.digest} {terms!r}"
            self._names[terms] = digest(text.encode("utf-8", "surrogatepass"))
        return self._names[terms]

    def _keep(self, task: Task, result: Result, rests_on: Dependencies) -> None:
        """Remember a result, if it is one of the file itself and not of what happened to us."""
        is_whole = rests_on.inputs and not result.traceback and not (self._engine and self._engine.given_up)
        if self.cache is not None and task.stdin is None and is_whole:
            self.cache.keep(task.file, self._name_of(task.terms), result, rests_on)

    def _remembered(self, remembered: Cache, tasks: Iterable[Task]) -> dict[str, Result]:
        """Return the remembered results of tasks that still hold."""
        terms = {task.file: self._name_of(task.terms) for task in tasks if task.stdin is None}
        known = remembered.results(terms)
        holding = remembered.holding(known.values(), self.project.queries.fingerprint)
        out = {one.file: one.result for one in holding}
        for file, one in known.items():
            if file not in out and self._still_holds(remembered, one, terms[file]):
                out[file] = one.result
        remembered.touch(known[file] for file in out)
        return out

    def _still_holds(self, remembered: Cache, one: Remembered, terms: str) -> bool:
        """Return whether all queries that a result rests on get the answers that they got."""
        answers = remembered.answers(one)
        if answers is None:
            return False
        queries = self.project.queries
        with queries.noted() as rests_on:
            for query, was in sorted(answers.items(), key=lambda each: each[0][0] != "content"):
                if not self.project.answers(query):
                    self.engine()
                if not self.project.ask_again(query) or rests_on.answers.get(query) != was:
                    return False
        remembered.keep(one.file, terms, one.result, rests_on)
        return True
