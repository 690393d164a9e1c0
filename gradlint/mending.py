"""The fixing of the files of a run, pass after pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gradlint.changes import Changed
from gradlint.files import Found
from gradlint.planning import Installed, Plan
from gradlint.reading import reason
from gradlint.report.entry import safe_name
from gradlint.results import Result
from gradlint.settings import Request, Settings
from gradlint.writing import replace_file

MOST_PASSES = 5
"""The most times that all files are fixed anew."""


class Fixing:
    """The files of a run, as they are fixed: what one becomes may show or cure findings in others, so all are linted
    again, until nothing changes any more."""

    def __init__(self, request: Request, found: Found, settings: Settings, installed: Installed) -> None:
        self.request, self.changed = request, list[Changed]()
        self._found, self._settings, self._installed = found, settings, installed
        self._left_alone = set[str]()
        self._passes = 0

    def resume_again(self, results: Sequence[Result]) -> bool:
        """Return whether a fix was made of what was found, so that there is to be linted again."""
        self._passes += 1
        made = self._made({result.filename: result for result in results}) if self._passes <= MOST_PASSES else []
        if self.request.diff:
            self.changed += made
            return False
        made = [one for one in made if self._is_kept(one)]
        self.changed += made
        return bool(made)

    def _made(self, results: Mapping[str, Result]) -> list[Changed]:
        """Return the changes that fixes make of files, each by itself."""
        plan, settings = Plan(self.request, self._settings, self._installed), self._settings
        found = {
            task: results[task.filename].findings
            for task in plan.tasks(self._found)
            if task.filename in results and task.filename not in self._left_alone
        }
        wanted = {task: each for task, each in found.items() if any(map(settings.fixes(task.file).wants, each))}
        return sorted(plan.changes(wanted), key=lambda one: one.path) if wanted else []

    def _is_kept(self, change: Changed) -> bool:
        """Return whether a change is written, or is one of what came over stdin; what is not is told."""
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
