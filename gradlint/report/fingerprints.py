"""Fingerprints: names by which a finding is known again when the lines of its file have moved."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence

from gradlint.report.entry import Entry


def fingerprints(entries: Sequence[Entry], paths: Iterable[str]) -> list[str]:
    """A name for each finding, made of its path as it is given, its code and the text of its line without spaces
    that do not matter; of several that have all of that in common, each has its number."""
    seen = Counter[tuple[str, str, str]]()
    names = list[str]()
    for entry, path in zip(entries, paths, strict=True):
        finding = entry.finding
        key = (path, finding.code, " ".join(entry.line(finding.place.row).split()))
        told = "\0".join([*key, str(seen[key])])
        names.append(hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:32])
        seen[key] += 1
    return names
