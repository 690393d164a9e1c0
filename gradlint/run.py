"""A run from paths to results: every file is read, analysed and told about, whatever happens to the others.

A run is planned in a process that has loaded neither rules nor what analyses: it finds the files, asks the cache what
it remembers of them, and looks at the words of the others. Only for what is left is the engine loaded, and that works
in processes of its own.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from gradlint import baseline, cache, kinds, signals
from gradlint.baseline import BadBaseline
from gradlint.changes import NOTHING_WANTED, Changed
from gradlint.collecting import few_collections
from gradlint.config import BadConfig, Configs
from gradlint.files import Found, displayed, find, here
from gradlint.finding import SAFE, UNSAFE
from gradlint.frozen import frozen
from gradlint.mending import Fixing
from gradlint.planning import Installation, Installed, Plan
from gradlint.reading import TooLarge, reason
from gradlint.report.entry import Entry, safe_name
from gradlint.results import STDIN as STDIN
from gradlint.results import (
    Result,
    cannot_be_listed,
    ordered,
    together,
)
from gradlint.selection import UnknownRule
from gradlint.settings import Request, Settings
from gradlint.streaming import Stream
from gradlint.versions import UnknownVersion

Progress = Callable[[int, int], None]
"""Is told how many files are done, and of how many, each time one is."""
Teller = Callable[[Sequence[Entry], str | None], None]
"""Is told the entries of files as soon as they are final, in order, and the configured format of the report."""


SILENT = 1.0
"""Seconds for which a run tells nothing: in most there is nothing to be told before the end."""


def silent(done: int, of: int) -> None:
    """Tell nobody."""


@frozen()
class Interruption:
    """The interruption of a run: how much was `done` when a signal ended it, and the `exit_code` that says so."""

    done: str
    exit_code: int


@frozen()
class Outcome:
    """The outcome of a request: `entries` in the order of the report, `files` that were looked at, `problems` that make
    the run a failure whatever was found, `warnings` that do not, and `told`: a line about each file, for those who ask,
    and the `tracebacks` of errors of ours; `notes` are what was done besides. Of a run that was `interrupted` there is
    what was done until then, and how much that is. `changed` are the files that were fixed, or would be where only a
    diff is asked for; of what came over stdin there is `stdin`, as it is then. `fixable` are how many findings have a
    safe fix, and how many have an unsafe one alone."""

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
    """Return the description of the settings that hold, and of the folder of the cache. Raises `Refused`."""
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
            fixing = Fixing(request, found, settings, installed)
            while interrupted is None and fixing.resume_again(results):
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
    """Return the number of findings with a safe fix, and with an unsafe one only; where fixes are made, only those that
    were not tried."""
    counted = Counter[str]()
    for result in results:
        wanted = settings.fixes(result.filename) if any(one.fixes for one in result.findings) else NOTHING_WANTED
        for finding in result.findings:
            tried = request.fix and wanted.wants(finding)
            safeties = {fix.safety for fix in finding.fixes if finding.code in wanted.codes and not tried}
            counted[SAFE if SAFE in safeties else UNSAFE if UNSAFE in safeties else ""] += 1
    return counted[SAFE], counted[UNSAFE]


def _too_large(file: str, most: int) -> Iterator[str]:
    """A line about a file that would not be linted because it holds too much."""
    with contextlib.suppress(OSError):
        if os.path.getsize(file) > kinds.most_bytes(file, most):
            yield f"{safe_name(displayed(file))}: would not be linted: {reason(TooLarge(most))}"


def _all_results(
    request: Request, found: Found, settings: Settings, installed: Installed, progress: Progress, tell: Teller | None
) -> tuple[list[Result], Interruption | None]:
    """Return the results of all files, each with what the others lead to, and how far that got if interrupted."""
    closed = [Result(displayed(file), file, (cannot_be_listed(why),)) for file, why in found.closed]
    plan = Plan(request, settings, installed)
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
