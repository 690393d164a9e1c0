"""From paths to results: every file is read, analysed and told about, whatever happens to the others."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from gradlint import globs, linter, patterns, signals, texts, workers
from gradlint.collecting import few_collections
from gradlint.config import BadConfig, Config, Configs
from gradlint.files import Excluded, Found, find, here, is_excluded
from gradlint.finding import LATER, RAISES, Confidence, Finding, Place
from gradlint.knowledge import configured
from gradlint.knowledge.together import NO_PACKS, Packs
from gradlint.locating import at_the_call
from gradlint.project import Project, ProjectView
from gradlint.reading import MOST_SOURCE, TooLarge, read_regular, reason
from gradlint.report.entry import Entry, safe_name
from gradlint.rule import Rule
from gradlint.selection import NOT_LINTED, Layer, Named, UnknownRule, matching, names, selected
from gradlint.suppression import unsuppressed
from gradlint.versions import NEWEST, UnknownVersion, Version, described, holds, parse, written

Progress = Callable[[int, int], None]
"""Is told how many files are done, and of how many, each time one is."""

STDIN = "-"
NOTEBOOK = ".ipynb"


@dataclass(frozen=True, slots=True)
class Request:
    """What to lint, and how. What is None or empty is left to the configuration."""

    paths: tuple[str, ...] = ()
    stdin: bytes = b""
    stdin_filename: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    min_confidence: Confidence | None = None
    target_torch: str | None = None
    config: str | None = None
    isolated: bool = False
    exclude: tuple[str, ...] = ()
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    respect_gitignore: bool | None = None
    only_list: bool = False
    jobs: int = 0
    """How many processes lint (0: this one, without limits of time and memory)."""


@dataclass(frozen=True, slots=True)
class Interruption:
    """How much of a run was `done` when a signal ended it, and the `exit_code` that says so."""

    done: str
    exit_code: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a request: `entries` in the order of the report, `files` that were looked at, `problems` that make
    the run a failure whatever was found, `warnings` that do not, and `told`: a line about each file, for those who
    ask, and the `tracebacks` of errors of ours. Of a run that was `interrupted` there is what was done until then, and
    how much that is."""

    entries: tuple[Entry, ...]
    files: tuple[str, ...]
    problems: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    tracebacks: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    interrupted: Interruption | None = None
    output_format: str | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one file: its findings in order, those in other files that it leads to (`elsewhere`), the
    `traceback` of an error of ours that kept us from them, and the files that it imports and that could not be read
    (`unread`), with the reason."""

    path: str
    filename: str
    findings: tuple[Finding, ...] = ()
    lines: tuple[str, ...] = ()
    traceback: str = ""
    counts: tuple[tuple[str, int], ...] = ()
    elsewhere: tuple[Finding, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()

    def entries(self) -> Iterator[Entry]:
        """The findings as reports take them."""
        return (Entry(finding, self.path, self.filename, self.lines) for finding in self.findings)

    def told(self) -> Iterator[str]:
        """The file in a line, and in one each the files that are missing from what is known of it."""
        counted = ", ".join(f"{number} {what}" for what, number in self.counts)
        name = safe_name(self.path)
        yield f"{name}: {counted}" if counted else name
        for path, why in self.unread:
            yield f"{name}: imports {safe_name(displayed(path))}, which cannot be read: {why}"


class Refused(Exception):
    """A request that cannot be met at all: an unknown rule, a bad configuration. The message says how to mend it."""


@few_collections()
def lint(
    request: Request, rules: Sequence[Rule], packs: Packs = NO_PACKS, progress: Progress = lambda done, of: None
) -> Outcome:
    """Lint what is asked for, with these rules and this knowledge of libraries. Raises `Refused`."""
    try:
        return _lint(request, rules, packs, progress)
    except (BadConfig, UnknownRule, UnknownVersion) as error:
        raise Refused(str(error)) from error


def _lint(request: Request, rules: Sequence[Rule], packs: Packs, progress: Progress) -> Outcome:
    settings = Settings(request, rules, packs)
    found = find([path for path in request.paths or (".",) if path != STDIN], settings.excluded, request.force_exclude)
    interrupted = None
    if request.only_list:
        results = [Result(displayed(file), file) for file in found.files]
    else:
        results, interrupted = _all_results(request, found, settings, progress)
    settings.warn_of_unread(found)
    problems = [f"{safe_name(path)}: no such file or folder" for path in found.missing]
    closed = {folder for folder, _ in found.closed}
    return Outcome(
        tuple(entry for result in results for entry in result.entries()),
        tuple(result.path for result in results if result.filename not in closed),
        tuple(problems),
        tuple(line for result in results for line in result.told()),
        tuple(f"{result.path}:\n{result.traceback}" for result in results if result.traceback),
        tuple(settings.warnings),
        interrupted,
        settings.configs.of(here()).output_format,
    )


def _all_results(
    request: Request, found: Found, settings: Settings, progress: Progress
) -> tuple[list[Result], Interruption | None]:
    """What came of all files, each with what the others lead to, and how far that got if it was interrupted."""
    closed = [Result(displayed(file), file, (cannot_be_listed(why),)) for file, why in found.closed]
    files = [*found.files, *([STDIN] if STDIN in request.paths else [])]
    results, callers = list[Result](), list[Result]()
    interrupted: Interruption | None = None
    try:
        for result in _linted(files, request, settings):
            results += result
            progress(len(results), len(files))
        for result in _linted(_callers(found.files, settings), request, settings):
            callers += result
    except KeyboardInterrupt as error:
        interrupted = Interruption(f"{len(results)} of {len(files)} files", signals.exit_code(error))
    return together(ordered([*results, *closed]), settings, callers), interrupted


def _linted(files: Sequence[str], request: Request, settings: Settings) -> Iterator[list[Result]]:
    """What comes of files, as it comes; the largest first, where several are linted at once."""
    for file in files:  # what is to be warned of is noted in this process
        settings.heard(os.path.abspath(request.stdin_filename or "stdin.py") if file == STDIN else file)
    if request.jobs > 1:
        files = sorted(files, key=_size, reverse=True)

    def work(file: str) -> list[Result]:
        return [*_of_stdin(request, settings)] if file == STDIN else [_of_file(file, settings)]

    def gave_up(file: str, why: str) -> list[Result]:
        shown = (request.stdin_filename or STDIN) if file == STDIN else displayed(file)
        return [settings.asked_for(file, Result(shown, file, (not_linted(why),)))]

    return workers.done(files, work, gave_up, jobs=min(request.jobs, len(files)))


def _size(file: str) -> int:
    try:
        return os.path.getsize(file)
    except OSError:
        return 0


def _of_file(file: str, settings: Settings) -> Result:
    """Read a file and lint it."""
    shown = displayed(file)
    data = read(file)
    if isinstance(data, Finding):
        return settings.asked_for(file, Result(shown, file, (data,)))
    result = lint_bytes(
        data,
        shown,
        file,
        settings.heard(file),
        settings.min_confidence(file),
        packs=settings.packs(file),
        project=settings.project.at(file),
        ignored=settings.ignored(file),
    )
    return settings.asked_for(file, result)


MOST_ALONE, MOST_CALLERS = 10, 3
"""Of how many files that are linted by themselves callers are looked for, and of how many callers each."""


def _callers(files: Sequence[str], settings: Settings) -> list[str]:
    """Other files of the project that import what is linted: the nearest few, where few files are linted. Of a run over
    all of a project these are among the files."""
    if len(files) > MOST_ALONE:
        return []
    found = (path for file in files for path in settings.project.at(file).callers()[:MOST_CALLERS])
    return [path for path in dict.fromkeys(found) if path not in files]


def read(file: str) -> bytes | Finding:
    """What a file holds, or the finding that says why it cannot be had."""
    if file.endswith(NOTEBOOK):
        return unreadable("notebooks are not read yet")
    try:
        return read_regular(file, MOST_SOURCE)
    except (OSError, ValueError) as error:
        return cannot_be_read(error)


def _of_stdin(request: Request, settings: Settings) -> Iterator[Result]:
    """What comes over stdin, under the name it is given, as it is given."""
    name = request.stdin_filename
    file = os.path.abspath(name or "stdin.py")
    if name and request.force_exclude and is_excluded(file, settings.excluded(os.path.dirname(file))):
        return
    shown, filename = (name, file) if name else (STDIN, STDIN)
    if file.endswith(NOTEBOOK):
        yield Result(shown, filename, (unreadable("notebooks are not read yet"),))
        return
    if len(request.stdin) > MOST_SOURCE:
        yield settings.asked_for(file, Result(shown, filename, (cannot_be_read(TooLarge(MOST_SOURCE)),)))
        return
    least, packs = settings.min_confidence(file), settings.packs(file)
    project = settings.project.at(file) if name else None
    rules, ignored = settings.heard(file), settings.ignored(file)
    result = lint_bytes(request.stdin, shown, filename, rules, least, packs=packs, project=project, ignored=ignored)
    yield settings.asked_for(file, result)


def lint_bytes(
    data: bytes,
    path: str,
    filename: str,
    rules: Sequence[Rule],
    min_confidence: Confidence,
    *,
    packs: Packs = NO_PACKS,
    project: ProjectView | None = None,
    ignored: Container[str] = (),
) -> Result:
    """Lint what a file holds; what is `ignored` in it may still be found in the files it leads to. Nothing is raised
    but `MemoryError`: an error of ours is a finding about the file."""
    try:
        text = texts.decode(data)
        if not linter.may_find(text, rules, packs=packs, project=project):
            return Result(path, filename)
        found = linter.analyse(text, rules, packs=packs, project=project)
        here = [one for one in found.findings if one.code not in ignored]
        shown = linter.shown((*here, *found.elsewhere), rules, min_confidence)
        own = run_as_it_stands(tuple(one for one in shown if not one.path), project)
        findings, elsewhere = unsuppressed(text, own), tuple(one for one in shown if one.path)
        lines = tuple(texts.rows(text)) if findings or elsewhere else ()
        return Result(path, filename, findings, lines, counts=found.counts, elsewhere=elsewhere, unread=found.unread)
    except texts.Unreadable as error:
        lines = tuple(texts.rows(data.decode("utf-8", "replace")))
        told = not_linted if isinstance(error, texts.NotLinted) else unreadable
        return Result(path, filename, (told(error.message, error.row, error.column),), lines)
    except MemoryError:
        raise  # nobody knows what else it cost: the process ends
    except Exception as error:  # the other files are still linted
        message = f"internal error: {one_line(error)}; please report it"
        return Result(path, filename, (not_linted(message),), traceback=_shortened(traceback.format_exc()))


def together(results: Sequence[Result], settings: Settings, callers: Sequence[Result] = ()) -> list[Result]:
    """The results of a run in which each finding stands in its file, where that was linted, else at the call that leads
    there: once, the best believed of all ways to it. Of `callers` only what they lead to counts."""
    by_file = {result.filename: result for result in results}
    more: dict[str, list[Finding]] = {}
    for result in (*results, *callers):
        for finding in filter(settings.wants, result.elsewhere):
            if finding.path in by_file:
                more.setdefault(finding.path, []).append(replace(finding, path=""))
            elif result.filename in by_file and finding.code in settings.codes(result.filename):
                told = at_the_call(finding, result.filename, _where(finding))
                more.setdefault(result.filename, []).extend(unsuppressed("\n".join(result.lines), told))
    return [settings.with_more(result, more.get(result.filename, ())) for result in results]


def _where(finding: Finding) -> str:
    return f"{displayed(finding.path)}:{finding.place.row}"


def run_as_it_stands(findings: tuple[Finding, ...], project: ProjectView | None) -> tuple[Finding, ...]:
    """Without what would raise in a file that is but the source of a generated one."""
    kept = tuple(one for one in findings if one.consequence not in (RAISES, LATER))
    return kept if len(kept) < len(findings) and project is not None and project.is_template() else findings


class Settings:
    """What holds for each file: the request, and where it is silent the configuration closest to the file."""

    def __init__(self, request: Request, rules: Sequence[Rule], packs: Packs) -> None:
        self.request = request
        self.warnings: dict[str, None] = {}
        self._target = _target(request.target_torch)
        self.project = Project()
        self._installed, self._known = packs, dict[str, Packs]()
        self.configs = Configs(request.config, request.isolated)
        self._every = tuple(rules)
        self._words: tuple[Rule | Named, ...] = (*self._every, NOT_LINTED)
        self._chosen: dict[str, frozenset[str]] = {}
        self._asked = Layer(request.select or None, request.extend_select, (*request.ignore, *request.extend_ignore))
        selected(self._words, [self._asked])  # a wrong word is told even where there is nothing to lint
        for option, given in (("--exclude", request.exclude), ("--extend-exclude", request.extend_exclude)):
            for pattern in given:
                if wrong := patterns.fault(pattern):
                    raise BadConfig(f"{option}: `{pattern}` is no pattern: {wrong}")

    def warn_of_unread(self, found: Found) -> None:
        """Tell of the files that git would read and that could not be read."""
        for file, why in sorted(found.unread.items()):
            self.warnings[f"{safe_name(displayed(file))} does not count for what git ignores: {why}"] = None

    def excluded(self, folder: str) -> Excluded:
        """What is left out of a folder."""
        request, config = self.request, self.configs.of(folder)
        # What is asked for on the command line is meant from where one stands.
        asked = _from_here((*request.exclude, *request.extend_exclude))
        usual = () if request.exclude else config.exclude
        respect = config.respect_gitignore if request.respect_gitignore is None else request.respect_gitignore
        return Excluded(config.folder, (*usual, *config.extend_exclude, *asked), respect)

    def min_confidence(self, file: str) -> Confidence:
        for least in (self.request.min_confidence, self.configs.of(os.path.dirname(file)).min_confidence):
            if least is not None:
                return least
        return Confidence.LIKELY

    def packs(self, file: str) -> Packs:
        """What is known in a file of its version of torch and of libraries: what is installed, and before it what is
        configured."""
        config = self.configs.of(os.path.dirname(file))
        if config.file not in self._known:
            version = self._target or config.target_torch or NEWEST
            told = configured.pack(config.known_modules, config.no_grad_wrappers, config.backward_wrappers)
            packs = Packs.of((*told, *self._installed.packs), version) if told else self._installed.at(version)
            self._known[config.file] = packs
        return self._known[config.file]

    def rules(self, file: str) -> tuple[Rule, ...]:
        """The rules that are asked for in a file."""
        codes = self.codes(file)
        return tuple(rule for rule in self._every if rule.code in codes)

    def heard(self, file: str) -> tuple[Rule, ...]:
        """The rules that hear what happens in a file, and in others that it leads to."""
        codes = self._configured(file)
        return tuple(rule for rule in self._every if rule.code in codes)

    def ignored(self, file: str) -> frozenset[str]:
        """The codes that are asked for, but not in this file."""
        return self._configured(file) - self.codes(file)

    def wants(self, finding: Finding) -> bool:
        """Whether a finding in another file than the linted one is to be reported, as far as that file says."""
        file, text = finding.path, self.project.text(finding.path) or ""
        chosen = finding.code in self.codes(file) and finding.confidence <= self.min_confidence(file)
        kept = (finding,) if chosen else ()
        return bool(unsuppressed(text, run_as_it_stands(kept, self.project.at(file))))

    def with_more(self, result: Result, more: Sequence[Finding]) -> Result:
        """A result with findings that the other files of the run lead to."""
        if not more:
            return result
        every = sorted((*result.findings, *more), key=lambda one: (one.place, one.code))
        findings = linter.shown(every, self._every, Confidence.POSSIBLE)
        lines = result.lines or tuple(texts.rows(self.project.text(result.filename) or ""))
        return replace(result, findings=findings, lines=lines)

    def asked_for(self, file: str, result: Result) -> Result:
        """What came of a file, or nothing where gradlint gave up on it and that is ignored."""
        gave_up = any(finding.code == NOT_LINTED.code for finding in result.findings)
        return Result(result.path, result.filename) if gave_up and NOT_LINTED.code not in self.codes(file) else result

    def codes(self, file: str) -> frozenset[str]:
        """The codes of what may be reported of a file."""
        return self._configured(file) - self._ignored_here(file, self.configs.of(os.path.dirname(file)))

    def _configured(self, file: str) -> frozenset[str]:
        """The codes that are asked for where a file lies."""
        config = self.configs.of(os.path.dirname(file))
        if config.file not in self._chosen:
            configured = Layer(config.select, config.extend_select, config.ignore, origin=config.file)
            chosen = selected(self._words, [configured, self._asked])
            self._chosen[config.file] = chosen - self._outside(file, chosen, (configured, self._asked))
            self._warn_of_patterns(config)
        return self._chosen[config.file]

    def _outside(self, file: str, chosen: frozenset[str], layers: Sequence[Layer]) -> frozenset[str]:
        """The codes of rules that do not hold in the version of torch that a file is for; who names one is told."""
        version = self.packs(file).torch.version
        outside = [rule for rule in self._every if rule.code in chosen and not holds(rule, version)]
        for rule in outside:
            if any(names(layer, rule) for layer in layers):
                range_of = f"it is a mistake in torch {described(rule)}, and torch {written(version)} is aimed at"
                cure = "leave it out, or choose another version with --target-torch"
                self.warnings[f"{rule.code} is not run: {range_of}; {cure}"] = None
        return frozenset(rule.code for rule in outside)

    def _warn_of_patterns(self, config: Config) -> None:
        """Tell of the patterns of `per-file-ignores` that speak of no file at all."""
        for pattern, _ in config.per_file_ignores:
            if why := patterns.matches_no_file(pattern.removeprefix("!"), config.folder):
                name = safe_name(displayed(config.file))
                self.warnings[f"{name}: `per-file-ignores`: `{pattern}` matches no file: {why}"] = None

    def _ignored_here(self, file: str, config: Config) -> frozenset[str]:
        """The codes that `per-file-ignores` names for a file."""
        out: frozenset[str] = frozenset()
        for pattern, words in config.per_file_ignores:
            codes = frozenset[str]().union(*(matching(word, self._words, config.file) for word in words))
            if patterns.matches(file, (pattern.removeprefix("!"),), config.folder) is not pattern.startswith("!"):
                out |= codes
        return out


def _target(text: str | None) -> Version | None:
    """The version that the command line asks for. Raises `UnknownVersion`."""
    try:
        return None if text is None else parse(text)
    except UnknownVersion as error:
        raise UnknownVersion(f"--target-torch: {error}") from None


def _from_here(patterns: Iterable[str]) -> tuple[str, ...]:
    """Patterns with a slash as absolute ones."""
    folder = globs.escape(here())
    return tuple(os.path.join(folder, pattern) if "/" in pattern.rstrip("/") else pattern for pattern in patterns)


def displayed(path: str) -> str:
    """How an absolute path is named in reports: from the current folder where it is there and the path below it, else
    in full."""
    try:
        return path.removeprefix(os.path.join(os.getcwd(), ""))
    except FileNotFoundError:
        return path


def ordered(results: Iterable[Result]) -> list[Result]:
    """Results by path, in the order in which they are reported."""
    return sorted(results, key=lambda result: result.path)


def unreadable(message: str, row: int = 1, column: int = 1) -> Finding:
    """The finding that stands for a file that could not be linted."""
    return Finding("GRD000", "unreadable-file", message, Place(row, column, row, column))


def cannot_be_listed(why: str) -> Finding:
    """The finding that stands for a folder whose files cannot be had."""
    return unreadable(f"the folder cannot be listed: {why}")


def cannot_be_read(error: OSError | ValueError) -> Finding:
    """The finding that stands for a file whose bytes cannot be had."""
    if isinstance(error, TooLarge):
        return not_linted(reason(error).removeprefix("it is "))
    return unreadable(f"cannot be read: {reason(error)}")


def not_linted(message: str, row: int = 1, column: int = 1) -> Finding:
    """The finding that stands for a file that gradlint gave up on."""
    return Finding(NOT_LINTED.code, NOT_LINTED.name, message, Place(row, column, row, column))


LONGEST_TRACEBACK = 100
"""Rows of a traceback; a deep recursion has thousands."""


def _shortened(text: str) -> str:
    rows = text.splitlines()
    left_out = len(rows) - LONGEST_TRACEBACK
    if left_out > 0:
        half = LONGEST_TRACEBACK // 2
        rows = [*rows[:half], f"  [{left_out} rows left out]", *rows[-half:]]
    return "\n".join(rows) + "\n"


def one_line(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
