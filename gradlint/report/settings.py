"""The settings that hold for a file, as a configuration that would give them."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence

from gradlint.changes import Wanted
from gradlint.files import displayed
from gradlint.finding import UNSAFE as UNSAFE_FIX
from gradlint.reading import MEGABYTE
from gradlint.report.entry import UNSAFE, encodable, safe_name
from gradlint.selection import NOT_LINTED
from gradlint.settings import Settings
from gradlint.versions import written


def report(path: str, settings: Settings, output_format: str, cache_dir: str) -> str:
    """The settings for a file, or for what lies directly in a folder, in TOML; where they come from in comments."""
    absolute = os.path.abspath(path)
    file = os.path.join(absolute, "") if os.path.isdir(absolute) else absolute
    return "".join(f"{line}\n" for line in _lines(file, settings, output_format, cache_dir))


def _lines(file: str, settings: Settings, output_format: str, cache_dir: str) -> Iterator[str]:
    config, excluded = settings.configs.of(os.path.dirname(file)), settings.excluded(os.path.dirname(file))
    known, codes = settings.known(file), settings.codes(file)
    yield f"# settings for {safe_name(displayed(file)) or 'the current folder'}"
    files = [safe_name(displayed(each)) for each in config.files()]
    yield f"# from {', which extends '.join(files) or 'no configuration file'}"
    yield from _list("select", sorted(codes - {NOT_LINTED.code}), {rule.code: rule.name for rule in settings.every})
    yield from _list("ignore", [] if NOT_LINTED.code in codes else [NOT_LINTED.code])
    yield f"min-confidence = {_string(str(settings.min_confidence(file)))}"
    yield f"target-torch = {_string(written(known.version))}"
    yield f"output-format = {_string(output_format)}"
    yield from _list("include", excluded.include)
    yield from _list("exclude", excluded.patterns)
    yield f"respect-gitignore = {str(excluded.respect_gitignore).lower()}"
    yield from _list("known-modules", known.modules)
    yield from _list("no-grad-wrappers", known.no_grad)
    yield from _list("backward-wrappers", known.backward)
    yield from _fixes(settings.fixes(file), {rule.code for rule in settings.every})
    if config.baseline is not None:
        yield f"baseline = {_string(config.baseline)}"
    yield f"cache-dir = {_string(cache_dir)}"
    limits = settings.limits()
    yield from ("", "[limits]")
    yield f"seconds = {limits.seconds:g}"
    yield f"memory = {limits.memory // MEGABYTE}"
    yield f"size = {settings.most_source(file) // MEGABYTE}"
    if config.per_file_ignores:
        yield from ("", "[per-file-ignores]")
        for pattern, words in config.per_file_ignores:
            yield f"{_string(pattern)} = [{', '.join(map(_string, words))}]"


def _fixes(wanted: Wanted, every: Collection[str]) -> Iterator[str]:
    yield from _list("fixable", ["ALL"] if wanted.codes.issuperset(every) else sorted(wanted.codes))
    yield f"unsafe-fixes = {str(UNSAFE_FIX in wanted.safeties).lower()}"


_NOTHING: Mapping[str, str] = {}


def _list(key: str, words: Sequence[str], comments: Mapping[str, str] = _NOTHING) -> Iterator[str]:
    """A list, a line for each of its members."""
    if not words:
        yield f"{key} = []"
        return
    yield f"{key} = ["
    for word in words:
        yield f"    {_string(word)},{f'  # {comments[word]}' if word in comments else ''}"
    yield "]"


def _string(text: str) -> str:
    """A string as TOML has it, on one line."""
    told = "".join(_character(character) for character in encodable(text))
    return f'"{told}"'.replace("##", "#\\u0023")


def _character(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    return f"\\U{ord(character):08x}" if unicodedata.category(character) in UNSAFE else character
