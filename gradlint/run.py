"""From paths to results: every file is read, analysed and told about, whatever happens to the others.

A run is planned in a process that has loaded neither rules nor what analyses: it finds the files, asks the cache what
it remembers of them, and looks at the words of the others. Only for what is left is the engine loaded, and that works
in processes of its own.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from gradlint import baseline, cache, gate, installation, kinds, signals, texts, unused, workers
from gradlint.baseline import BadBaseline
from gradlint.cache import Cache, Remembered
from gradlint.catalogue import Catalogue
from gradlint.changes import NOTHING_WANTED, Changed, Wanted
from gradlint.collecting import few_collections
from gradlint.config import BadConfig, Configs
from gradlint.files import Found, displayed, find, here, is_excluded
from gradlint.finding import SAFE, UNSAFE, Finding
from gradlint.queries import Dependencies, Queries, digest
from gradlint.reading import MOST_SOURCE, TooLarge, read_regular, reason
from gradlint.report.entry import Entry, safe_name
from gradlint.resolving import Resolver, View
from gradlint.results import STDIN as STDIN
from gradlint.results import (
    Result,
    Rows,
    cannot_be_listed,
    cannot_be_read,
    not_linted,
    ordered,
    together,
    unreadable,
)
from gradlint.selection import NOT_LINTED, OF_FILES, UNUSED, UnknownRule
from gradlint.settings import Request, Settings, Terms
from gradlint.streaming import Stream
from gradlint.versions import UnknownVersion
from gradlint.writing import replace_file

Progress = Callable[[int, int], None]
"""Is told how many files are done, and of how many, each time one is."""
Teller = Callable[[Sequence[Entry], str | None], None]
"""Is told the entries of files as soon as they are final, in order, and the configured format of the report."""

MOST_ALONE, MOST_CALLERS = 10, 3
"""Of how many files that are linted by themselves callers are looked for, and of how many callers each."""


SILENT = 1.0
"""Seconds for which a run tells nothing: in most there is nothing to be told before the end."""
MOST_PASSES = 5
"""How often all files are fixed anew."""
MOST_TRIES = 3
"""How often a file is tried again without one around it on which its process has ended."""


def silent(done: int, of: int) -> None:
    """Tell nobody."""


class Engine(Protocol):
    """What lints a file after the other."""

    @property
    def project(self) -> Resolver: ...
    @property
    def given_up(self) -> dict[str, str]:
        """Files of whose syntax nothing is to be known, with the reasons: parsing them costs a process its life."""

    def lint(self, data: bytes, path: str, filename: str, terms: Terms, *, named: bool) -> Result:
        """What comes of a file; of one that is `named` with what lies around it."""

    def fix(
        self, data: bytes, name: str, lint: Callable[[bytes], Result], wanted: Wanted, besides: Sequence[Finding] = ()
    ) -> tuple[bytes, tuple[Finding, ...]]:
        """What fixes make of a file of this name, and what they cure, of what was found in it `besides` as well."""


class Installation(Protocol):
    """All that is installed."""

    @property
    def catalogue(self) -> Catalogue: ...
    @property
    def watched(self) -> dict[str, str]:
        """The stamps of all files that decide what is installed."""

    def engine(self, queries: Queries) -> Engine: ...


@dataclass(frozen=True, slots=True)
class Interruption:
    """How much of a run was `done` when a signal ended it, and the `exit_code` that says so."""

    done: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a request: `entries` in the order of the report, `files` that were looked at, `problems` that make
    the run a failure whatever was found, `warnings` that do not, and `told`: a line about each file, for those who
    ask, and the `tracebacks` of errors of ours; `notes` are what was done besides. Of a run that was `interrupted`
    there is what was done until then, and how much that is. `changed` are the files that were fixed, or would be where
    only a diff is asked for; of what came over stdin there is `stdin`, as it is then. `fixable` are how many findings
    have a safe fix, and how many have an unsafe one alone."""

    entries: tuple[Entry, ...]
    files: tuple[str, ...]
    problems: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    tracebacks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    interrupted: Interruption | None = None
    output_format: str | None = None
    notes: tuple[str, ...] = ()
    changed: tuple[Changed, ...] = ()
    stdin: bytes = b""
    fixable: tuple[int, int] = (0, 0)


class Refused(Exception):
    """A request that cannot be met at all: an unknown rule, a bad configuration. The message says how to mend it."""


@few_collections()
def lint(
    request: Request, load: Callable[[], Installation], progress: Progress = silent, tell: Teller | None = None
) -> Outcome:
    """Lint what is asked for with what is installed, which is loaded if it is needed. Raises `Refused`."""
    with prepared(request, load) as (settings, installed):
        return _lint(request, settings, installed, progress, tell)


def shown(request: Request, load: Callable[[], Installation], tell: Callable[[Settings, str], str]) -> str:
    """What is told of the settings that hold, and of the folder of the cache. Raises `Refused`."""
    with prepared(request, load) as (settings, _):
        return tell(settings, _folder(request, settings.configs))


@contextlib.contextmanager
def prepared(request: Request, load: Callable[[], Installation]) -> Iterator[tuple[Settings, Installed]]:
    """The settings for a request and what is installed, while the cache is open. Raises `Refused`."""
    try:
        configs = Configs(request.config, request.isolated)
        with cache.opened(_folder(request, configs)) if request.cache else contextlib.nullcontext() as remembered:
            installed = Installed(load, remembered)
            yield Settings(request, installed.catalogue.rules, configs), installed
    except (BadBaseline, BadConfig, UnknownRule, UnknownVersion) as error:
        raise Refused(str(error)) from error


def _folder(request: Request, configs: Configs) -> str:
    """The folder of the cache."""
    config = configs.of(here())
    return os.path.abspath(request.cache_dir or config.cache_dir or os.path.join(config.folder, cache.FOLDER))


def clean(request: Request) -> tuple[str, bool]:
    """Take the cache away: the folder it is in, and whether there was one. Raises `Refused`."""
    try:
        folder = _folder(request, Configs(request.config, request.isolated))
    except BadConfig as error:
        raise Refused(str(error)) from error
    return folder, cache.clean(folder)


class Installed:
    """What is installed, loaded when it is needed: what is known of it otherwise may be remembered."""

    def __init__(self, load: Callable[[], Installation], remembered: Cache | None) -> None:
        self._load, self.cache = load, remembered
        self._loaded: Installation | None = None
        self.catalogue = self._catalogue()

    def _catalogue(self) -> Catalogue:
        known = None if self.cache is None else self.cache.installation(installation.key())
        if known is not None and installation.is_unchanged(known[0]):
            return known[1]
        loaded = self.loaded()
        if self.cache is not None:
            self.cache.keep_installation(installation.key(), loaded.watched, loaded.catalogue)
        return loaded.catalogue

    def loaded(self) -> Installation:
        """All that is installed."""
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded


def _lint(
    request: Request, settings: Settings, installed: Installed, progress: Progress, tell: Teller | None
) -> Outcome:
    found = find([path for path in request.paths or (".",) if path != STDIN], settings.excluded, request.force_exclude)
    accepted = baseline.of(request, settings.configs.of(here()).baseline)
    notes, stale = list[str](), list[str]()
    interrupted, stdin, changed = None, request.stdin, tuple[Changed, ...]()
    if request.only_list:
        results = [Result(displayed(file), file) for file in found.files]
        told = [line for file in found.files for line in _too_large(file, settings.most_source(file))]
    else:
        told_now = None if tell is None or request.update_baseline else accepted.telling(tell)
        results, interrupted = _all_results(request, found, settings, installed, progress, told_now)
        if request.fix:
            fixing = _Fixing(request, found, settings, installed)
            while interrupted is None and fixing.goes_on(results):
                results, interrupted = _all_results(fixing.request, found, settings, installed, progress, None)
            changed, stdin = tuple(fixing.changed), fixing.request.stdin
        if interrupted is None:
            notes, stale = accepted.compared(results, settings.codes, update=request.update_baseline)
        told = [line for result in results for line in result.told()]
    settings.warn_of_unread(found)
    problems = [f"{safe_name(path)}: no such file or folder" for path in found.missing]
    closed = {folder for folder, _ in found.closed}
    return Outcome(
        accepted.left(entry for result in results for entry in result.entries()),
        tuple(result.path for result in results if result.filename not in closed),
        tuple(problems),
        (*told, f"limits for each file: {settings.limits().told()}"),
        tuple(f"{result.path}:\n{result.traceback}" for result in results if result.traceback),
        (*settings.warnings, *(line for one in results for line in one.warnings(settings.every)), *stale),
        interrupted,
        settings.configs.of(here()).output_format,
        tuple(notes),
        changed,
        stdin,
        _fixable(request, results, settings),
    )


def _fixable(request: Request, results: Sequence[Result], settings: Settings) -> tuple[int, int]:
    """How many findings have a safe fix, and how many have no other than an unsafe one; where fixes are made, only
    those that were not tried."""
    counted = Counter[str]()
    for result in results:
        wanted = settings.fixes(result.filename) if any(one.fixes for one in result.findings) else NOTHING_WANTED
        for finding in result.findings:
            tried = request.fix and wanted.wants(finding)
            safeties = {fix.safety for fix in finding.fixes if finding.code in wanted.codes and not tried}
            counted[SAFE if SAFE in safeties else UNSAFE if UNSAFE in safeties else ""] += 1
    return counted[SAFE], counted[UNSAFE]


class _Fixing:
    """The files of a run, as they are fixed: what one becomes may show or cure findings in others, so all are linted
    again, until nothing changes any more."""

    def __init__(self, request: Request, found: Found, settings: Settings, installed: Installed) -> None:
        self.request, self.changed = request, list[Changed]()
        self._found, self._settings, self._installed = found, settings, installed
        self._left_alone = set[str]()
        self._passes = 0

    def goes_on(self, results: Sequence[Result]) -> bool:
        """Whether a fix was made of what was found, so that there is to be linted again."""
        self._passes += 1
        made = self._made({result.filename: result for result in results}) if self._passes <= MOST_PASSES else []
        if self.request.diff:
            self.changed += made
            return False
        made = [one for one in made if self._is_kept(one)]
        self.changed += made
        return bool(made)

    def _made(self, results: Mapping[str, Result]) -> list[Changed]:
        """What fixes make of files, each by itself."""
        plan, settings = _Plan(self.request, self._settings, self._installed), self._settings
        found = {
            task: results[task.filename].findings
            for task in plan.tasks(self._found)
            if task.filename in results and task.filename not in self._left_alone
        }
        wanted = {task: each for task, each in found.items() if any(map(settings.fixes(task.file).wants, each))}
        return sorted(plan.changes(wanted), key=lambda one: one.path) if wanted else []

    def _is_kept(self, change: Changed) -> bool:
        """Whether a change is written, or is one of what came over stdin; what is not is told."""
        if change.over_stdin:
            self.request = replace(self.request, stdin=change.after)
            return True
        try:
            replace_file(change.filename, change.before, change.after)
        except OSError as error:
            self._left_alone.add(change.filename)
            self._settings.warnings[f"{safe_name(change.path)} is not fixed: {reason(error)}"] = None
            return False
        return True


def _too_large(file: str, most: int) -> Iterator[str]:
    """A line about a file that would not be linted because it holds too much."""
    with contextlib.suppress(OSError):
        if os.path.getsize(file) > kinds.most_bytes(file, most):
            yield f"{safe_name(displayed(file))}: would not be linted: {reason(TooLarge(most))}"


def _all_results(
    request: Request, found: Found, settings: Settings, installed: Installed, progress: Progress, tell: Teller | None
) -> tuple[list[Result], Interruption | None]:
    """What came of all files, each with what the others lead to, and how far that got if it was interrupted."""
    closed = [Result(displayed(file), file, (cannot_be_listed(why),)) for file, why in found.closed]
    plan = _Plan(request, settings, installed)
    tasks = plan.tasks(found)
    stream = None
    if tell is not None and STDIN not in request.paths and not plan.may_have_callers(found.files):
        stream = Stream(
            [*((one.path, one.filename) for one in tasks), *((one.path, one.filename) for one in closed)],
            settings,
            plan.project,
        )
        for result in closed:
            stream.add(result)
    results, callers = list[Result](), list[Result]()
    interrupted: Interruption | None = None
    begun = time.monotonic()
    try:
        for result in plan.results(tasks):
            results.append(result)
            progress(len(results), len(tasks))
            if stream is not None and tell is not None:
                stream.add(result)
                if time.monotonic() - begun >= SILENT:
                    entries = [entry for each in stream.final() for entry in each.entries()]
                    tell(entries, settings.configs.of(here()).output_format)
        callers += plan.results([*map(plan.of_file, plan.callers(found.files))])
    except KeyboardInterrupt as error:
        interrupted = Interruption(f"{len(results)} of {len(tasks)} files", signals.exit_code(error))
    every = ordered([*results, *closed])
    every = together(every, settings, plan.project, callers, complete=interrupted is None)
    told = {} if stream is None else stream.told
    return [told.get(result.filename, result) for result in every], interrupted


@dataclass(frozen=True, slots=True)
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
        """How many bytes it has."""
        try:
            return os.path.getsize(self.file) if self.stdin is None else len(self.stdin)
        except OSError:
            return 0


def read(file: str, most: int = MOST_SOURCE) -> bytes | Finding:
    """What a file holds, `most` bytes or fewer, or the finding that says why it cannot be had."""
    if lacking := kinds.lacking(file):
        return unreadable(lacking)
    try:
        return read_regular(file, kinds.most_bytes(file, most))
    except (OSError, ValueError) as error:
        return cannot_be_read(error)


Answer = tuple[Result | None, Dependencies, float]
"""What a process gives of a task: its result, None where the task is still to be done, what it rests on, and CPU
seconds."""


class _Plan:
    """From tasks to results: what is remembered, what the gate keeps back, what the engine is asked for."""

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
        """Whether other files are looked for that call what is in these."""
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
        """What comes of tasks, as it comes."""
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
        """What processes make of tasks, as it comes; the largest first, where several work at once."""
        jobs = min(self.request.jobs, len(tasks))
        if jobs > 1:
            tasks = sorted(tasks, key=lambda task: task.size, reverse=True)
        gave_up, limits = self._gave_up, self.settings.limits()
        return workers.done(tasks, lambda task: (task, work(task)), gave_up, jobs=jobs, limits=limits)

    def _gave_up(self, task: Task, end: workers.End) -> tuple[Task, Answer]:
        """What comes of a task on which a process has ended: nothing yet where it was a file around that one that it
        was busy with, and it can be tried without that."""
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
        """What can be told of a task without taking its text apart: its result where it cannot be read, else whether
        it has what is needed for a finding itself."""
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
        """What the engine makes of a task."""
        before, data, queries = time.process_time(), task.read(), self.project.queries
        if isinstance(data, Finding):
            return Result(task.path, task.filename, (data,)), Dependencies(), 0.0
        with queries.noted() as rests_on:
            queries.content(task.file)
            result = self.engine().lint(data, task.path, task.filename, task.terms, named=task.named)
        return replace(result, unknown=self._unknown_words(task, data)), rests_on, time.process_time() - before

    def changes(self, found: Mapping[Task, Sequence[Finding]]) -> Iterator[Changed]:
        """What fixes make of the files of tasks with what was found in them, where they make anything of them."""
        engine, jobs, limits = self.engine(), min(self.request.jobs, len(found)), self.settings.limits()

        def changed(task: Task) -> Changed | None:
            return self._changed(engine, task, [one for one in found[task] if one.code == UNUSED.code])

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
        """What is remembered of tasks and still holds."""
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
        """Whether all queries that a result rests on get the answers that they got."""
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
