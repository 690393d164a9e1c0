"""Results that are told while others are still to come.

A finding can come of any file that leads to where it stands. So a result is final when its file is done and all files
of the run that import it, directly or by others; what is final is told in the order of the report.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

from gradlint.resolving import Resolver
from gradlint.results import Result, Together
from gradlint.settings import Settings


class Stream:
    """The results of a run, in order, as soon as they are final. Of each of its `files` there is the path that it is
    shown under, and its own."""

    def __init__(self, files: Iterable[tuple[str, str]], settings: Settings, project: Resolver) -> None:
        self._order = [file for _, file in sorted(files, key=itemgetter(0))]
        self._together, self._project = Together(frozenset(self._order), settings, project), project
        self._done: dict[str, Result] = {}
        self._reached: dict[str, frozenset[str]] = {}
        self._waiting_for = ""
        self.told: dict[str, Result] = {}

    def add(self, result: Result) -> None:
        """Note a result."""
        self._together.add(result)
        self._done[result.filename] = result
        self._reached.pop(result.filename, None)

    def final(self) -> list[Result]:
        """Return the results that are final by now and have not been told."""
        found: list[Result] = []
        for file in self._order[len(self.told) :]:
            if file not in self._done or self._may_get_more(file):
                break
            found.append(self._together.whole(self._done[file]))
            self.told[file] = found[-1]
        return found

    def _may_get_more(self, file: str) -> bool:
        """Return whether a file that is still linted leads to one. The one that does is remembered: until it is done
        nobody need look at the others."""
        left = [one for one in self._order if one not in self._done]
        if self._waiting_for in left:
            left.insert(0, self._waiting_for)
        self._waiting_for = next((one for one in left if file in self._files_reached(one)), "")
        return bool(self._waiting_for)

    def _files_reached(self, file: str) -> frozenset[str]:
        if file not in self._reached:
            self._reached[file] = frozenset(self._project.at(file).reached())
        return self._reached[file]
