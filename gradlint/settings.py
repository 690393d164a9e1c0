"""Settings for each file: what is asked for, and where that is silent the configuration closest to the file."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence

from gradlint import patterns
from gradlint.catalogue import Listed
from gradlint.changes import Wanted
from gradlint.config import BadConfig, Config, Configs
from gradlint.files import Excluded, Found, displayed, here
from gradlint.finding import SAFE, UNSAFE, Confidence, Finding
from gradlint.frozen import frozen
from gradlint.limits import LIMITS, Limits
from gradlint.reading import MEGABYTE, MOST_SOURCE
from gradlint.report.entry import safe_name
from gradlint.selection import ALL, NOT_LINTED, UNUSED, Layer, Selectable, matching, names, selected
from gradlint.versions import NEWEST, UnknownVersion, Version, described, holds, parse, written


@frozen()
class Request:
    """A request to lint. What is None or empty is left to the configuration."""

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
    """The number of processes that lint (0: this one, without limits of time and memory)."""
    cache: bool = False
    fix: bool = False
    diff: bool = False
    unsafe_fixes: bool | None = None
    fixable: tuple[str, ...] = ()
    unfixable: tuple[str, ...] = ()
    """The fixes that are made, or only shown as a `diff`."""
    cache_dir: str | None = None
    """The folder in which results are remembered, if they are (None: that of the configuration, or of the project)."""
    baseline: str | None = None
    update_baseline: bool = False
    """The file whose findings are not told, and whether all that is found is written there."""


@frozen()
class Known:
    """The facts told of torch and of the project's own wrappers: the `version` of torch, and import paths of classes
    and functions that give modules, of managers and decorators under which gradients are off, of functions that
    differentiate their first argument."""

    version: Version = NEWEST
    modules: tuple[str, ...] = ()
    no_grad: tuple[str, ...] = ()
    backward: tuple[str, ...] = ()

    @property
    def roots(self) -> tuple[str, ...]:
        """The names that they are imported by."""
        return tuple(dict.fromkeys(path.partition(".")[0] for path in (*self.modules, *self.no_grad, *self.backward)))


@frozen()
class Terms:
    """The terms under which a file is linted: the codes of the rules that are heard, those of them that do not report
    here (`ignored`), how far a finding must be believed at `least`, what is `known`, and how many bytes may be linted
    at `most`."""

    heard: tuple[str, ...]
    ignored: tuple[str, ...]
    least: Confidence
    known: Known
    most: int = MOST_SOURCE


class Settings:
    """The settings for each file: the request, and where it is silent the configuration closest to the file."""

    def __init__(self, request: Request, rules: Sequence[Listed], configs: Configs | None = None) -> None:
        self.request = request
        self._configs_of: dict[str, Config] = {}
        self.warnings: dict[str, None] = {}
        self._target = _target(request.target_torch)
        self.configs = configs or Configs(request.config, request.isolated)
        self.every = tuple(rules)
        self._words: tuple[Selectable, ...] = (*self.every, NOT_LINTED, UNUSED)
        self._chosen: dict[str, frozenset[str]] = {}
        self._asked = Layer(request.select or None, request.extend_select, (*request.ignore, *request.extend_ignore))
        self._asked_to_fix = Layer(request.fixable or None, (), request.unfixable)
        for layer in (self._asked, self._asked_to_fix):
            selected(self._words, [layer])  # a wrong word is told even where there is nothing to lint
        for option, given in (("--exclude", request.exclude), ("--extend-exclude", request.extend_exclude)):
            for pattern in given:
                if wrong := patterns.fault(pattern):
                    raise BadConfig(f"{option}: `{pattern}` is no pattern: {wrong}")

    def limits(self) -> Limits:
        """Return the limits of linting one file, as the configuration for the folder one stands in says."""
        given = self.configs.of(here()).limits
        memory = given["memory"] * MEGABYTE if "memory" in given else LIMITS.memory
        return Limits(given.get("seconds", LIMITS.seconds), memory)

    def config_of(self, file: str) -> Config:
        """The configuration for a file."""
        if file not in self._configs_of:
            self._configs_of[file] = self.configs.of(os.path.dirname(file))
        return self._configs_of[file]

    def most_source(self, file: str) -> int:
        """Return the most bytes of a file that is linted."""
        given = self.config_of(file).limits
        return given["size"] * MEGABYTE if "size" in given else MOST_SOURCE

    def warn_of_unread(self, found: Found) -> None:
        """Tell of the files that git would read and that could not be read."""
        for file, why in sorted(found.unread.items()):
            self.warnings[f"{safe_name(displayed(file))} does not count for what git ignores: {why}"] = None

    def excluded(self, folder: str) -> Excluded:
        """Return the exclusions of a folder."""
        request, config = self.request, self.configs.of(folder)
        # What is asked for on the command line is meant from where one stands.
        asked = [patterns.anchored(pattern, here()) for pattern in (*request.exclude, *request.extend_exclude)]
        usual = () if request.exclude else config.exclude
        respect = config.respect_gitignore if request.respect_gitignore is None else request.respect_gitignore
        return Excluded(config.folder, (*usual, *config.extend_exclude, *asked), respect, config.include)

    def min_confidence(self, file: str) -> Confidence:
        for least in (self.request.min_confidence, self.config_of(file).min_confidence):
            if least is not None:
                return least
        return Confidence.LIKELY

    def known(self, file: str) -> Known:
        """Return the facts configured, or asked for, of torch and of the project's own wrappers in a file."""
        config = self.config_of(file)
        version = self._target or config.target_torch or NEWEST
        return Known(version, config.known_modules, config.no_grad_wrappers, config.backward_wrappers)

    def heard(self, file: str) -> frozenset[str]:
        """The codes of the rules that hear what happens in a file, and in others that it leads to."""
        return self._configured(file)

    def terms(self, file: str) -> Terms:
        """All that decides what is found in a file, but for what it holds and what lies around it."""
        heard = self._configured(file) - {UNUSED.code}  # it is judged by what is found under the terms
        known, most = self.known(file), self.most_source(file)
        return Terms(_in_order(heard), _in_order(self.ignored(file)), self.min_confidence(file), known, most)

    def ignored(self, file: str) -> frozenset[str]:
        """The codes of rules that are asked for, but not in this file."""
        return self._configured(file) & self._ignored_here(file, self.config_of(file)) - {UNUSED.code}

    def wants(self, finding: Finding, file: str) -> bool:
        """Return whether a finding in a file is to be reported, as far as the file's settings say."""
        return finding.code in self.codes(file) and finding.confidence <= self.min_confidence(file)

    def fixes(self, file: str) -> Wanted:
        """Return the fixes that may be made in a file."""
        request, config = self.request, self.config_of(file)
        fixable = Layer(config.fixable or (ALL,), origin=config.origin("fixable"))
        unfixable = Layer(ignore=config.unfixable, origin=config.origin("unfixable"))
        unsafe = config.unsafe_fixes if request.unsafe_fixes is None else request.unsafe_fixes
        return Wanted(
            selected(self._words, [fixable, unfixable, self._asked_to_fix]), (SAFE, UNSAFE) if unsafe else (SAFE,)
        )

    def codes(self, file: str) -> frozenset[str]:
        """The codes of what may be reported of a file."""
        return self._configured(file) - self._ignored_here(file, self.config_of(file))

    def _configured(self, file: str) -> frozenset[str]:
        """The codes that are asked for where a file lies."""
        config = self.config_of(file)
        if config.file not in self._chosen:
            layers = (*config.layers(), self._asked)
            chosen = selected(self._words, layers)
            self._chosen[config.file] = chosen - self._outside(file, chosen, layers)
            self._warn_of_patterns(config)
        return self._chosen[config.file]

    def _outside(self, file: str, chosen: frozenset[str], layers: Sequence[Layer]) -> frozenset[str]:
        """The codes of rules that do not hold in the version of torch that a file is for; who names one is told."""
        version = self.known(file).version
        outside = [rule for rule in self.every if rule.code in chosen and not holds(rule, version)]
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
                name = safe_name(displayed(config.origin("per_file_ignores")))
                self.warnings[f"{name}: `per-file-ignores`: `{pattern}` matches no file: {why}"] = None

    def _ignored_here(self, file: str, config: Config) -> frozenset[str]:
        """The codes that `per-file-ignores` names for a file."""
        out: frozenset[str] = frozenset()
        for pattern, words in config.per_file_ignores:
            origin = config.origin("per_file_ignores")
            codes = frozenset[str]().union(*(matching(word, self._words, origin) for word in words))
            if patterns.matches(file, (pattern.removeprefix("!"),), config.folder) is not pattern.startswith("!"):
                out |= codes
        return out


@functools.cache
def _in_order(codes: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(codes))


def _target(text: str | None) -> Version | None:
    """The version that the command line asks for. Raises `UnknownVersion`."""
    try:
        return None if text is None else parse(text)
    except UnknownVersion as error:
        raise UnknownVersion(f"--target-torch: {error}") from None
